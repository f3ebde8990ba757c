"""Intervals against four oracles: stored end points, SciPy, the standard library, and by hand."""

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.support import stdlib_bootstrap
from tests.support.ulps import ulps_apart
from verifier.model.plugin import FloatArray
from verifier.model.recipe import METHODS, STREAMS, Interval, Method, Recipe, Stream, Ties
from verifier.numerics import streams
from verifier.numerics.bootstrap import interval, intervals, replicate_means

ORACLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/bca.json").read_bytes())
SETS: dict[str, Any] = {entry["name"]: entry for entry in ORACLE["sets"]}
PUBLISHED = Recipe(
    method="bca",
    level=0.95,
    resamples=ORACLE["resamples"],
    seed=ORACLE["seed"],
    stream="randomstate",
)
SMALL = dataclasses.replace(PUBLISHED, resamples=500)

# Measured: other normal functions and another quantile weighting move an end point by at most
# 1e-12 standard errors. Every mistake moves it by 1e-7 or more.
NOISE = 1e-12


def _values(name: str) -> FloatArray:
    return np.array([float(text) for text in SETS[name]["values"]])


def _close(actual: float, expected: float, standard_error: float) -> bool:
    return abs(actual - expected) <= NOISE * standard_error or ulps_apart(actual, expected) <= 2


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize(
    ("method", "stream", "ties"),
    [
        ("bca", "randomstate", "midrank"),
        ("bca", "randomstate", "strict"),
        ("bca", "pcg64", "midrank"),
        ("percentile", "randomstate", "midrank"),
        ("percentile", "pcg64", "midrank"),
    ],
)
def test_stored_end_points_are_reproduced(
    name: str, method: Method, stream: Stream, ties: Ties
) -> None:
    values = _values(name)
    recipe = dataclasses.replace(PUBLISHED, method=method, stream=stream, ties=ties)
    expected = SETS[name][f"{method} {stream} {ties}"]
    found = interval(values, recipe)
    if values.max() == values.min():
        constant = float(values[0])
        assert found == Interval(
            low=constant, high=constant, standard_error=0.0, degenerate=True, units=values.size
        )
        assert expected == [None, None] or [
            ulps_apart(float(text), constant) <= 1 for text in expected
        ] == [True, True]
        return
    low, high = map(float, expected)
    assert not found.degenerate
    assert _close(found.low, low, found.standard_error), (found.low, low)
    assert _close(found.high, high, found.standard_error), (found.high, high)


def _scipy(values: FloatArray, recipe: Recipe) -> Any:
    generator: dict[str, Any] = {"random_state": recipe.seed}
    if recipe.stream == "pcg64":
        generator = {"random_state": np.random.default_rng(recipe.seed)}
    return stats.bootstrap(
        (values,),
        np.mean,
        method={"bca": "BCa"}.get(recipe.method, recipe.method),
        confidence_level=recipe.level,
        n_resamples=recipe.resamples,
        batch=512,
        **generator,
    )


@pytest.mark.parametrize("n", [2, 3, 7, 8, 9, 100, 127, 129, 300, 1100])
@pytest.mark.parametrize("stream", STREAMS)
def test_replicates_and_standard_error_have_the_bits_of_scipy(n: int, stream: Stream) -> None:
    values = np.random.default_rng(n).lognormal(0.0, 2.0, n)
    recipe = dataclasses.replace(SMALL, stream=stream, seed=n)
    theirs = _scipy(values, recipe)
    assert np.array_equal(replicate_means([values], recipe)[0], theirs.bootstrap_distribution)
    found = interval(values, recipe)
    assert found.standard_error == float(theirs.standard_error)
    assert _close(found.low, theirs.confidence_interval.low, found.standard_error)
    assert _close(found.high, theirs.confidence_interval.high, found.standard_error)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_every_level_is_scipys(level: float, method: Method) -> None:
    values = _values("lognormal s=1 n=128")
    recipe = dataclasses.replace(SMALL, level=level, method=method)
    theirs = _scipy(values, recipe).confidence_interval
    found = interval(values, recipe)
    assert _close(found.low, theirs.low, found.standard_error)
    assert _close(found.high, theirs.high, found.standard_error)


