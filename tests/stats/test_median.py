import statistics

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.median import STATISTIC


@pytest.mark.parametrize(
    ("values", "median"),
    [
        ((7.0,), 7.0),
        ((3.0, 1.0), 2.0),
        ((9.0, 1.0, 2.0), 2.0),
        ((9.0, 1.0, 2.0, 4.0), 3.0),
        ((1.0, 1.0, 1.0, 5.0), 1.0),
        ((-3.0, -1.0, 0.0, 100.0), -0.5),
    ],
)
def test_the_middle_unit_or_the_mean_of_the_middle_two(
    values: tuple[float, ...], median: float
) -> None:
    assert STATISTIC.estimate(units(*values)) == median


@pytest.mark.parametrize("sample", SAMPLES)
def test_medians_are_those_of_numpy_and_the_standard_library(sample: str) -> None:
    values = SAMPLES[sample]
    median = STATISTIC.estimate(values)
    assert median == float(np.median(values))
    assert median == statistics.median(values.tolist())


def test_the_units_are_left_in_their_order() -> None:
    values = units(3.0, 1.0, 2.0, 0.0)
    STATISTIC.estimate(values)
    assert values.tolist() == [3.0, 1.0, 2.0, 0.0]


def test_middle_units_that_add_up_beyond_fp64_have_no_median() -> None:
    sentence = refusal(STATISTIC, units(1.7e308, 1.7e308))
    assert sentence.startswith("the mean of 2 values is undefined: ")
