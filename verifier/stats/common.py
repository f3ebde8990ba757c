"""The one value that all units share."""

import math

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import require_finite


def estimate(units: FloatArray) -> float:
    """The value of every unit (n,), for figures such as "2046 rows per window".

    NaN when the units differ: whatever was published as their common value, it is not.

    Raises:
        ValueError: there are no units, or one is not finite.
    """
    require_finite("common value", units)
    if np.any(units != units[0]):
        return math.nan
    return float(units[0])


STATISTIC = Statistic(
    id="common",
    title="Value shared by all units",
    formula="x_1 if x_1 = x_2 = ... = x_n",
    unit="as the column",
    source="docs/format.md, section 9",
    estimate=estimate,
)
