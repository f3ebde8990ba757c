"""Published numbers that were computed otherwise, and what the explanation says of them."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tests.support import core
from tests.support.core import (
    DIFFERENCE,
    FP8,
    LOWER,
    MEAN_FP8,
    NVFP4,
    MemoryRows,
    arm,
    bundle,
    case,
    figure,
)
from verifier.checks import published_aggregates, published_counts
from verifier.explain import value
from verifier.explain.value import explain
from verifier.explain.wording import NONE, PARTLY, UNTRIED
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle
from verifier.model.figure import Kind
from verifier.model.measure import (
    Condition,
    Measure,
    Ranked,
    RowSelection,
    Trim,
    WindowSelection,
)
from verifier.model.plugin import FloatArray

INT4 = (0.051, 0.047, 0.062, 0.039, 0.052, 0.071, 0.045, 0.059)
ARMS = (arm("fp8", FP8), arm("nvfp4", NVFP4), arm("int4", INT4))
A, B, C = np.array(FP8), np.array(NVFP4), np.array(INT4)
RELATIVE = Measure(statistic="relative-difference", arms=("fp8", "nvfp4"))
NLL = Measure(statistic="mean", column="nll", arms=("fp8",))


def said(
    number: float | str,
    measure: Measure,
    *,
    kind: Kind = "aggregate",
    arms: tuple[Arm, ...] = ARMS,
    rows: MemoryRows | None = None,
) -> str:
    """The explanation of a figure of this value."""
    text = number if isinstance(number, str) else repr(float(number))
    looked_at = bundle(figure("it", text, measure, kind=kind), arms=arms)
    return explain(case(looked_at, rows=rows), "it")


def gives(words: str) -> str:
    return f"These are the digits that the same measure {words} gives."


@pytest.mark.parametrize(
    ("number", "measure", "words"),
    [
        (np.mean(A) * 100, MEAN_FP8, "times 100"),
        (np.mean(A), replace(MEAN_FP8, scale="percent"), "divided by 100"),
        (np.mean(A) * 1000, MEAN_FP8, "times 1000"),
        (np.mean(A) / 1000, MEAN_FP8, "divided by 1000"),
        (np.float32(np.mean(A)), MEAN_FP8, "rounded to float32"),
        (-np.mean(A), MEAN_FP8, "with the opposite sign"),
        (np.mean(B - A), DIFFERENCE, "with the arms exchanged"),
        (
            np.mean(A.astype(np.float32).astype(np.float64)),
            MEAN_FP8,
            "with its units rounded to float32",
        ),
        (np.median(A), MEAN_FP8, "with the median instead of the mean"),
        (np.mean(A), replace(MEAN_FP8, statistic="median"), "with the mean instead of the median"),
        (stats.gmean(A), MEAN_FP8, "with the geometric mean instead of the mean"),
        (np.sum(A), MEAN_FP8, "with the sum instead of the mean"),
        (np.mean(A[1::2]), MEAN_FP8, None),
        (
            (np.mean(A[1::2]) + np.mean(A[::2][:-1])) / 2,
            replace(MEAN_FP8, windows=WindowSelection(omit=("w6",))),
            "with equal weights for each domain",
        ),
        (np.mean(A[1:]), MEAN_FP8, "without the first window"),
        (np.mean(A[:-1]), MEAN_FP8, "without the last window"),
        (
            np.mean(A[1::2]),
            replace(MEAN_FP8, windows=WindowSelection(group=("domain", "code"))),
            "over domain law instead of code",
        ),
        (
            np.mean(A),
            replace(MEAN_FP8, windows=WindowSelection(group=("domain", "code"))),
            "over every domain",
        ),
        (np.mean(A), replace(MEAN_FP8, windows=WindowSelection(first=3)), "over all windows"),
        (
            np.mean(A),
            replace(MEAN_FP8, windows=WindowSelection(omit=("w3",))),
            "with the omitted windows",
        ),
        (np.mean(C), MEAN_FP8, "with int4 in the place of fp8"),
        (np.mean(A - C), DIFFERENCE, "with int4 in the place of nvfp4"),
        (
            np.mean(np.abs(A - B)),
            DIFFERENCE,
            "of the absolute difference instead of the difference",
        ),
        (np.mean(A / B), DIFFERENCE, "of the ratio instead of the difference"),
        (np.mean(np.log(A / B)), DIFFERENCE, "of the log ratio instead of the difference"),
        (np.mean(A - B) / np.mean(B), DIFFERENCE, "relative to nvfp4"),
        (np.mean(A - B) / np.mean(A), DIFFERENCE, "relative to fp8"),
        (np.mean(A - B) / np.mean(A), RELATIVE, "relative to fp8"),
        (np.mean(A - B), RELATIVE, "without its base"),
        (np.mean(B - A) / np.mean(A), RELATIVE, "with the arms exchanged"),
        (
            np.mean(A - B),
            replace(DIFFERENCE, relative_to=replace(MEAN_FP8, arms=("nvfp4",))),
            "without its base",
        ),
        (
            np.mean(A - B) / np.mean(A),
            replace(DIFFERENCE, relative_to=replace(MEAN_FP8, arms=("nvfp4",))),
            "relative to fp8",
        ),
        (
            np.mean(A - B) * 100 / np.mean(B),
            DIFFERENCE,
            "relative to nvfp4 and times 100",
        ),
        (
            np.std(A),
            Measure(statistic="standard-deviation", parameters=(("ddof", 1),), arms=("fp8",)),
            "with ddof 0",
        ),
        (
            stats.sem(A),
            Measure(statistic="standard-deviation", parameters=(("ddof", 1),), arms=("fp8",)),
            "with the standard error instead of the standard deviation",
        ),
        (
            np.std(A),
            Measure(statistic="standard-error", arms=("fp8",)),
            "with the standard deviation (ddof 0) instead of the standard error",
        ),
        (
            np.quantile(A, 0.75, method="weibull"),
            Measure(
                statistic="quantile",
                parameters=(("probability", 0.75), ("rule", "linear")),
                arms=("fp8",),
            ),
            "under quantile rule weibull",
        ),
        (
            np.sort(A)[-3:].sum() / A.sum(),
            Measure(
                statistic="top-share",
                parameters=(("counting", "floor"), ("share", 0.3)),
                arms=("fp8",),
            ),
            "counting by ceil",
        ),
        (
            (np.mean(A) - np.mean(C)) / (np.mean(A) - np.mean(B)),
            Measure(statistic="gap-share", arms=("fp8", "nvfp4", "int4")),
            "with the arms in the order fp8, int4, nvfp4",
        ),
        (
            np.max(A),
            Measure(statistic="minimum", arms=("fp8",)),
            "with the maximum instead of the minimum",
        ),
    ],
)
def test_a_number_that_was_computed_otherwise_is_explained(
    number: float, measure: Measure, words: str | None
) -> None:
    assert said(number, measure) == (NONE if words is None else gives(words))


def test_a_mean_in_float32_arithmetic_is_explained() -> None:
    values = tuple(np.random.default_rng(0).gamma(0.5, 0.1, 128).tolist())
    narrow = np.array(values, dtype=np.float32)
    assert said(float(np.mean(narrow)), MEAN_FP8, arms=(arm("fp8", values),)) == gives(
        "in float32 arithmetic"
    )


def test_a_perplexity_and_its_logarithm_are_told_apart() -> None:
    values = (2.5, 2.25, 3.0, 2.75)
    held = (arm("fp8", values, column="nll"),)
    perplexity = math.exp(np.mean(values))
    assert said(perplexity, NLL, arms=held) == gives("as a perplexity")
    assert said("2.625", replace(NLL, scale="exp"), arms=held) == gives("without the exponential")


def test_another_column_that_the_arm_retains_is_named() -> None:
    held = arm("fp8", FP8)
    both = replace(
        held,
        windows=tuple(
            replace(window, values={"kld": value, "student_entropy": value + 1})
            for window, value in zip(held.windows, FP8, strict=True)
        ),
    )
    assert said(float(np.mean(A)) + 1, MEAN_FP8, arms=(both,)) == gives(
        "of student_entropy instead of kld"
    )


def test_of_several_runs_the_one_that_was_taken_alone_is_named() -> None:
    runs = replace(MEAN_FP8, arms=(("fp8", "nvfp4"),))
    held = (arm("fp8", FP8), arm("nvfp4", NVFP4))
    rows = MemoryRows(
        {
            f"{name}/w{index}.npz": {"kld": np.full(5, value)}
            for name, values in (("fp8", FP8), ("nvfp4", NVFP4))
            for index, value in enumerate(values)
        }
    )
    located = tuple(
        replace(
            item,
            level=Level.ROW_SCORES,
            windows=tuple(
                replace(window, rows_path=f"{item.id}/{window.window}.npz")
                for window in item.windows
            ),
        )
        for item in held
    )
    assert said(np.mean(B), runs, arms=located, rows=rows) == gives(
        "with nvfp4 in the place of the mean of fp8 and nvfp4"
    )


def test_a_window_score_that_counts_the_prefill_row_is_explained() -> None:
    including = A + 0.125
    held = arm("fp8", FP8)
    with_prefill = replace(
        held,
        windows=tuple(
            replace(window, including_prefill=float(value))
            for window, value in zip(held.windows, including, strict=True)
        ),
    )
    assert said(float(np.mean(including)), MEAN_FP8, arms=(with_prefill,)) == gives(
        "with the excluded rows counted"
    )
    # The other arm does not record it, so the difference cannot be had that way.
    arms = (with_prefill, arm("nvfp4", NVFP4))
    assert said(np.mean(including - B), DIFFERENCE, arms=arms) == NONE


def test_a_pair_that_counts_the_prefill_row_is_explained() -> None:
    arms = tuple(
        replace(
            held,
            windows=tuple(
                replace(window, including_prefill=window.values["kld"] * factor)
                for window in held.windows
            ),
        )
        for held, factor in zip(ARMS, (2.0, 3.0, 4.0), strict=True)
    )
    assert said(np.mean(2 * A - 3 * B), DIFFERENCE, arms=arms) == gives(
        "with the excluded rows counted"
    )


def test_a_ratio_over_a_zero_prefill_score_does_not_end_the_search() -> None:
    ratio = replace(DIFFERENCE, pair="ratio")
    arms = tuple(
        replace(
            held,
            windows=tuple(replace(window, including_prefill=0.0) for window in held.windows),
        )
        for held in ARMS
    )
    assert said(np.mean(A / B) * 100, replace(ratio, scale=None), arms=arms) == gives("times 100")
    assert said(np.mean(A - B), ratio, arms=arms) == gives("of the difference instead of the ratio")


ROWS_A: FloatArray = np.array([[9.0, 1.0, 2.0, 3.0625, 5.125], [8.0, 0.5, 0.25, 4.0, 2.0]])
ROWS_B: FloatArray = np.array([[9.0, 1.5, 2.5, 2.0, 7.0], [8.0, 0.5, 0.75, 3.0, 6.0]])


def row_case() -> tuple[tuple[Arm, ...], MemoryRows]:
    """Two arms over two windows of five rows, of which the first is excluded."""
    arms = []
    files = {}
    for name, rows in (("fp8", ROWS_A), ("nvfp4", ROWS_B)):
        means = tuple(rows[:, 1:].mean(axis=1).tolist())
        held = arm(name, means, rows_path=True, level=Level.ROW_SCORES)
        arms.append(replace(held, row_columns=("kld",)))
        for index in (0, 1):
            files[f"{name}/w{index}.npz"] = {"kld": rows[index]}
    return tuple(arms), MemoryRows(files)


POOLED = replace(MEAN_FP8, within="none")
SCORED_A, SCORED_B = ROWS_A[:, 1:], ROWS_B[:, 1:]


@pytest.mark.parametrize(
    ("number", "measure", "words"),
    [
        (ROWS_A.mean(), MEAN_FP8, "with the excluded rows counted"),
        (
            SCORED_A.mean() + 0.0,
            replace(MEAN_FP8, rows=RowSelection(mask="all")),
            "without the excluded rows",
        ),
        (
            np.median(SCORED_A),
            replace(MEAN_FP8, statistic="median"),
            "over pooled rows",
        ),
        (
            np.median(SCORED_A, axis=1).mean(),
            MEAN_FP8,
            "over window medians",
        ),
        (
            SCORED_A.mean(axis=1).max(),
            replace(POOLED, statistic="maximum"),
            "over window means",
        ),
        (
            SCORED_A[:, :2].mean(),
            replace(MEAN_FP8, rows=RowSelection(first=1, last=3)),
            "without row 3",
        ),
        (
            SCORED_A[:, 1:3].mean(),
            replace(MEAN_FP8, rows=RowSelection(first=1, last=3)),
            "without row 1",
        ),
        (
            SCORED_A.mean(),
            replace(MEAN_FP8, rows=RowSelection(last=3)),
            "over all rows",
        ),
        (
            SCORED_A[:, 2:].mean(),
            replace(MEAN_FP8, rows=RowSelection(part=(1, 2))),
            "of part 2 of 2 instead of part 1",
        ),
        (
            SCORED_A[SCORED_A >= 2.0].mean(),
            replace(POOLED, rows=RowSelection(where=(Condition(column="kld", above=2.0),))),
            "where kld is at least 2, not above it",
        ),
        (
            SCORED_A.mean(),
            replace(POOLED, rows=RowSelection(where=(Condition(column="kld", equals=2.0),))),
            "without the condition on its rows",
        ),
        (
            SCORED_A.mean(),
            replace(POOLED, rows=RowSelection(trim=Trim(probability=0.5, rule="linear"))),
            "without trimming",
        ),
        (
            np.sort(SCORED_A, axis=None)[:6].mean(),
            replace(POOLED, rows=RowSelection(trim=Trim(probability=0.7, rule="linear"))),
            "trimmed by quantile rule truncate",
        ),
        (
            4 / 8,
            replace(POOLED, statistic="count", parameters=(("at_least", 2.5),)),
            None,
        ),
        (
            5 / 8,
            replace(POOLED, statistic="fraction", parameters=(("above", 2.0),)),
            "of units at least 2, not above it",
        ),
        (
            np.mean(SCORED_A < SCORED_B),
            Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="lower"),
            "over pooled rows",
        ),
        (
            np.mean(np.abs(SCORED_A - SCORED_B)),
            Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="absolute-difference"),
            "over pooled rows",
        ),
        (
            np.median(np.mean(SCORED_A / SCORED_B, axis=1)),
            Measure(statistic="median", arms=("fp8", "nvfp4"), pair="ratio"),
            "with the arms compared row by row",
        ),
    ],
)
def test_other_rows_are_named(number: float, measure: Measure, words: str | None) -> None:
    arms, rows = row_case()
    sentence = said(float(number), measure, arms=arms, rows=rows)
    assert sentence.partition(", to the")[0].rstrip(".") == (
        NONE if words is None else gives(words)
    ).rstrip(".")


@pytest.mark.parametrize(
    ("text", "measure", "words"),
    [
        ("2", LOWER, "with the arms exchanged"),
        ("40", Measure(statistic="sum", column="scored_rows", arms=("fp8",)), None),
        ("4", replace(LOWER, windows=WindowSelection(group=("domain", "law"))), None),
        ("7", Measure(statistic="size", arms=()), "without the first window"),
    ],
)
def test_counts_are_explained_exactly(text: str, measure: Measure, words: str | None) -> None:
    counted = said(text, measure, kind="count")
    if words is not None:
        assert counted == (
            f"These are the digits that the same measure {words} gives, "
            "to the only digit that is printed."
        )
    else:
        assert counted.startswith("These are the digits that") or counted == NONE


def test_predicted_rows_in_the_place_of_scored_ones_are_named() -> None:
    rows = Measure(statistic="sum", column="scored_rows", arms=("fp8",))
    assert said("40", rows, kind="count", arms=(arm("fp8", FP8),)) == (
        "These are the digits that the same measure of predicted_rows instead of scored_rows "
        "gives, to the 2 digits that are printed."
    )


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("3.336", "gives."),
        ("3.34", "gives."),
        ("3.3", "gives, to the 2 digits that are printed."),
        ("3", "gives, to the only digit that is printed."),
        ("3.340e0", "gives."),
    ],
)
def test_few_printed_digits_make_an_explanation_weak(text: str, end: str) -> None:
    sentence = said(text, MEAN_FP8, arms=(arm("fp8", FP8),))
    if text == "3.340e0":
        assert sentence == NONE
    else:
        assert sentence == f"These are the digits that the same measure times 100 {end}"


@pytest.mark.parametrize("number", [0.7182818284590452, -1.4142135623730951, 12345.678901])
def test_a_number_out_of_nowhere_is_not_explained(number: float) -> None:
    arms, rows = row_case()
    for measure in (MEAN_FP8, DIFFERENCE, POOLED):
        assert said(number, measure, arms=arms, rows=rows) == NONE


@pytest.mark.parametrize("text", ["null", "0", "0.0"])
def test_no_digits_are_explained_by_nothing(text: str) -> None:
    assert said(text, MEAN_FP8) == NONE


def test_a_figure_without_a_measure_is_not_explained() -> None:
    assert explain(case(bundle(figure("it", "0.5", None))), "it") == ""


def test_a_ranked_row_keeps_its_rank_in_every_alternative() -> None:
    arms, rows = row_case()
    ranked = replace(POOLED, rows=RowSelection(ranked=Ranked(column="kld", rank=2)))
    assert said("9.0", ranked, arms=arms, rows=rows) == NONE
    assert said("8.0", ranked, arms=arms, rows=rows).startswith(
        "These are the digits that the same measure with the excluded rows counted gives"
    )


def test_what_would_take_too_long_is_not_tried_and_this_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(value, "MOST_ROWS", 20)
    assert said(0.7182818284590452, MEAN_FP8) == PARTLY
    monkeypatch.setattr(value, "MOST_ROWS", -1)
    assert said(0.7182818284590452, MEAN_FP8) == UNTRIED


def looked(looked_at: Bundle) -> str:
    checks = (published_aggregates.CHECK, published_counts.CHECK)
    report = core.audited(case(looked_at, policy=core.demanding()), *checks)
    (finding,) = (finding for outcome in report.outcomes for finding in outcome.findings)
    return finding.message


def test_the_report_carries_the_explanation_behind_the_mismatch() -> None:
    mean = figure("it", repr(float(np.mean(A) * 100)), MEAN_FP8)
    assert looked(bundle(mean)) == (
        f"The retained scores do not give this number. {gives('times 100')}"
    )
    count = figure("it", "2", LOWER, kind="count")
    assert looked(bundle(count)) == (
        "The retained scores do not give this number. These are the digits that the same measure "
        "with the arms exchanged gives, to the only digit that is printed."
    )
