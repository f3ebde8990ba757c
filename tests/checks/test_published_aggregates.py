"""Published means, differences and perplexities against the retained scores."""

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.support import core
from tests.support.core import FP8, NVFP4, MemoryRows, arm, array, audited, bundle, case, figure
from verifier.checks.published_aggregates import CHECK
from verifier.model.basis import Basis, Level
from verifier.model.bundle import Bundle
from verifier.model.comparison import Aggregate, Comparison
from verifier.model.measure import Measure, WindowSelection
from verifier.model.report import Report

# By hand: the sums of the eight scores are 0.266909531, 0.287271425 and, over the odd windows of
# fp8, 0.13698093.
MEAN = figure("mean", "0.033363691375", core.MEAN_FP8)
DIFFERENCE = figure("difference", "-0.0025452367500000015", core.DIFFERENCE)
LAW = figure(
    "law", "0.0342452325", replace(core.MEAN_FP8, windows=WindowSelection(group=("domain", "law")))
)
CAPACITY = figure("capacity", "0.9", None)
OPEN = core.demanding()


def looked(looked_at: Bundle, rows: MemoryRows | None = None) -> Report:
    return audited(case(looked_at, policy=OPEN, rows=rows), CHECK)


def failures(looked_at: Bundle, rows: MemoryRows | None = None) -> list[str]:
    return [
        location
        for check, location in core.failures(looked(looked_at, rows))
        if check == "published-aggregates"
    ]


def test_figures_that_the_scores_give_pass() -> None:
    report = looked(bundle(MEAN, DIFFERENCE, LAW))
    assert report.verdict == "PASSED"
    assert core.outcome_of(report, CHECK.id).compared == 3
    assert core.figure_statuses(report) == dict.fromkeys(
        ("mean", "difference", "law"), "REPRODUCED"
    )


def test_a_comparison_says_what_it_rests_on() -> None:
    (fact,) = CHECK.run(case(bundle(MEAN)))
    assert fact == Comparison(
        location="comparison.json#/mean",
        expected=0.033363691375,
        actual=math.fsum(FP8) / 8,
        printed="0.033363691375",
        basis=Basis.RECOMPUTED,
        rule=Aggregate(),
        figure="mean",
        level=Level.WINDOW_SCORES,
        n=8,
        message="The retained scores do not give this number.",
    )


def test_one_window_score_changed_by_one_part_in_a_billion_fails_every_figure_it_enters() -> None:
    changed = (FP8[0] * (1 + 1e-9), *FP8[1:])
    looked_at = bundle(MEAN, DIFFERENCE, LAW, arms=(arm("fp8", changed), arm("nvfp4", NVFP4)))
    assert failures(looked_at) == ["comparison.json#/mean", "comparison.json#/difference"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("0.033363691376", id="last digit up"),
        pytest.param("0.033363691374", id="last digit down"),
        pytest.param("-0.033363691375", id="sign"),
        pytest.param("3.3363691375", id="per cent"),
    ],
)
def test_a_mean_published_otherwise_fails(text: str) -> None:
    assert failures(bundle(figure("mean", text, core.MEAN_FP8))) == ["comparison.json#/mean"]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("0.033363691375", "exact"),
        ("3.3363691375e-2", "exact"),
        ("0.03336369137500001", "tolerance"),
        ("0.0333637", "printed"),
        ("0.03336369", "printed"),
        ("0.03", "printed"),
        pytest.param("0", "different", id="no digit, no claim"),
        pytest.param("0.0", "different", id="a zero is no coarse print of a mean"),
    ],
)
def test_the_report_says_which_rule_matched(text: str, how: str) -> None:
    report = looked(bundle(figure("mean", text, core.MEAN_FP8)))
    assert [result.how for result in report.figures] == [how]
    assert report.figures[0].recomputed == "0.033363691375"


def test_a_difference_with_swapped_arms_fails() -> None:
    swapped = figure("difference", "0.00254523675", core.DIFFERENCE)
    assert failures(bundle(swapped)) == ["comparison.json#/difference"]


def test_a_window_dropped_from_the_mean_fails() -> None:
    assert failures(bundle(MEAN, arms=(arm("fp8", FP8[:-1]),))) == ["comparison.json#/mean"]


