"""Distances in units in the last place, for tests whose oracle is FP64 too."""

import math
import struct

_SIGN_BIT = 1 << 63


def ulps_apart(a: float, b: float) -> int:
    """How many steps between neighbouring FP64 numbers lead from ``a`` to ``b``; 0 if equal.

    The two zeros are equal, and steps are counted across zero.

    Raises:
        ValueError: a number is NaN, or the two differ and one is infinite.
    """
    if a == b:
        return 0
    if not (math.isfinite(a) and math.isfinite(b)):
        message = f"units in the last place lie between finite numbers, found {a} and {b}"
        raise ValueError(message)
    return abs(_ordinal(a) - _ordinal(b))


def _ordinal(number: float) -> int:
    """Position of a number among all FP64 numbers, with both zeros at 0."""
    bits: int = struct.unpack("<Q", struct.pack("<d", number))[0]
    return -(bits - _SIGN_BIT) if bits & _SIGN_BIT else bits
