"""Bootstrap intervals of a mean and of a ratio of means, written down a second time.

The shipped bundle's published end points come from here and never from ``verifier.numerics``, so
that the verifier reproduces numbers it did not make. The normal distribution is computed in
``decimal``: the last bit is the same on every machine.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 14.3; draws and
conventions as in docs/adr/0001-estimator-conventions.md.
"""

import math
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

_DIGITS = 40
_NEWTON_STEPS = 60

Floats = NDArray[np.float64]


def end_points(
    values: list[float],
    recipe: dict[str, str | int | float],
    *,
    over: list[float] | None = None,
) -> tuple[float, float]:
    """Low and high end of an interval around the mean of the values, in their unit.

    Args:
        values: one number per window, in manifest order.
        recipe: an interval recipe as ``bundle.json`` declares it, with ``midrank`` ties.
        over: the same windows in another arm: the interval is then that of the mean of the values
            over the mean of these, and both are drawn with the same indices.
    """
    sample = np.array(values)
    if over is None and sample.min() == sample.max():
        return values[0], values[0]
    base = np.ones_like(sample) if over is None else np.array(over)
    drawn = _draws(sample.size, recipe)
    replicates = sample[drawn].mean(axis=1) / base[drawn].mean(axis=1)
    tail = (1.0 - float(recipe["level"])) / 2.0
    levels = (tail, 1.0 - tail)
    if recipe["method"] == "bca":
        levels = _corrected(sample, base, replicates, tail)
    ordered = np.sort(replicates).tolist()
    return _quantile(ordered, levels[0]), _quantile(ordered, levels[1])


def _draws(size: int, recipe: dict[str, str | int | float]) -> NDArray[np.int64]:
    """The index matrix (resamples, size), filled row by row."""
    shape = (int(recipe["resamples"]), size)
    seed = int(recipe["seed"])
    if recipe["stream"] == "pcg64":
        return np.random.default_rng(seed).integers(0, size, shape)
    legacy = np.random.RandomState(seed)
    return legacy.randint(0, size, shape, dtype=np.int64)


def _corrected(
    sample: Floats, base: Floats, replicates: Floats, tail: float
) -> tuple[float, float]:
    """Levels at which the quantiles are the BCa end points (equation 14.10)."""
    centre = sample.mean() / base.mean()
    lower, equal = int((replicates < centre).sum()), int((replicates == centre).sum())
    z0 = _inverse_normal(Decimal(2 * lower + equal) / (2 * replicates.size))
    total, below = math.fsum(sample.tolist()), math.fsum(base.tolist())
    pairs = zip(sample.tolist(), base.tolist(), strict=True)
    left_out = [(total - value) / (below - other) for value, other in pairs]
    middle = math.fsum(left_out) / sample.size
    influence = [middle - value for value in left_out]
    # Products instead of powers: a library's pow may differ in the last bit.
    cubes = math.fsum(value * value * value for value in influence)
    squares = math.fsum(value * value for value in influence)
    acceleration = cubes / (6.0 * squares * math.sqrt(squares))
    z = _inverse_normal(Decimal(tail))
    levels = [
        _normal(z0 + (z0 + quantile) / (1.0 - acceleration * (z0 + quantile)))
        for quantile in (z, -z)
    ]
    return levels[0], levels[1]


def _quantile(ordered: list[float], level: float) -> float:
    """Linear interpolation between the two nearest order statistics (type 7)."""
    position = level * (len(ordered) - 1)
    index = min(math.floor(position), len(ordered) - 2)
    return ordered[index] + (ordered[index + 1] - ordered[index]) * (position - index)


def _normal(z: float) -> float:
    with localcontext(prec=_DIGITS):
        return float(_exact_normal(Decimal(z)))


def _exact_normal(z: Decimal) -> Decimal:
    """The series of the distribution function around 0, for arguments within a few units of it."""
    term = total = z
    odd = 1
    while term and term.adjusted() > total.adjusted() - _DIGITS:
        odd += 2
        term = term * z * z / odd
        total += term
    return Decimal("0.5") + total * _density(z)


def _density(z: Decimal) -> Decimal:
    two_pi = 2 * Decimal("3.14159265358979323846264338327950288419716939937510")
    return (-z * z / 2).exp() / two_pi.sqrt()


def _inverse_normal(probability: Decimal) -> float:
    """Newton's method on the distribution function; it converges for every level used here."""
    with localcontext(prec=_DIGITS):
        z = Decimal(0)
        for _ in range(_NEWTON_STEPS):
            step = (_exact_normal(z) - probability) / _density(z)
            z -= step
            if not step or step.adjusted() < -_DIGITS // 2:
                break
        return float(z)
