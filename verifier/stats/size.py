"""How many units there are."""

from verifier.model.plugin import FloatArray, Statistic


def estimate(units: FloatArray) -> float:
    """Number of units (n,), for example of windows, whatever their values.

    Raises:
        ValueError: there are no units, so that "0 windows" can never be reproduced.
    """
    if units.size == 0:
        message = "the number of units is undefined: there are no units"
        raise ValueError(message)
    return float(units.size)


STATISTIC = Statistic(
    id="size",
    title="Number of units",
    formula="n",
    unit="units",
    source="https://numpy.org/doc/stable/reference/generated/numpy.ndarray.size.html",
    estimate=estimate,
    exact=True,
)