def test_a_published_null_for_a_mean_fails_and_does_not_crash() -> None:
    report = looked(bundle(figure("mean", "null", core.MEAN_FP8)))
    assert core.statuses(report)[CHECK.id] == "FAILED"
    assert core.figure_statuses(report) == {"mean": "MISMATCH"}


def test_a_perplexity_that_overflows_fails_and_does_not_hide_the_other_figures() -> None:
    perplexity = Measure(statistic="mean", column="nll", arms=("int4",), scale="exp")
    looked_at = bundle(
        figure("perplexity", "1.5", perplexity),
        MEAN,
        arms=(arm("fp8", FP8), arm("int4", (1e9,), column="nll")),
    )
    report = looked(looked_at)
    assert core.failures(report) == [("published-aggregates", "comparison.json#/perplexity")]
    assert core.figure_statuses(report) == {"perplexity": "MISMATCH", "mean": "REPRODUCED"}


def test_a_figure_without_evidence_is_a_gap_beside_the_others() -> None:
    nll = figure("nll", "2.5", replace(core.MEAN_FP8, column="nll"))
    report = looked(bundle(MEAN, nll, CAPACITY))
    assert core.statuses(report) == {"figure-coverage": "WARNED", CHECK.id: "PASSED"}
    assert core.outcome_of(report, CHECK.id).compared == 1
    assert [result.how for result in report.figures] == [
        "exact",
        "arm fp8 retains neither rows nor a window score 'nll'",
        "the engine's startup log is not retained",
    ]


def test_unknown_figures_alone_are_not_an_error_of_the_check() -> None:
    report = looked(bundle(CAPACITY))
    outcome = core.outcome_of(report, CHECK.id)
    assert (outcome.status, outcome.reason) == (
        "NOT_APPLICABLE",
        "none of its 1 figures can be recomputed; see figure-coverage",
    )
    assert report.verdict == "WARNED"


def test_without_aggregates_and_rows_there_is_nothing_to_compare() -> None:
    count = figure("lower", "6", core.LOWER, kind="count")
    assert CHECK.applies(case(bundle(count))) == "the bundle publishes no aggregate"
    assert CHECK.applies(case(bundle(MEAN))) == ""
    assert [fact.location for fact in CHECK.run(case(bundle(count, MEAN)))] == [MEAN.location]


def two_windows() -> tuple[Bundle, MemoryRows]:
    """An arm whose two window scores are the means of their four scored rows."""
    held = arm("fp8", (2.5, 0.5), rows_path=True, level=Level.ROW_SCORES)
    rows = MemoryRows(
        {
            "fp8/w0.npz": {"kld": array(99, 1, 2, 3, 4)},
            "fp8/w1.npz": {"kld": array(99, 0.5, 0.5, 0.5, 0.5)},
        }
    )
    return bundle(arms=(held,)), rows


def test_window_scores_are_held_against_their_rows_even_without_a_published_aggregate() -> None:
    looked_at, rows = two_windows()
    assert CHECK.applies(case(looked_at)) == ""
    outcome = core.outcome_of(looked(looked_at, rows), CHECK.id)
    assert (outcome.status, outcome.compared) == ("PASSED", 2)


def test_a_window_score_that_is_not_the_mean_of_its_rows_fails_at_its_place() -> None:
    looked_at, rows = two_windows()
    first, second = looked_at.arms[0].windows
    altered = replace(
        looked_at.arms[0], windows=(first, replace(second, values={"kld": 0.5 * (1 + 1e-9)}))
    )
    report = looked(replace(looked_at, arms=(altered,)), rows)
    (finding,) = core.outcome_of(report, CHECK.id).findings
    assert finding.location == "comparison.json#/arms/fp8/per_window/1/values/kld"
    assert finding.message == "The window score is not the mean of its scored rows."
    assert finding.actual == "0.5"


def test_an_unmasked_row_changes_the_window_score() -> None:
    looked_at, rows = two_windows()
    first, second = looked_at.arms[0].windows
    unmasked = replace(looked_at.arms[0], windows=(replace(first, excluded=()), second))
    assert failures(replace(looked_at, arms=(unmasked,)), rows) == [
        "comparison.json#/arms/fp8/per_window/0/values/kld"
    ]


