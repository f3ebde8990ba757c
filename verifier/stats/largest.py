"""The unit of a given rank from the top."""

import numpy as np

from verifier.model.plugin import FloatArray, ParameterRule, Statistic
from verifier.stats._parameters import whole
from verifier.stats._units import require_finite

_RANK = ParameterRule(
    name="rank", title="1 for the largest unit, 2 for the next", low=1, whole=True
)


def estimate(units: FloatArray, *, rank: float) -> float:
    """The ``rank``-th largest of the units (n,), in their unit; equal units take a rank each.

    Raises:
        ValueError: there are no units, one is not finite, or the rank is not one of 1 ... n.
    """
    require_finite("largest unit", units)
    wanted = whole(_RANK, rank)
    if wanted > units.size:
        message = f"rank: expected at most {units.size}, the number of units, found {rank:g}"
        raise ValueError(message)
    place = units.size - wanted
    return float(np.partition(units, place)[place])


STATISTIC = Statistic(
    id="largest",
    title="Unit of a rank from the top",
    formula="x_(n - rank + 1), x_(n) the largest",
    unit="as the column",
    source="David and Nagaraja, Order Statistics (3rd ed., 2003), section 1.1",
    estimate=estimate,
    parameters=(_RANK,),
)
