import statistics
from fractions import Fraction

import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.gap_share import STATISTIC


@pytest.mark.parametrize(
    ("baseline", "improved", "target", "share"),
    [
        ((10.0, 12.0), (8.0, 9.0), (5.0, 7.0), 0.5),
        ((8.0,), (8.0,), (4.0,), 0.0),
        ((8.0,), (4.0,), (4.0,), 1.0),
        ((8.0,), (2.0,), (4.0,), 1.5),
        ((8.0,), (10.0,), (4.0,), -0.5),
        # The same question where more is better.
        ((0.5,), (0.625,), (0.75,), 0.5),
    ],
)
def test_hand_computed_values(
    baseline: tuple[float, ...],
    improved: tuple[float, ...],
    target: tuple[float, ...],
    share: float,
) -> None:
    assert STATISTIC.estimate(units(*baseline), units(*improved), units(*target)) == share


@pytest.mark.parametrize("improved", SAMPLES)
def test_shares_are_those_of_exact_differences_of_means(improved: str) -> None:
    operands = [SAMPLES["all negative"], SAMPLES[improved], SAMPLES["even and long-tailed"]]
    start, reached, goal = (Fraction(statistics.fmean(x.tolist())) for x in operands)
    expected = float((start - reached) / (start - goal))
    assert STATISTIC.estimate(*operands) == pytest.approx(expected, rel=4e-16)


def test_without_a_gap_nothing_is_closed() -> None:
    assert refusal(STATISTIC, units(1.0, 3.0), units(1.0), units(2.0)) == (
        "the gap share is undefined: operands 1 and 3 have the same mean 2"
    )


def test_a_share_beyond_fp64_is_refused() -> None:
    assert refusal(STATISTIC, units(1e-300), units(1e300), units(0.0)) == (
        "the gap share is undefined: it exceeds FP64"
    )
