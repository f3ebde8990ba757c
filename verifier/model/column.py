"""A column: what a measure speaks of, and how it is derived from stored arrays."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from verifier.model.measure import Options

Arrays = Mapping[str, NDArray[Any]]

DIGEST_BYTES = 32
"""Bytes of one entry of ``row_sha256``."""
LogitSide = Literal["teacher", "student"]

WINDOW_COLUMNS = ("predicted_rows", "scored_rows", "raw_bytes")
"""Columns that are one recorded number of each window: its rows, and the size of its raw file."""


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
        logits: for a column that needs them, blocks of the window's raw logits from its first row
            on, one array (block rows, vocabulary) of a floating type for each needed side; raises
            ValueError where a file cannot be read to its end.
    """

    arrays: tuple[Arrays, ...]
    rows: int
    window: int
    tokens: NDArray[np.int64] | None
    options: Options
    logits: Iterator[tuple[NDArray[Any], ...]] | None = None


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
        needs_logits: whose raw logits it needs, in the order in which blocks hold them.
        takes: names of the options that it heeds; any other that is set is refused.
    """

    name: str
    needs: tuple[str, ...]
    unit: str
    definition: str
    source: str
    derive: Callable[[RowInput], NDArray[np.float64]]
    arms: int = 1
    needs_tokens: bool = False
    needs_logits: tuple[LogitSide, ...] = ()
    takes: tuple[str, ...] = ()
