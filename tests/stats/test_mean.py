import math

import pytest

from tests.support.core import array
from verifier.stats.mean import STATISTIC


@pytest.mark.parametrize(
    ("units", "mean"),
    [
        ((2.0,), 2.0),
        ((1.0, 2.0, 6.0), 3.0),
        ((-1.0, 1.0), 0.0),
        ((0.1, 0.2, 0.3), 0.6 / 3),
        pytest.param((1e16, 1.0, -1e16), 1 / 3, id="a running sum would lose the 1"),
        pytest.param((0.1,) * 10, 0.1, id="a running sum would give 0.09999999999999999"),
    ],
)
def test_the_mean_is_the_exactly_rounded_sum_over_n(units: tuple[float, ...], mean: float) -> None:
    assert STATISTIC.estimate(array(*units)) == mean
    assert STATISTIC.estimate(array(*reversed(units))) == mean


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ((), "the mean of no values is undefined"),
        ((1.0, math.nan), "not every value is finite"),
        ((1.0, math.inf), "not every value is finite"),
        ((math.inf, -math.inf), "the mean of 2 values is undefined"),
        ((1.7e308, 1.7e308), "the mean of 2 values is undefined"),
    ],
)
def test_what_has_no_mean_is_refused(units: tuple[float, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        STATISTIC.estimate(array(*units))
