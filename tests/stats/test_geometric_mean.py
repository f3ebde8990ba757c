import statistics
import sys

import pytest
from scipy import stats

from tests.support.units import POSITIVE, refusal, units
from verifier.stats.geometric_mean import STATISTIC


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ((4.0,), 4.0),
        ((1.0, 4.0), 2.0),
        ((2.0, 4.0, 8.0), 4.0),
        ((0.5, 2.0), 1.0),
        ((5e-324, 5e-324), 5e-324),
        pytest.param((1e300, 1e300, 1e300), 1e300, id="a product would overflow"),
    ],
)
def test_hand_computed_values(values: tuple[float, ...], mean: float) -> None:
    # The logarithm of 1e300 is 691: its rounding alone moves the result by 1e-13.
    assert STATISTIC.estimate(units(*values)) == pytest.approx(mean, rel=2e-13)


@pytest.mark.parametrize("sample", POSITIVE)
def test_it_is_the_one_of_scipy_and_the_standard_library(sample: str) -> None:
    values = POSITIVE[sample]
    mean = STATISTIC.estimate(values)
    assert mean == pytest.approx(float(stats.gmean(values)), rel=1e-14)
    assert mean == pytest.approx(statistics.geometric_mean(values.tolist()), rel=1e-14)


def test_the_largest_number_is_its_own_geometric_mean() -> None:
    largest = sys.float_info.max
    assert STATISTIC.estimate(units(largest)) == pytest.approx(largest, rel=2e-13)


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ((0.0,), "in 1 of 1 places, first at index 0 (0.0)"),
        ((1.0, -2.0, 3.0, 0.0), "in 2 of 4 places, first at index 1 (-2.0)"),
    ],
)
def test_units_without_a_logarithm_are_counted_and_located(
    values: tuple[float, ...], place: str
) -> None:
    assert refusal(STATISTIC, units(*values)) == (
        f"the geometric mean is undefined: units are not positive {place}"
    )
