"""The middle unit."""

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.numerics.vector import fsum_mean
from verifier.stats._units import require_finite


def estimate(units: FloatArray) -> float:
    """Median of the units (n,), in their unit: of an even number, the mean of the middle two.

    Raises:
        ValueError: there are no units, one is not finite, or the middle two add up beyond FP64.
    """
    require_finite("median", units)
    lower, upper = (units.size - 1) // 2, units.size // 2
    return fsum_mean(np.partition(units, (lower, upper))[lower : upper + 1])


STATISTIC = Statistic(
    id="median",
    title="Median over units",
    formula="(x_(⌈n/2⌉) + x_(⌊n/2⌋+1)) / 2, x_(1) the smallest",
    unit="as the column",
    source="https://docs.python.org/3/library/statistics.html#statistics.median",
    estimate=estimate,
)
