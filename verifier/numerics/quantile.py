"""Quantiles of a sample by linear interpolation (type 7)."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from verifier.numerics.vector import finite_vector


def quantiles(values: ArrayLike, probabilities: Sequence[float]) -> tuple[float, ...]:
    """Type 7 quantiles of the values (n,), in their unit, one for each probability.

    Source: Hyndman and Fan (1996), definition 7. With p n + (1 - p) = j + g, j whole and
    0 <= g < 1, the quantile is (1 - g) y[j] + g y[j + 1] on values sorted from y[1].
    SciPy >= 1.17 weighs so; NumPy and older SciPy write y[j] + g (y[j + 1] - y[j]), whose last
    digits differ (at most 1e-12 standard errors in an end point).

    Raises:
        ValueError: the values are not a finite vector, or a probability is outside [0, 1] or NaN.
    """
    vector = finite_vector(values)
    places = [_place(probability, vector.size) for probability in probabilities]
    wanted = sorted({index for lower, upper, _ in places for index in (lower, upper)})
    # Only a handful of order statistics is needed: partitioning is several times faster than
    # sorting and puts the same values there.
    ordered = np.partition(vector, wanted) if wanted else vector
    return tuple(
        float((1.0 - weight) * ordered[lower] + weight * ordered[upper])
        for lower, upper, weight in places
    )


def quantile(values: ArrayLike, probability: float) -> float:
    """Type 7 quantile of the values (n,), in their unit; see ``quantiles``.

    Raises:
        ValueError: the values are not a finite vector, or the probability is outside [0, 1].
    """
    return quantiles(values, (probability,))[0]


def _place(probability: float, count: int) -> tuple[int, int, float]:
    """Zero-based neighbours of a quantile and the weight of the upper one."""
    if not 0.0 <= probability <= 1.0:
        message = f"expected a probability between 0 and 1, found {probability}"
        raise ValueError(message)
    position = probability * count + (1.0 - probability)
    whole = math.floor(position)
    return max(whole - 1, 0), min(whole, count - 1), position - whole
