"""The search for an undeclared recipe: what is tried, in which order, and where it ends."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.support.core import DIFFERENCE, FP8, MEAN_FP8, RECIPE, array, ends, figure
from verifier import recipes
from verifier.model.plugin import FloatArray, Missing
from verifier.model.recipe import Interval, Recipe
from verifier.numerics.bootstrap import interval
from verifier.policy import REVIEW
from verifier.recipes import candidates, distance_to, nearest

VALUES = array(*FP8)
RULES = REVIEW.intervals


def drawing(values: FloatArray) -> Callable[[Recipe], Interval | Missing]:
    """Draws intervals of the mean of fixed values."""

    def draw(recipe: Recipe) -> Interval | Missing:
        try:
            return interval(values, recipe)
        except ValueError as error:
            return Missing(reason=str(error))

    return draw


def test_the_usual_recipe_is_tried_first_and_streams_vary_fastest() -> None:
    assert candidates(RULES, ()) == (
        RECIPE,
        replace(RECIPE, stream="pcg64"),
        replace(RECIPE, method="percentile"),
        replace(RECIPE, method="percentile", stream="pcg64"),
    )


def test_a_hint_may_be_a_seed_or_a_number_of_resamples() -> None:
    tried = candidates(RULES, (50_000,))
    assert {recipe.resamples for recipe in tried} == {20_000, 50_000}
    assert {recipe.seed for recipe in tried} == {20260902, 50_000}
    assert len(tried) == 2 * 2 * 4
    assert tried[0] == RECIPE


def test_a_hint_that_is_known_already_adds_nothing() -> None:
    assert {recipe.seed for recipe in candidates(RULES, (20260902,))} == {20260902}
    assert {recipe.resamples for recipe in candidates(RULES, (20_000,))} == {20_000}


@pytest.mark.parametrize(
    ("hint", "as_seed", "as_resamples"),
    [
        (9_998, True, False),
        (9_999, True, True),
        (200_000, True, True),
        (200_001, True, False),
        (2**32 - 1, True, False),
        (2**32, False, False),
        (-1, False, False),
    ],
)
def test_hints_stay_inside_what_policy_and_streams_take(
    hint: int, *, as_seed: bool, as_resamples: bool
) -> None:
    tried = candidates(RULES, (hint,))
    assert (hint in {recipe.seed for recipe in tried}) is as_seed
    assert (hint in {recipe.resamples for recipe in tried}) is as_resamples


def test_a_record_that_names_thousands_of_numbers_does_not_multiply_the_work() -> None:
    tried = candidates(RULES, tuple(range(10_000, 20_000)))
    assert len(tried) == 5 * 5 * 4


def test_the_policy_never_tries_fewer_resamples_than_it_permits() -> None:
    rules = replace(RULES, resamples=(100, 20_000), min_resamples=9_999)
    assert {recipe.resamples for recipe in candidates(rules, ())} == {20_000}
    lenient = replace(RULES, resamples=(10, 20_000), min_resamples=1)
    assert {recipe.resamples for recipe in candidates(lenient, (50,))} == {10, 20_000}


def test_a_policy_restricts_methods_streams_and_level() -> None:
    rules = replace(RULES, methods=("percentile",), streams=("pcg64",), level=0.9)
    assert candidates(rules, ()) == (
        replace(RECIPE, method="percentile", stream="pcg64", level=0.9),
    )
    assert candidates(replace(RULES, seeds=()), ()) == ()


@pytest.mark.parametrize("wanted", candidates(RULES, ()), ids=lambda recipe: recipe.label)
def test_the_recipe_that_drew_the_end_points_is_found(wanted: Recipe) -> None:
    drawn = interval(VALUES, wanted)
    assert nearest(drawing(VALUES), (drawn.low, drawn.high), candidates(RULES, ())) == (
        wanted,
        drawn,
    )


def test_one_published_end_is_enough_to_find_the_recipe() -> None:
    wanted = replace(RECIPE, stream="pcg64")
    drawn = interval(VALUES, wanted)
    for published in ((math.nan, drawn.high), (drawn.low, math.nan)):
        assert nearest(drawing(VALUES), published, candidates(RULES, ())) == (wanted, drawn)


def test_end_points_that_nothing_gives_find_the_nearest_recipe() -> None:
    drawn = interval(VALUES, replace(RECIPE, stream="pcg64"))
    moved = (drawn.low + 1e-9, drawn.high - 1e-9)
    found = nearest(drawing(VALUES), moved, candidates(RULES, ()))
    assert found is not None
    assert found[0].stream == "pcg64"


def test_the_search_ends_at_the_first_recipe_that_fits() -> None:
    tried: list[Recipe] = []

    def counting(recipe: Recipe) -> Interval | Missing:
        tried.append(recipe)
        return drawing(VALUES)(recipe)

    drawn = interval(VALUES, RECIPE)
    nearest(counting, (drawn.low, drawn.high), candidates(RULES, ()))
    assert tried == [RECIPE]


def test_without_a_recipe_nothing_is_found() -> None:
    assert nearest(drawing(VALUES), (0.0, 1.0), ()) is None


def test_recipes_that_give_no_interval_are_passed_over() -> None:
    impossible = replace(RECIPE, resamples=1)
    drawn = interval(VALUES, RECIPE)
    assert nearest(drawing(VALUES), (drawn.low, drawn.high), (impossible, RECIPE)) == (
        RECIPE,
        drawn,
    )
    assert nearest(drawing(VALUES), (drawn.low, drawn.high), (impossible,)) is None


@pytest.mark.parametrize(
    ("published", "distance"),
    [
        ((1.0, 2.0), 0.0),
        ((0.75, 2.5), 0.5),
        ((math.nan, 2.25), 0.25),
        ((0.5, math.nan), 0.5),
        ((math.nan, math.nan), math.inf),
    ],
)
def test_the_distance_is_that_of_the_farther_published_end(
    published: tuple[float, float], distance: float
) -> None:
    found = Interval(low=1.0, high=2.0, standard_error=0.1, degenerate=False)
    assert distance_to(found, published) == distance


def test_ends_are_grouped_by_interval_in_the_order_of_the_record() -> None:
    first, second = ends("a", "1", "2", MEAN_FP8), ends("b", "3", "4", MEAN_FP8)
    mean = figure("mean", "1", MEAN_FP8)
    endless = figure("endless", "1", MEAN_FP8, kind="interval")
    assert recipes.ends((*first, mean, endless, *second)) == [
        {"low": first[0], "high": first[1]},
        {"low": second[0], "high": second[1]},
    ]


def test_an_end_that_is_published_twice_takes_no_place_of_another() -> None:
    low, high = ends("a", "1", "2", MEAN_FP8)
    again, again_high = (replace(end, id=f"{end.id} again") for end in (low, high))
    assert recipes.ends((low, high, again, again_high)) == [
        {"low": low, "high": high},
        {"low": again, "high": again_high},
    ]


def test_ends_of_different_measures_or_recipes_are_never_one_interval() -> None:
    low, _ = ends("a", "1", "2", MEAN_FP8)
    _, high = ends("a", "1", "2", DIFFERENCE)
    _, other = ends("a", "1", "2", MEAN_FP8, recipe=None)
    assert recipes.ends((low, high, other)) == [{"low": low}, {"high": high}, {"high": other}]


def test_the_nearest_recipe_is_kept_whatever_is_tried_after_it() -> None:
    wanted = replace(RECIPE, stream="pcg64")
    drawn = interval(VALUES, wanted)
    moved = (drawn.low + 1e-9, drawn.high - 1e-9)
    tried = candidates(RULES, ())
    assert nearest(drawing(VALUES), moved, tried) == (wanted, drawn)
    assert nearest(drawing(VALUES), moved, tuple(reversed(tried))) == (wanted, drawn)


def test_of_two_recipes_that_are_equally_near_the_first_is_kept() -> None:
    constant = array(0.25, 0.25, 0.25)
    found = nearest(drawing(constant), (0.5, 0.5), (RECIPE, replace(RECIPE, seed=7)))
    assert found is not None
    assert found[0] == RECIPE


@pytest.mark.parametrize(("errors", "count"), [(0.9e-9, 1), (1.2e-9, 2)])
def test_the_search_goes_on_beyond_a_billionth_of_a_standard_error(
    errors: float, count: int
) -> None:
    tried: list[Recipe] = []

    def counting(recipe: Recipe) -> Interval | Missing:
        tried.append(recipe)
        return drawing(VALUES)(recipe)

    drawn = interval(VALUES, RECIPE)
    away = drawn.low + errors * drawn.standard_error
    nearest(counting, (away, drawn.high), (RECIPE, replace(RECIPE, seed=7)))
    assert len(tried) == count


def test_constant_values_are_drawn_once() -> None:
    tried = iter((RECIPE, replace(RECIPE, seed=7)))
    nearest(drawing(array(0.25, 0.25, 0.25)), (0.25, 0.25), tried)
    assert [recipe.seed for recipe in tried] == [7]


def test_the_fewest_permitted_resamples_and_the_seeds_at_both_ends_are_tried() -> None:
    rules = replace(RULES, min_resamples=20_000)
    assert {recipe.resamples for recipe in candidates(rules, ())} == {20_000}
    assert 0 in {recipe.seed for recipe in candidates(RULES, (0,))}


def test_ends_of_two_intervals_of_one_measure_are_not_mixed_up() -> None:
    first, second = ends("a", "0.1", "0.2", MEAN_FP8), ends("b", "0.3", "0.4", MEAN_FP8)
    interleaved = (first[0], second[0], second[1], first[1])
    assert [[end.id for end in group.values()] for group in recipes.ends(interleaved)] == [
        ["a/low", "a/high"],
        ["b/low", "b/high"],
    ]


def test_only_intervals_have_ends() -> None:
    low, _ = ends("a", "0.1", "0.2", MEAN_FP8)
    assert recipes.ends((replace(low, kind="aggregate"), replace(low, end=None))) == []
