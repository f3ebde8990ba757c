import statistics
from fractions import Fraction

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.mean import STATISTIC


@pytest.mark.parametrize(
    ("values", "mean"),
    [
        ((2.0,), 2.0),
        ((1.0, 2.0, 6.0), 3.0),
        ((-1.0, 1.0), 0.0),
        ((0.1, 0.2, 0.3), 0.6 / 3),
        pytest.param((1e16, 1.0, -1e16), 1 / 3, id="a running sum would lose the 1"),
        pytest.param((0.1,) * 10, 0.1, id="a running sum would give 0.09999999999999999"),
    ],
)
def test_the_mean_is_the_exactly_rounded_sum_over_n(values: tuple[float, ...], mean: float) -> None:
    assert STATISTIC.estimate(units(*values)) == mean
    assert STATISTIC.estimate(units(*reversed(values))) == mean


@pytest.mark.parametrize("sample", SAMPLES)
def test_means_are_those_of_the_standard_library(sample: str) -> None:
    values = SAMPLES[sample].tolist()
    mean = STATISTIC.estimate(SAMPLES[sample])
    assert mean == statistics.fmean(values)
    assert mean == float(sum(map(Fraction, values))) / len(values)


def test_a_sum_beyond_fp64_has_no_mean() -> None:
    sentence = refusal(STATISTIC, units(1.7e308, 1.7e308))
    assert sentence.startswith("the mean of 2 values is undefined: ")


def test_means_of_resamples_are_their_own_statistic() -> None:
    assert STATISTIC.of_means is not None
    means = units(0.5, -0.0, np.inf)
    assert STATISTIC.of_means(means) is means
