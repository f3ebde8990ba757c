from fractions import Fraction

import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.sum import STATISTIC


@pytest.mark.parametrize(
    ("values", "total"),
    [
        ((2046.0,), 2046.0),
        ((2046.0,) * 32, 65472.0),
        pytest.param((1e16, 1.0, -1e16), 1.0, id="a running sum would lose the 1"),
        pytest.param((0.1,) * 10, 1.0, id="a running sum would give 0.9999999999999999"),
    ],
)
def test_the_sum_is_exactly_rounded(values: tuple[float, ...], total: float) -> None:
    assert STATISTIC.estimate(units(*values)) == total
    assert STATISTIC.estimate(units(*reversed(values))) == total


@pytest.mark.parametrize("sample", SAMPLES)
def test_sums_are_those_of_fractions(sample: str) -> None:
    exact = sum(map(Fraction, SAMPLES[sample].tolist()))
    assert STATISTIC.estimate(SAMPLES[sample]) == float(exact)


def test_a_sum_beyond_fp64_is_refused() -> None:
    assert refusal(STATISTIC, units(1.7e308, 1.7e308)) == (
        "the sum is undefined: the sum of 2 units exceeds FP64"
    )
