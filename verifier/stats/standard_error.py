"""Standard error of the mean."""

import math

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._deviation import standard_deviation


def estimate(units: FloatArray) -> float:
    """Sample standard deviation (ddof 1) of the units (n,) over the root of n, in their unit.

    Raises:
        ValueError: there are fewer than two units, one is not finite, or the result exceeds FP64.
    """
    return standard_deviation("standard error", units, ddof=1) / math.sqrt(units.size)


STATISTIC = Statistic(
    id="standard-error",
    title="Standard error of the mean over units",
    formula="s / sqrt(n), s = sqrt(Σ (x_i - m)^2 / (n - 1)), m the mean",
    unit="as the column",
    source="https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.sem.html",
    estimate=estimate,
)
