import math

import pytest

from tests.support.core import array
from verifier.stats.sum import STATISTIC


@pytest.mark.parametrize(
    ("units", "total"),
    [
        ((2046.0,), 2046.0),
        ((2046.0,) * 32, 65472.0),
        pytest.param((1e16, 1.0, -1e16), 1.0, id="a running sum would lose the 1"),
        pytest.param((0.1,) * 10, 1.0, id="a running sum would give 0.9999999999999999"),
    ],
)
def test_the_sum_is_exactly_rounded(units: tuple[float, ...], total: float) -> None:
    assert STATISTIC.estimate(array(*units)) == total
    assert STATISTIC.estimate(array(*reversed(units))) == total


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ((), "the sum of no units is no figure"),
        ((1.0, math.nan), "not every unit is finite"),
        ((1.0, math.inf), "not every unit is finite"),
        ((math.inf, -math.inf), "the sum of 2 units is undefined"),
        ((1.7e308, 1.7e308), "the sum of 2 units is undefined"),
    ],
)
def test_what_has_no_sum_is_refused(units: tuple[float, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        STATISTIC.estimate(array(*units))
