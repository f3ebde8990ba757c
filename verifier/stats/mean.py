"""Arithmetic mean, exactly rounded."""

from verifier.model.plugin import FloatArray, Statistic
from verifier.numerics.vector import fsum_mean


def estimate(units: FloatArray) -> float:
    """Mean of the units (n,), in their unit: the exactly rounded sum divided by n.

    The sum is exactly rounded (``math.fsum``), so the order of the units does not matter.

    Raises:
        ValueError: there are no units, one is not finite, or their sum exceeds FP64.
    """
    return fsum_mean(units)


STATISTIC = Statistic(id="mean", title="Mean over units", estimate=estimate)
