"""Values and intervals of units that somebody else altered."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.core import DIFFERENCE, FP8, MEAN_FP8, NVFP4, RECIPE, array, bundle, case
from verifier.measures import shared
from verifier.measures.shared import SharedDraws
from verifier.model.plugin import Missing, Units
from verifier.numerics.operands import Operand, drawn_means
from verifier.numerics.streams import Draws

MEASURES = case(bundle()).measures


def units_of(measure: object = MEAN_FP8) -> Units:
    found = MEASURES.units(MEAN_FP8 if measure is MEAN_FP8 else DIFFERENCE)
    assert isinstance(found, Units)
    return found


def test_a_value_of_other_units_goes_through_base_and_scale() -> None:
    halves = replace(units_of(), vectors=(np.array(FP8) / 2,))
    relative = replace(MEAN_FP8, relative_to=replace(MEAN_FP8, arms=("nvfp4",)), scale="percent")
    value = MEASURES.value_of(relative, halves)
    assert not isinstance(value, Missing)
    assert value.number == pytest.approx(50 * sum(FP8) / sum(NVFP4), rel=1e-15)
    assert value.n == 8


def test_units_as_they_are_give_the_value_and_the_intervals_as_they_are() -> None:
    recipes = [
        replace(RECIPE, method="percentile", resamples=999),
        RECIPE,
        replace(RECIPE, stream="pcg64"),
        replace(RECIPE, method="student-t"),
        replace(RECIPE, resamples=1),
    ]
    assert MEASURES.value_of(DIFFERENCE, units_of(DIFFERENCE)) == MEASURES.value(DIFFERENCE)
    assert MEASURES.intervals_of(DIFFERENCE, recipes, units_of(DIFFERENCE)) == tuple(
        MEASURES.interval(DIFFERENCE, recipe) for recipe in recipes
    )


def test_a_continued_stream_goes_on_after_what_was_drawn_before() -> None:
    recipe = replace(RECIPE, start="continue")
    before = (((8,), 20_000),)
    assert MEASURES.intervals_of(MEAN_FP8, [recipe], units_of(), before) == (
        MEASURES.interval(MEAN_FP8, recipe, before),
    )


def test_a_number_over_runs_has_no_units_of_its_own() -> None:
    runs = replace(MEAN_FP8, arms=("fp8", "nvfp4"), over="mean")
    assert MEASURES.value_of(runs, units_of()) == Missing(
        reason="a number over several runs has no units of its own"
    )
    assert MEASURES.intervals_of(runs, [RECIPE], units_of()) == (
        Missing(reason="no interval is drawn of a number over several runs"),
    )


def test_a_statistic_that_is_not_known_is_missing() -> None:
    odd = replace(MEAN_FP8, statistic="mode")
    reason = Missing(
        reason="this version knows no statistic 'mode' (`verifier measures` lists them)"
    )
    assert MEASURES.value_of(odd, units_of()) == reason
    assert MEASURES.intervals_of(odd, [RECIPE], units_of()) == (reason,)


@pytest.mark.parametrize(
    ("draws", "times"),
    [
        (Draws(sizes=(8,), resamples=50, seed=1, stream="pcg64"), 1),
        (Draws(sizes=(4, 4), resamples=50, seed=1, stream="pcg64", draw="replicate"), 1),
        (Draws(sizes=(4, 4), resamples=50, seed=1, stream="randomstate"), 2),
    ],
)
def test_fewer_resamples_are_the_first_of_more_where_replicates_are_drawn_in_turn(
    draws: Draws, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Draws] = []

    def counted(strata: object, given: Draws) -> object:
        drawn.append(given)
        return drawn_means(strata, given)  # type: ignore[arg-type]

    monkeypatch.setattr(shared, "drawn_means", counted)
    parts = [array(*FP8)] if len(draws.sizes) == 1 else [array(*FP8[:4]), array(*FP8[4:])]
    strata = tuple((Operand(vector=part),) for part in parts)
    keeps = SharedDraws()
    keeps(strata, draws)
    (means,) = keeps(strata, replace(draws, resamples=20))
    (expected,) = drawn_means(strata, replace(draws, resamples=20))
    assert means.tolist() == expected.tolist()
    assert len(drawn) == times


def test_more_resamples_than_were_kept_are_drawn() -> None:
    strata = ((Operand(vector=array(*FP8)),),)
    draws = Draws(sizes=(8,), resamples=20, seed=1, stream="randomstate")
    keeps = SharedDraws()
    keeps(strata, draws)
    (means,) = keeps(strata, replace(draws, resamples=50))
    assert means.size == 50
