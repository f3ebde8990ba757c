"""Every published number is accounted for, and a mismatch is never forgotten."""

from dataclasses import replace
from typing import Any

from tests.support import core
from tests.support.core import BROKEN, MEAN_FP8, bundle, case, figure
from verifier.coverage import CHECK_ID, FigureLedger, nothing_compared
from verifier.judge import judge
from verifier.model.basis import Basis, Level
from verifier.model.comparison import Aggregate, Comparison, EndPoint, Exact, Gap
from verifier.model.figure import Figure
from verifier.model.report import FigureResult, Outcome
from verifier.policy import REVIEW, STRICT

MEAN = figure("mean", "0.0333", MEAN_FP8)
WINDOWS = figure("windows", "8", MEAN_FP8, kind="count")
CAPACITY = figure("capacity", "0.90", None)


def fact(of: Figure, actual: Any, **changes: Any) -> Comparison:
    base = Comparison(
        location=of.location,
        expected=of.published.value,
        actual=actual,
        printed=of.published.text,
        basis=Basis.RECOMPUTED,
        rule=Exact() if of.kind == "count" else Aggregate(),
        figure=of.id,
        level=Level.ROW_SCORES,
    )
    return base._replace(**changes)


def tell(ledger: FigureLedger, *facts: Comparison) -> None:
    for one in facts:
        ledger.compared(one, judge(one, REVIEW.tolerance))


def covered(ledger: FigureLedger, *figures: Figure, failed: bool = False) -> Outcome:
    return ledger.outcome(case(bundle(*figures)), failed=failed)


def messages(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(found.severity, found.location, found.message) for found in outcome.findings]


def test_a_reproduced_figure_keeps_its_digits_its_evidence_and_how_it_matched() -> None:
    ledger = FigureLedger((MEAN,))
    tell(ledger, fact(MEAN, 0.03332, how="BCa 95 %"))
    assert ledger.results() == (
        FigureResult(
            id="mean",
            status="REPRODUCED",
            published="0.0333",
            recomputed="0.03332",
            how="printed; BCa 95 %",
            difference=repr(0.03332 - 0.0333),
            basis="RECOMPUTED",
            level="row-scores",
            location="comparison.json#/mean",
            measure="mean of kld, fp8",
        ),
    )
    assert covered(ledger, MEAN).status == "PASSED"


def test_a_count_is_shown_without_a_fraction_and_with_a_whole_difference() -> None:
    ledger = FigureLedger((WINDOWS,))
    tell(ledger, fact(WINDOWS, 7, level=None))
    (result,) = ledger.results()
    assert (result.status, result.recomputed, result.difference, result.level) == (
        "MISMATCH",
        "7",
        "-1",
        None,
    )
    assert result.how == "different"


def test_a_value_that_is_no_number_has_no_difference() -> None:
    ledger = FigureLedger((WINDOWS,))
    tell(ledger, fact(WINDOWS, "no single value"))
    (result,) = ledger.results()
    assert (result.status, result.recomputed, result.difference) == (
        "MISMATCH",
        "no single value",
        None,
    )


def test_a_degenerate_interval_is_neither_reproduced_nor_a_mismatch() -> None:
    end = figure("low", "null", MEAN_FP8, kind="interval", end="low", interval="i")
    ledger = FigureLedger((end,))
    tell(ledger, fact(end, 0.5, rule=EndPoint(standard_error=0.0, degenerate=True)))
    (result,) = ledger.results()
    assert (result.status, result.published, result.recomputed, result.difference) == (
        "DEGENERATE",
        "null",
        "0.5",
        None,
    )
    assert covered(ledger, end).compared == 1


def test_a_mismatch_is_not_overwritten_by_a_later_match_nor_by_a_gap() -> None:
    ledger = FigureLedger((MEAN,))
    tell(ledger, fact(MEAN, 0.5), fact(MEAN, 0.0333))
    ledger.gap(Gap(location="x", reason="lost", concern="not-recomputable", figure="mean"))
    (result,) = ledger.results()
    assert (result.status, result.recomputed) == ("MISMATCH", "0.5")


