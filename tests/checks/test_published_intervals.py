"""Published end points against intervals drawn again, and what is said when they differ."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.support import core
from tests.support.core import (
    DIFFERENCE,
    FP8,
    MEAN_FP8,
    NVFP4,
    RECIPE,
    arm,
    audited,
    bundle,
    case,
    ends,
)
from verifier.checks import published_intervals
from verifier.checks.published_intervals import CHECK
from verifier.intervals import Drawings
from verifier.model.basis import Basis, Level
from verifier.model.bundle import Bundle
from verifier.model.comparison import Comparison, EndPoint, Gap
from verifier.model.measure import Measure, WindowSelection
from verifier.model.policy import Policy
from verifier.model.report import Report
from verifier.numerics.bootstrap import interval

# What scipy.stats.bootstrap 1.17 gives for the scores of tests.support.core.
BCA = ("0.02746215429116671", "0.040547750874999997")
BCA_PCG64 = ("0.027708880842948213", "0.04074810534420484")
BCA_SEED_7 = ("0.02754482597450336", "0.040765804375")
BCA_OTHER_ORDER = ("0.027640139695702337", "0.040511012147759595")
BCA_10_RESAMPLES = ("0.029079641990787376", "0.035651911981261566")
PERCENTILE = ("0.027124995346875", "0.0400474655")
DIFFERENCE_BCA = ("-0.004015758375000002", "-0.0009898747500000013")

OPEN = core.demanding()
LOW, HIGH = "comparison.json#/i/low", "comparison.json#/i/high"
NONE_FITS = "None of the usual alternatives gives these digits."


def published(points: tuple[str, str], measure: Measure = MEAN_FP8, **fields: Any) -> Bundle:
    return bundle(*ends("i", *points, measure, **fields))


def looked(looked_at: Bundle, policy: Policy = OPEN) -> Report:
    return audited(case(looked_at, policy=policy), CHECK)


def mismatches(report: Report) -> list[tuple[str, str]]:
    """(location, expected) of every failure of the check."""
    return [
        (finding.location, finding.expected)
        for finding in core.outcome_of(report, CHECK.id).findings
        if finding.severity == "failure"
    ]


def explanations(report: Report) -> set[str]:
    """The last sentence of every mismatch."""
    return {
        finding.message.partition(").")[2].strip()
        for finding in core.outcome_of(report, CHECK.id).findings
    }


@pytest.mark.parametrize(
    ("points", "measure", "recipe"),
    [
        (BCA, MEAN_FP8, RECIPE),
        (BCA_PCG64, MEAN_FP8, replace(RECIPE, stream="pcg64")),
        (BCA_SEED_7, MEAN_FP8, replace(RECIPE, seed=7)),
        (PERCENTILE, MEAN_FP8, replace(RECIPE, method="percentile")),
        (DIFFERENCE_BCA, DIFFERENCE, RECIPE),
    ],
)
def test_end_points_of_scipy_are_reproduced_under_their_declared_recipe(
    points: tuple[str, str], measure: Measure, recipe: Any
) -> None:
    report = looked(published(points, measure, recipe=recipe))
    assert report.verdict == "PASSED"
    assert core.figure_statuses(report) == {"i/low": "REPRODUCED", "i/high": "REPRODUCED"}
    assert {result.how.partition("; ")[2] for result in report.figures} == {
        f"{recipe.label} (declared)"
    }
    # Two end points, and method, stream, resamples and level against the policy.
    assert core.outcome_of(report, CHECK.id).compared == 6


@pytest.mark.parametrize(
    ("points", "label"),
    [
        (BCA, "BCa 95 %, 20000 resamples, RandomState(20260902)"),
        (BCA_PCG64, "BCa 95 %, 20000 resamples, PCG64(20260902)"),
        (PERCENTILE, "percentile 95 %, 20000 resamples, RandomState(20260902)"),
    ],
)
def test_an_undeclared_recipe_is_found_and_named(points: tuple[str, str], label: str) -> None:
    report = looked(published(points, recipe=None))
    assert report.verdict == "PASSED"
    assert {result.how.partition("; ")[2] for result in report.figures} == {
        f"{label} (found by search)"
    }
    assert core.outcome_of(report, CHECK.id).compared == 2


def test_a_seed_that_the_record_names_is_tried() -> None:
    assert core.statuses(looked(published(BCA_SEED_7, recipe=None)))[CHECK.id] == "FAILED"
    report = looked(published(BCA_SEED_7, recipe=None, hints=(7,)))
    assert report.verdict == "PASSED"
    assert "RandomState(7) (found by search)" in report.figures[0].how


def test_a_comparison_says_what_it_rests_on() -> None:
    (fact, _) = CHECK.run(case(published(BCA, recipe=None)))
    drawn = interval(core.array(*FP8), RECIPE)
    assert fact == Comparison(
        location=LOW,
        expected=float(BCA[0]),
        actual=drawn.low,
        printed=BCA[0],
        basis=Basis.RECOMPUTED,
        rule=EndPoint(standard_error=drawn.standard_error),
        figure="i/low",
        how="BCa 95 %, 20000 resamples, RandomState(20260902) (found by search)",
        n=8,
        level=Level.WINDOW_SCORES,
        message="The retained scores do not give this end point.",
    )


@pytest.mark.parametrize(
    ("points", "explanation"),
    [
        pytest.param(
            BCA_PCG64,
            "These are the digits that BCa 95 %, 20000 resamples, PCG64(20260902) gives.",
            id="other stream",
        ),
        pytest.param(BCA_SEED_7, NONE_FITS, id="wrong seed"),
        pytest.param(BCA_10_RESAMPLES, NONE_FITS, id="ten resamples"),
    ],
)
def test_end_points_drawn_otherwise_fail_and_are_explained(
    points: tuple[str, str], explanation: str
) -> None:
    report = looked(published(points))
    assert mismatches(report) == [(LOW, points[0]), (HIGH, points[1])]
    assert explanations(report) == {explanation}
    assert core.figure_statuses(report) == {"i/low": "MISMATCH", "i/high": "MISMATCH"}


def test_windows_in_another_order_no_longer_give_the_end_points() -> None:
    held = arm("fp8", FP8)
    turned = replace(held, windows=tuple(reversed(held.windows)))
    looked_at = replace(published(BCA), arms=(turned,))
    assert mismatches(looked(looked_at)) == [(LOW, BCA[0]), (HIGH, BCA[1])]
    assert looked(replace(published(BCA_OTHER_ORDER), arms=(turned,))).verdict == "PASSED"


def test_a_window_score_changed_by_one_part_in_a_billion_fails_both_ends() -> None:
    changed = arm("fp8", (FP8[0] * (1 + 1e-9), *FP8[1:]))
    assert mismatches(looked(replace(published(BCA), arms=(changed,)))) == [
        (LOW, BCA[0]),
        (HIGH, BCA[1]),
    ]


@pytest.mark.parametrize("place", [0, 1])
def test_one_altered_end_point_is_the_only_mismatch(place: int) -> None:
    points = list(BCA)
    points[place] = repr(float(points[place]) + 1e-10)
    report = looked(published((points[0], points[1])))
    assert mismatches(report) == [((LOW, HIGH)[place], points[place])]


def test_printed_end_points_match_to_their_digits_and_not_beyond() -> None:
    report = looked(published(("0.0274622", "0.0405478")))
    assert report.verdict == "PASSED"
    assert [result.how.partition(";")[0] for result in report.figures] == ["printed", "printed"]
    assert mismatches(looked(published(("0.0274621", "0.0405478")))) == [(LOW, "0.0274621")]


def test_a_narrow_level_is_no_way_to_look_certain() -> None:
    recipe = replace(RECIPE, level=0.5)
    drawn = interval(np.array(FP8), recipe)
    report = looked(published((repr(drawn.low), repr(drawn.high)), recipe=recipe))
    assert mismatches(report) == [(LOW, "a level of at least 0.9")]


def test_ten_resamples_prove_nothing_however_well_they_are_reproduced() -> None:
    recipe = replace(RECIPE, resamples=10)
    report = looked(published(BCA_10_RESAMPLES, recipe=recipe))
    assert mismatches(report) == [(LOW, "at least 9999 resamples")]
    (finding,) = core.outcome_of(report, CHECK.id).findings
    assert (finding.actual, finding.basis) == ("10", "POLICY")
    assert finding.message == (
        "The policy does not permit this interval recipe, so it proves nothing."
    )
    assert report.verdict == "FAILED"


@pytest.mark.parametrize(
    ("rules", "demand"),
    [
        ({"methods": ("percentile",)}, "one of percentile"),
        ({"streams": ("pcg64",)}, "one of pcg64"),
        ({"min_resamples": 20_001}, "at least 20001 resamples"),
    ],
)
def test_a_declared_recipe_that_the_policy_does_not_permit_fails(
    rules: dict[str, Any], demand: str
) -> None:
    policy = replace(OPEN, intervals=replace(OPEN.intervals, **rules))
    assert mismatches(looked(published(BCA), policy)) == [(LOW, demand)]


def test_exactly_the_fewest_permitted_resamples_are_permitted() -> None:
    policy = replace(OPEN, intervals=replace(OPEN.intervals, min_resamples=20_000))
    assert looked(published(BCA), policy).verdict == "PASSED"


@pytest.mark.parametrize("recipe", [RECIPE, None], ids=["declared", "found"])
@pytest.mark.parametrize("points", [("null", "null"), ("0.25", "0.25"), ("0.250", "null")])
def test_constant_scores_accept_null_or_the_constant(points: tuple[str, str], recipe: Any) -> None:
    constant = replace(published(points, recipe=recipe), arms=(arm("fp8", (0.25,) * 8),))
    report = looked(constant)
    assert report.verdict == "PASSED"
    assert core.figure_statuses(report) == {"i/low": "DEGENERATE", "i/high": "DEGENERATE"}
    assert [result.recomputed for result in report.figures] == ["0.25", "0.25"]


def test_constant_scores_accept_the_constant_as_it_is_printed() -> None:
    constant = replace(published(("0.0319", "0.0319")), arms=(arm("fp8", (0.031945,) * 8),))
    assert core.figure_statuses(looked(constant)) == {
        "i/low": "DEGENERATE",
        "i/high": "DEGENERATE",
    }


def test_constant_scores_have_no_width() -> None:
    constant = replace(published(("0.24", "0.25")), arms=(arm("fp8", (0.25,) * 8),))
    report = looked(constant)
    assert mismatches(report) == [(LOW, "0.24")]
    assert explanations(report) == {NONE_FITS}


@pytest.mark.parametrize("recipe", [RECIPE, None], ids=["declared", "found"])
def test_null_for_an_interval_that_exists_fails_and_is_not_explained_away(recipe: Any) -> None:
    report = looked(published(("null", "null"), recipe=recipe))
    assert mismatches(report) == [(LOW, "null"), (HIGH, "null")]
    assert explanations(report) == {NONE_FITS}


def test_a_lone_end_point_is_compared_too() -> None:
    _, high = ends("i", *BCA_PCG64, MEAN_FP8, recipe=None)
    report = looked(bundle(high))
    assert core.figure_statuses(report) == {"i/high": "REPRODUCED"}
    wrong = looked(bundle(ends("i", *BCA_SEED_7, MEAN_FP8, recipe=None)[1]))
    assert mismatches(wrong) == [(HIGH, BCA_SEED_7[1])]


def test_an_interval_published_twice_is_compared_twice() -> None:
    first = ends("i", *BCA, MEAN_FP8)
    again = [
        replace(end, id=f"{end.id}-again", location=f"{end.location}-again")
        for end in ends("i", BCA[0], "0.05", MEAN_FP8)
    ]
    report = looked(bundle(*first, *again))
    assert mismatches(report) == [("comparison.json#/i/high-again", "0.05")]
    assert core.statuses(report)["figure-coverage"] == "PASSED"


@pytest.mark.parametrize(
    ("measure", "name"), [(replace(MEAN_FP8, statistic="sum"), "sum"), (core.LOWER, "count")]
)
def test_an_interval_of_something_else_than_means_is_a_gap(measure: Measure, name: str) -> None:
    report = looked(published(BCA, measure))
    assert core.figure_statuses(report) == dict.fromkeys(("i/low", "i/high"), "NOT_RECOMPUTABLE")
    assert {result.how for result in report.figures} == {
        f"intervals are drawn of functions of means, not of the {name}"
    }
    searched = looked(published(BCA, measure, recipe=None))
    assert {result.how for result in searched.figures} == {
        "none of 4 known recipes gives an interval"
    }


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (replace(MEAN_FP8, arms=("int4",)), "no arm 'int4' is retained in study"),
        (
            replace(MEAN_FP8, windows=WindowSelection(group=("domain", "poetry"))),
            "the measure selects no window",
        ),
    ],
)
def test_an_interval_without_evidence_is_a_gap_for_each_end(measure: Measure, reason: str) -> None:
    facts = list(CHECK.run(case(published(BCA, measure, recipe=None))))
    assert facts == [
        Gap(location=place, reason=reason, concern="not-recomputable", figure=figure_id)
        for place, figure_id in ((LOW, "i/low"), (HIGH, "i/high"))
    ]


def test_an_interval_without_a_measure_says_what_is_missing() -> None:
    low, high = ends("i", *BCA, MEAN_FP8)
    missing = "the reference record is not retained"
    unknown = [replace(end, measure=None, missing=missing) for end in (low, high)]
    report = looked(bundle(*(replace(end, recipe=None) for end in unknown)))
    assert core.statuses(report) == {"figure-coverage": "WARNED", CHECK.id: "NOT_APPLICABLE"}
    assert {result.how for result in report.figures} == {missing}
    assert CHECK.explain is not None
    assert CHECK.explain(case(bundle(*unknown)), "i/low") == ""


def test_an_impossible_declared_recipe_is_a_gap_and_no_crash() -> None:
    report = looked(published(BCA, recipe=replace(RECIPE, resamples=10**9)))
    assert core.statuses(report)[CHECK.id] == "NOT_APPLICABLE"  # a permitted recipe is no figure
    assert core.statuses(report)["figure-coverage"] == "WARNED"
    assert {result.status for result in report.figures} == {"NOT_RECOMPUTABLE"}
    assert "expected 2 to 2000000 resamples" in report.figures[0].how


@pytest.mark.parametrize("value", [1e308, 1e200])
def test_scores_too_large_for_an_interval_are_a_gap_and_no_crash(value: float) -> None:
    huge = replace(published(BCA, recipe=None), arms=(arm("fp8", (value, -value, value / 2)),))
    report = looked(huge)
    assert {result.how for result in report.figures} == {
        "none of 4 known recipes gives an interval"
    }


def test_a_policy_that_names_no_recipe_leaves_a_gap() -> None:
    policy = replace(OPEN, intervals=replace(OPEN.intervals, seeds=()))
    report = looked(published(BCA, recipe=None), policy)
    assert {result.how for result in report.figures} == {
        "none of 0 known recipes gives an interval"
    }


def test_paired_arms_with_different_windows_are_not_drawn() -> None:
    looked_at = replace(
        published(DIFFERENCE_BCA, DIFFERENCE), arms=(arm("fp8", FP8), arm("nvfp4", NVFP4[:-1]))
    )
    report = looked(looked_at)
    assert {result.how for result in report.figures} == {
        "arms fp8 and nvfp4 hold different windows"
    }


def test_without_intervals_there_is_nothing_to_compare() -> None:
    assert CHECK.applies(case(bundle())) == "the bundle publishes no interval"
    assert CHECK.applies(case(published(BCA))) == ""


def test_a_bundle_cannot_make_the_audit_draw_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 8 * (20_000 + 8)
    monkeypatch.setattr(published_intervals, "Drawings", partial(Drawings, left=2 * steps))
    # All eight windows each time, but no measure that was drawn before.
    ids = tuple(f"w{place}" for place in range(8))
    selections = (WindowSelection(), WindowSelection(first=8), WindowSelection(ids=ids))
    figures = [
        figure
        for place, windows in enumerate(selections)
        for figure in ends(f"i{place}", *BCA, replace(MEAN_FP8, windows=windows))
    ]

    report = looked(bundle(*figures))

    assert [item.status for item in report.figures] == [
        *["REPRODUCED"] * 4,
        *["NOT_RECOMPUTABLE"] * 2,
    ]
    assert "take more draws than one audit spends on them" in report.figures[-1].how


def test_an_interval_that_cannot_be_drawn_hides_no_later_one() -> None:
    lost = ends("a", *BCA, replace(MEAN_FP8, column="nll"))
    wrong = ends("b", BCA[0], "0.05", MEAN_FP8)
    report = looked(bundle(*lost, *wrong))
    assert mismatches(report) == [("comparison.json#/b/high", "0.05")]


def test_exactly_the_lowest_permitted_level_is_permitted() -> None:
    policy = replace(OPEN, intervals=replace(OPEN.intervals, min_level=RECIPE.level))
    assert looked(published(BCA), policy).verdict == "PASSED"


def test_of_two_intervals_the_one_that_differs_is_explained() -> None:
    right = ends("a", *DIFFERENCE_BCA, DIFFERENCE)
    wrong = ends("b", *BCA_PCG64, MEAN_FP8)
    report = looked(bundle(*right, *wrong))
    assert mismatches(report) == [
        ("comparison.json#/b/low", BCA_PCG64[0]),
        ("comparison.json#/b/high", BCA_PCG64[1]),
    ]
    assert explanations(report) == {
        "These are the digits that BCa 95 %, 20000 resamples, PCG64(20260902) gives."
    }
