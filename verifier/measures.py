"""Evaluate a measure: select, within, pair, across, scale (docs/format.md, section measures).

Values come from the deepest evidence that every window of an arm retains: from the row arrays when
they are there, else from the per-window scores. Nothing here judges.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.arms import ArmIndex
from verifier.columns import ROW_COLUMNS
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Protocol, WindowScore
from verifier.model.figure import Measure
from verifier.model.plugin import FloatArray, Missing, Rows, Statistic, Units, Value
from verifier.numerics.vector import fsum_mean

_REFERENCE = "reference:"
_PAIRED = 2


class Evaluator:
    """Evaluates measures over one bundle and, when given, its reference.

    Window vectors are kept once computed, because many figures share one; row arrays never are.
    """

    def __init__(
        self,
        *,
        bundle: Bundle,
        rows: Rows,
        statistics: Mapping[str, Statistic],
        reference: Bundle | None = None,
        reference_rows: Rows | None = None,
    ) -> None:
        self._bundle = bundle
        self._arms = ArmIndex(bundle)
        self._reference = reference
        self._reference_arms = ArmIndex(reference) if reference is not None else None
        self._rows = rows
        self._reference_rows = reference_rows
        self._statistics = statistics
        self._window_values: dict[tuple[str, str], Mapping[str, float] | Missing] = {}

    def value(self, measure: Measure) -> Value | Missing:
        """The number a measure gives, or what is missing for it."""
        statistic = self._statistics.get(measure.statistic)
        if statistic is None:
            return Missing(reason=f"this version knows no statistic {measure.statistic!r}")
        units = self.units(measure)
        if isinstance(units, Missing):
            return units
        if units.values.size == 0:
            return Missing(reason="the measure selects no window")
        try:
            number = statistic.estimate(units.values)
        except ValueError as error:
            return Missing(reason=str(error))
        return Value(number=_exp(number) if measure.scale == "exp" else number, level=units.level)

    def units(self, measure: Measure) -> Units | Missing:
        """One value per window (n,), in the order of the (first) arm.

        A measure without arms speaks of the panel: its units are the panel's windows, each 1, and
        there is nothing but their number to ask for.
        """
        if not measure.arms:
            if measure.statistic != "size":
                return Missing(
                    reason=f"the measure names no arm to take the {measure.statistic} of"
                )
            size = self._arms.panel_size(measure.group)
            return Units(values=np.ones(size), level=Level.WINDOW_SCORES)
        vectors = []
        for arm_id in measure.arms:
            vector = self._vector(arm_id, measure)
            if isinstance(vector, Missing):
                return vector
            vectors.append(vector)
        level = min(level for _, level in vectors)
        if measure.pair is None:
            joined = [value for values, _ in vectors for value in values.values()]
            return Units(values=np.array(joined, dtype=np.float64), level=level)
        return _paired(measure, [values for values, _ in vectors], level)

    def window_values(self, arm: Arm, column: str) -> Mapping[str, float] | Missing:
        """Mean of a column over the scored rows, by window id, where row arrays are retained.

        One lost row file must not spare the other windows from being held against theirs.
        """
        kept = tuple(window for window in arm.windows if window.rows_path is not None)
        if len(kept) < len(arm.windows):
            return _row_means(replace(arm, windows=kept), column, self._rows, self._bundle.protocol)
        return self._from_rows(arm, column, self._rows, self._bundle, key=arm.id)

    def _vector(self, arm_id: str, measure: Measure) -> tuple[Mapping[str, float], Level] | Missing:
        bundle, rows, arms = self._bundle, self._rows, self._arms
        if arm_id.startswith(_REFERENCE):
            if not (self._reference and self._reference_rows and self._reference_arms):
                return Missing(reason=_needs_reference(self._bundle))
            bundle, rows, arms = self._reference, self._reference_rows, self._reference_arms
        arm = arms.usable(arm_id.removeprefix(_REFERENCE))
        if isinstance(arm, Missing):
            return arm
        selected = arms.windows(arm, measure.group)
        if measure.column in _GEOMETRY:
            return _geometry(selected, measure.column)
        if arm.level >= Level.ROW_SCORES and measure.column in ROW_COLUMNS:
            values = self._from_rows(arm, measure.column, rows, bundle, key=arm_id)
            if isinstance(values, Missing):
                return values
            # Deeper evidence may lie beside the rows; the number rests on nothing deeper than them.
            return {window.window: values[window.window] for window in selected}, Level.ROW_SCORES
        return _from_scores(selected, measure.column, arm_id)

    def _from_rows(
        self, arm: Arm, column: str, rows: Rows, bundle: Bundle, *, key: str
    ) -> Mapping[str, float] | Missing:
        if (key, column) not in self._window_values:
            self._window_values[key, column] = _row_means(arm, column, rows, bundle.protocol)
        return self._window_values[key, column]


_GEOMETRY = ("predicted_rows", "scored_rows")


def _needs_reference(bundle: Bundle) -> str:
    named = f" (the record names sha256 {bundle.reference.sha256})" if bundle.reference else ""
    return f"needs the reference bundle{named}; name it with --reference PATH"


def _geometry(
    windows: Iterable[WindowScore], column: str
) -> tuple[Mapping[str, float], Level] | Missing:
    counts: dict[str, float] = {}
    for window in windows:
        count = window.predicted_rows if column == "predicted_rows" else window.scored_rows
        if count is None:
            return Missing(reason=f"{window.location} does not say how many rows count")
        counts[window.window] = float(count)
    return counts, Level.WINDOW_SCORES


def _from_scores(
    windows: Iterable[WindowScore], column: str, arm_id: str
) -> tuple[Mapping[str, float], Level] | Missing:
    values: dict[str, float] = {}
    for window in windows:
        if column not in window.values:
            return Missing(
                reason=f"arm {arm_id} retains neither rows nor a window score {column!r}"
            )
        values[window.window] = window.values[column]
    return values, Level.WINDOW_SCORES


def _row_means(
    arm: Arm, column: str, rows: Rows, protocol: Protocol
) -> Mapping[str, float] | Missing:
    if column not in ROW_COLUMNS:
        return Missing(reason=f"this version derives no column {column!r} from rows")
    recipe = ROW_COLUMNS[column]
    means: dict[str, float] = {}
    for window in arm.windows:
        if window.rows_path is None:
            return Missing(reason=f"{window.location}: no row arrays are retained")
        arrays = rows.load(window.rows_path, recipe.needs)
        if any(not _numeric(arrays.get(name)) for name in recipe.needs):
            needed = " and ".join(recipe.needs)
            return Missing(reason=f"{window.rows_path} holds no usable {needed}")
        if any(arrays[name].shape != (window.predicted_rows,) for name in recipe.needs):
            return Missing(reason=f"{window.rows_path} does not hold one value per predicted row")
        scored = np.delete(recipe.derive(arrays), _excluded(window, protocol))
        try:
            means[window.window] = fsum_mean(scored)
        except ValueError as error:
            return Missing(reason=f"{window.rows_path}: {column} on the scored rows: {error}")
    return means


def _numeric(array: NDArray[Any] | None) -> bool:
    """Whether an array holds real numbers; a hostile file may hold texts or dates instead."""
    return array is not None and array.dtype.kind in "biuf"


def _exp(number: float) -> float:
    """Exponential of the number; infinite beyond FP64, where no published number can agree."""
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf


def _excluded(window: WindowScore, protocol: Protocol) -> list[int]:
    mask = protocol.excluded_in(window)
    return [row for row in mask or () if 0 <= row < window.predicted_rows]


def _paired(measure: Measure, vectors: list[Mapping[str, float]], level: Level) -> Units | Missing:
    if len(vectors) != _PAIRED:
        return Missing(reason=f"a paired measure needs two arms, not {len(vectors)}")
    first, second = vectors
    if first.keys() != second.keys():
        return Missing(reason=f"arms {' and '.join(measure.arms)} hold different windows")
    left: FloatArray = np.array(list(first.values()), dtype=np.float64)
    right: FloatArray = np.array([second[window] for window in first], dtype=np.float64)
    if measure.pair == "lower":
        return Units(values=(left < right).astype(np.float64), level=level)
    return Units(values=left - right, level=level)
