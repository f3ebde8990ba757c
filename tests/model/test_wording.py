"""A measure in words: each line says what it computes, and no two measures share a line."""

from dataclasses import replace

import pytest

from verifier.model.figure import Figure
from verifier.model.measure import (
    PAIRS,
    Condition,
    Measure,
    Options,
    Ranked,
    RowSelection,
    Trim,
    WindowSelection,
)
from verifier.model.number import Published
from verifier.model.wording import described, label

MEAN = Measure(statistic="mean", arms=("fp8",))
PAIRED = Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="difference")
ROWS = replace(MEAN, within="none")


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (MEAN, "mean of kld, fp8"),
        (PAIRED, "mean of kld, fp8 minus nvfp4"),
        (
            replace(PAIRED, statistic="count", pair="lower"),
            "count of kld, fp8 lower than nvfp4",
        ),
        (
            replace(MEAN, windows=WindowSelection(group=("domain", "legal"))),
            "mean of kld, fp8, domain legal",
        ),
        (
            replace(MEAN, windows=WindowSelection(group=("domain", 'a, "b"'))),
            'mean of kld, fp8, domain "a, \\"b\\""',
        ),
        (replace(MEAN, column="nll", scale="exp"), "exp(mean of nll, fp8)"),
        (Measure(statistic="size"), "number of windows, panel"),
        (replace(MEAN, statistic="size"), "number of windows, fp8"),
        (replace(ROWS, statistic="size"), "number of kld, fp8, all rows"),
        (
            Measure(statistic="common", column="scored_rows", arms=("fp8", "nvfp4")),
            "common value of scored_rows, fp8 and nvfp4",
        ),
        (
            replace(PAIRED, arms=("a", ("r1", "r2"))),
            "mean of kld, a minus (mean of r1 and r2)",
        ),
        (replace(MEAN, arms=(("r1", "r2"),)), "mean of kld, mean of r1 and r2"),
        (
            replace(
                ROWS, statistic="maximum", column="realized_p", arms=("l1", "l2"), pair="maximum"
            ),
            "maximum of realized_p, the higher of l1 and l2, all rows",
        ),
        (replace(PAIRED, pair="log-ratio"), "mean of log ratio of kld, fp8 over nvfp4"),
        (
            replace(
                ROWS,
                statistic="quantile",
                parameters=(("probability", 0.99), ("rule", "linear")),
                arms=("r1", "r2"),
                over="range",
            ),
            (
                "range over runs of the quantile (probability 0.99, rule linear) of kld, "
                "r1 and r2, all rows"
            ),
        ),
        (
            replace(PAIRED, relative_to=replace(MEAN, arms=("nvfp4",)), scale="percent"),
            "mean of kld, fp8 minus nvfp4, relative to the mean of kld, nvfp4, in percent",
        ),
        (
            replace(PAIRED, relative_to=replace(MEAN, scale="percent")),
            "mean of kld, fp8 minus nvfp4, relative to the (mean of kld, fp8, in percent)",
        ),
        (
            replace(
                ROWS,
                column="copied",
                options=Options(top_k=20, ngram=8, distance=100),
                rows=RowSelection(
                    mask="all",
                    first=1,
                    part=(4, 4),
                    where=(
                        Condition(column="history", at_least=1.0, at_most=256.0),
                        Condition(column="nll", arms=("l1", "l2"), pair="minimum", above=0.5),
                    ),
                    trim=Trim(probability=0.99, rule="hazen"),
                    ranked=Ranked(column="nll", rank=3, arms=("l1", "l2"), pair="log-ratio"),
                ),
                windows=WindowSelection(ids=("w1", "w2"), first=3, omit=("w3",)),
            ),
            (
                "mean of copied (top 20, 8-grams, 100 tokens back), fp8, all rows, "
                "first 3 windows, windows w1 w2, without windows w3, excluded rows too, "
                "rows 1 to the end, part 4 of 4 of each window, where history >= 1 and <= 256, "
                "where nll of the lower of l1 and l2 > 0.5, without rows above quantile 0.99 "
                "(hazen), row of rank 3 by log ratio of nll of l1 over l2"
            ),
        ),
        (
            replace(MEAN, weights="equal-group", stratum="domain", within="median"),
            "mean of kld, fp8, median of each window, equal weight for each domain",
        ),
        (replace(PAIRED, by="row"), "mean of kld, fp8 minus nvfp4, row by row"),
        (replace(MEAN, weights="pooled-rows"), "mean of kld, fp8, weighted by rows"),
        (replace(MEAN, statistic="top-share"), "top share of kld, fp8"),
    ],
)
def test_a_measure_says_in_one_line_what_it_computes(measure: Measure, expected: str) -> None:
    assert label(measure) == expected


