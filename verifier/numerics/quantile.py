"""Quantiles of a sample under every rule by which they are published."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from verifier.model.recipe import QuantileRule
from verifier.numerics.vector import finite_vector

_Place = tuple[int, int, float]
"""Zero-based neighbours in the sorted sample, and the weight of the upper one."""


def quantiles(
    values: ArrayLike, probabilities: Sequence[float], rule: QuantileRule = "linear"
) -> tuple[float, ...]:
    """Quantiles of the values (n,), in their unit, one for each probability.

    Source: Hyndman and Fan (1996), whose definitions 1 to 9 have NumPy's names here. With
    definition 7 and p n + (1 - p) = j + g, j whole and 0 <= g < 1, the quantile is
    (1 - g) y[j] + g y[j + 1] on values sorted from y[1]: so ``linear``, in the rounding of
    ``scipy.stats.quantile``. ``linear-lerp`` and all rules that NumPy names have the bits of
    ``numpy.quantile``, which writes y[j] + g (y[j + 1] - y[j]) for g < 1/2 and
    y[j + 1] - (1 - g) (y[j + 1] - y[j]) else. ``truncate`` is ``sorted(values)[int(p * n)]``,
    and the largest value for p = 1. In an end point ``linear`` and ``linear-lerp`` differ by at
    most 1e-12 standard errors, the other rules by far more.

    Args:
        values: finite; a large vector is partitioned, not sorted.
        probabilities: between 0 and 1.
        rule: one of ``QUANTILE_RULES``.

    Raises:
        ValueError: the values are not a finite vector, a probability is outside [0, 1] or NaN,
            the rule is unknown, or interpolation exceeds FP64.
    """
    vector = finite_vector(values)
    place = _PLACES.get(rule)
    if place is None:
        message = f"expected a quantile rule ({', '.join(_PLACES)}), found {rule!r}"
        raise ValueError(message)
    places = [place(_probability(probability), vector.size) for probability in probabilities]
    wanted = sorted({index for lower, upper, _ in places for index in (lower, upper)})
    # Only a handful of order statistics is needed: partitioning is several times faster than
    # sorting and puts the same values there.
    ordered = np.partition(vector, wanted) if wanted else vector
    weigh = _weighted if rule == "linear" else _interpolated
    return tuple(
        weigh(float(ordered[lower]), float(ordered[upper]), weight)
        for lower, upper, weight in places
    )


def quantile(values: ArrayLike, probability: float, rule: QuantileRule = "linear") -> float:
    """The quantile of the values (n,), in their unit; see ``quantiles``.

    Raises:
        ValueError: as ``quantiles``.
    """
    return quantiles(values, (probability,), rule)[0]


def steps(rule: QuantileRule) -> bool:
    """Whether the quantile jumps from value to value as the probability grows.

    The last bit of a probability can then decide between two neighbours.
    """
    return rule in _STEPPED


def _probability(probability: float) -> float:
    if not 0.0 <= probability <= 1.0:
        message = f"expected a probability between 0 and 1, found {probability}"
        raise ValueError(message)
    return float(probability)


def _weighted(lower: float, upper: float, weight: float) -> float:
    return (1.0 - weight) * lower + weight * upper


def _interpolated(lower: float, upper: float, weight: float) -> float:
    span = upper - lower
    if math.isinf(span):
        message = f"the values {lower:g} and {upper:g} lie too far apart to interpolate between"
        raise ValueError(message)
    # Both forms are needed for monotony in FP64; which one is taken decides the last bit.
    return lower + span * weight if weight < 0.5 else upper - span * (1.0 - weight)  # noqa: PLR2004


def _at(index: float, count: int) -> _Place:
    """One order statistic itself."""
    whole = min(max(int(index), 0), count - 1)
    return whole, whole, 0.0


def _between(position: float, count: int) -> _Place:
    """The neighbours of a zero-based position; outside the sample its first or last value."""
    if position < 0.0 or position >= count - 1:
        return _at(position, count)
    whole = math.floor(position)
    return whole, whole + 1, position - whole


def _linear(p: float, n: int) -> _Place:
    position = p * n + (1.0 - p)
    whole = math.floor(position)
    return max(whole - 1, 0), min(whole, n - 1), position - whole


def _midpoint(p: float, n: int) -> _Place:
    position = (n - 1) * p
    return math.floor(position), math.ceil(position), 0.5


def _averaged_inverted_cdf(p: float, n: int) -> _Place:
    lower, upper, weight = _between(n * p - 1.0, n)
    return lower, upper, 0.5 if weight == 0.0 else 1.0


def _closest_observation(p: float, n: int) -> _Place:
    position = n * p - 1.5
    whole = math.floor(position)
    # Definition 3 takes the even order statistic of two that are equally close: counted from
    # zero, the odd one.
    stays = position == whole and whole % 2 == 1
    return _at(whole if stays else whole + 1, n)


def _plotting(alpha: float, beta: float) -> Callable[[float, int], _Place]:
    """The continuous rule with plotting positions (k - alpha) / (n + 1 - alpha - beta)."""

    def place(p: float, n: int) -> _Place:
        return _between(n * p + (alpha + p * (1.0 - alpha - beta)) - 1.0, n)

    return place


_PLACES: Mapping[QuantileRule, Callable[[float, int], _Place]] = MappingProxyType(
    {
        "linear": _linear,
        "linear-lerp": lambda p, n: _between((n - 1) * p, n),
        "truncate": lambda p, n: _at(p * n, n),
        "lower": lambda p, n: _at(math.floor((n - 1) * p), n),
        "higher": lambda p, n: _at(math.ceil((n - 1) * p), n),
        # Half-way positions go to the even neighbour, as in NumPy.
        "nearest": lambda p, n: _at(round((n - 1) * p), n),
        "midpoint": _midpoint,
        "inverted_cdf": lambda p, n: _at(math.ceil(n * p - 1.0), n),
        "averaged_inverted_cdf": _averaged_inverted_cdf,
        "closest_observation": _closest_observation,
        "interpolated_inverted_cdf": _plotting(0.0, 1.0),
        "hazen": _plotting(0.5, 0.5),
        "weibull": _plotting(0.0, 0.0),
        "median_unbiased": _plotting(1.0 / 3.0, 1.0 / 3.0),
        "normal_unbiased": _plotting(3.0 / 8.0, 3.0 / 8.0),
    }
)
_STEPPED = frozenset(
    {
        "truncate",
        "lower",
        "higher",
        "nearest",
        "midpoint",
        "inverted_cdf",
        "averaged_inverted_cdf",
        "closest_observation",
    }
)
