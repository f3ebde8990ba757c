"""How far apart the largest and the smallest unit are."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import require_finite, require_representable


def estimate(units: FloatArray) -> float:
    """Largest minus smallest of the units (n,), in their unit.

    Raises:
        ValueError: there are no units, one is not finite, or the difference exceeds FP64.
    """
    require_finite("range", units)
    return require_representable("range", float(units.max()) - float(units.min()))


STATISTIC = Statistic(
    id="range",
    title="Largest minus smallest unit",
    formula="max x_i - min x_i",
    unit="as the column",
    source="https://numpy.org/doc/stable/reference/generated/numpy.ptp.html",
    estimate=estimate,
)