def test_a_match_is_overwritten_by_a_later_mismatch() -> None:
    ledger = FigureLedger((MEAN,))
    tell(ledger, fact(MEAN, 0.0333), fact(MEAN, 0.5))
    assert [result.status for result in ledger.results()] == ["MISMATCH"]


def test_a_gap_does_not_overwrite_a_match_and_a_match_fills_a_gap() -> None:
    gap = Gap(location="x", reason="lost", concern="not-recomputable", figure="mean")
    first, second = FigureLedger((MEAN,)), FigureLedger((MEAN,))
    tell(first, fact(MEAN, 0.0333))
    first.gap(gap)
    second.gap(gap)
    tell(second, fact(MEAN, 0.0333))
    assert first.results() == second.results()
    assert [result.status for result in first.results()] == ["REPRODUCED"]


def test_facts_that_answer_for_no_figure_leave_the_ledger_alone() -> None:
    ledger = FigureLedger((MEAN,))
    tell(ledger, fact(MEAN, 0.0333, figure=""))
    assert [result.status for result in ledger.results()] == ["NOT_RECOMPUTABLE"]


def test_a_figure_that_nothing_can_give_is_named_with_what_is_missing() -> None:
    ledger = FigureLedger((MEAN, CAPACITY))
    tell(ledger, fact(MEAN, 0.0333))
    outcome = covered(ledger, MEAN, CAPACITY)
    assert (outcome.check, outcome.status, outcome.compared) == (CHECK_ID, "WARNED", 1)
    assert messages(outcome) == [
        (
            "warning",
            "comparison.json#/capacity",
            "Not recomputable: the engine's startup log is not retained. [not-recomputable]",
        )
    ]
    assert outcome.findings[0].expected == "0.90"
    result = ledger.results()[1]
    assert (result.status, result.recomputed, result.basis, result.published) == (
        "NOT_RECOMPUTABLE",
        None,
        "DECLARED",
        "0.90",
    )
    assert result.how == "the engine's startup log is not retained"


def test_a_figure_with_a_gap_says_why_and_fails_where_the_policy_says_so() -> None:
    ledger = FigureLedger((MEAN,))
    ledger.gap(Gap(location="x", reason="needs rows", concern="not-recomputable", figure="mean"))
    message = "Not recomputable: needs rows. [not-recomputable]"
    assert messages(covered(ledger, MEAN)) == [("warning", "comparison.json#/mean", message)]
    strict = ledger.outcome(case(bundle(MEAN), policy=STRICT), failed=False)
    assert strict.status == "FAILED"
    assert messages(strict) == [("failure", "comparison.json#/mean", message)]


def test_a_figure_with_a_measure_that_no_check_answered_for_is_a_failure() -> None:
    ledger = FigureLedger((MEAN, WINDOWS))
    tell(ledger, fact(MEAN, 0.0333))
    outcome = covered(ledger, MEAN, WINDOWS)
    assert outcome.status == "FAILED"
    assert messages(outcome) == [
        ("failure", "comparison.json#/windows", "no check answered for this figure.")
    ]
    assert [result.how for result in ledger.results()] == [
        "exact",
        "no check answered for this figure",
    ]


def test_the_first_crash_is_named_for_unanswered_figures() -> None:
    ledger = FigureLedger((MEAN, CAPACITY))
    ledger.crashed("published-aggregates")
    ledger.crashed("row-masks")
    reason = "a check crashed before it answered for this figure (published-aggregates)"
    assert [result.how for result in ledger.results()] == [
        reason,
        "the engine's startup log is not retained",
    ]


