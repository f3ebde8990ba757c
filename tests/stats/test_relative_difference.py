import statistics
from fractions import Fraction

import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.relative_difference import STATISTIC


@pytest.mark.parametrize(
    ("changed", "comparator", "difference"),
    [
        ((3.0, 5.0), (2.0, 2.0), 1.0),
        ((1.0, 2.0), (2.0, 2.0), -0.25),
        ((0.1, 0.3), (0.3, 0.1), 0.0),
        ((-1.0,), (-2.0,), -0.5),
    ],
)
def test_hand_computed_values(
    changed: tuple[float, ...], comparator: tuple[float, ...], difference: float
) -> None:
    assert STATISTIC.estimate(units(*changed), units(*comparator)) == difference


@pytest.mark.parametrize("changed", SAMPLES)
@pytest.mark.parametrize("comparator", ["both signs", "even and long-tailed", "all negative"])
def test_differences_are_those_of_exact_ratios_of_means(changed: str, comparator: str) -> None:
    mean = Fraction(statistics.fmean(SAMPLES[changed].tolist()))
    base = Fraction(statistics.fmean(SAMPLES[comparator].tolist()))
    value = STATISTIC.estimate(SAMPLES[changed], SAMPLES[comparator])
    assert value == pytest.approx(float(mean / base - 1), rel=4e-16)


def test_a_comparator_of_mean_zero_is_refused() -> None:
    assert refusal(STATISTIC, units(1.0, 2.0), units(-1.0, 1.0)) == (
        "the relative difference is undefined: the mean of operand 2 is 0"
    )


def test_a_difference_beyond_fp64_is_refused() -> None:
    assert refusal(STATISTIC, units(1e300), units(1e-300)) == (
        "the relative difference is undefined: it exceeds FP64"
    )
