"""Whether arms name the same token, and whether two runs of one arm give the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, mean
from examples.tinylm.arms import FP8, FP8_AGAIN, NVFP4, NVFP4_AGAIN, RUNS
from examples.tinylm.published.figure import Figure, number

if TYPE_CHECKING:
    from collections.abc import Iterator


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (FP8, NVFP4):
        yield from _with_the_teacher(rows, arm)
    yield from _between(rows, "fp8-nvfp4", (FP8, NVFP4))
    yield from _where_the_teacher_is_sure(rows, "fp8-nvfp4", (FP8, NVFP4))
    yield from _between(rows, "nvfp4-runs", RUNS)
    for name, pair in (("fp8-passes", (FP8, FP8_AGAIN)), ("nvfp4-launches", RUNS)):
        yield from _identical(rows, name, pair)
    yield from _largest(rows)


def _with_the_teacher(rows: Rows, arm: str) -> Iterator[Figure]:
    name, column = f"{arm}/top1-agreement", "top1_agreement"
    yield number(f"{name}/mean", mean(rows.means(arm, column)), "mean", arm=arm, column=column)
    pooled = rows.pooled(arm, column)
    stages: dict[str, Any] = {"arm": arm, "column": column, "within": "none"}
    yield number(f"{name}/rows", int(pooled.sum()), "count", **stages)
    confidence = rows.pooled(arm, "teacher_top1_p")
    for least in (0.5, 0.9):
        sure = confidence >= least
        if not sure.any():
            continue
        where = {"where": [{"column": "teacher_top1_p", "at_least": least}]}
        yield number(
            f"{name}/teacher-at-least-{least}", mean(pooled[sure]), "mean", rows=where, **stages
        )
        yield number(
            f"{name}/teacher-at-least-{least}/rows", int(sure.sum()), "size", rows=where, **stages
        )
    hits = "actual_token_top1_hit"
    yield number(
        f"{arm}/actual-token-hits", mean(rows.means(arm, hits)), "mean", arm=arm, column=hits
    )


def _between(rows: Rows, name: str, pair: tuple[str, str]) -> Iterator[Figure]:
    arms = list(pair)
    same = rows.means(pair, "same_top1")
    yield number(f"{name}/same-top1/mean", mean(same), "mean", arms=arms, column="same_top1")
    swapped = rows.pooled(pair, "top1_top2_swap")
    stages: dict[str, Any] = {"arms": arms, "column": "top1_top2_swap", "within": "none"}
    yield number(f"{name}/top1-top2-swaps", int(swapped.sum()), "count", **stages)
    differing = rows.pooled(pair, "same_top1") == 0
    where = {"where": [{"column": "same_top1", "equals": 0}]}
    if differing.any():
        fraction = float(swapped[differing].mean())
        yield number(f"{name}/swaps-among-differing", fraction, "fraction", rows=where, **stages)


def _where_the_teacher_is_sure(rows: Rows, name: str, pair: tuple[str, str]) -> Iterator[Figure]:
    same, confidence = rows.pooled(pair, "same_top1"), rows.pooled(pair[0], "teacher_top1_p")
    for least in (0.5, 0.9):
        sure = confidence >= least
        if not sure.any():
            continue
        stages: dict[str, Any] = {
            "arms": list(pair),
            "column": "same_top1",
            "within": "none",
            "rows": {"where": [{"column": "teacher_top1_p", "at_least": least}]},
        }
        label = f"{name}/same-top1/teacher-at-least-{least}"
        yield number(label, mean(same[sure]), "mean", **stages)
        yield number(f"{label}/rows", int(sure.sum()), "size", **stages)


def _identical(rows: Rows, name: str, pair: tuple[str, str]) -> Iterator[Figure]:
    arms, column = list(pair), "rows_identical"
    everything = [rows.everything(pair, column, window) for window in rows.groups]
    whole = int(sum(bool(same.all()) for same in everything))
    stages: dict[str, Any] = {"arms": arms, "column": column}
    with_prefill = {"rows": {"mask": "all"}, **stages}
    yield number(f"{name}/identical-windows", whole, "count", within="minimum", **with_prefill)
    for panel in ("natural", "generated", "long"):
        chosen = rows.windows(panel=panel)
        same = int(sum(bool(rows.everything(pair, column, w).all()) for w in chosen))
        yield number(
            f"{name}/{panel}/identical-windows",
            same,
            "count",
            within="minimum",
            windows={"group": "panel", "value": panel},
            **with_prefill,
        )
    pooled = rows.pooled(pair, column)
    differing = float((pooled == 0).sum()) / len(pooled)
    yield number(
        f"{name}/differing-rows/fraction",
        differing,
        "fraction",
        within="none",
        parameters={"below": 1},
        **stages,
    )
    for compared in ("kld", "nll"):
        first, second = (rows.pooled(arm, compared) for arm in pair)
        equal = int((first == second).sum())
        yield number(
            f"{name}/rows-of-equal-{compared}",
            equal,
            "count",
            arms=arms,
            column=compared,
            pair="equal",
            within="none",
        )


def _largest(rows: Rows) -> Iterator[Figure]:
    """Where the two NVFP4 launches differ most."""
    difference = np.abs(rows.pooled(NVFP4, "nll") - rows.pooled(NVFP4_AGAIN, "nll"))
    place = int(np.argmax(difference))
    compared = {"column": "nll", "arms": list(RUNS), "pair": "absolute-difference"}
    yield number(
        "nvfp4-launches/nll/largest-difference",
        float(difference[place]),
        "maximum",
        within="none",
        **compared,
    )
    only = {"ranked": {**compared, "rank": 1}}
    for column in ("row", "window"):
        found = rows.pooled(NVFP4, column) if column == "row" else _window_numbers(rows)
        yield number(
            f"nvfp4-launches/nll/largest-difference/{column}",
            int(found[place]),
            "maximum",
            arm=NVFP4,
            column=column,
            within="none",
            rows=only,
        )


def _window_numbers(rows: Rows) -> list[int]:
    return [
        number
        for number, window in enumerate(rows.groups)
        for _ in rows.column(NVFP4, "kld", window)
    ]
