"""One window of arrays in memory, as a derived column is given it; pure, without the evaluator."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.columns.registry import ROW_COLUMNS
from verifier.model.column import RowInput
from verifier.model.measure import Options
from verifier.model.plugin import FloatArray

PLAIN = Options()


def derived(  # noqa: PLR0913 - one parameter per field of what a derivation is given
    column: str,
    *arms: Mapping[str, NDArray[Any]],
    rows: int | None = None,
    window: int = 0,
    tokens: NDArray[np.int64] | None = None,
    options: Options = PLAIN,
    logits: Iterable[tuple[NDArray[Any], ...]] | None = None,
) -> FloatArray:
    """Values of a column of one window, after a look at what every derivation promises."""
    count = len(next(iter(arms[0].values()))) if rows is None else rows
    for arrays in arms:
        for array in arrays.values():
            array.flags.writeable = False
    found = ROW_COLUMNS[column].derive(
        RowInput(
            arrays=arms,
            rows=count,
            window=window,
            tokens=tokens,
            options=options,
            logits=None if logits is None else iter(logits),
        )
    )
    assert found.dtype == np.float64
    assert found.shape == (count,)
    return found


def array(*numbers: float) -> FloatArray:
    """An FP64 vector."""
    return np.array(numbers, dtype=np.float64)


def whole(*numbers: int) -> NDArray[np.int64]:
    """A vector of whole numbers."""
    return np.array(numbers, dtype=np.int64)
