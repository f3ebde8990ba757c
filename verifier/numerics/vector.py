"""Vectors of units: what may enter the arithmetic, and their exactly rounded mean."""

import math
from collections.abc import Iterable
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from verifier.model.plugin import FloatArray

_BLOCK = 2**16
# Splitting costs a dozen passes, which pays for more than a few hundred values.
_SPLIT_FROM = 512
_MOST_PARTS = 6
_LARGEST = 2.0**900
_REAL_KINDS = frozenset("fiub")


def finite_vector(values: ArrayLike, *, name: str = "values") -> FloatArray:
    """The values as a contiguous FP64 vector (n,), in their own unit.

    Narrower types are widened before any arithmetic: float32 sums would give other end points.

    Args:
        values: one-dimensional, real and finite; a vector that is FP64 already is not copied.
        name: what the error message calls them.

    Raises:
        ValueError: the values are no numbers, not one-dimensional, empty or not finite.
    """
    array = np.asarray(values)
    if array.dtype.kind not in _REAL_KINDS:
        message = f"{name}: expected real numbers, found dtype {array.dtype}"
        raise ValueError(message)
    if array.ndim != 1:
        message = f"{name}: expected one dimension, found shape {array.shape}"
        raise ValueError(message)
    if array.size == 0:
        message = f"{name}: expected at least one number, found none"
        raise ValueError(message)
    # A long double beyond FP64 becomes infinite here, and is refused below like any infinity.
    with np.errstate(over="ignore"):
        vector: FloatArray = np.ascontiguousarray(array, dtype=np.float64)
    finite = np.isfinite(vector)
    if not finite.all():
        place = int(np.argmin(finite))
        message = f"{name}: expected finite numbers, found {vector[place]} at index {place}"
        raise ValueError(message)
    return vector


def fsum_mean(values: Iterable[float]) -> float:
    """Mean of the values, in their unit: the exactly rounded sum divided by n.

    Their order does not matter, unlike in a running or a pairwise sum.

    Raises:
        ValueError: there are no values, one is not finite, or their sum exceeds FP64.
    """
    numbers = values if isinstance(values, np.ndarray) else list(values)
    count = len(numbers)
    if not count:
        message = "the mean of no values is undefined"
        raise ValueError(message)
    try:
        total = exact_sum(numbers)
    except (OverflowError, ValueError) as error:
        # fsum reports a sum beyond FP64 as OverflowError and inf - inf as ValueError.
        message = f"the mean of {count} values is undefined: {error}"
        raise ValueError(message) from error
    if not math.isfinite(total):
        message = f"the mean of {count} values is undefined: not every value is finite"
        raise ValueError(message)
    return total / count


def exact_sum(values: FloatArray | list[float]) -> float:
    """The exactly rounded sum of the values, in their unit: the bits of ``math.fsum``.

    A long vector is split into parts whose sums are exact (Rump, Ogita and Oishi 2008, Accurate
    Floating-Point Summation Part I, algorithm 3.2): adding and subtracting a power of two sigma
    rounds every value to a multiple of sigma's last place, and so few bits remain that no sum of
    them rounds. A handful of part sums is left for ``math.fsum``.

    Raises:
        OverflowError: the sum exceeds FP64.
        ValueError: infinities of both signs.
    """
    if isinstance(values, list):
        return math.fsum(values)
    parts = _exact_parts(values) if values.size >= _SPLIT_FROM else None
    return math.fsum(_floats(values) if parts is None else parts)


def _exact_parts(values: FloatArray) -> list[float] | None:
    """Numbers with the exact sum of the values; None where they are too wide apart or too large."""
    bits = math.ceil(math.log2(values.size + 2))
    parts: list[float] = []
    rest = values
    for _ in range(_MOST_PARTS):
        largest = max(float(rest.max()), -float(rest.min()))
        if largest == 0.0:
            return parts
        if not largest < _LARGEST:
            return None
        sigma = math.ldexp(1.0, math.frexp(largest)[1] + bits)
        part = rest + sigma
        part -= sigma
        parts.append(float(np.add.reduce(part)))
        rest = rest - part
    return None


def _floats(numbers: FloatArray | list[float]) -> Iterable[float]:
    """The numbers one by one; a large array is never a list of Python floats as a whole."""
    if isinstance(numbers, list):
        return numbers
    starts = range(0, len(numbers), _BLOCK)
    return chain.from_iterable(numbers[start : start + _BLOCK].tolist() for start in starts)
