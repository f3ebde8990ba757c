"""Bytes that complete a run that the stream held long before, and whether they are volatile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, mean
from examples.tinylm.arms import FP8, NVFP4
from examples.tinylm.published.figure import Figure, number
from examples.tinylm.recipes import PASSAGE, STREAM_WINDOWS

if TYPE_CHECKING:
    from collections.abc import Iterator

_VOLATILE = 0.25


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for window in (*STREAM_WINDOWS, PASSAGE):
        if window in rows.groups:
            yield from _of_window(rows, window)
    yield from _of_choices(rows)
    natural = rows.windows(panel="natural")
    yield number(
        "natural/copied-rows",
        int(rows.pooled(FP8, "copied", natural).sum()),
        "count",
        arm=FP8,
        column="copied",
        within="none",
        windows={"group": "panel", "value": "natural"},
    )


def _of_window(rows: Rows, window: str) -> Iterator[Figure]:
    copied = rows.column(FP8, "copied", window)
    only: dict[str, Any] = {"windows": {"ids": [window]}, "within": "none"}
    yield number(
        f"{window}/copied-rows", int(copied.sum()), "count", arm=FP8, column="copied", **only
    )
    moved = np.abs(rows.column(FP8, "nll", window) - rows.column(NVFP4, "nll", window)) > _VOLATILE
    kld = rows.column(NVFP4, "kld", window)
    for name, value in (("copied", 1), ("other", 0)):
        inside = copied == value
        if not inside.any():
            continue
        where = {"where": [{"column": "copied", "equals": value}]}
        yield number(
            f"{window}/{name}/volatile-rows/fraction",
            float(moved[inside].sum()) / inside.sum(),
            "fraction",
            arms=[FP8, NVFP4],
            column="nll",
            pair="absolute-difference",
            parameters={"above": _VOLATILE},
            rows=where,
            **only,
        )
        yield number(
            f"{window}/{name}/kld", mean(kld[inside]), "mean", arm=NVFP4, rows=where, **only
        )


def _of_choices(rows: Rows) -> Iterator[Figure]:
    """Other lengths of a run, and other distances."""
    window = STREAM_WINDOWS[-1]
    if window not in rows.groups:
        return
    for ngram, distance in ((24, 2048), (12, 4096), (8, 0)):
        copied = rows.column(FP8, "copied", window, ngram=ngram, distance=distance)
        yield number(
            f"{window}/copied-rows/{ngram}-gram/beyond-{distance}",
            int(copied.sum()),
            "count",
            arm=FP8,
            column="copied",
            ngram=ngram,
            distance=distance,
            within="none",
            windows={"ids": [window]},
        )
