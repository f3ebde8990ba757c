import math

import pytest

from tests.support.core import array
from verifier.stats.common import STATISTIC


@pytest.mark.parametrize("units", [(2046.0,), (2046.0,) * 32, (0.0, -0.0)])
def test_the_value_that_all_units_share(units: tuple[float, ...]) -> None:
    assert STATISTIC.estimate(array(*units)) == units[0]


@pytest.mark.parametrize(
    "units", [(2046.0, 2045.0), (2045.0, *(2046.0,) * 31), (1.0, math.nextafter(1.0, 2.0))]
)
def test_units_that_differ_share_no_value(units: tuple[float, ...]) -> None:
    assert math.isnan(STATISTIC.estimate(array(*units)))


def test_no_units_share_no_value() -> None:
    with pytest.raises(ValueError, match="no units share a value"):
        STATISTIC.estimate(array())
