import pytest
from scipy import stats

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.standard_error import STATISTIC


@pytest.mark.parametrize(
    ("values", "error"),
    [((1.0, 3.0), 1.0), ((-1.0, 0.0, 1.0), 1 / 3**0.5), ((2.0, 2.0, 2.0), 0.0)],
)
def test_hand_computed_values(values: tuple[float, ...], error: float) -> None:
    assert STATISTIC.estimate(units(*values)) == pytest.approx(error, rel=1e-15)


@pytest.mark.parametrize("sample", sorted(SAMPLES.keys() - {"one", "all equal", "close together"}))
def test_it_is_the_one_of_scipy(sample: str) -> None:
    expected = float(stats.sem(SAMPLES[sample]))
    assert STATISTIC.estimate(SAMPLES[sample]) == pytest.approx(expected, rel=1e-13)


def test_one_unit_has_no_standard_error() -> None:
    assert refusal(STATISTIC, units(3.0)) == (
        "the standard error is undefined: needs at least 2 units, found 1"
    )
