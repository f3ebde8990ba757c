"""Exponentials of many logits at once, accurate to 3e-14 relative.

NumPy's FP64 ``exp`` is vectorised with AVX-512 only; elsewhere it is one call of the C library for
each number, and nearly all the time of a divergence. For FP32 logits of moderate size there is a
shorter way (Tang 1989, "Table-driven implementation of the exponential function in IEEE
floating-point arithmetic"): with n the whole number nearest to 1024 x and r = x - n / 1024,

    exp(x) = exp(n / 1024) (1 + r + r^2 / 2 + r^3 / 6 + ...),  |r| <= 2^-11,

where n and r are exact in FP32, exp(n / 1024) comes from a table, and what is left out is below
r^4 / 24 < 3e-15 of the value. The cubic is the product of a linear and a quadratic factor,

    1 + r + r^2 / 2 + r^3 / 6 = (r + a) ((r + b)^2 + c) / 6,  a = 1.596..., 2 b + a = 3,

which takes fewer passes over the numbers than its terms would.
"""

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

STEPS: Final = 1024
"""Entries of the table for each unit of the argument."""
LARGEST: Final = 127.0
"""Largest magnitude of an argument that the table reaches."""

_ENTRIES: Final = 2**18
# Adding it leaves the nearest multiple of 1/1024 in the low bits of an FP32 number's significand.
_ROUNDER: Final = np.float32(1.5 * 2**23 / STEPS)
_LOW_BITS: Final = np.int32(_ENTRIES - 1)
# With y = r + 1 six times the cubic is y^3 + 3 y + 2, whose only real zero is Cardano's.
_LINEAR: Final = 1.0 + (2.0**0.5 - 1.0) ** (-1.0 / 3.0) - (2.0**0.5 - 1.0) ** (1.0 / 3.0)
_CENTRE: Final = (3.0 - _LINEAR) / 2.0
_REST: Final = 6.0 / _LINEAR - _CENTRE**2
_VECTORISED: Final = frozenset({"AVX512F", "AVX512_SKX", "X86_V4"})


@cache
def is_vectorised() -> bool:
    """Whether NumPy says that its own FP64 ``exp`` is vectorised on this processor."""
    config: Any = np.show_config(mode="dicts")
    return not _VECTORISED.isdisjoint(config["SIMD Extensions"].get("found", ()))


def fits(numbers: NDArray[np.floating]) -> bool:
    """Whether no number is below what the table reaches; NaN does not fit."""
    # The position of the least is found faster than the least.
    return bool(numbers.item(numbers.argmin()) >= -LARGEST)


@cache
def _table() -> NDArray[np.float64]:
    """exp(n / 1024) / 6 at index n mod 2^18: negative n lie at the end."""
    numbers = np.arange(_ENTRIES, dtype=np.float64)
    numbers[_ENTRIES // 2 :] -= _ENTRIES
    table: NDArray[np.float64] = np.exp(numbers / STEPS) / 6.0
    return table


class TableExponential:
    """Buffers for the exponentials of FP32 numbers of one shape.

    Args:
        shape: of every call.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._rounded = np.empty(shape, dtype=np.float32)
        self._remainder = np.empty(shape, dtype=np.float32)
        self._index = np.empty(shape, dtype=np.int64)
        self._factor = np.empty(shape, dtype=np.float64)

    def into(self, numbers: NDArray[np.floating], out: NDArray[np.float64]) -> None:
        """Compute the exponentials of numbers that fit, none of which is above ``LARGEST``.

        Args:
            numbers: FP32.
            out: FP64, of the same shape, contiguous.
        """
        rounded, remainder = self._rounded, self._remainder
        np.add(numbers, _ROUNDER, out=rounded)
        np.subtract(rounded, _ROUNDER, out=remainder)
        np.subtract(numbers, remainder, out=remainder)
        bits = rounded.view(np.int32)
        np.bitwise_and(bits, _LOW_BITS, out=bits)
        self._index[...] = bits
        # Every index is inside; this mode only spares the test and a copy of the output.
        _table().take(self._index, out=out, mode="clip")
        quadratic = self._factor
        quadratic[...] = remainder
        # The cache is short of room, and the index is not needed any more.
        linear = self._index.view(np.float64)
        np.add(quadratic, _LINEAR, out=linear)
        np.add(quadratic, _CENTRE, out=quadratic)
        np.multiply(quadratic, quadratic, out=quadratic)
        np.add(quadratic, _REST, out=quadratic)
        np.multiply(out, linear, out=out)
        np.multiply(out, quadratic, out=out)
