import statistics

import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.ratio_of_means import STATISTIC


@pytest.mark.parametrize(
    ("numerator", "denominator", "ratio"),
    [
        ((1.0, 2.0, 3.0), (4.0, 4.0, 4.0), 0.5),
        # The mean of the ratios would be 5.05.
        ((1.0, 1.0), (0.1, 9.9), 0.2),
        ((-3.0,), (2.0,), -1.5),
        ((0.0,), (2.0,), 0.0),
    ],
)
def test_hand_computed_values(
    numerator: tuple[float, ...], denominator: tuple[float, ...], ratio: float
) -> None:
    assert STATISTIC.estimate(units(*numerator), units(*denominator)) == ratio


@pytest.mark.parametrize("numerator", SAMPLES)
@pytest.mark.parametrize("denominator", ["both signs", "even and long-tailed", "all negative"])
def test_ratios_are_those_of_exact_means(numerator: str, denominator: str) -> None:
    upper, lower = SAMPLES[numerator], SAMPLES[denominator]
    expected = statistics.fmean(upper.tolist()) / statistics.fmean(lower.tolist())
    assert STATISTIC.estimate(upper, lower) == expected


def test_a_denominator_of_zero_is_refused() -> None:
    assert refusal(STATISTIC, units(1.0, 2.0), units(-1.0, 1.0)) == (
        "the ratio of means is undefined: the mean of operand 2 is 0"
    )


def test_a_ratio_beyond_fp64_is_refused() -> None:
    assert refusal(STATISTIC, units(1e300), units(1e-300)) == (
        "the ratio of means is undefined: it exceeds FP64"
    )