def test_a_second_figure_under_the_same_id_is_a_failure_and_hides_nothing() -> None:
    twin = replace(MEAN, location="comparison.json#/twin", published=WINDOWS.published)
    ledger = FigureLedger((MEAN, twin))
    tell(ledger, fact(MEAN, 0.0333))
    outcome = covered(ledger, MEAN, twin)
    assert outcome.status == "FAILED"
    assert messages(outcome) == [
        ("failure", "comparison.json#/twin", "Another figure has the id 'mean' too.")
    ]
    assert outcome.compared == 1


def test_a_bundle_that_publishes_no_figure_fails() -> None:
    outcome = covered(FigureLedger(()))
    assert (outcome.status, outcome.compared) == ("FAILED", 0)
    assert messages(outcome) == [("failure", "", "The bundle publishes no figure.")]


def test_an_unreadable_bundle_is_left_to_the_check_that_failed_or_fails_here() -> None:
    looked_at = case(bundle(records=(BROKEN,)))
    left = FigureLedger(()).outcome(looked_at, failed=True)
    assert (left.status, left.findings, left.reason) == (
        "NOT_APPLICABLE",
        (),
        "a record breaks its schema",
    )
    alone = FigureLedger(()).outcome(looked_at, failed=False)
    assert alone.status == "FAILED"
    assert messages(alone) == [
        ("failure", "", "A record breaks its schema, so no figure was looked at.")
    ]


def test_required_coverage_without_a_recomputed_figure_fails() -> None:
    ledger = FigureLedger((CAPACITY,))
    policy = core.demanding(CHECK_ID)
    outcome = ledger.outcome(case(bundle(CAPACITY), policy=policy), failed=False)
    assert outcome.status == "FAILED"
    assert outcome.findings[-1] == nothing_compared("figure coverage", "no figure was recomputed")
    assert covered(ledger, CAPACITY).status == "WARNED"


def test_results_stand_in_the_order_of_the_record() -> None:
    figures = (WINDOWS, CAPACITY, MEAN)
    ledger = FigureLedger(figures)
    tell(ledger, fact(MEAN, 0.0333), fact(WINDOWS, 8))
    assert [result.id for result in ledger.results()] == ["windows", "capacity", "mean"]


def test_a_gap_does_not_count_as_a_recomputed_figure() -> None:
    ledger = FigureLedger((MEAN,))
    ledger.gap(Gap(location="x", reason="lost", concern="not-recomputable", figure="mean"))
    assert covered(ledger, MEAN).compared == 0
    outcome = ledger.outcome(case(bundle(MEAN), policy=core.demanding(CHECK_ID)), failed=False)
    assert outcome.status == "FAILED"
    assert outcome.findings[-1] == nothing_compared("figure coverage", "no figure was recomputed")


def test_an_unreadable_bundle_counts_no_figure() -> None:
    looked_at = case(bundle(records=(BROKEN,)))
    outcomes = [FigureLedger((MEAN,)).outcome(looked_at, failed=left) for left in (True, False)]
    assert [outcome.compared for outcome in outcomes] == [0, 0]


def test_an_end_point_says_which_end_of_what_it_is() -> None:
    end = figure("low", "0.0311", MEAN_FP8, kind="interval", end="low", interval="i")
    assert [result.measure for result in FigureLedger((end,)).results()] == [
        "low end for the mean of kld, fp8"
    ]


def test_a_count_published_as_null_has_no_difference() -> None:
    null = figure("windows", "null", MEAN_FP8, kind="count")
    ledger = FigureLedger((null,))
    tell(ledger, fact(null, 8))
    (result,) = ledger.results()
    assert (result.status, result.recomputed, result.difference) == ("MISMATCH", "8", None)


def test_a_figure_that_is_not_verified_shows_nothing_found_and_counts_nothing_declared() -> None:
    outcome = covered(FigureLedger((CAPACITY,)), CAPACITY)
    (finding,) = outcome.findings
    assert (finding.expected, finding.actual, finding.basis) == ("0.90", "", "DECLARED")
    assert outcome.declared == 0
