"""Published counts against what is retained: exactly, never nearly."""

from dataclasses import replace

import pytest

from tests.support import core
from tests.support.core import FP8, NVFP4, arm, audited, bundle, case, figure
from verifier.checks.published_counts import CHECK
from verifier.model.basis import Basis, Level
from verifier.model.bundle import Bundle
from verifier.model.comparison import Comparison, Exact
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.report import Report

OPEN = core.demanding()
ROWS = Measure(statistic="sum", column="scored_rows", arms=("fp8",))
COMMON = Measure(statistic="common", column="scored_rows", arms=("fp8", "nvfp4"))
PANEL = Measure(statistic="size", arms=())


def count(text: str, measure: Measure | None) -> Figure:
    return figure("count", text, measure, kind="count")


def looked(looked_at: Bundle) -> Report:
    return audited(case(looked_at, policy=OPEN), CHECK)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("6", core.LOWER),
        ("8", PANEL),
        ("8", replace(PANEL, arms=("fp8",))),
        ("32", ROWS),
        ("40", replace(ROWS, column="predicted_rows")),
        ("4", COMMON),
        ("6.0", core.LOWER),
    ],
)
def test_counts_that_the_windows_give_pass(text: str, measure: Measure) -> None:
    report = looked(bundle(count(text, measure)))
    assert report.verdict == "PASSED"
    (result,) = report.figures
    assert (result.status, result.how, result.recomputed) == (
        "REPRODUCED",
        "exact",
        text.removesuffix(".0"),
    )


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("5", core.LOWER),
        ("7", core.LOWER),
        ("2", core.LOWER),
        ("9", PANEL),
        ("31", ROWS),
        ("5", COMMON),
        ("5.9999999999999", core.LOWER),
    ],
)
def test_a_count_off_by_one_or_less_fails(text: str, measure: Measure) -> None:
    report = looked(bundle(count(text, measure)))
    assert core.failures(report) == [("published-counts", "comparison.json#/count")]
    assert core.figure_statuses(report) == {"count": "MISMATCH"}


def test_a_comparison_says_what_it_rests_on() -> None:
    (fact,) = CHECK.run(case(bundle(count("6", core.LOWER))))
    assert fact == Comparison(
        location="comparison.json#/count",
        expected=6,
        actual=6,
        printed="6",
        basis=Basis.RECOMPUTED,
        rule=Exact(),
        figure="count",
        level=Level.WINDOW_SCORES,
        n=8,
        message="The retained scores do not give this number.",
    )


def test_windows_that_are_equal_are_not_lower() -> None:
    tied = bundle(
        count("6", core.LOWER), arms=(arm("fp8", FP8), arm("nvfp4", (FP8[0], *NVFP4[1:])))
    )
    assert core.failures(looked(tied)) == [("published-counts", "comparison.json#/count")]


def test_one_window_with_other_rows_contradicts_rows_per_window() -> None:
    held = arm("fp8", FP8)
    odd = replace(held, windows=(*held.windows[:-1], replace(held.windows[-1], scored_rows=3)))
    report = looked(bundle(count("4", COMMON), arms=(odd, arm("nvfp4", NVFP4))))
    (finding,) = core.outcome_of(report, CHECK.id).findings
    assert (finding.severity, finding.expected, finding.actual) == (
        "failure",
        "4",
        "no single value",
    )
    assert core.figure_statuses(report) == {"count": "MISMATCH"}


def test_a_count_that_nothing_gives_is_a_gap() -> None:
    unknown = replace(count("3", None), id="attempts")
    report = looked(bundle(unknown, count("6", core.LOWER)))
    assert core.statuses(report) == {"figure-coverage": "WARNED", CHECK.id: "PASSED"}
    alone = looked(bundle(unknown))
    assert core.statuses(alone) == {"figure-coverage": "WARNED", CHECK.id: "NOT_APPLICABLE"}


def test_without_counts_there_is_nothing_to_compare() -> None:
    assert CHECK.applies(case(bundle())) == "the bundle publishes no count"
    mean = figure("mean", "1", core.MEAN_FP8)
    assert list(CHECK.run(case(bundle(mean)))) == []


def test_a_count_of_something_that_is_no_whole_number_is_not_cut_off() -> None:
    report = looked(bundle(count("0", core.MEAN_FP8)))
    assert core.figure_statuses(report) == {"count": "MISMATCH"}
    assert [result.recomputed for result in report.figures] != ["0"]
