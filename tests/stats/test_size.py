import math

import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.size import STATISTIC


@pytest.mark.parametrize(
    ("values", "size"), [((0.0,), 1.0), ((1.0, 1.0, 0.5), 3.0), ((math.nan, math.inf), 2.0)]
)
def test_units_are_counted_whatever_their_value(values: tuple[float, ...], size: float) -> None:
    assert STATISTIC.estimate(units(*values)) == size


@pytest.mark.parametrize("sample", SAMPLES)
def test_sizes_are_lengths(sample: str) -> None:
    assert STATISTIC.estimate(SAMPLES[sample]) == len(SAMPLES[sample].tolist())


def test_zero_windows_are_never_reproduced() -> None:
    assert refusal(STATISTIC, units()) == "the number of units is undefined: there are no units"


def test_a_size_is_compared_exactly() -> None:
    assert STATISTIC.exact
