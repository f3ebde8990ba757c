"""A column: what a measure speaks of, and how it is derived from stored arrays."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.model.measure import Options

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowInput:
    """What a derivation may look at: one window of one arm, or of two arms.

    Attributes:
        arrays: the needed stored arrays by name, one mapping per arm; each array holds one entry
            per predicted row (rows,) or (rows, k), in native byte order, of a numeric type; a
            digest array (``row_sha256``) is (rows,) of 32 bytes or (rows, 32) of uint8.
        rows: number of predicted rows.
        window: position of the window in the arm, from 0.
        tokens: the window's token stream (tokens,), int64, for a column that needs it.
        options: choices of the measure.
    """

    arrays: tuple[Arrays, ...]
    rows: int
    window: int
    tokens: NDArray[np.int64] | None
    options: Options


@dataclass(frozen=True, slots=True, kw_only=True)
class RowColumn:
    """One column of rows.

    Attributes:
        name: what measures call it, lower case with underscores.
        needs: stored arrays that it is computed from.
        unit: unit of its values, such as ``nats`` or ``0 or 1``.
        definition: one or two sentences with the formula, and what ties, missing tokens and
            infinities do.
        source: where the definition comes from.
        derive: one window to FP64 values (rows,); raises ValueError, saying what is wrong, when
            the arrays cannot give the column. Rows that have no value are NaN, never dropped.
        arms: 2 for a column that compares two arms row by row.
        needs_tokens: whether it needs the token stream.
    """

    name: str
    needs: tuple[str, ...]
    unit: str
    definition: str
    source: str
    derive: Callable[[RowInput], NDArray[np.float64]]
    arms: int = 1
    needs_tokens: bool = False
