import numpy as np
import pytest

from tests.support.units import SAMPLES, units
from verifier.stats.maximum import STATISTIC


@pytest.mark.parametrize(
    ("values", "maximum"),
    [((5.0,), 5.0), ((3.0, 9.0, 1.0, 9.0), 9.0), ((-2.0, -8.0), -2.0), ((0.5, 0.5), 0.5)],
)
def test_hand_picked_values(values: tuple[float, ...], maximum: float) -> None:
    assert STATISTIC.estimate(units(*values)) == maximum


@pytest.mark.parametrize("sample", SAMPLES)
def test_it_is_that_of_python_and_of_numpy(sample: str) -> None:
    values = SAMPLES[sample]
    assert STATISTIC.estimate(values) == max(values.tolist()) == float(np.max(values))
