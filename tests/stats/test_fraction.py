import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.fraction import STATISTIC


@pytest.mark.parametrize(
    ("values", "fraction"),
    [((1.0, 0.0, 1.0, 1.0), 0.75), ((0.0, 0.0), 0.0), ((-0.0, 0.5, -1.0), 2 / 3), ((1.0,), 1.0)],
)
def test_without_bounds_it_is_the_part_that_is_not_zero(
    values: tuple[float, ...], fraction: float
) -> None:
    assert STATISTIC.estimate(units(*values)) == fraction


@pytest.mark.parametrize(
    ("bounds", "fraction"),
    [
        ({"above": 1.0}, 0.2),
        ({"at_least": 1.0}, 0.6),
        ({"below": 1.0}, 0.4),
        ({"at_most": 1.0}, 0.8),
        ({"above": 0.0, "at_most": 1.0}, 0.6),
        ({"above": 0.5, "below": 1.0}, 0.0),
    ],
)
def test_it_is_the_part_within_every_bound(bounds: dict[str, float], fraction: float) -> None:
    assert STATISTIC.estimate(units(0.0, 0.5, 1.0, 1.0, 2.0), **bounds) == fraction


@pytest.mark.parametrize("sample", SAMPLES)
def test_fractions_are_means_of_indicators(sample: str) -> None:
    values = SAMPLES[sample]
    bound = float(np.median(values))
    above = STATISTIC.estimate(values, above=bound)
    assert above == pytest.approx(float(np.mean(values > bound)), rel=1e-15)
    assert above + STATISTIC.estimate(values, at_most=bound) == pytest.approx(1.0, rel=1e-15)


def test_a_fraction_that_could_be_nothing_but_zero_is_refused() -> None:
    assert refusal(STATISTIC, units(1.0), above=2.0, below=1.0) == (
        "no number can lie within the bounds above 2 and below 1"
    )


def test_a_fraction_is_not_compared_as_a_number_of_things() -> None:
    assert not STATISTIC.exact
