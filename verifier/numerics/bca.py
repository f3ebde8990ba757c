"""Bias-corrected and accelerated confidence levels.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.3, in the order of
operations of ``scipy.stats.bootstrap``: published end points are reproduced only when the rounding
of every step is.
"""

import math

import numpy as np

from verifier.model.plugin import FloatArray
from verifier.model.recipe import Ties
from verifier.numerics import normal


def adjusted_levels(
    estimate: float, left_out: FloatArray, replicates: FloatArray, level: float, ties: Ties
) -> tuple[float, float]:
    """Probabilities at which the replicates' quantiles are the BCa end points (equation 14.10).

    Args:
        estimate: the statistic of the sample.
        left_out: the statistic (n,) without each unit in turn, n >= 2.
        replicates: the statistic (B,) of each bootstrap sample, all in one unit.
        level: coverage, a fraction between 0 and 1.
        ties: how replicates equal to the estimate count.

    Raises:
        ValueError: the correction is undefined for these values.
    """
    z0 = bias_correction(replicates, estimate, ties)
    a = acceleration(left_out)
    z_alpha = normal.ppf((1.0 - level) / 2.0)
    levels = tuple(adjusted_level(z0, a, z) for z in (z_alpha, -z_alpha))
    if any(math.isnan(probability) for probability in levels):
        message = (
            f"the BCa interval is undefined (bias correction {z0:g}, acceleration {a:g}): "
            "use more resamples or the percentile method"
        )
        raise ValueError(message)
    return levels[0], levels[1]


def adjusted_level(z0: float, a: float, z: float) -> float:
    """Corrected probability for the uncorrected normal quantile ``z`` (equation 14.10).

    NaN when ``z0`` is infinite or ``a`` is NaN.
    """
    # NumPy scalars follow IEEE 754 through a zero denominator, where Python floats raise.
    shifted = np.float64(z0 + z)
    with np.errstate(all="ignore"):
        return normal.cdf(float(z0 + shifted / (1.0 - a * shifted)))


def bias_correction(replicates: FloatArray, estimate: float, ties: Ties) -> float:
    """z0, the normal quantile of the share of replicates below the estimate (equation 14.14).

    ``midrank`` counts a replicate equal to the estimate as half below (SciPy >= 1.10), ``strict``
    as not below (SciPy <= 1.9). On 0/1 data the choice moves end points by 0.2 standard errors.
    The result is infinite when every replicate lies on one side.
    """
    below = int(np.count_nonzero(replicates < estimate))
    if ties == "strict":
        return normal.ppf(below / replicates.size)
    up_to = int(np.count_nonzero(replicates <= estimate))
    return normal.ppf((below + up_to) / (2 * replicates.size))


def acceleration(left_out: FloatArray) -> float:
    """a, a sixth of the skewness of the jackknife influence values (equation 14.15).

    NaN when all influence values vanish, their cubes exceed FP64, or one does not exist.

    Args:
        left_out: the statistic (n,) without each unit in turn.
    """
    n = float(left_out.size)
    with np.errstate(all="ignore"):
        influence = (n - 1.0) * (np.add.reduce(left_out) / n - left_out)
        cubes = np.add.reduce(influence**3) / n**3
        squares = np.add.reduce(influence**2) / n**2
        return float(1.0 / 6.0 * cubes / squares**1.5)


def jackknife_sums(vector: FloatArray) -> FloatArray:
    """Sums (n,) of the sample (n,) without each of its values in turn; infinite beyond FP64.

    The closed form sum - x would be faster, but its rounding changes the acceleration by 1e-13: so
    each is a pairwise sum, over one buffer that differs from the next in one place. Memory is
    O(n), time O(n * n).
    """
    sums = np.empty_like(vector)
    rest = vector[1:].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        sums[0] = np.add.reduce(rest)
        for index in range(rest.size):
            rest[index] = vector[index]
            sums[index + 1] = np.add.reduce(rest)
    return sums
