"""Where a row stands; nothing stored is needed."""

import numpy as np

from verifier.model.column import RowColumn, RowInput
from verifier.model.plugin import FloatArray

_SOURCE = "order of the rows and windows in the measurement-bundle/1 format"


def _row(given: RowInput) -> FloatArray:
    return np.arange(given.rows, dtype=np.float64)


def _window(given: RowInput) -> FloatArray:
    return np.full(given.rows, given.window, dtype=np.float64)


def _one(given: RowInput) -> FloatArray:
    return np.ones(given.rows, dtype=np.float64)


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="row",
        needs=(),
        unit="row number",
        definition="Number of the row in its window, counted from 0 as in the row mask.",
        source=_SOURCE,
        derive=_row,
    ),
    RowColumn(
        name="window",
        needs=(),
        unit="window number",
        definition="Position of the row's window in the arm, counted from 0.",
        source=_SOURCE,
        derive=_window,
    ),
    RowColumn(
        name="one",
        needs=(),
        unit="rows",
        definition="Always 1: its sum counts the selected rows.",
        source=_SOURCE,
        derive=_one,
    ),
)
