"""Two arms against each other, window by window and row by row; three arms; several runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, deviation, geometric_mean, mean, median
from examples.tinylm.arms import FP8, NVFP4, NVFP4_AGAIN, RUNS, TEACHER
from examples.tinylm.published.figure import Figure, number

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAIR = [FP8, NVFP4]


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    yield from _differences(rows)
    yield from _ratios(rows)
    yield from _signs(rows)
    yield from _gap(rows)
    yield from _runs(rows)


def _differences(rows: Rows) -> Iterator[Figure]:
    ours, theirs = rows.means(FP8, "kld"), rows.means(NVFP4, "kld")
    name, two = "fp8-nvfp4/kld", {"arms": _PAIR}
    difference, base = mean(ours - theirs), mean(theirs)
    relative = (mean(ours) - base) / base
    yield number(f"{name}/difference", difference, "mean", pair="difference", **two)
    yield number(
        f"{name}/difference/median", median(ours - theirs), "median", pair="difference", **two
    )
    yield number(f"{name}/relative", relative, "relative-difference", **two)
    against = {"statistic": "mean", "arm": NVFP4}
    stages: dict[str, Any] = {"pair": "difference", "relative_to": against, **two}
    yield number(f"{name}/difference-to-comparator", difference / base, "mean", **stages)
    yield number(
        f"{name}/difference-percent",
        f"{100 * difference / base:.1f}",
        "mean",
        scale="percent",
        **stages,
    )
    rowwise = rows.pooled(FP8, "kld") - rows.pooled(NVFP4, "kld")
    pooled: dict[str, Any] = {"within": "none", "pair": "difference", **two}
    yield number(f"{name}/rows/difference", mean(rowwise), "mean", **pooled)
    yield number(f"{name}/rows/difference/median", median(rowwise), "median", **pooled)
    size = float(np.abs(rowwise).max())
    largest = {**pooled, "pair": "absolute-difference"}
    yield number(f"{name}/rows/largest-difference", size, "maximum", **largest)
    lower = np.minimum(rows.pooled(FP8, "kld"), rows.pooled(NVFP4, "kld"))
    yield number(
        f"{name}/rows/better-of-both", mean(lower), "mean", **{**pooled, "pair": "minimum"}
    )
    within = np.array(
        [
            mean(np.maximum(rows.column(FP8, "kld", w), rows.column(NVFP4, "kld", w)))
            for w in rows.groups
        ]
    )
    yield number(
        f"{name}/windows/worse-of-both", mean(within), "mean", pair="maximum", by="row", **two
    )


def _ratios(rows: Rows) -> Iterator[Figure]:
    ours, theirs = rows.means(FP8, "kld"), rows.means(NVFP4, "kld")
    ratios, name, two = ours / theirs, "fp8-nvfp4/kld", {"arms": _PAIR}
    yield number(f"{name}/ratio-of-means", mean(ours) / mean(theirs), "ratio-of-means", **two)
    for statistic, value in (
        ("minimum", min(ratios.tolist())),
        ("median", median(ratios)),
        ("maximum", max(ratios.tolist())),
        ("geometric-mean", geometric_mean(ratios)),
    ):
        yield number(f"{name}/window-ratio/{statistic}", value, statistic, pair="ratio", **two)
    logs = np.array([math.log(ratio) for ratio in ratios.tolist()])
    stages = {"pair": "log-ratio", "parameters": {"ddof": 1}, **two}
    yield number(f"{name}/log-ratio/sd", deviation(logs, 1), "standard-deviation", **stages)
    pooled = mean(rows.pooled(FP8, "kld")) / mean(rows.pooled(NVFP4, "kld"))
    weights = {"weights": "pooled-rows", **two}
    yield number(f"{name}/rows/ratio-of-means", pooled, "ratio-of-means", **weights)


def _signs(rows: Rows) -> Iterator[Figure]:
    ours, theirs = rows.means(FP8, "kld"), rows.means(NVFP4, "kld")
    name, two = "fp8-nvfp4/kld", {"arms": _PAIR}
    for pair, held in (
        ("lower", ours < theirs),
        ("equal", ours == theirs),
        ("higher", ours > theirs),
    ):
        yield number(f"{name}/windows-{pair}", int(held.sum()), "count", pair=pair, **two)
    yield number(f"{name}/windows-compared", len(ours), "size", pair="lower", **two)
    fraction = float((ours < theirs).sum()) / len(ours)
    yield number(f"{name}/windows-lower/fraction", fraction, "fraction", pair="lower", **two)
    rowwise = rows.pooled(FP8, "kld") < rows.pooled(NVFP4, "kld")
    yield number(
        f"{name}/rows-lower/fraction",
        float(rowwise.mean()),
        "fraction",
        pair="lower",
        within="none",
        **two,
    )
    medians = (rows.per_window(median, arm, "kld") for arm in _PAIR)
    lower = int(np.less(*medians).sum())
    yield number(
        f"{name}/window-medians-lower", lower, "count", pair="lower", within="median", **two
    )
    each = np.array(
        [
            float((rows.column(FP8, "kld", w) < rows.column(NVFP4, "kld", w)).mean())
            for w in rows.groups
        ]
    )
    yield number(f"{name}/windows/rows-lower", mean(each), "mean", pair="lower", by="row", **two)


def _gap(rows: Rows) -> Iterator[Figure]:
    """How much of the way from NVFP4 to the teacher FP8 goes."""
    arms = [NVFP4, FP8, TEACHER]
    for column in ("kld", "nll"):
        start, reached, goal = (mean(rows.means(arm, column)) for arm in arms)
        share = (start - reached) / (start - goal)
        yield number(f"fp8/{column}/share-of-the-gap", share, "gap-share", arms=arms, column=column)
    prose = rows.windows(domain="prose")
    start, reached, goal = (mean(rows.means(arm, "kld", prose)) for arm in arms)
    yield number(
        "fp8/kld/prose/share-of-the-gap-percent",
        f"{100 * (start - reached) / (start - goal):.1f}",
        "gap-share",
        arms=arms,
        windows={"group": "domain", "value": "prose"},
        scale="percent",
    )


def _runs(rows: Rows) -> Iterator[Figure]:
    """The two launches of NVFP4."""
    first, second = (rows.means(arm, "kld") for arm in RUNS)
    runs = list(RUNS)
    means = [mean(first), mean(second)]
    yield number("nvfp4/kld/mean/over-runs", sum(means) / 2, "mean", over="mean", arms=runs)
    yield number(
        "nvfp4/kld/mean/range", f"{max(means) - min(means):.2e}", "mean", over="range", arms=runs
    )
    yield number(
        "nvfp4/kld/mean/sd-over-runs",
        deviation(np.array(means), 1),
        "mean",
        over="standard-deviation",
        over_parameters={"ddof": 1},
        arms=runs,
    )
    shift = np.abs(first - second)
    stages: dict[str, Any] = {"pair": "absolute-difference", "arms": runs}
    yield number("nvfp4/kld/run-to-run/mean-shift", f"{mean(shift):.3e}", "mean", **stages)
    yield number("nvfp4/kld/run-to-run/largest-shift", f"{shift.max():.3e}", "maximum", **stages)
    both = np.array([mean(np.array(pair)) for pair in zip(first, second, strict=True)])
    ours = rows.means(FP8, "kld")
    yield number(
        "fp8-nvfp4/kld/difference-to-the-mean-of-both-launches",
        mean(ours - both),
        "mean",
        pair="difference",
        arms=[FP8, runs],
    )
    averaged = (rows.pooled(NVFP4, "kld") + rows.pooled(NVFP4_AGAIN, "kld")) / 2
    yield number(
        "nvfp4/kld/rows/median-of-the-mean-of-both-launches",
        median(averaged),
        "median",
        arms=[runs],
        within="none",
    )
    joined = np.concatenate((first, second))
    yield number("nvfp4/kld/windows-of-both-launches/mean", mean(joined), "mean", arms=runs)
    yield number("nvfp4/kld/windows-of-both-launches", len(joined), "size", arms=runs)
