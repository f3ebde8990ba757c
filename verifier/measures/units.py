"""The units of a measure: what its statistic reduces (select, within, pair)."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from verifier.columns.registry import ROW_COLUMNS
from verifier.measures.lacking import lacking
from verifier.measures.masks import Selector
from verifier.measures.operands import Operands
from verifier.measures.pairing import SUBTRACTING, paired
from verifier.measures.reduced import Reducer
from verifier.measures.vectors import Source, Vectors, known_column, level_of
from verifier.measures.work import Work, require_holdable
from verifier.model.basis import Level
from verifier.model.measure import Measure, Operand, Pair
from verifier.model.plugin import FloatArray, Statistic, Units

_TWO = 2
_ORDERING = frozenset({"lower", "equal", "higher"})
_LAST_PLACES = 4
_KEPT_MEASURES = 8
_KEPT_UNITS = 2**21


class UnitBuilder:
    """Builds the units of measures over one bundle and its reference; the last are kept."""

    def __init__(self, operands: Operands, statistics: Mapping[str, Statistic], work: Work) -> None:
        self._operands = operands
        self._vectors = Vectors(operands, work)
        self._selector = Selector(operands, self._vectors, work)
        self._reducer = Reducer(operands, self._vectors, self._selector, statistics)
        self._kept: OrderedDict[object, Units] = OrderedDict()

    def units(self, measure: Measure, statistic: Statistic) -> Units:
        """The units of a measure that names at least one arm.

        Raises:
            LackingError: something that the measure needs is not there, or it makes no sense.
        """
        if measure.by == "window" and measure.within == "none" and measure.pair is not None:
            measure = replace(measure, by="row")
        # Value, interval and other statistics of the same units follow one another.
        key = (statistic.arms, _selecting(measure))
        units = self._kept.pop(key, None) or self._built(measure, statistic)
        self._kept[key] = units
        while (
            len(self._kept) > _KEPT_MEASURES
            or sum(kept.windows.size for kept in self._kept.values()) > _KEPT_UNITS
        ):
            self._kept.popitem(last=False)
        return units

    def row_means(self, arm: str, column: str, windows: Sequence[str]) -> Mapping[str, float]:
        """Mean of a column over the scored rows of each window, from the row arrays alone.

        Raises:
            LackingError: a row array is not there or not usable.
        """
        return self._reducer.row_means(arm, column, windows)

    def _built(self, measure: Measure, statistic: Statistic) -> Units:
        sources = _sources(measure, statistic)
        if sources is None:
            return self._joined(measure, statistic)
        windows = self._operands.selected(measure.arms, measure.windows)
        if not windows:
            message = "the measure selects no window"
            raise lacking(message)
        if measure.within == "none":
            return self._pooled(measure, sources, windows)
        return self._per_window(measure, sources, windows)

    def _joined(self, measure: Measure, statistic: Statistic) -> Units:
        """Several arms without a pair are taken one after the other."""
        if measure.rows.trim is not None or measure.rows.ranked is not None:
            message = "rows of several arms are trimmed or ranked together only under a pair"
            raise lacking(message)
        if len(set(measure.arms)) < len(measure.arms):
            message = "an arm that is named twice would count twice"
            raise lacking(message)
        parts: list[Units] = []
        for operand in measure.arms:
            parts.append(self._built(replace(measure, arms=(operand,)), statistic))
            require_holdable(sum(part.values.size for part in parts))
        offsets = np.cumsum([0, *(len(part.window_ids) for part in parts)])
        return Units(
            vectors=(np.concatenate([part.values for part in parts]),),
            counts=_concatenated([part.counts for part in parts]),
            windows=np.concatenate(
                [part.windows + offset for part, offset in zip(parts, offsets, strict=False)]
            ),
            window_ids=tuple(window for part in parts for window in part.window_ids),
            strata=tuple(stratum for part in parts for stratum in part.strata),
            level=min(part.level for part in parts),
            from_rows=parts[0].from_rows,
        )

    def _pooled(self, measure: Measure, sources: Sequence[Source], windows: Sequence[str]) -> Units:
        strata = self._strata(measure, windows)
        (run, *_) = self._operands.runs(measure.arms[0])
        level = min(level_of(known_column(source.column)) for source in sources)
        require_holdable(sum(run.rows_in(window).predicted_rows for window in windows))
        mask_of = self._selector.masks(measure, windows)
        masks = [mask_of(window) for window in windows]
        vectors = tuple(
            np.concatenate(
                [
                    self._vectors.selected(source, window, mask)
                    for window, mask in zip(windows, masks, strict=True)
                ]
            )
            for source in sources
        )
        if vectors[0].size == 0:
            message = "the measure selects no row"
            raise lacking(message)
        counts = [np.count_nonzero(mask) for mask in masks]
        held = {stratum for stratum, count in zip(strata, counts, strict=False) if count}
        for stratum in sorted(set(strata) - held):
            message = f"no row of {measure.stratum} {stratum!r} is selected"
            raise lacking(message)
        return Units(
            vectors=vectors,
            windows=np.repeat(np.arange(len(windows)), counts),
            window_ids=tuple(windows),
            strata=strata,
            level=level,
            from_rows=True,
            scale=self._subtracted(measure, windows),
        )

    def _per_window(
        self, measure: Measure, sources: Sequence[Source], windows: Sequence[str]
    ) -> Units:
        strata = self._strata(measure, windows)
        reduced = [self._reducer.values(measure, source, windows) for source in sources]
        vectors = [
            np.array([values[window] for window in windows], dtype=np.float64)
            for values, _ in reduced
        ]
        scale = self._subtracted(measure, windows)
        counts: list[FloatArray] = []
        if measure.weights == "pooled-rows":
            counts = [self._reducer.counts(measure, source, windows) for source in sources]
        if measure.pair is not None and measure.by == "window":
            scale = _magnitude(measure.pair, vectors)
            if measure.pair in _ORDERING and all(
                level > Level.WINDOW_SCORES for _, level in reduced
            ):
                _require_order(vectors[0], vectors[1], windows)
            vectors = [paired(vectors[0], vectors[1], measure.pair)]
            _require_finite(vectors[0], measure, windows)
            if counts and not np.array_equal(counts[0], counts[1]):
                message = "pooled windows of a pair need the same number of rows in both arms"
                raise lacking(message)
        if counts:
            vectors = _sums(vectors, counts[: len(vectors)], windows)
        return Units(
            vectors=tuple(vectors),
            counts=tuple(counts[: len(vectors)]),
            windows=np.arange(len(windows)),
            window_ids=tuple(windows),
            strata=strata,
            level=min(level for _, level in reduced),
            scale=scale,
        )

    def _subtracted(self, measure: Measure, windows: Sequence[str]) -> float:
        """Magnitude of the rows that a pair by row subtracts, 0 for any other measure."""
        if measure.pair is None or measure.pair not in SUBTRACTING or measure.by != "row":
            return 0.0
        pair = measure.pair
        mask_of = self._selector.masks(measure, windows)
        sources = [
            Source(column=measure.column, operands=(operand,), pair=None, options=measure.options)
            for operand in measure.arms
        ]
        return max(
            _magnitude(
                pair,
                [self._vectors.selected(source, window, mask_of(window)) for source in sources],
            )
            for window in windows
        )

    def _strata(self, measure: Measure, windows: Sequence[str]) -> tuple[str, ...]:
        if measure.stratum is None:
            return ()
        (run, *_) = self._operands.runs(measure.arms[0])
        for window in windows:
            if measure.stratum not in run.windows[window].groups:
                message = f"window {window} belongs to no {measure.stratum}"
                raise lacking(message)
        return tuple(run.windows[window].groups[measure.stratum] for window in windows)


def _require_order(first: FloatArray, second: FloatArray, windows: Sequence[str]) -> None:
    """Refuse to say which of two recomputed values is lower where their last digits decide."""
    apart = np.abs(first - second)
    near = (apart > 0) & (apart <= _LAST_PLACES * np.spacing(np.maximum(abs(first), abs(second))))
    if near.any():
        message = (
            f"whether the arms are equal in window {windows[int(np.argmax(near))]} depends on "
            "rounding"
        )
        raise lacking(message)


def _magnitude(pair: Pair, vectors: Sequence[FloatArray]) -> float:
    """How large the numbers are that a pair subtracts; logarithms of near ratios are near 0."""
    if pair == "log-ratio":
        return 1.0
    if pair not in SUBTRACTING:
        return 0.0
    return max((float(np.abs(vector).mean()) for vector in vectors if vector.size), default=0.0)


def _sources(measure: Measure, statistic: Statistic) -> list[Source] | None:
    """What each vector of the units is made of; None when arms are joined."""
    column = ROW_COLUMNS.get(measure.column)
    compares = column is not None and column.arms == _TWO
    if compares and measure.pair is not None:
        message = f"column {measure.column!r} compares two arms itself and takes no pair"
        raise lacking(message)
    if statistic.arms > 1:
        if measure.pair is not None or compares or len(measure.arms) != statistic.arms:
            message = (
                f"statistic {statistic.id} takes {statistic.arms} arms without a pair, found "
                f"{len(measure.arms)}"
            )
            raise lacking(message)
        return [_source(measure, operand) for operand in measure.arms]
    if compares:
        if len(measure.arms) != _TWO:
            message = f"{measure.column!r} compares two arms, not {len(measure.arms)}"
            raise lacking(message)
        return [_source(measure, *measure.arms)]
    if measure.pair is not None:
        return _paired_sources(measure, measure.pair)
    return [_source(measure, *measure.arms)] if len(measure.arms) == 1 else None


def _paired_sources(measure: Measure, pair: Pair) -> list[Source]:
    if len(measure.arms) != _TWO:
        message = f"a paired measure needs two arms, not {len(measure.arms)}"
        raise lacking(message)
    if measure.by == "row":
        return [_source(measure, *measure.arms, pair=pair)]
    return [_source(measure, operand) for operand in measure.arms]


def _source(measure: Measure, *operands: Operand, pair: Pair | None = None) -> Source:
    return Source(column=measure.column, operands=operands, pair=pair, options=measure.options)


def _selecting(measure: Measure) -> Measure:
    """The measure without what comes after its units."""
    return replace(measure, statistic="", parameters=(), over=None, relative_to=None, scale=None)


def _require_finite(values: FloatArray, measure: Measure, windows: Sequence[str]) -> None:
    odd = np.flatnonzero(~np.isfinite(values))
    if odd.size:
        message = (
            f"the {measure.pair} of {measure.column} has no finite value in {odd.size} of "
            f"{values.size} windows, the first is {windows[odd[0]]}"
        )
        raise lacking(message)


def _sums(
    means: Sequence[FloatArray], counts: Sequence[FloatArray], windows: Sequence[str]
) -> list[FloatArray]:
    """Sums over the rows of each window, from their means."""
    with np.errstate(over="ignore"):
        sums = [mean * count for mean, count in zip(means, counts, strict=True)]
    for vector in sums:
        if not np.isfinite(vector).all():
            place = int(np.argmin(np.isfinite(vector)))
            message = f"the sum over the rows of window {windows[place]} exceeds FP64"
            raise lacking(message)
    return sums


def _concatenated(parts: Sequence[tuple[FloatArray, ...]]) -> tuple[FloatArray, ...]:
    """One vector for each operand, of the parts one after the other."""
    return tuple(np.concatenate(vectors) for vectors in zip(*parts, strict=True))
