"""Rows of one long window whose NLL differs by more than one nat between two arms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from examples.tinylm.analysis import Rows, part
from examples.tinylm.arms import FP8, NVFP4
from examples.tinylm.published.figure import Figure, number
from examples.tinylm.recipes import STREAM_WINDOWS

if TYPE_CHECKING:
    from collections.abc import Iterator

_WINDOW = STREAM_WINDOWS[-1]
_PAIR = (NVFP4, FP8)
_NATS = 1.0
_QUARTERS = 4
_NAME = "nvfp4-fp8/nll"
_COMPARED: dict[str, Any] = {
    "arms": list(_PAIR),
    "column": "nll",
    "pair": "absolute-difference",
}
_COUNTED: dict[str, Any] = {
    "parameters": {"above": _NATS},
    "within": "none",
    "windows": {"ids": [_WINDOW]},
    **_COMPARED,
}


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    if _WINDOW not in rows.groups:
        return
    moved = {
        window: np.abs(rows.column(NVFP4, "nll", window) - rows.column(FP8, "nll", window))
        for window in rows.groups
    }
    own = moved[_WINDOW] > _NATS
    name = f"{_NAME}/{_WINDOW}/rows-above-{_NATS:g}"
    yield number(name, int(own.sum()), "count", **_COUNTED)
    for index in range(1, _QUARTERS + 1):
        inside = {"rows": {"part": {"index": index, "of": _QUARTERS}}}
        found = int((part(moved[_WINDOW], index, _QUARTERS) > _NATS).sum())
        yield number(f"{name}/quarter-{index}", found, "count", **inside, **_COUNTED)
    yield from _of_the_moved(rows, own)
    others = [int((by > _NATS).sum()) for window, by in moved.items() if window != _WINDOW]
    stages: dict[str, Any] = {
        "by": "row",
        "within": "count",
        "within_parameters": {"above": _NATS},
        "windows": {"except": [_WINDOW]},
        **_COMPARED,
    }
    for statistic, value in (("minimum", min(others)), ("maximum", max(others))):
        label = f"{_NAME}/other-windows/rows-above-{_NATS:g}/{statistic}"
        yield number(label, value, statistic, **stages)


def _of_the_moved(rows: Rows, own: npt.NDArray[np.bool_]) -> Iterator[Figure]:
    """Among those of the window: where one arm is sure of the actual token, where two swap."""
    likeliest = np.maximum(*(rows.column(arm, "realized_p", _WINDOW) for arm in _PAIR))
    swapped = rows.column(_PAIR, "top1_top2_swap", _WINDOW) == 1
    kinds: list[tuple[str, npt.NDArray[np.bool_], dict[str, Any]]] = [
        ("swaps", swapped, {"column": "top1_top2_swap", "equals": 1})
    ]
    for least in (0.5, 0.9):
        sure = {"column": "realized_p", "arms": list(_PAIR), "pair": "maximum", "above": least}
        kinds.append((f"one-above-{least:g}", likeliest > least, sure))
    for label, held, condition in kinds:
        if not held.any():
            continue
        where = {"rows": {"where": [condition]}}
        name = f"{_NAME}/{_WINDOW}/moved-rows/{label}"
        yield number(name, int((own & held).sum()), "count", **where, **_COUNTED)