@pytest.mark.parametrize(
    ("name", "resamples"),
    [
        ("KL-like n=128 ~1e-3", 20_000),
        ("paired diff 1e-6 n=128", 2000),
        ("t df=1 (Cauchy) n=128", 2000),
        ("n=3 skew", 2000),
        ("n=500 huge+tiny", 1000),
    ],
)
def test_a_second_implementation_without_numpy_agrees(name: str, resamples: int) -> None:
    values = _values(name)
    recipe = dataclasses.replace(PUBLISHED, resamples=resamples)
    other = stdlib_bootstrap.bca(
        values.tolist(), resamples=resamples, seed=recipe.seed, level=recipe.level
    )
    assert replicate_means([values], recipe)[0].tolist() == other.replicates
    found = interval(values, recipe)
    assert _close(found.low, other.low, found.standard_error)
    assert _close(found.high, other.high, found.standard_error)


def test_percentile_by_hand() -> None:
    # RandomState(0) draws the rows 01, 10, 11, 11: means 2, 2, 4, 4 of the values 0 and 4.
    recipe = Recipe(method="percentile", level=0.5, resamples=4, seed=0, stream="randomstate")
    assert replicate_means([np.array([0.0, 4.0])], recipe)[0].tolist() == [2.0, 2.0, 4.0, 4.0]
    assert interval(np.array([0.0, 4.0]), recipe) == Interval(
        low=2.0, high=4.0, standard_error=math.sqrt(4 / 3), degenerate=False, units=2
    )


def test_bca_by_hand() -> None:
    # The same replicates: z0 is the 2/8 point, the acceleration 0, the levels 0.0215 and 0.25;
    # their places 1.06 and 1.75 of 4 lie between two replicates equal to 2.
    recipe = Recipe(method="bca", level=0.5, resamples=4, seed=0, stream="randomstate")
    found = interval(np.array([0.0, 4.0]), recipe)
    assert (found.low, found.high) == (2.0, 2.0)


def test_two_values_span_the_interval() -> None:
    found = interval(np.array([1.0, 3.0]), PUBLISHED)
    assert (found.low, found.high) == (1.0, 3.0)


def test_the_same_windows_in_another_order_give_other_end_points() -> None:
    values = _values("KL-like n=128 ~1e-3")
    stored = interval(values, PUBLISHED)
    other = interval(np.sort(values), PUBLISHED)
    assert abs(stored.high - other.high) > 1e-3 * stored.standard_error
    assert abs(stored.low - other.low) > 1e-3 * stored.standard_error


@pytest.mark.parametrize(
    "change", [{"seed": 20260903}, {"stream": "pcg64"}, {"resamples": 9999}, {"method": "bca"}]
)
def test_every_choice_of_a_recipe_moves_an_end_point(change: dict[str, Any]) -> None:
    values = _values("normal n=128")
    base = dataclasses.replace(PUBLISHED, method="percentile")
    found = interval(values, base)
    other = interval(values, dataclasses.replace(base, **change))
    assert abs(found.high - other.high) > 1e-4 * found.standard_error


def test_a_window_changed_by_one_part_in_a_million_is_far_outside_the_noise() -> None:
    values = _values("KL-like n=128 ~1e-3")
    changed = values.copy()
    changed[17] *= 1.000001
    before, after = interval(values, PUBLISHED), interval(changed, PUBLISHED)
    assert abs(before.low - after.low) > 100 * NOISE * before.standard_error


def test_float32_values_are_widened_before_any_sum() -> None:
    values = _values("float32 values n=128")
    assert interval(values.astype(np.float32), PUBLISHED) == interval(values, PUBLISHED)


def test_integers_are_numbers_too() -> None:
    flags = _values("ties 0/1 n=128")
    assert interval(flags.astype(np.uint8), SMALL) == interval(flags, SMALL)


