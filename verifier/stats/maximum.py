"""The largest unit."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import require_finite


def estimate(units: FloatArray) -> float:
    """The largest of the units (n,), in their unit.

    Raises:
        ValueError: there are no units, or one is not finite.
    """
    require_finite("maximum", units)
    return float(units.max())


STATISTIC = Statistic(
    id="maximum",
    title="Largest unit",
    formula="max x_i",
    unit="as the column",
    source="https://numpy.org/doc/stable/reference/generated/numpy.max.html",
    estimate=estimate,
)
