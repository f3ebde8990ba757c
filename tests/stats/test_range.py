import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.range import STATISTIC


@pytest.mark.parametrize(
    ("values", "spread"),
    [
        ((5.0,), 0.0),
        ((3.0, 9.0, 1.0), 8.0),
        ((-2.0, -8.0), 6.0),
        ((-1.0, 1.0), 2.0),
        # The p99 of three runs, 0.567 to 0.609.
        ((0.609, 0.567, 0.581), 0.609 - 0.567),
    ],
)
def test_it_is_the_largest_less_the_smallest(values: tuple[float, ...], spread: float) -> None:
    assert STATISTIC.estimate(units(*values)) == spread


@pytest.mark.parametrize("sample", SAMPLES)
def test_ranges_are_those_of_numpy(sample: str) -> None:
    assert STATISTIC.estimate(SAMPLES[sample]) == float(np.ptp(SAMPLES[sample]))


def test_a_range_beyond_fp64_is_refused() -> None:
    assert refusal(STATISTIC, units(-1.7e308, 1.7e308)) == (
        "the range is undefined: it exceeds FP64"
    )
