"""Which units lie within bounds: the condition of a count and of a fraction.

The default of each bound is infinite and excludes nothing, so a measure names only those it means.
"""

import math

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray, ParameterRule
from verifier.stats._parameters import number

_ABOVE = ParameterRule(
    name="above", title="units greater than this, in their unit", default=-math.inf
)
_AT_LEAST = ParameterRule(
    name="at_least", title="units of this or more, in their unit", default=-math.inf
)
_BELOW = ParameterRule(name="below", title="units less than this, in their unit", default=math.inf)
_AT_MOST = ParameterRule(
    name="at_most", title="units of this or less, in their unit", default=math.inf
)
BOUNDS = (_ABOVE, _AT_LEAST, _BELOW, _AT_MOST)


def within(
    units: FloatArray, *, above: float, at_least: float, below: float, at_most: float
) -> NDArray[np.bool_]:
    """Whether each finite unit (n,) lies within every bound; without any, whether it is not zero.

    Raises:
        ValueError: a bound is no number, or no FP64 number lies within all of them: a zero that
            could not be anything else is no finding.
    """
    values = (above, at_least, below, at_most)
    bounds = [(rule, number(rule, value)) for rule, value in zip(BOUNDS, values, strict=True)]
    named = [f"{rule.name} {value:g}" for rule, value in bounds if value != rule.default]
    if not named:
        true: NDArray[np.bool_] = units != 0.0
        return true
    # Greater than a bound is the same as at least its successor in FP64, so two closed ends remain.
    low = max(at_least, math.nextafter(above, math.inf))
    high = min(at_most, math.nextafter(below, -math.inf))
    if low > high:
        message = f"no number can lie within the bounds {' and '.join(named)}"
        raise ValueError(message)
    inside: NDArray[np.bool_] = (units >= low) & (units <= high)
    return inside
