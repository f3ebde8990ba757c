import pytest

from tests.support.core import array
from verifier.stats.size import STATISTIC


@pytest.mark.parametrize(("units", "size"), [((0.0,), 1.0), ((1.0, 1.0, 0.5), 3.0)])
def test_units_are_counted_whatever_their_value(units: tuple[float, ...], size: float) -> None:
    assert STATISTIC.estimate(array(*units)) == size


def test_zero_windows_are_never_reproduced() -> None:
    with pytest.raises(ValueError, match="there are no units to count"):
        STATISTIC.estimate(array())