def _rows(**fields: object) -> Measure:
    return replace(ROWS, rows=RowSelection(**fields))  # type: ignore[arg-type]


def _where(**fields: object) -> Measure:
    return _rows(where=(Condition(column="nll", **fields),))  # type: ignore[arg-type]


def _windows(**fields: object) -> Measure:
    return replace(MEAN, windows=WindowSelection(**fields))  # type: ignore[arg-type]


ALL_APART = [
    MEAN,
    ROWS,
    replace(MEAN, statistic="median"),
    replace(MEAN, statistic="quantile", parameters=(("probability", 0.5),)),
    replace(MEAN, statistic="quantile", parameters=(("probability", 0.25),)),
    replace(MEAN, column="nll"),
    *(replace(MEAN, options=Options(top_k=k)) for k in (1, 2)),
    replace(MEAN, options=Options(ngram=2)),
    replace(MEAN, options=Options(distance=2)),
    replace(MEAN, arms=("nvfp4",)),
    replace(MEAN, arms=("a", "b")),
    replace(MEAN, arms=("b", "a")),
    replace(MEAN, arms=("a", "b", "c")),
    replace(MEAN, arms=(("a", "b", "c"),)),
    replace(MEAN, arms=(("a", "b"), "c")),
    replace(MEAN, arms=("a", ("b", "c"))),
    *(replace(MEAN, arms=("a", "b"), pair=pair) for pair in PAIRS),
    *(replace(MEAN, arms=("a", "b"), pair=pair, by="row") for pair in PAIRS),
    replace(MEAN, within="median"),
    replace(MEAN, weights="pooled-rows"),
    *(replace(MEAN, weights="equal-group", stratum=name) for name in ("domain", "tongue")),
    replace(MEAN, over="range"),
    replace(MEAN, scale="exp"),
    replace(MEAN, scale="percent"),
    replace(MEAN, relative_to=MEAN),
    replace(MEAN, relative_to=MEAN, scale="percent"),
    replace(MEAN, relative_to=replace(MEAN, scale="percent")),
    replace(MEAN, relative_to=replace(MEAN, scale="exp")),
    replace(MEAN, relative_to=MEAN, scale="exp"),
    _windows(group=("domain", "law")),
    _windows(group=("domain", "law, first 2 windows")),
    _windows(group=("domain", "law"), first=2),
    _windows(first=2),
    _windows(ids=("w1", "w2")),
    _windows(omit=("w1", "w2")),
    _rows(mask="all"),
    _rows(first=1),
    _rows(last=1),
    _rows(first=1, last=1),
    _rows(part=(1, 4)),
    _rows(trim=Trim(probability=0.5, rule="linear")),
    _rows(trim=Trim(probability=0.5, rule="hazen")),
    _rows(ranked=Ranked(column="nll", rank=1)),
    _rows(ranked=Ranked(column="kld", rank=1)),
    _rows(ranked=Ranked(column="nll", rank=2)),
    _rows(ranked=Ranked(column="nll", rank=1, options=Options(top_k=1))),
    _rows(ranked=Ranked(column="nll", rank=1, arms=("a",))),
    *(_rows(ranked=Ranked(column="nll", rank=1, arms=("a", "b"), pair=pair)) for pair in PAIRS),
    *(_where(**{bound: 1.0}) for bound in ("above", "at_least", "below", "at_most", "equals")),
    _where(above=1.5),
    _where(above=1.0, below=1.5),
    _where(above=1.0, options=Options(top_k=1)),
    _where(above=1.0, arms=("a",)),
    *(_where(above=1.0, arms=("a", "b"), pair=pair) for pair in PAIRS),
    replace(MEAN, statistic="size"),
    replace(ROWS, statistic="size"),
    Measure(statistic="size"),
]


def test_no_two_measures_share_a_line() -> None:
    lines = [label(measure) for measure in ALL_APART]
    assert len(set(ALL_APART)) == len(ALL_APART)
    assert [line for line in lines if lines.count(line) > 1] == []
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("measure", "end", "expected"),
    [
        (MEAN, None, "mean of kld, fp8"),
        (MEAN, "low", "low end for the mean of kld, fp8"),
        (None, None, ""),
    ],
)
def test_a_figure_says_what_it_is_held_against(
    measure: Measure | None, end: str | None, expected: str
) -> None:
    figure = Figure(
        id="x",
        location="figures.json#/0/published",
        published=Published(text="1", value=1),
        kind="aggregate",
        measure=measure,
        end=end,  # type: ignore[arg-type]
    )
    assert described(figure) == expected
