"""Stored arrays as FP64 values."""

from typing import Final

import numpy as np

from verifier.model.column import Arrays
from verifier.model.plugin import FloatArray

_LARGEST: Final = 2**53


def fp64(arrays: Arrays, name: str) -> FloatArray:
    """One stored array (rows,) as FP64, without a copy where it is FP64 already.

    Raises:
        ValueError: a whole number is beyond 2**53, where FP64 cannot tell neighbours apart; the
            message names the first row.
    """
    stored = arrays[name]
    if stored.dtype.kind in "iu":
        # Not abs(): that of the smallest int64 is negative.
        beyond = (stored > _LARGEST) | (stored < -_LARGEST)
        if beyond.any():
            row = int(np.argmax(beyond))
            message = f"{name}, row {row}: expected a whole number up to 2**53, found {stored[row]}"
            raise ValueError(message)
    return stored.astype(np.float64, copy=False)
