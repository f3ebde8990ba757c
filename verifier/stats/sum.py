"""Sum, exactly rounded."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import require_finite, total


def estimate(units: FloatArray) -> float:
    """Sum of the units (n,), in their unit, exactly rounded.

    Raises:
        ValueError: there are no units, one is not finite, or their sum exceeds FP64.
    """
    require_finite("sum", units)
    return total("sum", units)


STATISTIC = Statistic(
    id="sum",
    title="Sum over units",
    formula="Σ x_i",
    unit="as the column",
    source="https://docs.python.org/3/library/math.html#math.fsum",
    estimate=estimate,
)
