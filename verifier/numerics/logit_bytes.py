"""Raw logits as bytes: a file without a header, row by row, little-endian."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

_STORED: Mapping[str, np.dtype[Any]] = MappingProxyType(
    {
        "float64": np.dtype("<f8"),
        "float32": np.dtype("<f4"),
        "float16": np.dtype("<f2"),
        # The upper half of an FP32 number.
        "bfloat16": np.dtype("<u2"),
    }
)
_DROPPED_BITS = 16
_MAX_VOCABULARY = 2**22

LOGIT_TYPES: tuple[str, ...] = tuple(_STORED)
"""Names of the types that raw logits may have."""


def row_bytes(vocabulary: int, dtype: str) -> int:
    """Bytes of one row.

    Raises:
        ValueError: no such type, no logit in a row, or more than a row that is held may have.
    """
    if dtype not in _STORED:
        message = f"logits of type {dtype!r}; expected {', '.join(LOGIT_TYPES)}"
        raise ValueError(message)
    if not 1 <= vocabulary <= _MAX_VOCABULARY:
        message = f"a vocabulary of {vocabulary}; expected 1 to {_MAX_VOCABULARY}"
        raise ValueError(message)
    return vocabulary * _STORED[dtype].itemsize


def decoded(data: bytes, vocabulary: int, dtype: str) -> NDArray[Any]:
    """Whole rows as an array (rows, vocabulary) in native byte order; bfloat16 as float32.

    Args:
        data: whole rows.
        vocabulary: logits in a row.
        dtype: one of ``LOGIT_TYPES``.
    """
    stored = np.frombuffer(data, dtype=_STORED[dtype]).reshape(-1, vocabulary)
    if dtype == "bfloat16":
        wide = stored.astype(np.uint32)
        wide <<= _DROPPED_BITS
        return wide.view(np.float32)
    return stored.astype(stored.dtype.newbyteorder("="), copy=False)


def encoded(row: NDArray[Any], dtype: str) -> bytes:
    """The bytes that one row of ``decoded`` was read from, bit for bit."""
    if dtype == "bfloat16":
        wide = np.ascontiguousarray(row).view(np.uint32)
        return (wide >> _DROPPED_BITS).astype(_STORED[dtype]).tobytes()
    return row.astype(_STORED[dtype], copy=False).tobytes()
