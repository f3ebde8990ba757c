"""Arithmetic mean, exactly rounded."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import means


def estimate(units: FloatArray) -> float:
    """Mean of the units (n,), in their unit: the exactly rounded sum divided by n.

    The sum is exactly rounded (``math.fsum``), so the order of the units does not matter.

    Raises:
        ValueError: there are no units, one is not finite, or their sum exceeds FP64.
    """
    (mean,) = means("mean", units)
    return mean


def of_means(mean: FloatArray) -> FloatArray:
    """The means themselves, of any shape."""
    return mean


STATISTIC = Statistic(
    id="mean",
    title="Mean over units",
    formula="(1/n) Σ x_i",
    unit="as the column",
    source="https://docs.python.org/3/library/statistics.html#statistics.fmean",
    estimate=estimate,
    of_means=of_means,
)
