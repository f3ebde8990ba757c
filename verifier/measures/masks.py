"""Which rows of each window a measure keeps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from verifier.columns.registry import ROW_COLUMNS
from verifier.measures.kept import Kept
from verifier.measures.lacking import lacking
from verifier.measures.operands import Operands, Run
from verifier.measures.vectors import Source, Vectors
from verifier.measures.work import VECTOR_STEPS, Work, require_holdable
from verifier.model.measure import Condition, Measure, Operand, Ranked, RowSelection, Trim
from verifier.model.plugin import FloatArray
from verifier.numerics.quantile import quantiles

BoolArray = NDArray[np.bool_]
Masks = Mapping[str, BoolArray]
"""Mask (rows,) of each window, by its id."""
MaskOf = Callable[[str], BoolArray]
"""Mask (rows,) of a selected window."""

_KEPT_BYTES = 64 * 2**20
_ENTRY_BYTES = 256  # what a short mask takes beside its rows


class Selector:
    """Builds row masks; those of the last selections are kept."""

    def __init__(self, operands: Operands, vectors: Vectors, work: Work) -> None:
        self._operands = operands
        self._vectors = vectors
        self._work = work
        self._plain: Kept[BoolArray] = Kept(_KEPT_BYTES)
        self._whole: Kept[Masks] = Kept(_KEPT_BYTES)

    def masks(self, measure: Measure, windows: Sequence[str]) -> MaskOf:
        """The rows that count in each window: the same for all operands of the measure.

        Masks are built as they are asked for, unless the rows of all windows are compared.

        Raises:
            LackingError: also when a mask is asked for: the arms differ in rows or mask, or a
                condition cannot be evaluated.
        """
        rows = measure.rows
        runs = _runs(measure, self._operands)
        number = self._plain.number(_without_pooled(measure))

        def plain(window: str) -> BoolArray:
            return self._in_window(number, measure, runs, window)

        if rows.trim is None and rows.ranked is None:
            return plain
        whole = (self._whole.number(_selecting(measure)), "")
        masks = self._whole.get(whole)
        if masks is None:
            require_holdable(sum(runs[0].rows_in(window).predicted_rows for window in windows))
            masks = self._compared(measure, {window: plain(window) for window in windows})
            self._whole.put(whole, masks, sum(mask.nbytes for mask in masks.values()))
        return masks.__getitem__

    def _in_window(
        self, number: int, measure: Measure, runs: Sequence[Run], window: str
    ) -> BoolArray:
        kept = self._plain.get((number, window))
        if kept is not None:
            return kept
        mask = self._base(runs, window, measure.rows)
        for condition in measure.rows.where:
            source = _source(condition, measure)
            values = self._vectors.of(source, window)
            _require_comparable(values, mask, source, window)
            mask &= _holds(values, condition)
        mask.flags.writeable = False
        self._plain.put((number, window), mask, mask.nbytes + _ENTRY_BYTES)
        return mask

    def _base(self, runs: Sequence[Run], window: str, rows: RowSelection) -> BoolArray:
        for run in runs:
            score = run.rows_in(window)
            excluded = run.protocol.excluded_in(score) or ()
            self._work.spend(VECTOR_STEPS + score.predicted_rows + len(excluded))
        return _base(runs, window, rows)

    def _compared(self, measure: Measure, masks: Masks) -> Masks:
        if measure.rows.trim is not None:
            masks = self._trimmed(measure, masks, measure.rows.trim)
        if measure.rows.ranked is not None:
            source = _source(measure.rows.ranked, measure)
            masks = _only_rank(self._selected(source, masks), masks, measure.rows.ranked.rank)
        return masks

    def _trimmed(self, measure: Measure, masks: Masks, trim: Trim) -> Masks:
        sources = [
            Source(column=measure.column, operands=operands, pair=None, options=measure.options)
            for operands in _columns_of(measure)
        ]
        chosen = [self._selected(source, masks) for source in sources]
        pooled = np.concatenate([vector for part in chosen for vector in part.values()])
        if pooled.size == 0:
            message = "no row is left to trim"
            raise lacking(message)
        (limit,) = quantiles(pooled, (trim.probability,), trim.rule)
        trimmed: dict[str, BoolArray] = {}
        for window, mask in masks.items():
            kept = mask.copy()
            for part in chosen:
                kept[mask] &= part[window] <= limit
            trimmed[window] = kept
        return trimmed

    def _selected(self, source: Source, masks: Masks) -> dict[str, FloatArray]:
        """The masked values of a source, by window."""
        return {
            window: self._vectors.selected(source, window, mask) for window, mask in masks.items()
        }


def _runs(measure: Measure, operands: Operands) -> list[Run]:
    """Every arm whose rows the selection matches with each other."""
    rows = measure.rows
    named = [*measure.arms, *(operand for condition in rows.where for operand in condition.arms)]
    if rows.ranked is not None:
        named += rows.ranked.arms
    return [run for operand in dict.fromkeys(named) for run in operands.runs(operand)]


def _without_pooled(measure: Measure) -> object:
    """What the rows of one window depend on."""
    rows = measure.rows
    ranked = rows.ranked.arms if rows.ranked is not None else ()
    return replace(rows, trim=None, ranked=None), measure.arms, ranked


def _selecting(measure: Measure) -> object:
    """What the rows depend on where those of all windows are compared."""
    return measure.rows, measure.arms, measure.windows, measure.column, measure.options


def _source(chooser: Condition | Ranked, measure: Measure) -> Source:
    """The column of a condition or a rank; without arms, of the measure's first or first two."""
    known = ROW_COLUMNS.get(chooser.column)
    first = measure.arms[: known.arms if known is not None else 1]
    return Source(
        column=chooser.column,
        operands=chooser.arms or first,
        pair=chooser.pair,
        options=chooser.options,
    )


