"""Standard deviation of units, for the statistics that are made of it."""

import math

import numpy as np

from verifier.model.plugin import FloatArray
from verifier.numerics.vector import fsum_mean
from verifier.stats._units import require_finite, require_representable


def standard_deviation(name: str, units: FloatArray, *, ddof: int) -> float:
    """Root of the sum of squared deviations of the units (n,) over n - ddof, in their unit.

    Corrected two-pass algorithm (Chan, Golub and LeVeque 1983, "Algorithms for computing the
    sample variance", The American Statistician 37(3)): sum d^2 - (sum d)^2 / n with deviations d
    from the computed mean, so that the rounding of that mean does not enter.

    Raises:
        ValueError: the units are empty or not finite, there are no more than ``ddof`` of them, or
            a step exceeds FP64.
    """
    require_finite(name, units)
    count = units.size
    if count <= ddof:
        message = f"the {name} is undefined: needs at least {ddof + 1} units, found {count}"
        raise ValueError(message)
    with np.errstate(over="ignore"):
        deviations = units - fsum_mean(units)
    farthest = require_representable(name, float(np.abs(deviations).max()))
    if farthest == 0.0:
        return 0.0
    # A power of two changes no digit and keeps the squares clear of overflow and underflow. Where
    # the mean of equal units rounds to a neighbour of them, the scaled deviations are ones, and the
    # difference below is exactly 0.
    power = 2.0 ** (math.frexp(farthest)[1] - 1)
    scaled = deviations / power
    squares = math.fsum((scaled * scaled).tolist()) - math.fsum(scaled.tolist()) ** 2 / count
    return require_representable(name, math.sqrt(squares / (count - ddof)) * power)
