import pytest

from tests.support.core import array
from verifier.stats.count import STATISTIC


@pytest.mark.parametrize(
    ("units", "count"),
    [((1.0, 0.0, 1.0), 2.0), ((0.0, 0.0), 0.0), ((-0.0, 0.5, -1.0), 2.0), ((1.0,), 1.0)],
)
def test_units_that_are_not_zero_are_counted(units: tuple[float, ...], count: float) -> None:
    assert STATISTIC.estimate(array(*units)) == count


def test_zero_of_no_windows_is_never_reproduced() -> None:
    with pytest.raises(ValueError, match="a count over no units is no figure"):
        STATISTIC.estimate(array())
