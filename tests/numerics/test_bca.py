"""The two corrections of BCa: hand-computed, in closed form, and where they do not exist."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.model.plugin import FloatArray
from verifier.model.recipe import Ties
from verifier.numerics import normal
from verifier.numerics.bca import (
    acceleration,
    adjusted_level,
    adjusted_levels,
    bias_correction,
    jackknife_sums,
)


def _left_out(numbers: list[float]) -> FloatArray:
    sample = np.array(numbers, dtype=np.float64)
    return jackknife_sums(sample) / (sample.size - 1)


def test_jackknife_sums_by_hand() -> None:
    assert jackknife_sums(np.array([1.0, 2.0, 6.0])).tolist() == [8.0, 7.0, 3.0]


def test_jackknife_sums_beyond_fp64_are_infinite() -> None:
    assert jackknife_sums(np.array([1.7e308, 1.6e308, 1.0])).tolist() == [
        1.6e308,
        1.7e308,
        math.inf,
    ]


@pytest.mark.parametrize("n", [2, 3, 8, 9, 128, 129, 130, 300])
def test_jackknife_sums_have_the_bits_of_numpy_on_each_row_left_over(n: int) -> None:
    sample = np.random.default_rng(n).lognormal(0.0, 3.0, n)
    rows = np.array([np.delete(sample, i) for i in range(n)])
    assert jackknife_sums(sample).tolist() == np.sum(rows, axis=-1).tolist()


def test_jackknife_leaves_the_sample_as_it_was() -> None:
    sample = np.array([3.0, 1.0, 2.0])
    jackknife_sums(sample)
    assert sample.tolist() == [3.0, 1.0, 2.0]


def test_acceleration_by_hand() -> None:
    # Influence values -2, -1, 3: cubes sum to 18, squares to 14.
    assert acceleration(_left_out([1.0, 2.0, 6.0])) == pytest.approx(18 / (6 * 14**1.5), rel=1e-15)


@given(st.lists(st.integers(-1000, 1000), min_size=3, max_size=40))
def test_acceleration_of_the_mean_is_a_scaled_skewness(numbers: list[int]) -> None:
    deviations = np.array(numbers, dtype=np.float64) - np.mean(numbers)
    spread = np.sum(deviations**2)
    if spread < 1.0:
        return
    expected = np.sum(deviations**3) / (6 * spread**1.5)
    assert acceleration(_left_out([float(number) for number in numbers])) == pytest.approx(
        expected, rel=1e-9, abs=1e-12
    )


def test_acceleration_flips_with_the_sign_of_the_data() -> None:
    left_out = np.random.default_rng(3).lognormal(size=50)
    assert acceleration(-left_out) == -acceleration(left_out)


@pytest.mark.parametrize(
    "sample",
    [
        pytest.param([2.0, 2.0, 2.0], id="no influence at all"),
        pytest.param([1e-200, 2e-200, 4e-200], id="squares vanish"),
        pytest.param([1e150, 2e150, 4e160], id="cubes overflow"),
        pytest.param([1.0, 2.0, math.nan], id="one influence value does not exist"),
    ],
)
def test_acceleration_that_does_not_exist_is_nan(sample: list[float]) -> None:
    assert math.isnan(acceleration(_left_out(sample)))


@pytest.mark.parametrize(("ties", "share"), [("midrank", 0.5), ("strict", 0.25)])
def test_ties_count_half_or_not_at_all(ties: Ties, share: float) -> None:
    replicates = np.array([1.0, 2.0, 2.0, 3.0])
    assert bias_correction(replicates, 2.0, ties) == normal.ppf(share)


@pytest.mark.parametrize(("estimate", "expected"), [(0.0, -math.inf), (9.0, math.inf)])
@pytest.mark.parametrize("ties", ["midrank", "strict"])
def test_replicates_on_one_side_give_an_infinite_correction(
    estimate: float, expected: float, ties: Ties
) -> None:
    assert bias_correction(np.array([1.0, 2.0]), estimate, ties) == expected


def test_adjusted_levels_by_hand() -> None:
    # Symmetric data: no acceleration; one of four replicates below, so z0 is the 25 % point.
    levels = adjusted_levels(
        2.0, np.array([4.0, 0.0]), np.array([1.0, 3.0, 3.0, 4.0]), 0.5, "strict"
    )
    z = 0.6744897501960817
    assert levels == pytest.approx((normal.cdf(-3 * z), normal.cdf(-z)), rel=1e-14)


@pytest.mark.parametrize(
    ("z0", "a", "z", "expected"),
    [
        pytest.param(0.0, 0.0, -1.5, normal.cdf(-1.5), id="nothing to correct"),
        pytest.param(0.5, 0.0, -1.5, normal.cdf(-0.5), id="bias counts twice"),
        pytest.param(0.0, 0.25, 2.0, normal.cdf(4.0), id="acceleration stretches"),
        pytest.param(0.0, 0.5, 2.0, 1.0, id="the pole itself"),
        pytest.param(0.0, -0.5, -2.0, 0.0, id="the pole on the other side"),
        pytest.param(0.0, 1.0, 2.0, normal.cdf(-2.0), id="beyond the pole"),
    ],
)
def test_adjusted_level_by_hand(z0: float, a: float, z: float, expected: float) -> None:
    assert adjusted_level(z0, a, z) == expected


@pytest.mark.parametrize(
    ("sample", "replicates"),
    [
        pytest.param([0.0, 1.0, 5.0], [9.0, 9.0], id="all replicates above"),
        pytest.param([0.0, 1.0, 5.0], [0.0, 0.0], id="all replicates below"),
        pytest.param([1e-200, 2e-200], [1e-200, 2e-200], id="no acceleration"),
    ],
)
def test_levels_that_do_not_exist_are_refused(sample: list[float], replicates: list[float]) -> None:
    with pytest.raises(ValueError, match=r"the BCa interval is undefined .*use more resamples"):
        adjusted_levels(
            float(np.mean(sample)), _left_out(sample), np.array(replicates), 0.95, "midrank"
        )
