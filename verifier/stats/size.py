"""How many units there are."""

from verifier.model.plugin import FloatArray, Statistic


def estimate(units: FloatArray) -> float:
    """Number of units (n,), for example of windows.

    Raises:
        ValueError: there are no units, so that "0 windows" can never be reproduced.
    """
    if units.size == 0:
        message = "there are no units to count"
        raise ValueError(message)
    return float(units.size)


STATISTIC = Statistic(id="size", title="Number of units", estimate=estimate)
