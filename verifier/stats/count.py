"""How many units are true, or lie within bounds."""

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
    """Number of units (n,) within every bound that is set, such as rows above 1 nat.

    Without a bound, number of units that are not zero: of a pair ``lower``, the windows that are
    lower.

    Raises:
        ValueError: there are no units, one is not finite, or nothing can lie within the bounds.
    """
    require_finite("count", units)
    inside = within(units, above=above, at_least=at_least, below=below, at_most=at_most)
    return float(np.count_nonzero(inside))


STATISTIC = Statistic(
    id="count",
    title="Number of units that are true or lie within bounds",
    formula="#{i : x_i within the bounds}; without bounds #{i : x_i ≠ 0}",
    unit="units",
    source="https://numpy.org/doc/stable/reference/generated/numpy.count_nonzero.html",
    estimate=estimate,
    parameters=BOUNDS,
    exact=True,
)
