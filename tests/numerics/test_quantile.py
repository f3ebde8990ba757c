"""Type 7 quantiles: hand-computed, against SciPy and NumPy, and their order."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from verifier.numerics.quantile import quantile, quantiles

FINITE = st.floats(-1e300, 1e300)


@pytest.mark.parametrize(
    ("probability", "expected"),
    [(0.0, 10.0), (0.25, 17.5), (0.5, 25.0), (0.9, 37.0), (1.0, 40.0), (1 / 3, 20.0)],
)
def test_hand_computed_values(probability: float, expected: float) -> None:
    assert quantile(np.array([40.0, 10.0, 30.0, 20.0]), probability) == pytest.approx(
        expected, rel=1e-15
    )


def test_one_value_is_every_quantile() -> None:
    assert quantiles(np.array([3.5]), (0.0, 0.3, 1.0)) == (3.5, 3.5, 3.5)


def test_no_probabilities_give_no_quantiles() -> None:
    assert quantiles(np.array([1.0, 2.0]), ()) == ()


def test_the_values_are_left_as_they_were() -> None:
    values = np.array([3.0, 1.0, 2.0])
    quantiles(values, (0.1, 0.9))
    assert values.tolist() == [3.0, 1.0, 2.0]


@pytest.mark.skipif(
    tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17),
    reason="older SciPy weighs the neighbours in another way",
)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 999, 20_000])
def test_every_bit_of_scipy(n: int) -> None:
    generator = np.random.default_rng(n)
    values = generator.standard_normal(n)
    levels = np.concatenate([generator.random(50), [0.0, 0.5, 1.0]])
    assert quantiles(values, levels.tolist()) == tuple(stats.quantile(values, levels))


@given(st.lists(FINITE, min_size=1, max_size=30), st.floats(0, 1))
def test_the_other_weighting_differs_by_rounding_alone(
    numbers: list[float], probability: float
) -> None:
    values = np.array(numbers)
    span = np.abs(values).max()
    difference = quantile(values, probability) - np.quantile(values, probability)
    assert abs(difference) <= 1e-14 * span


@given(st.lists(FINITE, min_size=1, max_size=30), st.floats(0, 1))
def test_a_quantile_does_not_depend_on_the_order_of_values(
    numbers: list[float], probability: float
) -> None:
    assert quantile(np.array(numbers), probability) == quantile(
        np.array(numbers[::-1]), probability
    )


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="expected a probability between 0 and 1, found"):
        quantile(np.array([1.0, 2.0]), probability)


def test_quantiles_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="values: expected at least one number, found none"):
        quantile(np.array([]), 0.5)
