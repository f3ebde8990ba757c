"""Intervals by the book: draw units, take the statistic of what was drawn, again and again.

Nothing is clever here. A replicate concatenates the values of the units that were drawn and takes
the statistic of them; the end points follow Efron and Tibshirani (1993), sections 12 to 14.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import NormalDist
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

F64: TypeAlias = npt.NDArray[np.float64]
Unit: TypeAlias = tuple[F64, ...]
"""What one drawn unit brings: values ``(n,)`` of each operand; one value for a plain window."""

Strata: TypeAlias = Sequence[Sequence[Unit]]
"""The units of each stratum, strata in sorted order; a single stratum for none."""

Estimator: TypeAlias = Callable[..., F64]
"""One array per operand to the statistic of their values along the last axis."""

Generator: TypeAlias = np.random.RandomState | np.random.Generator

_NORMAL = NormalDist()
_BLOCK = 500
"""Replicates at a time, where units have one value each."""

_CONVENTIONS = {
    "scipy-1.9": ("strict", "linear-lerp"),
    "scipy-1.16": ("midrank", "linear-lerp"),
    "scipy-1.17": ("midrank", "linear"),
}


def generator(recipe: Mapping[str, Any]) -> Generator:
    """A fresh stream of a recipe."""
    if recipe["stream"] == "pcg64":
        return np.random.default_rng(recipe["seed"])
    return np.random.RandomState(recipe["seed"])


def interval(
    strata: Strata,
    estimator: Estimator,
    recipe: Mapping[str, Any],
    stream: Generator | None = None,
) -> tuple[float, float]:
    """Low and high end of an interval.

    Args:
        strata: The units; the estimate is the mean of the strata's estimates.
        estimator: Of one stratum's values.
        recipe: As recipes.py writes it.
        stream: Where the recipe before it ended; a fresh one if None.
    """
    level = 1.0 - (1.0 - recipe["level"]) / recipe.get("comparisons", 1)
    estimate = _estimate(strata, estimator)
    if recipe["method"] in {"normal", "student-t"}:
        return _analytic(strata, recipe["method"], level, estimate)
    replicates = _replicates(strata, estimator, recipe, stream or generator(recipe))
    if recipe["method"] == "normal-bootstrap":
        half = _NORMAL.inv_cdf((1.0 + level) / 2.0) * float(np.std(replicates, ddof=1))
        return estimate - half, estimate + half
    ties, rule = _CONVENTIONS.get(
        recipe.get("convention", ""), (recipe.get("ties"), recipe.get("quantile"))
    )
    levels = ((1.0 - level) / 2.0, 1.0 - (1.0 - level) / 2.0)
    if recipe["method"] == "bca":
        # Over strata there is no one definition of the acceleration, so there is a single one.
        (units,) = strata
        bias, acceleration = _bias(replicates, estimate, str(ties)), _acceleration(units, estimator)
        levels = (
            _corrected(levels[0], bias, acceleration),
            _corrected(levels[1], bias, acceleration),
        )
    low, high = (quantile(replicates, at, str(rule)) for at in levels)
    if recipe["method"] == "basic":
        return 2.0 * estimate - high, 2.0 * estimate - low
    return low, high


def quantile(values: F64, at: float, rule: str) -> float:
    """A quantile; ``linear`` is type 7 spelled out, ``truncate`` is ``sorted[int(p n)]``."""
    if rule == "linear":
        ordered = np.sort(values)
        position = (len(values) - 1) * at
        lower = min(int(position), len(values) - 2)
        weight = position - lower
        return float((1.0 - weight) * ordered[lower] + weight * ordered[lower + 1])
    if rule == "truncate":
        return float(np.sort(values)[min(int(at * len(values)), len(values) - 1)])
    named: Any = "linear" if rule == "linear-lerp" else rule
    return float(np.quantile(values, at, method=named))


def _estimate(strata: Strata, estimator: Estimator) -> float:
    return math.fsum(_of_units(units, estimator) for units in strata) / len(strata)


def _of_units(units: Sequence[Unit], estimator: Estimator) -> float:
    operands = range(len(units[0]))
    return float(estimator(*(np.concatenate([unit[at] for unit in units]) for at in operands)))


def _replicates(
    strata: Strata, estimator: Estimator, recipe: Mapping[str, Any], stream: Generator
) -> F64:
    drawn = _drawn([len(units) for units in strata], recipe, stream)
    found = [_each(units, rows, estimator) for units, rows in zip(strata, drawn, strict=True)]
    return np.array([math.fsum(parts) for parts in zip(*found, strict=True)]) / len(strata)


def _drawn(
    sizes: Sequence[int], recipe: Mapping[str, Any], stream: Generator
) -> Sequence[npt.NDArray[np.int64]]:
    """For each stratum, the places (resamples, units) of what each replicate draws."""
    count = recipe["resamples"]
    if recipe["draw"] == "replicate":
        replicates = [[_indices(stream, size, size) for size in sizes] for _ in range(count)]
        return [np.array(rows) for rows in zip(*replicates, strict=True)]
    return [_indices(stream, size, (count, size)) for size in sizes]


def _each(units: Sequence[Unit], drawn: npt.NDArray[np.int64], estimator: Estimator) -> list[float]:
    """The estimate of one stratum in each replicate."""
    if any(len(values) > 1 for unit in units for values in unit):
        return [_of_units([units[index] for index in row], estimator) for row in drawn.tolist()]
    columns = [np.concatenate(values) for values in zip(*units, strict=True)]
    found: list[float] = []
    for start in range(0, len(drawn), _BLOCK):
        rows = drawn[start : start + _BLOCK]
        found.extend(estimator(*(column[rows] for column in columns)).tolist())
    return found


def _indices(stream: Generator, size: int, shape: int | tuple[int, int]) -> npt.NDArray[np.int64]:
    if isinstance(stream, np.random.Generator):
        return np.asarray(stream.integers(0, size, shape))
    return np.asarray(stream.randint(0, size, shape, dtype=np.int64))


def _bias(replicates: F64, estimate: float, ties: str) -> float:
    """z0, from the share of replicates below the estimate (equation 14.14)."""
    below = np.count_nonzero(replicates < estimate)
    up_to = np.count_nonzero(replicates <= estimate)
    share = below if ties == "strict" else (below + up_to) / 2
    return _NORMAL.inv_cdf(share / len(replicates))


def _acceleration(units: Sequence[Unit], estimator: Estimator) -> float:
    """a, from the estimates without each unit in turn (equation 14.15)."""
    left_out = np.array(
        [_of_units([*units[:k], *units[k + 1 :]], estimator) for k in range(len(units))]
    )
    influence = (len(units) - 1) * (left_out.mean() - left_out)
    return float((influence**3).sum() / (influence**2).sum() ** 1.5) / 6.0


def _corrected(at: float, bias: float, acceleration: float) -> float:
    """The BCa level for an uncorrected one (equation 14.10)."""
    shifted = bias + _NORMAL.inv_cdf(at)
    return _NORMAL.cdf(bias + shifted / (1.0 - acceleration * shifted))


def _analytic(strata: Strata, method: str, level: float, estimate: float) -> tuple[float, float]:
    (units,) = strata
    values = np.concatenate([unit[0] for unit in units])
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    at = (1.0 + level) / 2.0
    factor = _NORMAL.inv_cdf(at) if method == "normal" else student_quantile(at, len(values) - 1)
    return estimate - factor * error, estimate + factor * error


def student_quantile(at: float, degrees: int) -> float:
    """Quantile above the median of Student's t, by bisection of its distribution function."""
    low, high = 0.0, 1e4
    while True:
        middle = (low + high) / 2.0
        if middle in {low, high}:
            return middle
        if student_cdf(middle, degrees) < at:
            low = middle
        else:
            high = middle


def student_cdf(t: float, degrees: int) -> float:
    """P(T <= t) for whole degrees of freedom: Abramowitz and Stegun (1964), 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = degrees % 2
    term = cosine if odd else 1.0
    total = 0.0 if degrees == 1 else term
    for k in range(2 + odd, degrees, 2):
        term *= (k - 1) / k * cosine * cosine
        total += term
    inside = 2.0 / math.pi * (angle + sine * total) if odd else sine * total
    return (1.0 + inside) / 2.0
