"""The retained row arrays are what the format says: plain little-endian numbers, one per row.

Compared, for each score file: that it is there and can be read without unpickling anything; that it
holds ``kld`` and each array that the record says it holds; the stored type of each known array
(FP64 ``<f8`` for quantities, ``<i4`` or ``<i8`` for token ids and counts); its shape (one value per
predicted row; rows x k for top-k arrays); and its values on the scored rows: none may be infinite
or NaN, save that a log probability is -inf for a token that is ruled out; probabilities lie in
0..1, log probabilities are not above 0, divergences and entropies not
below 0 (within 1e-9 for divergences and entropies, 1e-12 for the others, because FP64 sums round).
``row_sha256`` is one 32-byte digest per row, as ``|S32`` or ``|V32`` (rows,) or ``|u1`` (rows, 32);
``|V32`` is the better choice, because ``|S32`` loses trailing zero bytes when read. An array with
another name gives the gap "unknown-field": nothing verified it.

Basis: SPEC for files, types and shapes; RECOMPUTED for counts of bad values.

Why it matters: everything recomputed from rows rests on these arrays. A pickle runs code when it is
loaded, single precision cannot hold what was published, and one NaN makes a mean meaningless.

A mismatch names the file, the array and the first rows with a bad value. Write the array again from
the scorer with the type that is expected; a missing row is a row that was dropped.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.checks._row_counts import RowCount, no_rows
from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis, Level
from verifier.model.bundle import Arm, WindowScore
from verifier.model.column import DIGEST_BYTES
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check, Column

_FLOAT = ("<f8",)
_ID = ("<i4", "<i8")
_DIGEST = ("|S32", "|V32", "|u1")
_REQUIRED = ("kld",)
_REQUIRED_DISTRIBUTIONS = (
    "teacher_topk_ids",
    "teacher_topk_logp",
    "student_topk_ids",
    "student_topk_logp",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How an array is stored; ``low`` and ``high`` bound the values of a floating one.

    ``ruled_out`` permits -inf: the log probability of a token that cannot come.
    """

    dtypes: tuple[str, ...]
    top_k: bool = False
    low: float = -np.inf
    high: float = np.inf
    ruled_out: bool = False


_INFINITE = "values on scored rows that are infinite or not a number"
_OUTSIDE = "values on scored rows that no such quantity can have"
_ODD = "values that are not finite or that no such quantity can have"

_QUANTITY = _Layout(dtypes=_FLOAT, low=-1e-9)
_PROBABILITY = _Layout(dtypes=_FLOAT, low=-1e-12, high=1.0 + 1e-12)
_LOG_PROBABILITY = _Layout(dtypes=_FLOAT, high=1e-12, ruled_out=True)
_TOKEN = _Layout(dtypes=_ID)
_TOP_TOKENS = _Layout(dtypes=_ID, top_k=True)
_TOP_LOG_PROBABILITIES = _Layout(dtypes=_FLOAT, top_k=True, high=1e-12, ruled_out=True)

_LAYOUTS: Mapping[str, _Layout] = {
    "kld": _QUANTITY,
    "teacher_entropy": _QUANTITY,
    "student_entropy": _QUANTITY,
    "teacher_top1": _TOKEN,
    "student_top1": _TOKEN,
    "teacher_top1_p": _PROBABILITY,
    "student_top1_p": _PROBABILITY,
    "teacher_logp_realized": _LOG_PROBABILITY,
    "student_logp_realized": _LOG_PROBABILITY,
    "realized_token": _TOKEN,
    "teacher_topk_ids": _TOP_TOKENS,
    "teacher_topk_logp": _TOP_LOG_PROBABILITIES,
    "student_topk_ids": _TOP_TOKENS,
    "student_topk_logp": _TOP_LOG_PROBABILITIES,
    "history": _TOKEN,
    "row_sha256": _Layout(dtypes=_DIGEST),
}


def _applies(case: Case) -> str:
    if any(window.rows_path for arm in case.bundle.arms for window in arm.windows):
        return ""
    return "no row arrays are retained"


def _run(case: Case) -> Iterable[Fact]:
    for arm in case.bundle.arms:
        for window in arm.windows:
            if window.rows_path is not None:
                yield from _file(case, arm, window, window.rows_path)


def _file(case: Case, arm: Arm, window: WindowScore, path: str) -> Iterator[Fact]:
    if path not in case.bundle.members:
        yield Comparison(
            location=path,
            expected="present",
            actual=None,
            basis=Basis.SPEC,
            message=f"{window.location} keeps its row arrays here, and the file is not there.",
            concern="missing-member",
            subject=path,
        )
        return
    columns = case.rows.columns(path)
    if any(not column.name for column in columns):
        yield from (_usable(path, column) for column in columns)
        return
    names = {column.name for column in columns}
    for name in _required(arm):
        if name not in names:
            yield Comparison(
                location=f"{path}#/{name}",
                expected="present",
                actual=None,
                basis=Basis.SPEC,
                message=f"The record claims this array, or {arm.level.label}, for every window.",
            )
    for column in columns:
        yield from _column(path, column, window.predicted_rows)
    sound = [column.name for column in columns if _is_sound_float(column, window.predicted_rows)]
    yield from _values(case, window, path, sound)


