"""How many units are true."""

import numpy as np

from verifier.model.plugin import FloatArray, Statistic


def estimate(units: FloatArray) -> float:
    """Number of units (n,) that are not zero: of a pair ``lower``, the windows that are lower.

    Raises:
        ValueError: there are no units.
    """
    if units.size == 0:
        message = "a count over no units is no figure"
        raise ValueError(message)
    return float(np.count_nonzero(units))


STATISTIC = Statistic(id="count", title="Number of units that are true", estimate=estimate)
