"""Sum, exactly rounded."""

import math

from verifier.model.plugin import FloatArray, Statistic


def estimate(units: FloatArray) -> float:
    """Sum of the units (n,), in their unit, exactly rounded.

    Raises:
        ValueError: there are no units, one is not finite, or their sum exceeds FP64.
    """
    if units.size == 0:
        message = "the sum of no units is no figure"
        raise ValueError(message)
    try:
        total = math.fsum(units.tolist())
    except (OverflowError, ValueError) as error:
        message = f"the sum of {units.size} units is undefined: {error}"
        raise ValueError(message) from error
    if not math.isfinite(total):
        message = f"the sum of {units.size} units is undefined: not every unit is finite"
        raise ValueError(message)
    return total


STATISTIC = Statistic(id="sum", title="Sum over units", estimate=estimate)