def _required(arm: Arm) -> tuple[str, ...]:
    """Level and columns are claims about every score file of the arm: each has to bear them out."""
    distributions = _REQUIRED_DISTRIBUTIONS if arm.level >= Level.ROW_DISTRIBUTIONS else ()
    return tuple(dict.fromkeys((*_REQUIRED, *distributions, *arm.row_columns)))


def _column(path: str, column: Column, rows: int) -> Iterator[Fact]:
    location = f"{path}#/{column.name}"
    layout = _LAYOUTS.get(column.name)
    if _is_sound(column, layout, rows):
        stored = f"{column.dtype}, {_shape_text(column.shape)}"
        yield Comparison(location=location, expected=stored, actual=stored, basis=Basis.SPEC)
        return
    # What is not as it should be is taken apart, so that each finding says one thing.
    yield _usable(path, column)
    if column.problem:
        return
    if layout is None:
        yield Gap(
            location=location,
            reason="no array of this name is known, so nothing verified it",
            concern="unknown-field",
        )
        return
    yield rule(
        location=location,
        holds=column.dtype in layout.dtypes,
        demand=" or ".join(layout.dtypes),
        actual=column.dtype,
        message="The array is stored as another type; write it again from the scorer.",
    )
    yield rule(
        location=location,
        holds=_fits(column, layout, rows),
        demand=_shape_demand(column, layout, rows),
        actual=_shape_text(column.shape),
        message="The array does not hold one entry per predicted row.",
    )


def _usable(path: str, column: Column) -> Comparison:
    return rule(
        location=f"{path}#/{column.name}" if column.name else path,
        holds=not column.problem,
        demand="a readable array",
        actual=column.problem or "readable",
        message="The array cannot be used; write the file again from the scorer.",
    )


def _is_sound_float(column: Column, rows: int) -> bool:
    """Whether the values can be looked at; whatever is wrong otherwise was compared already."""
    layout = _LAYOUTS.get(column.name)
    return layout is not None and layout.dtypes == _FLOAT and _is_sound(column, layout, rows)


def _is_sound(column: Column, layout: _Layout | None, rows: int) -> bool:
    """Whether an array of a known name is stored as the format says."""
    if layout is None or column.problem:
        return False
    return column.dtype in layout.dtypes and _fits(column, layout, rows)


def _fits(column: Column, layout: _Layout, rows: int) -> bool:
    if layout.top_k:
        return (
            len(column.shape) == len(("rows", "k"))
            and column.shape[0] == rows
            and all(column.shape)
        )
    if layout.dtypes == _DIGEST and column.dtype == "|u1":
        return column.shape == (rows, DIGEST_BYTES)
    return column.shape == (rows,)


def _shape_demand(column: Column, layout: _Layout, rows: int) -> str:
    if layout.top_k:
        return f"{rows} x k"
    if layout.dtypes == _DIGEST and column.dtype == "|u1":
        return _shape_text((rows, DIGEST_BYTES))
    return _shape_text((rows,))


@lru_cache(maxsize=1024)
def _shape_text(shape: tuple[int, ...]) -> str:
    return " x ".join(str(size) for size in shape) or "a single value"


def _values(case: Case, window: WindowScore, path: str, names: list[str]) -> Iterator[Fact]:
    if not names:
        return
    arrays = case.rows.load(path, names)
    mask = case.bundle.protocol.excluded_in(window)
    scored = np.ones(window.predicted_rows, dtype=np.bool_)
    scored[[row for row in mask or () if 0 <= row < window.predicted_rows]] = False
    for name in names:
        location = f"{path}#/{name}"
        array = arrays.get(name)
        if array is None:
            yield rule(
                location=location,
                holds=False,
                demand="a readable array",
                actual="unreadable",
                message="The array could be described but not loaded; is the file being changed?",
            )
            continue
        yield from _numbers(location, array, scored, _LAYOUTS[name])


def _numbers(
    location: str, array: NDArray[Any], scored: NDArray[np.bool_], layout: _Layout
) -> Iterator[Fact]:
    if _flawless(array, layout):
        yield no_rows(RowCount(), location=location, what=_ODD, message=f"The array holds {_ODD}.")
        return
    infinite, outside = RowCount(), RowCount()
    finite = np.isfinite(array)
    if layout.ruled_out:
        finite |= np.isneginf(array)
    infinite.add(_on(scored, ~finite))
    outside.add(_on(scored, finite & ((array < layout.low) | (array > layout.high))))
    for count, what in ((infinite, _INFINITE), (outside, _OUTSIDE)):
        yield no_rows(count, location=location, what=what, message=f"The array holds {what}.")


def _flawless(array: NDArray[Any], layout: _Layout) -> bool:
    """Whether every value is fine, excluded rows too: two reductions settle nearly every array."""
    if not array.size:
        return True
    low, high = float(array.min()), float(array.max())
    return layout.low <= low <= high <= layout.high and math.isfinite(high - low)


def _on(scored: NDArray[np.bool_], bad: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The marks on scored rows, whatever the number of columns."""
    marks: NDArray[np.bool_] = bad & scored.reshape(-1, *(1,) * (bad.ndim - 1))
    return marks


CHECK = Check(
    id="score-arrays",
    title="Retained row arrays have the expected types, shapes and finite values",
    applies=_applies,
    run=_run,
)
