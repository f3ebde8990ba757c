"""The one value that all units share."""

import math

import numpy as np

from verifier.model.plugin import FloatArray, Statistic


def estimate(units: FloatArray) -> float:
    """The value of every unit (n,), for figures such as "2046 rows per window".

    NaN when the units differ: whatever was published as their common value, it is not.

    Raises:
        ValueError: there are no units.
    """
    if units.size == 0:
        message = "no units share a value"
        raise ValueError(message)
    if np.any(units != units[0]):
        return math.nan
    return float(units[0])


STATISTIC = Statistic(id="common", title="Value shared by all units", estimate=estimate)
