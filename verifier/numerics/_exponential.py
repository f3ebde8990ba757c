"""Exponentials of many logits at once, accurate to 3e-14 relative.

NumPy's FP64 ``exp`` is vectorised with AVX-512 only; elsewhere it is one call of the C library for
each number, and nearly all the time of a divergence. For FP32 logits of moderate size there is a
shorter way (Tang 1989, "Table-driven implementation of the exponential function in IEEE
floating-point arithmetic"): with n the whole number nearest to 1024 x and r = x - n / 1024,

    exp(x) = exp(n / 1024) (1 + r + r^2 / 2 + r^3 / 6 + ...),  |r| <= 2^-11,

where n and r are exact in FP32, exp(n / 1024) comes from a table, and what is left out is below
r^4 / 24 < 3e-15 of the value. The terms from r^2 on may be rounded to FP32, because they are below
2e-7 of the value.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 1024
"""Entries of the table for each unit of the argument."""
LARGEST = 127.0
"""Largest magnitude of an argument that the table reaches."""

_ENTRIES = 2**18
# Adding it leaves the nearest whole number in the low bits of an FP32 number's significand.
_ROUNDER = np.float32(1.5 * 2**23)
_STEPS = np.float32(STEPS)
_QUADRATIC = np.float32(0.5 / STEPS)
_CUBIC = np.float32(1.0 / 6.0 / STEPS**2)
_VECTORISED = frozenset({"AVX512F", "AVX512_SKX", "X86_V4"})


@cache
def is_vectorised() -> bool:
    """Whether NumPy says that its own FP64 ``exp`` is vectorised on this processor."""
    config: Any = np.show_config(mode="dicts")
    return not _VECTORISED.isdisjoint(config["SIMD Extensions"].get("found", ()))


@cache
def _table() -> NDArray[np.float64]:
    """exp(n / 1024) / 1024 at index n mod 2^18: negative n lie at the end."""
    numbers = np.arange(_ENTRIES, dtype=np.float64)
    numbers[_ENTRIES // 2 :] -= _ENTRIES
    table: NDArray[np.float64] = np.exp(numbers / STEPS) / STEPS
    return table


class TableExponential:
    """Buffers for the exponentials of FP32 numbers of one shape.

    Args:
        shape: of every call.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._scaled = np.empty(shape, dtype=np.float32)
        self._remainder = np.empty(shape, dtype=np.float32)
        self._bits = np.empty(shape, dtype=np.int32)
        self._index = np.empty(shape, dtype=np.int64)

    def put(self, place: int, numbers: NDArray[Any]) -> None:
        """Take FP32 numbers as the arguments at one place of the first axis."""
        np.multiply(numbers, _STEPS, out=self._scaled[place])

    @property
    def fits(self) -> bool:
        """Whether no argument is below what the table reaches; NaN does not fit."""
        return bool(self._scaled.min() >= -LARGEST * STEPS)

    def into(self, out: NDArray[np.float64]) -> None:
        """Compute the exponentials of the arguments, which are lost.

        The arguments fit, and none is above ``LARGEST``.

        Args:
            out: FP64, of the same shape, contiguous.
        """
        scaled, remainder = self._scaled, self._remainder
        rounded = self._bits.view(np.float32)
        np.add(scaled, _ROUNDER, out=rounded)
        np.subtract(rounded, _ROUNDER, out=remainder)
        np.subtract(scaled, remainder, out=remainder)
        np.bitwise_and(self._bits, np.int32(_ENTRIES - 1), out=self._bits)
        self._index[...] = self._bits
        # Every index is inside; this mode only spares the test and a copy of the output.
        _table().take(self._index, out=out, mode="clip")
        higher = scaled
        np.multiply(remainder, _CUBIC, out=higher)
        np.add(higher, _QUADRATIC, out=higher)
        np.multiply(higher, remainder, out=higher)
        np.multiply(higher, remainder, out=higher)
        # The cache is short of room, and the index is not needed any more.
        factor = self._index.view(np.float64)
        factor[...] = remainder
        np.add(factor, float(STEPS), out=factor)
        np.add(factor, higher, out=factor)
        np.multiply(out, factor, out=out)
