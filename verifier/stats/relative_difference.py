"""The difference of two means, relative to the second."""

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import means, require_representable


def estimate(changed: FloatArray, comparator: FloatArray) -> float:
    """Mean of the first operand (n,) less that of the second, over the latter; dimensionless.

    Raises:
        ValueError: an operand is empty or not finite, or the second has mean 0.
    """
    mean, base = means("relative difference", changed, comparator)
    if base == 0.0:
        message = "the relative difference is undefined: the mean of operand 2 is 0"
        raise ValueError(message)
    return require_representable("relative difference", (mean - base) / base)


def of_means(mean: FloatArray, base: FloatArray) -> FloatArray:
    """The relative difference of means of any shape; inf or NaN where the second is 0."""
    with np.errstate(all="ignore"):
        return np.divide(np.subtract(mean, base), base)


def scale(changed: FloatArray, comparator: FloatArray) -> float:
    """1 is subtracted from the ratio of the means, or the ratio from 1."""
    mean, base = means("relative difference", changed, comparator)
    return max(1.0, abs(mean / base)) if base else 0.0


STATISTIC = Statistic(
    id="relative-difference",
    title="Difference of two means relative to the second",
    formula="(m(x) - m(y)) / m(y), m the mean",
    unit="fraction",
    source="the ratio of means less 1; Cochran, Sampling Techniques (3rd ed., 1977), chapter 6",
    estimate=estimate,
    arms=2,
    of_means=of_means,
    scale=scale,
)
