"""Type 7 quantiles: hand-computed, against SciPy and NumPy, and their order."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from verifier.model.recipe import QUANTILE_RULES, QuantileRule
from verifier.numerics.quantile import quantile, quantiles, steps

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


BY_HAND: dict[QuantileRule, tuple[float, float, float]] = {
    "linear": (16.0, 25.0, 37.0),
    "linear-lerp": (16.0, 25.0, 37.0),
    "truncate": (10.0, 30.0, 40.0),
    "lower": (10.0, 20.0, 30.0),
    "higher": (20.0, 30.0, 40.0),
    "nearest": (20.0, 30.0, 40.0),
    "midpoint": (15.0, 25.0, 35.0),
    "inverted_cdf": (10.0, 20.0, 40.0),
    "averaged_inverted_cdf": (10.0, 25.0, 40.0),
    "closest_observation": (10.0, 20.0, 40.0),
    "interpolated_inverted_cdf": (10.0, 20.0, 36.0),
    "hazen": (13.0, 25.0, 40.0),
    "weibull": (10.0, 25.0, 40.0),
    "median_unbiased": (12.0, 25.0, 40.0),
    "normal_unbiased": (12.25, 25.0, 40.0),
}


@pytest.mark.parametrize("rule", QUANTILE_RULES)
def test_every_rule_by_hand(rule: QuantileRule) -> None:
    found = quantiles(np.array([40.0, 10.0, 30.0, 20.0]), (0.2, 0.5, 0.9), rule)
    assert found == pytest.approx(BY_HAND[rule], rel=1e-14)


@pytest.mark.parametrize("rule", [rule for rule in QUANTILE_RULES if rule != "linear"])
@pytest.mark.parametrize("n", [*range(1, 13), 100, 101, 999, 20_000])
def test_every_rule_has_every_bit_of_numpy(n: int, rule: QuantileRule) -> None:
    if rule == "closest_observation" and np.quantile([0.0, 1.0, 2.0], 0.5, method=rule) != 1.0:
        pytest.skip("older NumPy takes the odd one of two order statistics that are equally close")
    generator = np.random.default_rng(n)
    values = generator.lognormal(size=n)
    places = np.arange(min(n, 40) + 1)
    probabilities = np.concatenate(
        [
            generator.random(40),
            [0.0, 0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975, 0.999, 1.0],
            places / n,
            np.nextafter(places / n, 0.0),
            (places[:-1] + 0.5) / n,
        ]
    )
    if rule == "truncate":
        at = np.minimum((probabilities * n).astype(int), n - 1)
        expected = np.sort(values)[at]
    else:
        method = "linear" if rule == "linear-lerp" else rule
        expected = np.quantile(values, probabilities, method=method)
    assert quantiles(values, probabilities.tolist(), rule) == tuple(expected)


def test_both_forms_of_the_interpolation_are_used() -> None:
    # Below one half y[j] + g d, from one half on y[j + 1] - (1 - g) d: each loses other digits.
    values = np.array([1e16, -1.0])
    assert quantile(values, 0.25, "linear-lerp") == -1.0 + (1e16 + 1.0) * 0.25
    assert quantile(values, 0.5, "linear-lerp") == 1e16 - (1e16 + 1.0) * 0.5
    assert quantile(np.array([0.0, 1e-20, 1.0]), 1.0, "linear-lerp") == 1.0


def test_quantiles_of_hundreds_of_thousands_of_rows_are_those_of_the_sorted_rows() -> None:
    rows = np.random.default_rng(1).lognormal(size=300_001)
    ordered = np.sort(rows)
    assert quantiles(rows, (0.5, 0.999), "lower") == (ordered[150_000], ordered[299_700])


def test_a_gap_beyond_fp64_is_refused_where_the_rule_needs_it() -> None:
    values = np.array([-1.7e308, 1.7e308])
    with pytest.raises(ValueError, match=r"values -1\.7e\+308 and 1\.7e\+308 lie too far apart"):
        quantile(values, 0.25, "linear-lerp")
    assert quantile(values, 0.25) == 0.75 * -1.7e308 + 0.25 * 1.7e308
    assert quantile(values, 0.25, "lower") == -1.7e308


def test_an_unknown_rule_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"quantile rule \(linear, .*normal_unbiased\), found 'x'"):
        quantile(np.array([1.0]), 0.5, "x")  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", QUANTILE_RULES)
def test_a_rule_steps_where_a_bit_of_the_probability_can_change_the_value(
    rule: QuantileRule,
) -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    at = np.concatenate([np.arange(1, 10) / 10, np.arange(1, 8) / 8])
    below = quantiles(values, np.nextafter(at, 0).tolist(), rule)
    above = quantiles(values, np.nextafter(at, 1).tolist(), rule)
    jumps = [abs(a - b) > 0.4 for a, b in zip(above, below, strict=True)]
    assert any(jumps) == steps(rule)
