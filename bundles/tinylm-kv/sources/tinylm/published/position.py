"""Where in a window and after how many tokens rows stand, and what that does to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, mean, median, part
from examples.tinylm.arms import FP8, NVFP4
from examples.tinylm.published.figure import Figure, number

if TYPE_CHECKING:
    from collections.abc import Iterator

_HISTORY = ((1, 256), (257, 512), (513, 1024), (1025, 2047))
_CONTEXT = ((0, 2048), (2048, 4096), (4096, 8192), (8192, 16384))
_QUARTERS = 4


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (FP8, NVFP4):
        yield from _by_history(rows, arm)
    yield from _by_context(rows, NVFP4)
    yield from _by_quarter(rows, NVFP4)
    yield from _by_number(rows)


def _by_history(rows: Rows, arm: str) -> Iterator[Figure]:
    natural = rows.windows(panel="natural")
    history, kld = (rows.pooled(arm, name, natural) for name in ("history", "kld"))
    for first, last in _HISTORY:
        inside = (history >= first) & (history <= last)
        if not inside.any():
            continue
        stages: dict[str, Any] = {
            "arm": arm,
            "within": "none",
            "windows": {"group": "panel", "value": "natural"},
            "rows": {"where": [{"column": "history", "at_least": first, "at_most": last}]},
        }
        name = f"{arm}/natural/history/{first}-{last}"
        yield number(f"{name}/kld", mean(kld[inside]), "mean", **stages)
        yield number(f"{name}/rows", int(inside.sum()), "sum", column="one", **stages)


def _by_context(rows: Rows, arm: str) -> Iterator[Figure]:
    long = rows.windows(panel="long")
    history, kld = (rows.pooled(arm, name, long) for name in ("history", "kld"))
    for first, end in _CONTEXT:
        inside = (history >= first) & (history < end)
        if not inside.any():
            continue
        stages: dict[str, Any] = {
            "arm": arm,
            "within": "none",
            "windows": {"group": "panel", "value": "long"},
            "rows": {"where": [{"column": "history", "at_least": first, "below": end}]},
        }
        name = f"{arm}/long/context/{first // 1024}-{end // 1024}k"
        yield number(f"{name}/kld", f"{mean(kld[inside]):.5f}", "mean", **stages)
        yield number(f"{name}/rows", int(inside.sum()), "size", **stages)


def _by_quarter(rows: Rows, arm: str) -> Iterator[Figure]:
    long = rows.windows(panel="long")
    for index in range(_QUARTERS):
        parts = [part(rows.column(arm, "kld", name), index + 1, _QUARTERS) for name in long]
        stages: dict[str, Any] = {
            "arm": arm,
            "windows": {"group": "panel", "value": "long"},
            "rows": {"part": {"index": index + 1, "of": _QUARTERS}},
        }
        name = f"{arm}/long/quarter/{index + 1}"
        means = np.array([mean(part) for part in parts])
        yield number(f"{name}/kld", mean(means), "mean", **stages)
        middle = median(np.concatenate(parts))
        yield number(f"{name}/kld-median", middle, "median", within="none", **stages)


def _by_number(rows: Rows) -> Iterator[Figure]:
    """Rows by their number in the window: the first ten scored ones."""
    firsts = np.array([mean(rows.column(FP8, "kld", name)[:10]) for name in rows.groups])
    yield number(
        f"{FP8}/kld/rows-1-to-10", mean(firsts), "mean", arm=FP8, rows={"from": 1, "to": 10}
    )
    natural = rows.windows(panel="natural")
    thirds = [len(part(rows.column(FP8, "kld", name), 1, 3)) for name in natural]
    yield number(
        f"{FP8}/natural/rows-of-the-first-third",
        sum(thirds),
        "sum",
        arm=FP8,
        column="one",
        within="none",
        rows={"part": {"index": 1, "of": 3}},
        windows={"group": "panel", "value": "natural"},
    )
