"""What an explanation pays for, and what it pays only once."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.core import DIFFERENCE, FP8, MEAN_FP8, NVFP4, RECIPE, arm, bundle, case
from verifier.explain.budget import Budget
from verifier.explain.spending import MOST_STEPS, Spending, rows
from verifier.measures.resampled import clustering_steps
from verifier.model.basis import Level
from verifier.model.measure import Measure
from verifier.model.plugin import Spent, Units
from verifier.model.recipe import Clusters, Recipe

ENOUGH = 2**40
DRAWS = 8 * 20_000
PERCENTILE = replace(RECIPE, method="percentile")
ANALYSED = 16 * 20_000


def units(n: int = 8, **fields: Any) -> Units:
    given: dict[str, Any] = {
        "vectors": (np.arange(float(n)),),
        "windows": np.arange(n),
        "window_ids": tuple(f"w{place}" for place in range(n)),
        "level": Level.WINDOW_SCORES,
    }
    return Units(**(given | fields))


EIGHT = units()
ROWS = units(40, windows=np.repeat(np.arange(8), 5), window_ids=EIGHT.window_ids, from_rows=True)


class Paying:
    """A budget without end, and what was paid from it."""

    def __init__(self, **fields: Any) -> None:
        self.spending = Spending(case=case(bundle()), budget=Budget(ENOUGH), **fields)

    def paid(
        self,
        *recipes: Recipe,
        of: Units = EIGHT,
        measure: Measure = MEAN_FP8,
        before: Spent = (),
    ) -> int:
        left = self.spending.budget.left
        assert self.spending.may_draw(measure, recipes, of, before)
        return left - self.spending.budget.left


@pytest.mark.parametrize(
    ("recipe", "of", "steps"),
    [
        # Each draw is made (3 steps where the legacy stream rejects none) and summed.
        (PERCENTILE, EIGHT, ANALYSED + DRAWS * (3 + 1)),
        (PERCENTILE, units(9), ANALYSED + 9 * 20_000 * (8 + 1)),
        (replace(PERCENTILE, stream="pcg64"), EIGHT, ANALYSED + DRAWS * (2 + 1)),
        (RECIPE, EIGHT, ANALYSED + DRAWS * (3 + 1) + 8 * (2 + 500)),
        (PERCENTILE, units(counts=EIGHT.vectors), ANALYSED + DRAWS * (3 + 2)),
        # Pooled rows: sums and counts of windows, or single rows.
        (PERCENTILE, ROWS, ANALYSED + DRAWS * (3 + 2)),
        (replace(PERCENTILE, unit="row"), ROWS, ANALYSED + 5 * DRAWS * (8 + 1)),
        (replace(PERCENTILE, method="student-t", resamples=0), EIGHT, 0),
    ],
)
def test_drawing_costs_draws_sums_replicates_and_jackknife(
    recipe: Recipe, of: Units, steps: int
) -> None:
    assert Paying().paid(recipe, of=of) == steps


def test_recipes_that_draw_alike_pay_for_their_draws_once() -> None:
    fewer = replace(PERCENTILE, resamples=1_000)
    basic = replace(PERCENTILE, method="basic")
    assert Paying().paid(fewer, PERCENTILE, basic) == 16 * 41_000 + DRAWS * (3 + 1)
    # Strata that are drawn one after the other are drawn for each number of resamples.
    strata = units(strata=("code", "law") * 4)
    assert Paying().paid(fewer, PERCENTILE, of=strata) == 16 * 21_000 + 8 * 21_000 * (3 + 1)
    by_replicate = [replace(recipe, draw="replicate") for recipe in (fewer, PERCENTILE)]
    assert Paying().paid(*by_replicate, of=strata) == 16 * 21_000 + DRAWS * (3 + 1)


def test_the_last_two_matrices_are_drawn_already() -> None:
    paying = Paying()
    anew, again = ANALYSED + DRAWS * (3 + 1), ANALYSED + DRAWS
    others = [replace(PERCENTILE, seed=seed) for seed in range(3)]
    assert [paying.paid(recipe) for recipe in (others[0], others[1], others[0])] == [
        anew,
        anew,
        again,
    ]
    assert [paying.paid(recipe) for recipe in (others[2], others[0], others[1])] == [
        anew,
        again,
        anew,
    ]


def test_a_matrix_that_is_too_large_is_never_kept() -> None:
    paying, many = Paying(), units(512)
    assert paying.paid(PERCENTILE, of=many) == paying.paid(PERCENTILE, of=many)


def test_what_a_continued_stream_gave_before_is_drawn_again() -> None:
    recipe = replace(PERCENTILE, start="continue")
    before = (((4, 4), 10), ((8,), 20))
    assert Paying().paid(recipe, before=before) == ANALYSED + DRAWS * (3 + 1) + 240 * 3
    assert Paying().paid(PERCENTILE, before=before) == ANALYSED + DRAWS * (3 + 1)


def clustered(**fields: Any) -> Recipe:
    return replace(PERCENTILE, unit="cluster", clusters=Clusters(**fields))


# Two vectors, because a cluster has sums and counts; a stream has a token more than its rows.
DRAWN = ANALYSED + DRAWS * (3 + 2)
COMPUTED = 3 * clustering_steps(8 * 6, windows=8, span=32)


def test_clusters_are_paid_for_once_whatever_the_order_of_the_windows() -> None:
    paying = Paying()
    first, basic = clustered(), replace(clustered(), method="basic")
    assert paying.paid(first, basic) == DRAWN + ANALYSED + COMPUTED
    turned = replace(EIGHT, window_ids=EIGHT.window_ids[::-1])
    assert paying.paid(first, of=turned) == DRAWN - DRAWS * 3
    assert paying.paid(clustered(shared=2)) == DRAWN + COMPUTED
    assert paying.paid(clustered(lists=(EIGHT.window_ids,))) == DRAWN
    # The clusters are those of the whole arm, so a selection computes none anew.
    assert paying.paid(first, of=units(7)) == ANALYSED + 7 * 20_000 * (8 + 2)


def test_clusters_of_the_reference_are_other_clusters() -> None:
    elsewhere = bundle(arms=(arm("fp8", FP8),))
    paying = Paying()
    paying.spending.case = case(bundle(), reference=elsewhere)
    assert paying.paid(clustered()) == DRAWN + COMPUTED
    there = replace(MEAN_FP8, arms=("reference:fp8",))
    assert paying.paid(clustered(), measure=there) == DRAWN - DRAWS * 3 + COMPUTED
    # Nothing is known of an arm that is not there, and nothing is drawn of it.
    lost = replace(MEAN_FP8, arms=("reference:lost",))
    assert Paying().paid(clustered(), measure=lost) == DRAWN
    assert Paying().paid(clustered(), measure=Measure(statistic="size")) == DRAWN


def test_what_was_refused_counts_neither_as_drawn_nor_as_clustered() -> None:
    paying = Paying()
    paying.spending.budget.left = DRAWN + COMPUTED - 1
    assert not paying.spending.may_draw(MEAN_FP8, [clustered()], EIGHT, ())
    paying.spending.budget.left = DRAWN + COMPUTED
    assert paying.paid(clustered()) == DRAWN + COMPUTED


def test_hostile_clusters_cost_more_than_one_explanation_has() -> None:
    assert 3 * clustering_steps(2**26, windows=4096, span=32) > MOST_STEPS


def test_building_units_is_no_alternative() -> None:
    spending = Spending(case=case(bundle()), budget=Budget(1_000))
    assert spending.may_build([MEAN_FP8])
    assert not spending.may_build([DIFFERENCE] * 9)
    assert spending.budget.nothing_found() == (
        "No alternative was tried: each would take too long."
    )
    assert spending.budget.left == 1_000 - 16 * 16


def test_rows_are_counted_where_they_are_retained_and_windows_where_not() -> None:
    held = arm("fp8", FP8, rows_path=True, level=Level.ROW_SCORES)
    looked_at = bundle(arms=(held, arm("nvfp4", NVFP4)))
    both = case(looked_at, reference=bundle(arms=(held,)))
    assert rows(both, MEAN_FP8) == 8 + 40
    assert rows(both, DIFFERENCE) == 8 + 40 + 8
    assert rows(both, replace(MEAN_FP8, arms=("reference:fp8",))) == 8 + 40
    assert rows(both, replace(MEAN_FP8, arms=("lost", "reference:lost"))) == 8
    assert rows(case(looked_at), replace(MEAN_FP8, arms=("reference:fp8",))) == 8