@pytest.mark.parametrize("resamples", [500, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_matrix_too_large_to_keep_gives_the_same_interval(
    resamples: int, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = _values("lognormal s=1 n=128")
    recipe = dataclasses.replace(PUBLISHED, resamples=resamples, stream=stream)
    kept = interval(values, recipe)
    monkeypatch.setattr(streams, "KEPT_BYTES", 0)
    assert interval(values, recipe) == kept


def test_vectors_that_share_draws_give_what_each_gives_alone() -> None:
    names = ("normal n=128", "constant 0.5 n=128", "ties 0/1 n=128", "one outlier n=128")
    vectors = [_values(name) for name in names]
    assert intervals(vectors, SMALL) == tuple(interval(vector, SMALL) for vector in vectors)


def test_no_vectors_give_no_intervals() -> None:
    assert intervals((), SMALL) == ()
    assert replicate_means((), SMALL) == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("constant", [0.0, 0.1, -1e-3, 1 / 3, 1e308, 5e-324])
@pytest.mark.parametrize("n", [2, 127])
def test_constant_values_are_degenerate_at_exactly_that_value(
    constant: float, n: int, method: Method
) -> None:
    recipe = dataclasses.replace(SMALL, method=method)
    assert interval(np.full(n, constant), recipe) == Interval(
        low=constant, high=constant, standard_error=0.0, degenerate=True, units=n
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_single_value_has_no_interval(method: Method) -> None:
    with pytest.raises(ValueError, match=r"^an interval needs at least 2 units, found 1$"):
        interval(np.array([0.5]), dataclasses.replace(SMALL, method=method))


def test_values_one_unit_in_the_last_place_apart_are_not_degenerate() -> None:
    found = interval(_values("near-constant 1ulp n=128"), PUBLISHED)
    assert not found.degenerate
    assert ulps_apart(found.low, 0.1) <= 4


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([]), "values: expected at least one number, found none"),
        (np.zeros((4, 2)), r"values: expected one dimension, found shape \(4, 2\)"),
        (np.array([1.0, math.nan]), "values: expected finite numbers, found nan at index 1"),
        (np.array([1.0, -math.inf]), "values: expected finite numbers, found -inf at index 1"),
        (
            np.array([1.7e308, 1.6e308]),
            "the values are too large for an interval: their sums or squares exceed FP64",
        ),
        (
            np.array([1e200, -1e200]),
            "the values are too large for an interval: their sums or squares exceed FP64",
        ),
    ],
)
def test_values_without_an_interval_are_refused(values: FloatArray, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        interval(values, SMALL)


def test_the_vector_at_fault_is_named() -> None:
    with pytest.raises(ValueError, match="vector 2: expected finite numbers, found nan at index 0"):
        intervals((np.array([1.0]), np.array([math.nan])), SMALL)


def test_vectors_of_different_lengths_cannot_share_draws() -> None:
    with pytest.raises(ValueError, match=r"need one length, found \[2, 3\]"):
        intervals((np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0])), SMALL)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": 0.0}, "expected a level between 0 and 1, found 0.0"),
        ({"level": 1.0}, "expected a level between 0 and 1, found 1.0"),
        ({"level": 95.0}, "expected a level between 0 and 1, found 95.0"),
        ({"level": math.nan}, "expected a level between 0 and 1, found nan"),
        ({"resamples": 1}, "expected 2 to 2000000 resamples, found 1"),
        ({"resamples": 10**18}, "expected 2 to 2000000 resamples, found 1000000000000000000"),
        ({"seed": -1}, "expected a seed from 0"),
        ({"seed": 2**40}, "expected a seed from 0"),
    ],
)
def test_a_recipe_that_cannot_be_drawn_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        interval(np.array([1.0, 2.0]), dataclasses.replace(SMALL, **change))


def test_bca_over_more_units_than_its_jackknife_can_take_is_refused() -> None:
    values = np.arange(20_001.0)
    with pytest.raises(
        ValueError,
        match=r"^BCa over 20001 units is refused: its jackknife takes n \* n steps, so at most "
        r"20000 units; resample windows or clusters of windows, not rows$",
    ):
        interval(values, SMALL)
    few = dataclasses.replace(SMALL, resamples=20)
    assert not interval(values[1:], few).degenerate
    assert not interval(values, dataclasses.replace(few, method="percentile")).degenerate


def test_more_units_than_one_interval_takes_are_refused() -> None:
    recipe = dataclasses.replace(SMALL, method="percentile", resamples=2)
    with pytest.raises(ValueError, match="262145 units exceed 262144: resample windows, not rows"):
        interval(np.arange(2.0**18 + 1), recipe)
    assert interval(np.arange(2.0**18), recipe).units == 2**18


def test_more_draws_than_a_minute_takes_are_refused() -> None:
    recipe = dataclasses.replace(SMALL, resamples=2_000_000)
    with pytest.raises(ValueError, match="5000 units x 2000000 resamples exceed 8589934592 draws"):
        interval(np.arange(5000.0), recipe)


def test_an_interval_the_correction_cannot_place_is_refused() -> None:
    values = np.array([1e-200, 2e-200, 4e-200])
    with pytest.raises(ValueError, match="the BCa interval is undefined"):
        interval(values, SMALL)
    percentile = interval(values, dataclasses.replace(SMALL, method="percentile"))
    assert (percentile.low, percentile.high) == (1e-200, 4e-200)
