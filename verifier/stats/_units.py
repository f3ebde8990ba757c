"""What every statistic refuses, in the same words; and sums of units."""

import math

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics.vector import exact_sum, fsum_mean


def require_finite(name: str, *vectors: FloatArray) -> None:
    """Refuse operands (n,) that are empty or not finite.

    Args:
        name: what would be computed, such as "median".
        vectors: one for each operand.

    Raises:
        ValueError: there are no units, or some are not finite: how many, and where the first is.
    """
    for number, vector in enumerate(vectors, start=1):
        owner = f" of operand {number}" if len(vectors) > 1 else ""
        if vector.size == 0:
            message = f"the {name} is undefined: there are no units{owner}"
            raise ValueError(message)
        finite = np.isfinite(vector)
        if not finite.all():
            message = (
                f"the {name} is undefined: units{owner} are not finite {located(vector, ~finite)}"
            )
            raise ValueError(message)


def located(units: FloatArray, odd: NDArray[np.bool_]) -> str:
    """In how many places units (n,) are odd, and the index and value of the first."""
    first = int(np.argmax(odd))
    return (
        f"in {np.count_nonzero(odd)} of {odd.size} places, first at index {first} ({units[first]})"
    )


def require_representable(name: str, number: float) -> float:
    """The number itself.

    Raises:
        ValueError: it is not finite, because some step exceeded FP64.
    """
    if not math.isfinite(number):
        message = f"the {name} is undefined: it exceeds FP64"
        raise ValueError(message)
    return number


def total(name: str, units: FloatArray) -> float:
    """Sum of finite units (n,), in their unit, exactly rounded.

    Raises:
        ValueError: the sum exceeds FP64.
    """
    try:
        return exact_sum(units)
    except OverflowError as error:
        message = f"the {name} is undefined: the sum of {units.size} units exceeds FP64"
        raise ValueError(message) from error


def means(name: str, *vectors: FloatArray) -> tuple[float, ...]:
    """Exactly rounded mean of each operand (n,), in the operand's unit.

    Raises:
        ValueError: an operand is empty or not finite, or its sum exceeds FP64.
    """
    require_finite(name, *vectors)
    return tuple(fsum_mean(vector) for vector in vectors)
