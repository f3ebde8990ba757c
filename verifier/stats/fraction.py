"""Which part of the units is true, or lies within bounds."""

import math

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._bounds import BOUNDS, within
from verifier.stats._units import require_finite


def estimate(
    units: FloatArray,
    *,
    above: float = -math.inf,
    at_least: float = -math.inf,
    below: float = math.inf,
    at_most: float = math.inf,
) -> float:
    """Number of units (n,) within every bound that is set, over n; dimensionless.

    Without a bound, the part of the units that is not zero. Of a column of zeros and ones that is
    its mean, which has intervals as well.

    Raises:
        ValueError: there are no units, one is not finite, or nothing can lie within the bounds.
    """
    require_finite("fraction", units)
    inside = within(units, above=above, at_least=at_least, below=below, at_most=at_most)
    return float(np.count_nonzero(inside) / units.size)


STATISTIC = Statistic(
    id="fraction",
    title="Fraction of units that are true or lie within bounds",
    formula="(1/n) #{i : x_i within the bounds}; without bounds (1/n) #{i : x_i ≠ 0}",
    unit="fraction",
    source="https://numpy.org/doc/stable/reference/generated/numpy.count_nonzero.html",
    estimate=estimate,
    parameters=BOUNDS,
)
