"""Published words that another rule, measure or interval gives, and what is said of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.support.core import DIFFERENCE, LOWER, MEAN_FP8, RECIPE, arm, bundle, case, figure
from verifier.explain import decision as explanations
from verifier.explain import spending
from verifier.explain.decision import explain
from verifier.model.bundle import Protocol
from verifier.model.figure import Decision
from verifier.model.measure import Measure
from verifier.model.number import Published
from verifier.model.policy import Policy
from verifier.model.recipe import Clusters, Interval, Recipe
from verifier.policy import REVIEW

NONE = "None of the usual alternatives gives this word."
PARTLY = "None of the alternatives that were tried gives this word; the others would take too long."

READING = Decision(rule="reading")
ZERO = Decision(rule="includes-zero")
GATE = Decision(rule="gate", operator=">=", threshold=5.0)

# Far from 0; on both sides of 0; and so near to 0 that the recipe decides.
CLEAR = (0.5, 0.75, 0.5, 0.625, 0.5, 0.875, 0.5, 0.625)
WIDE = (-1.0, 2.0, 0.5, 0.25, 1.5, -0.5, 1.0, 0.75)
BARELY = (-0.25, 1.0, 0.5, 0.25, 0.75, -0.125, 0.5, 0.125)
ZEROS = (0.0,) * 8


def said(  # noqa: PLR0913 - one parameter per field that tests vary
    word: str,
    decision: Decision | None,
    values: tuple[float, ...] = CLEAR,
    *,
    measure: Measure | None = DIFFERENCE,
    recipe: Recipe | None = RECIPE,
    intervals: Mapping[str, Recipe] | None = None,
    policy: Policy = REVIEW,
) -> str:
    published = Published(text=word, value=float("nan"))
    held = figure("d", "0", measure, kind="decision", recipe=recipe)
    looked_at = bundle(
        replace(held, published=published, decision=decision),
        arms=(arm("fp8", values), arm("nvfp4", ZEROS)),
    )
    held_too = replace(looked_at, protocol=Protocol(intervals=dict(intervals or {})))
    return explain(case(held_too, policy=policy), "d")


def gives(words: str) -> str:
    return f"This is the word that the same rule gives {words}; a word fits by chance easily."


def label(**fields: Any) -> str:
    return replace(RECIPE, **fields).label


PERCENT = replace(DIFFERENCE, scale="percent")
SHARE = Measure(
    statistic="fraction", arms=("fp8",), parameters=(("above", 0.5),)
)  # four of eight windows


@pytest.mark.parametrize(
    ("word", "decision", "measure", "words"),
    [
        ("improvement", READING, DIFFERENCE, "with higher as the better direction"),
        (
            "harm",
            replace(READING, better="higher"),
            DIFFERENCE,
            "with lower as the better direction",
        ),
        (
            "true",
            Decision(rule="equivalent", margin=1.0),
            PERCENT,
            "with the margin times 100",
        ),
        (
            "false",
            Decision(rule="equivalent", margin=75.0),
            PERCENT,
            "with the margin divided by 100",
        ),
        (
            "false",
            Decision(rule="gate", operator=">=", threshold=4.0),
            replace(SHARE, statistic="count"),
            "with > in the place of >=",
        ),
        (
            "true",
            Decision(rule="gate", operator=">=", threshold=25.0),
            SHARE,
            "with the threshold divided by 100",
        ),
        (
            "false",
            Decision(rule="gate", operator="<=", threshold=0.625),
            DIFFERENCE,
            "for the high end in the place of the value",
        ),
        (
            "true",
            Decision(rule="gate", operator="<=", threshold=0.625, of="high"),
            DIFFERENCE,
            "for the value in the place of the high end",
        ),
        (
            "true",
            Decision(rule="gate", operator="<", threshold=0.6, of="high"),
            DIFFERENCE,
            "for the low end in the place of the high end",
        ),
        (
            "true",
            Decision(rule="gate", operator=">=", threshold=8.0),
            LOWER,
            "with the arms exchanged",
        ),
    ],
)
def test_a_word_that_another_rule_or_order_gives_is_explained(
    word: str, decision: Decision, measure: Measure, words: str
) -> None:
    recipe = RECIPE if measure in {DIFFERENCE, PERCENT} else None
    assert said(word, decision, measure=measure, recipe=recipe) == gives(words)


def test_an_end_on_the_margin_is_explained_by_the_strictness() -> None:
    exact = replace(REVIEW.tolerance, interval_standard_errors=0.0, interval_relative=0.0)
    policy = replace(REVIEW, tolerance=exact)
    drawn = case(bundle(arms=(arm("fp8", CLEAR), arm("nvfp4", ZEROS)))).measures.interval(
        DIFFERENCE, RECIPE
    )
    assert isinstance(drawn, Interval)
    strict = Decision(rule="equivalent", margin=drawn.high)
    assert said("true", strict, policy=policy) == gives("with an end on the margin inside")
    assert said("false", replace(strict, strict=False), policy=policy) == gives(
        "with an end on the margin outside"
    )


def test_the_value_alone_explains_a_word_that_the_interval_does_not_give() -> None:
    alone = gives("for the value alone, without an interval")
    assert said("harm", READING, WIDE) == alone
    assert said("improvement", replace(READING, better="higher"), WIDE) == gives(
        "for the value alone, without an interval"
    )
    assert said("false", ZERO, WIDE) == alone
    assert said("true", Decision(rule="equivalent", margin=1.0), WIDE) == alone


def test_another_usual_recipe_is_named_by_its_label() -> None:
    assert said("true", ZERO, BARELY) == gives("under student-t 95 %")
    assert said("no detectable change", READING, BARELY) == gives("under student-t 95 %")


def test_another_recipe_of_the_bundle_is_named_before_usual_ones() -> None:
    declared = {
        "primary": RECIPE,
        "lost": replace(RECIPE, start="continue"),
        "clusters": replace(RECIPE, unit="cluster", clusters=Clusters()),
        "strict": replace(RECIPE, level=0.995),
    }
    assert said("true", ZERO, BARELY, intervals=declared) == gives(f"under {label(level=0.995)}")


def test_a_gate_on_the_value_asks_for_no_interval_where_none_is_declared() -> None:
    gate = Decision(rule="gate", operator="<", threshold=0.25)
    assert said("true", gate, measure=MEAN_FP8, recipe=None) == NONE
    assert said("true", gate, measure=MEAN_FP8) == NONE


def test_a_hundredfold_threshold_is_no_unit_of_anything_but_a_share() -> None:
    gate = Decision(rule="gate", operator="<", threshold=0.25)
    assert said("true", gate, measure=MEAN_FP8, recipe=None) == NONE
    assert said("true", gate, measure=replace(MEAN_FP8, scale="percent"), recipe=None) == NONE
    assert said(
        "true",
        replace(gate, threshold=1.0),
        measure=replace(MEAN_FP8, scale="percent"),
        recipe=None,
    ) == gives("with the threshold times 100")


@pytest.mark.parametrize("word", ["equal", "True", "", "improvement"])
def test_a_word_that_no_rule_of_its_kind_has_is_not_explained(word: str) -> None:
    assert said(word, ZERO) == NONE


def test_the_opposite_of_a_gate_is_no_explanation() -> None:
    assert said("true", replace(GATE, threshold=0.9), measure=MEAN_FP8, recipe=None) == NONE


def test_a_word_that_rounding_alone_could_turn_explains_nothing() -> None:
    # The mean is exactly 0.609375, on the threshold of the alternative.
    gate = Decision(rule="gate", operator="<", threshold=0.609375)
    assert said("true", gate, measure=MEAN_FP8, recipe=None) == NONE


@pytest.mark.parametrize(
    ("decision", "measure"),
    [(None, DIFFERENCE), (ZERO, None), (ZERO, replace(MEAN_FP8, arms=("lost",)))],
)
def test_a_decision_that_is_not_recomputed_is_not_explained(
    decision: Decision | None, measure: Measure | None
) -> None:
    assert said("true", decision, measure=measure) == ""


def test_what_cannot_be_drawn_is_left_out() -> None:
    # A median has no bootstrap interval here; its value alone gives the word.
    median = replace(DIFFERENCE, statistic="median")
    assert said("harm", READING, measure=median) == gives(
        "for the value alone, without an interval"
    )
    continued = replace(RECIPE, start="continue")
    assert said("harm", READING, recipe=continued) == gives(
        "for the value alone, without an interval"
    )


def test_what_would_take_too_long_is_not_tried_and_this_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spending, "MOST_STEPS", 2**12)
    assert said("true", ZERO) == PARTLY
    monkeypatch.setattr(spending, "MOST_STEPS", 1)
    assert said("true", ZERO) == PARTLY
    assert said("true", replace(GATE, threshold=9.0), measure=LOWER, recipe=None) == PARTLY


def test_only_so_many_recipes_of_the_bundle_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "_MOST_DECLARED", 1)
    declared = {"one": replace(RECIPE, seed=1), "two": replace(RECIPE, level=0.995)}
    assert said("true", ZERO, BARELY, intervals=declared) == gives("under student-t 95 %")
