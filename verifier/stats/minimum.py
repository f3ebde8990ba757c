"""The smallest unit."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import require_finite


def estimate(units: FloatArray) -> float:
    """The smallest of the units (n,), in their unit.

    Raises:
        ValueError: there are no units, or one is not finite.
    """
    require_finite("minimum", units)
    return float(units.min())


STATISTIC = Statistic(
    id="minimum",
    title="Smallest unit",
    formula="min x_i",
    unit="as the column",
    source="https://numpy.org/doc/stable/reference/generated/numpy.min.html",
    estimate=estimate,
)
