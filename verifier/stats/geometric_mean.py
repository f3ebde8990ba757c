"""Geometric mean: what a mean of logarithms stands for."""

import math

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.numerics.vector import fsum_mean
from verifier.stats._units import located, require_finite


def estimate(units: FloatArray) -> float:
    """Exponential of the mean logarithm of the units (n,), in their unit.

    Raises:
        ValueError: there are no units, or one is not finite or not positive.
    """
    require_finite("geometric mean", units)
    if not np.all(units > 0.0):
        place = located(units, units <= 0.0)
        message = f"the geometric mean is undefined: units are not positive {place}"
        raise ValueError(message)
    # NumPy's vectorised logarithm differs between processors in the last bit; libm's does not.
    return math.exp(fsum_mean(map(math.log, units.tolist())))


STATISTIC = Statistic(
    id="geometric-mean",
    title="Geometric mean over units",
    formula="exp((1/n) Σ ln x_i)",
    unit="as the column",
    source="https://docs.scipy.org/doc/scipy/reference/generated/scipy.stats.gmean.html",
    estimate=estimate,
)
