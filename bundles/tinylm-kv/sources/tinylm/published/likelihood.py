"""How likely the bytes were that really follow, and how sure the arms are of what follows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from examples.tinylm.analysis import Rows, mean, median, part
from examples.tinylm.arms import FP8, NVFP4, NVFP4_AGAIN, RUNS, TEACHER
from examples.tinylm.published.figure import Figure, number
from examples.tinylm.recipes import PASSAGE, STREAM_WINDOWS

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUARTERS = 4
_SURE = 0.9
_BETWEEN_ARMS = 1.0
_BETWEEN_LAUNCHES = 1e-5
"""Nats by which the NLL of a row has to move to count: an order of sums moves it very little."""


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (TEACHER, FP8, NVFP4, NVFP4_AGAIN):
        yield from _of_arm(rows, arm)
    for arm in (FP8, NVFP4):
        yield from _of_student(rows, arm)
    yield from _delta(rows)
    yield from _moved(rows, "nvfp4-launches", RUNS, _BETWEEN_LAUNCHES)
    yield from _moved(rows, "fp8-nvfp4", (FP8, NVFP4), _BETWEEN_ARMS)
    yield from _entropy(rows)


def _of_arm(rows: Rows, arm: str) -> Iterator[Figure]:
    means = rows.means(arm, "nll")
    nll = {"arm": arm, "column": "nll"}
    yield number(f"{arm}/nll/mean", mean(means), "mean", **nll)
    yield number(f"{arm}/perplexity", math.exp(mean(means)), "mean", scale="exp", **nll)
    for domain in ("prose", "code"):
        own = rows.means(arm, "nll", rows.windows(panel="natural", domain=domain))
        chosen = rows.windows(panel="natural", domain=domain)
        yield number(
            f"{arm}/natural/{domain}/perplexity",
            f"{math.exp(mean(own)):.4f}",
            "mean",
            scale="exp",
            windows={"ids": chosen},
            **nll,
        )
    probability = rows.pooled(arm, "realized_p")
    sure = float((probability > _SURE).sum()) / len(probability)
    yield number(
        f"{arm}/rows-with-the-actual-token-above-0.9",
        sure,
        "fraction",
        arm=arm,
        column="realized_p",
        within="none",
        parameters={"above": _SURE},
    )


def _of_student(rows: Rows, arm: str) -> Iterator[Figure]:
    excess = rows.means(arm, "excess_nll")
    stages = {"arm": arm, "column": "excess_nll"}
    yield number(f"{arm}/excess-nll/mean", mean(excess), "mean", **stages)
    yield number(f"{arm}/excess-nll/median", median(excess), "median", **stages)
    yield number(
        f"{arm}/teacher-nll/mean",
        mean(rows.means(arm, "teacher_nll")),
        "mean",
        arm=arm,
        column="teacher_nll",
    )


def _delta(rows: Rows) -> Iterator[Figure]:
    """Delta NLL of the arms, with all windows and without one or several."""
    for name, out in (
        ("all", ()),
        ("without-passage", (PASSAGE,)),
        ("without-stream", STREAM_WINDOWS),
    ):
        kept = [window for window in rows.groups if window not in out]
        delta = rows.means(FP8, "nll", kept) - rows.means(NVFP4, "nll", kept)
        chosen = {"windows": {"except": list(out)}} if out else {}
        yield number(
            f"fp8-nvfp4/nll/difference/{name}",
            mean(delta),
            "mean",
            arms=[FP8, NVFP4],
            column="nll",
            pair="difference",
            **chosen,
        )


def _moved(rows: Rows, name: str, pair: tuple[str, str], limit: float) -> Iterator[Figure]:
    """Rows whose NLL differs between two arms, by quarter of the long windows, and how sure."""
    long = rows.windows(panel="long")
    compared: dict[str, Any] = {
        "arms": list(pair),
        "column": "nll",
        "pair": "absolute-difference",
        "within": "none",
        "windows": {"group": "panel", "value": "long"},
    }
    by_window = [
        np.abs(rows.column(pair[0], "nll", window) - rows.column(pair[1], "nll", window))
        for window in long
    ]
    for least in dict.fromkeys((_BETWEEN_ARMS, limit)):
        above = int(sum((moved > least).sum() for moved in by_window))
        bounds = {"parameters": {"above": least}}
        yield number(f"{name}/nll/rows-above-{least:g}", above, "count", **bounds, **compared)
    for index in range(1, _QUARTERS + 1):
        above = int(sum((part(moved, index, _QUARTERS) > limit).sum() for moved in by_window))
        yield number(
            f"{name}/nll/rows-above-{limit:g}/quarter-{index}",
            above,
            "count",
            parameters={"above": limit},
            rows={"part": {"index": index, "of": _QUARTERS}},
            **compared,
        )
    condition = {
        "column": "nll",
        "arms": list(pair),
        "pair": "absolute-difference",
        "above": limit,
    }
    moved = np.concatenate(by_window) > limit
    if moved.any():
        yield from _of_the_moved(rows, f"{name}/nll/moved-rows", pair, moved, condition)


def _of_the_moved(
    rows: Rows,
    name: str,
    pair: tuple[str, str],
    moved: npt.NDArray[np.bool_],
    condition: dict[str, Any],
) -> Iterator[Figure]:
    """Among those rows: where one arm is sure of the actual token, and where two tokens swap."""
    long = rows.windows(panel="long")
    first, second = (rows.pooled(arm, "realized_p", long) for arm in pair)
    sure = int((np.maximum(first, second)[moved] > _SURE).sum())
    stages: dict[str, Any] = {
        "arms": list(pair),
        "within": "none",
        "windows": {"group": "panel", "value": "long"},
        "rows": {"where": [condition]},
    }
    sure_of_it = {"column": "realized_p", "pair": "maximum", "parameters": {"above": _SURE}}
    yield number(f"{name}/one-above-{_SURE:g}", sure, "count", **sure_of_it, **stages)
    swaps = int(rows.pooled(pair, "top1_top2_swap", long)[moved].sum())
    yield number(f"{name}/swaps", swaps, "count", column="top1_top2_swap", **stages)


def _entropy(rows: Rows) -> Iterator[Figure]:
    column = "student_entropy"
    for arm in (TEACHER, FP8, NVFP4):
        means = rows.means(arm, column)
        yield number(f"{arm}/entropy/mean", mean(means), "mean", arm=arm, column=column)
    for arm in (FP8, NVFP4):
        higher = int((rows.means(arm, column) > rows.means(TEACHER, column)).sum())
        yield number(
            f"{arm}/entropy/windows-higher-than-the-teacher",
            higher,
            "count",
            arms=[arm, TEACHER],
            column=column,
            pair="higher",
        )
    short = rows.short()
    chosen = {"windows": {"ids": short}}
    listed, whole = (mean(rows.means(FP8, name, short)) for name in ("topk_entropy", column))
    yield number(
        f"{FP8}/top20-entropy/mean", listed, "mean", arm=FP8, column="topk_entropy", **chosen
    )
    yield number(f"{FP8}/short/entropy/mean", whole, "mean", arm=FP8, column=column, **chosen)
    theirs = mean(rows.means(FP8, "teacher_entropy", short))
    yield number(
        f"{FP8}/short/teacher-entropy/mean",
        theirs,
        "mean",
        arm=FP8,
        column="teacher_entropy",
        **chosen,
    )
