"""One value per window: what ``within`` makes of its rows, or what the arm recorded of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.columns.registry import ROW_COLUMNS
from verifier.measures.arguments import arguments, known_statistic
from verifier.measures.kept import Kept
from verifier.measures.lacking import LackingError, lacking
from verifier.measures.masks import Selector
from verifier.measures.operands import Operands, Run
from verifier.measures.vectors import Source, Vectors, known_column, level_of
from verifier.model.basis import Level
from verifier.model.column import WINDOW_COLUMNS
from verifier.model.measure import Measure, Options, RowSelection
from verifier.model.plugin import FloatArray, Statistic
from verifier.numerics.vector import fsum_mean

WindowValues = tuple[Mapping[str, float], Level]

_KEPT_VALUES = 2**19


class Reducer:
    """Reduces the rows of windows; the values of the last selections are kept."""

    def __init__(
        self,
        operands: Operands,
        vectors: Vectors,
        selector: Selector,
        statistics: Mapping[str, Statistic],
    ) -> None:
        self._operands = operands
        self._vectors = vectors
        self._selector = selector
        self._statistics = statistics
        self._kept: Kept[float] = Kept(_KEPT_VALUES)
        self._held: dict[tuple[str, str], bool] = {}

    def values(self, measure: Measure, source: Source, windows: Sequence[str]) -> WindowValues:
        """The value of each window, and the evidence it came from.

        Raises:
            LackingError: a value cannot be had.
        """
        if source.column in WINDOW_COLUMNS:
            return self._geometry(measure, source, windows)
        if measure.rows == RowSelection() and measure.within == "mean" and source.pair is None:
            return self._means(source, windows)
        return self._from_rows(measure, source, windows)

    def counts(self, measure: Measure, source: Source, windows: Sequence[str]) -> FloatArray:
        """Rows behind each window's value (n,).

        Raises:
            LackingError: the arm does not say, or the rows cannot be selected.
        """
        if measure.rows == RowSelection():
            run, *_ = self._operands.runs(source.operands[0])
            recorded = _recorded_numbers(run, "scored_rows", windows)
            return np.array([recorded[window] for window in windows], dtype=np.float64)
        mask_of = self._selector.masks(measure, windows)
        return np.array([np.count_nonzero(mask_of(window)) for window in windows], dtype=np.float64)

    def row_means(self, arm: str, column: str, windows: Sequence[str]) -> Mapping[str, float]:
        """Mean of a column over the scored rows of each window, from the row arrays alone.

        Raises:
            LackingError: a row array is not there or not usable.
        """
        source = Source(column=column, operands=(arm,), pair=None, options=Options())
        return self._from_rows(_plain_mean(source), source, windows)[0]

    def _geometry(self, measure: Measure, source: Source, windows: Sequence[str]) -> WindowValues:
        runs = [run for operand in source.operands for run in self._operands.runs(operand)]
        if measure.rows != RowSelection() or measure.within != "mean" or len(runs) > 1:
            message = (
                f"{source.column!r} is one recorded number of each window of an arm, so nothing "
                "can be selected, reduced or averaged; the column 'one' counts rows"
            )
            raise lacking(message)
        return _recorded_numbers(runs[0], source.column, windows), Level.WINDOW_SCORES

    def _means(self, source: Source, windows: Sequence[str]) -> WindowValues:
        """Plain means over the scored rows: of the rows where they are kept, else as recorded."""
        if len(source.operands) > 1:
            return self._from_rows(_plain_mean(source), source, windows)
        runs = self._operands.runs(source.operands[0])
        parts = [self._run_means(run, source, windows) for run in runs]
        if len(parts) == 1:
            return parts[0]
        values = {window: fsum_mean([means[window] for means, _ in parts]) for window in windows}
        return values, min(level for _, level in parts)

    def _run_means(self, run: Run, source: Source, windows: Sequence[str]) -> WindowValues:
        recorded = _recorded(run, source, windows)
        single = replace(source, operands=(run.key,))
        derivable = source.column in ROW_COLUMNS and ROW_COLUMNS[source.column].arms == 1
        if derivable and not ROW_COLUMNS[source.column].needs:
            if ROW_COLUMNS[source.column].needs_logits:
                return self._from_rows(_plain_mean(single), single, windows)
            recorded = lacking(
                f"column {source.column!r} is never recorded, and arm {run.key} retains no rows"
            )
        if not derivable or run.arm.level < Level.ROW_SCORES:
            if isinstance(recorded, LackingError):
                raise recorded
            return recorded
        try:
            return self._from_rows(_plain_mean(single), single, windows)
        except LackingError:
            # Rows that never held the column leave the window scores as the deepest evidence.
            if isinstance(recorded, LackingError) or self._holds(run, source.column):
                raise
            return recorded

    def _holds(self, run: Run, column: str) -> bool:
        """Whether any score file of the arm holds what the column is derived from."""
        if (run.key, column) not in self._held:
            needs = ROW_COLUMNS[column].needs
            paths = (window.rows_path for window in run.arm.windows)
            self._held[run.key, column] = any(
                run.side.rows.load(path, needs) for path in paths if path is not None
            )
        return self._held[run.key, column]

    def _from_rows(self, measure: Measure, source: Source, windows: Sequence[str]) -> WindowValues:
        reducer = self._reducer(measure)
        level = level_of(known_column(source.column))
        pooled = measure.rows.trim is not None or measure.rows.ranked is not None
        # Which rows are left in a window may depend on the other windows.
        selection = (measure.windows, measure.column, measure.options) if pooled else None
        within = (measure.within, measure.within_parameters)
        number = self._kept.number((source, measure.rows, measure.arms, within, selection))
        mask_of = self._selector.masks(measure, windows)
        values: dict[str, float] = {}
        for window in windows:
            value = self._kept.get((number, window))
            if value is None:
                rows = self._vectors.selected(source, window, mask_of(window))
                value = _reduced(reducer, rows, source, window)
                self._kept.put((number, window), value)
            values[window] = value
        return values, level

    def _reducer(self, measure: Measure) -> Callable[[FloatArray], float]:
        statistic = known_statistic(self._statistics, measure.within)
        if statistic.arms > 1:
            message = f"{measure.within!r} does not make one value of the rows of a window"
            raise lacking(message)
        given = arguments(statistic, measure.within_parameters)
        return partial(statistic.estimate, **given)


def _reduced(
    reducer: Callable[[FloatArray], float], rows: FloatArray, source: Source, window: str
) -> float:
    if rows.size == 0:
        message = f"no row of window {window} is selected"
        raise lacking(message)
    try:
        return reducer(rows)
    except ValueError as error:
        message = f"window {window}: {source.label}: {error}"
        raise lacking(message) from error


def _plain_mean(source: Source) -> Measure:
    """The measure whose row masks are the plain ones of these operands."""
    return Measure(statistic="mean", arms=source.operands)


def _recorded_numbers(run: Run, column: str, windows: Sequence[str]) -> Mapping[str, float]:
    numbers: dict[str, float] = {}
    for name in windows:
        window = run.windows[name]
        known = {
            "predicted_rows": window.predicted_rows,
            "scored_rows": window.scored_rows,
            "raw_bytes": window.raw_bytes,
        }
        number = known[column]
        if number is None:
            message = f"{window.location} does not say its {column}"
            raise lacking(message)
        numbers[name] = float(number)
    return numbers


def _unrecorded(arm: str, source: Source) -> str:
    """Why no window score stands in for the rows."""
    plain = source.options == Options()
    if source.column in ROW_COLUMNS:
        if plain:
            return f"arm {arm} retains neither rows nor a window score {source.column!r}"
        return f"arm {arm} retains no rows to derive {source.column!r} from with these options"
    if not plain:
        return (
            f"this version derives no column {source.column!r} from rows, and a window score "
            "takes no options"
        )
    return (
        f"this version derives no column {source.column!r} from rows, and arm {arm} records no "
        "window score of that name (`verifier measures` lists the columns of rows)"
    )


def _recorded(run: Run, source: Source, windows: Sequence[str]) -> WindowValues | LackingError:
    values: dict[str, float] = {}
    for name in windows:
        window = run.windows[name]
        if source.column not in window.values or source.options != Options():
            return lacking(_unrecorded(run.key, source))
        values[name] = window.values[source.column]
    return values, Level.WINDOW_SCORES