def _require_comparable(values: FloatArray, mask: BoolArray, source: Source, window: str) -> None:
    """Refuse to drop rows silently for which a condition has no answer."""
    unknown = np.isnan(values) & mask
    if unknown.any():
        message = (
            f"{np.count_nonzero(unknown)} of {np.count_nonzero(mask)} rows of {source.label} in "
            f"window {window} are no number, so no condition on them has an answer; the first is "
            f"row {int(np.argmax(unknown))}"
        )
        raise lacking(message)


def base_mask(run: Run, window: str, *, everything: bool) -> BoolArray:
    """The row mask (rows,) of one arm's window: all predicted rows without the excluded ones."""
    score = run.rows_in(window)
    mask = np.ones(score.predicted_rows, dtype=np.bool_)
    if not everything:
        excluded = run.protocol.excluded_in(score) or ()
        mask[[row for row in excluded if 0 <= row < score.predicted_rows]] = False
    return mask


def _base(runs: Sequence[Run], window: str, rows: RowSelection) -> BoolArray:
    first, *others = (base_mask(run, window, everything=rows.mask == "all") for run in runs)
    for other in others:
        if not np.array_equal(first, other):
            message = f"the arms count different rows of window {window}"
            raise lacking(message)
    if rows.part is not None:
        index, of = rows.part
        if index > of:
            message = f"part {index} of {of} does not exist"
            raise lacking(message)
        left = np.flatnonzero(first)
        part = np.arange(left.size) * of // max(left.size, 1)
        first[left[part != index - 1]] = False
    if rows.first is not None:
        first[: rows.first] = False
    if rows.last is not None:
        first[rows.last + 1 :] = False
    return first


def _holds(values: FloatArray, condition: Condition) -> BoolArray:
    """Rows within all bounds."""
    with np.errstate(invalid="ignore"):
        held = np.ones(values.size, dtype=np.bool_)
        if condition.above is not None:
            held &= values > condition.above
        if condition.at_least is not None:
            held &= values >= condition.at_least
        if condition.below is not None:
            held &= values < condition.below
        if condition.at_most is not None:
            held &= values <= condition.at_most
        if condition.equals is not None:
            held &= values == condition.equals
    return held


def _only_rank(values: Mapping[str, FloatArray], masks: Masks, rank: int) -> Masks:
    pooled = np.concatenate(list(values.values()))
    if pooled.size < rank:
        message = f"rank {rank} of {pooled.size} rows does not exist"
        raise lacking(message)
    # A stable sort keeps the first of equal values in front.
    chosen = int(np.argsort(-pooled, kind="stable")[rank - 1])
    ranked: dict[str, BoolArray] = {}
    for window, vector in values.items():
        mask = np.zeros_like(masks[window])
        if 0 <= chosen < vector.size:
            mask[np.flatnonzero(masks[window])[chosen]] = True
        chosen -= vector.size
        ranked[window] = mask
    return ranked


def _columns_of(measure: Measure) -> list[tuple[Operand, ...]]:
    """The measure's column in every operand, or of the two that the column itself compares."""
    known = ROW_COLUMNS.get(measure.column)
    if known is not None and known.arms > 1:
        return [measure.arms]
    return [(operand,) for operand in measure.arms]
