"""Which part of the gap between two arms a third one closes."""

import numpy as np

from verifier.model.plugin import FloatArray, Statistic
from verifier.stats._units import means, require_representable


def estimate(baseline: FloatArray, improved: FloatArray, target: FloatArray) -> float:
    """Share of the gap between the means of the first and third operand that the second closes.

    0 where the second is as the first, 1 where it is as the third; dimensionless. Operands (n,).

    Raises:
        ValueError: an operand is empty or not finite, or there is no gap.
    """
    start, reached, goal = means("gap share", baseline, improved, target)
    if start == goal:
        message = f"the gap share is undefined: operands 1 and 3 have the same mean {start:g}"
        raise ValueError(message)
    return require_representable("gap share", (start - reached) / (start - goal))


def of_means(start: FloatArray, reached: FloatArray, goal: FloatArray) -> FloatArray:
    """The gap share of means of any shape; inf or NaN where there is no gap."""
    with np.errstate(all="ignore"):
        return np.divide(np.subtract(start, reached), np.subtract(start, goal))


def scale(baseline: FloatArray, improved: FloatArray, target: FloatArray) -> float:
    """The largest mean over the gap: both differences are as exact as the means are."""
    found = means("gap share", baseline, improved, target)
    gap = abs(found[0] - found[2])
    return max(map(abs, found)) / gap if gap else 0.0


STATISTIC = Statistic(
    id="gap-share",
    title="Share of the gap between operands 1 and 3 that operand 2 closes",
    formula="(m(x) - m(y)) / (m(x) - m(z)), m the mean",
    unit="fraction",
    source="performance gap recovered; Burns et al. (2023), arXiv:2312.09390, section 3",
    estimate=estimate,
    arms=3,
    of_means=of_means,
    scale=scale,
)