def test_a_deleted_row_file_does_not_spare_the_other_windows() -> None:
    looked_at, rows = two_windows()
    first, second = looked_at.arms[0].windows
    altered = replace(
        looked_at.arms[0],
        level=Level.WINDOW_SCORES,
        windows=(replace(first, rows_path=None), replace(second, values={"kld": 0.6})),
    )
    assert failures(replace(looked_at, arms=(altered,)), rows) == [
        "comparison.json#/arms/fp8/per_window/1/values/kld"
    ]


def test_rows_that_cannot_be_used_are_a_gap_and_no_silent_pass() -> None:
    looked_at, _ = two_windows()
    rows = MemoryRows(
        {
            "fp8/w0.npz": {"kld": np.array(["1"] * 5)},
            "fp8/w1.npz": {"kld": array(99, 0.5, 0.5, 0.5, 0.5)},
        }
    )
    outcome = core.outcome_of(looked(looked_at, rows), CHECK.id)
    assert (outcome.status, outcome.compared) == ("WARNED", 0)
    (finding,) = outcome.findings
    assert finding.location == "comparison.json#/arms/fp8"
    assert finding.message == (
        "window scores 'kld' cannot be held against their rows: "
        "fp8/w0.npz holds no usable kld [not-recomputable]"
    )


def test_window_scores_of_a_column_that_has_no_rows_are_left_to_their_figures() -> None:
    looked_at, rows = two_windows()
    first, second = looked_at.arms[0].windows
    extra = replace(first, values={"kld": 2.5, "latency": 7.0})
    mixed = replace(looked_at.arms[0], windows=(extra, replace(second, values={"latency": 7.0})))
    facts = list(CHECK.run(case(replace(looked_at, arms=(mixed,)), rows=rows)))
    assert [fact.location for fact in facts] == [
        "comparison.json#/arms/fp8/per_window/0/values/kld"
    ]


def test_one_aggregate_or_one_arm_with_rows_is_enough_to_look() -> None:
    count = figure("lower", "6", core.LOWER, kind="count")
    assert CHECK.applies(case(bundle(MEAN, count))) == ""
    looked_at, rows = two_windows()
    mixed = replace(looked_at, arms=(arm("bare", (0.5, 0.5)), *looked_at.arms))
    assert CHECK.applies(case(mixed)) == ""
    facts = list(CHECK.run(case(mixed, rows=rows)))
    assert [fact.location for fact in facts] == [
        "comparison.json#/arms/fp8/per_window/0/values/kld",
        "comparison.json#/arms/fp8/per_window/1/values/kld",
    ]


def test_a_window_score_may_be_rounded_and_rests_on_its_rows() -> None:
    looked_at, rows = two_windows()
    first, second = looked_at.arms[0].windows
    rounded = replace(first, values={"kld": math.nextafter(2.5, 3.0)})
    altered = replace(looked_at, arms=(replace(looked_at.arms[0], windows=(rounded, second)),))
    assert failures(altered, rows) == []
    facts = [fact for fact in CHECK.run(case(altered, rows=rows)) if isinstance(fact, Comparison)]
    assert [(fact.basis, fact.rule) for fact in facts] == [(Basis.RECOMPUTED, Aggregate())] * 2


def test_a_column_without_usable_rows_hides_no_other_column() -> None:
    looked_at, _ = two_windows()
    rows = MemoryRows(
        {
            f"fp8/w{index}.npz": {
                "kld": np.array(["1"] * 5),
                "student_entropy": array(99, 1, 1, 1, 1),
            }
            for index in (0, 1)
        }
    )
    windows = tuple(
        replace(window, values={"kld": 2.5, "student_entropy": 3.0})
        for window in looked_at.arms[0].windows
    )
    altered = replace(looked_at, arms=(replace(looked_at.arms[0], windows=windows),))
    assert failures(altered, rows) == [
        f"comparison.json#/arms/fp8/per_window/{index}/values/student_entropy" for index in (0, 1)
    ]


def test_a_mean_that_happens_to_be_whole_is_shown_as_a_mean() -> None:
    looked_at = bundle(figure("mean", "2.0", core.MEAN_FP8), arms=(arm("fp8", (1.0, 3.0)),))
    assert [result.recomputed for result in looked(looked_at).figures] == ["2.0"]
