import math

import pytest

from tests.support.units import SAMPLES, units
from verifier.stats.common import STATISTIC


@pytest.mark.parametrize("values", [(2046.0,), (2046.0,) * 32, (0.0, -0.0)])
def test_the_value_that_all_units_share(values: tuple[float, ...]) -> None:
    assert STATISTIC.estimate(units(*values)) == values[0]


@pytest.mark.parametrize(
    "values", [(2046.0, 2045.0), (2045.0, *(2046.0,) * 31), (1.0, math.nextafter(1.0, 2.0))]
)
def test_units_that_differ_share_no_value(values: tuple[float, ...]) -> None:
    assert math.isnan(STATISTIC.estimate(units(*values)))


@pytest.mark.parametrize("sample", SAMPLES)
def test_units_share_a_value_if_their_set_has_one_element(sample: str) -> None:
    distinct = set(SAMPLES[sample].tolist())
    common = STATISTIC.estimate(SAMPLES[sample])
    assert {common} == distinct if len(distinct) == 1 else math.isnan(common)


def test_a_common_value_is_a_number_of_things_only_if_the_units_are() -> None:
    assert not STATISTIC.exact
