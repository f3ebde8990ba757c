"""The mean of one arm over the mean of another."""

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import means, require_representable


def estimate(numerator: FloatArray, denominator: FloatArray) -> float:
    """Mean of the first operand (n,) over the mean of the second; dimensionless.

    This is not the mean of the units' ratios: a unit with a small denominator weighs no more.

    Raises:
        ValueError: an operand is empty or not finite, or the second has mean 0.
    """
    upper, lower = means("ratio of means", numerator, denominator)
    if lower == 0.0:
        message = "the ratio of means is undefined: the mean of operand 2 is 0"
        raise ValueError(message)
    return require_representable("ratio of means", upper / lower)


def of_means(upper: FloatArray, lower: FloatArray) -> FloatArray:
    """The ratio of means of any shape; inf or NaN where the second is 0."""
    with np.errstate(all="ignore"):
        return np.divide(upper, lower)


STATISTIC = Statistic(
    id="ratio-of-means",
    title="Ratio of the means of two operands",
    formula="m(x) / m(y), m the mean",
    unit="ratio",
    source="Cochran, Sampling Techniques (3rd ed., 1977), chapter 6",
    estimate=estimate,
    arms=2,
    of_means=of_means,
)
