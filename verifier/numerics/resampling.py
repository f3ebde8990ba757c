"""Confidence intervals of a function of means: the methods, over resampled units.

Sources: Efron and Tibshirani, An Introduction to the Bootstrap (1993), sections 12.2 and 12.3
(normal and t), 13.3 (percentile), 14.3 (BCa); Davison and Hinkley, Bootstrap Methods and their
Application (1997), section 5.2 (basic). The order of operations is that of
``scipy.stats.bootstrap``.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from verifier.model.plugin import FloatArray, Spent
from verifier.model.recipe import Interval, Recipe
from verifier.numerics import normal, student
from verifier.numerics.bca import adjusted_levels
from verifier.numerics.limits import require_every_stratum, require_possible
from verifier.numerics.operands import (
    Operand,
    Stratum,
    constant_means,
    drawn_means,
    left_out_means,
    means,
)
from verifier.numerics.quantile import quantiles, steps
from verifier.numerics.sample import Sample, sizes_of, strata_of
from verifier.numerics.streams import Draws

__all__ = ["Sample", "estimate", "interval_of", "interval_of_replicates", "spent"]


_TOO_LARGE = "the values are too large for an interval: their sums or squares exceed FP64"


def estimate(sample: Sample) -> float:
    """The statistic of all units, in the rounding of its replicates.

    Raises:
        ValueError: the sample is malformed, or the statistic has no finite value.
    """
    return _estimate(sample, strata_of(sample))


def spent(sample: Sample, recipe: Recipe) -> Spent:
    """What drawing the interval takes from its stream, for the ``before`` of the next one."""
    return ((sizes_of(sample), recipe.resamples),) if recipe.draws else ()


Draw = Callable[[Sequence[Stratum], Draws], list[FloatArray]]
"""How the operands' means of the drawn units are had: ``drawn_means``, or something that keeps
them."""


def interval_of(
    sample: Sample, recipe: Recipe, before: Spent = (), draw: Draw = drawn_means
) -> Interval:
    """Interval of the statistic at the level ``recipe.coverage``, in its unit.

    The order of the units matters: the stream draws positions.

    Args:
        sample: units and statistic.
        recipe: method, level, stream and the rules for ties and quantiles.
        before: what the generator has drawn before, for a stream that is continued.
        draw: draws the replicates.

    Returns:
        The end points, the standard deviation of the replicates (ddof 1; s / sqrt(n) for a method
        that draws nothing) and the number of units. A statistic that cannot vary, such as the mean
        of constant values, gives the degenerate interval [c, c].

    Raises:
        ValueError: the sample is malformed, the recipe is impossible, too large or not defined
            for such a sample, or the interval is undefined.
    """
    strata = strata_of(sample)
    units = sum(sizes_of(sample))
    earlier = before if recipe.start == "continue" else ()
    require_possible(recipe, units, earlier)
    require_every_stratum(sizes_of(sample))
    _require_defined(sample, recipe)
    if all(operand.constant for stratum in strata for operand in stratum):
        return _degenerate(float(_values(sample, constant_means(strata))[0]), units)
    if not recipe.draws:
        return _analytic(strata[0][0].vector, recipe)
    draws = Draws(
        sizes=sizes_of(sample),
        resamples=recipe.resamples,
        seed=recipe.seed,
        stream=recipe.stream,
        draw=recipe.draw,
        before=earlier,
    )
    return _interval(sample, strata, draw(strata, draws), recipe)


def interval_of_replicates(vector: FloatArray, replicates: FloatArray, recipe: Recipe) -> Interval:
    """Interval of the mean of a finite vector (n,) that varies, from its bootstrap means (B,).

    Raises:
        ValueError: the interval is undefined.
    """
    sample = Sample(vectors=(vector,))
    return _interval(sample, ((Operand(vector=vector),),), [replicates], recipe)


def _interval(
    sample: Sample, strata: Sequence[Stratum], drawn: list[FloatArray], recipe: Recipe
) -> Interval:
    centre = _estimate(sample, strata)
    replicates = _values(sample, drawn)
    units = sum(sizes_of(sample))
    if sample.of_means is not None and bool(np.all(replicates == centre)):
        # Such as the ratio of an arm to itself.
        return _degenerate(centre, units)
    with np.errstate(over="ignore", invalid="ignore"):
        standard_error = float(np.std(replicates, ddof=1))
    if not math.isfinite(standard_error):
        raise ValueError(_TOO_LARGE)
    if recipe.method == "normal-bootstrap":
        reach = -normal.ppf((1.0 - recipe.coverage) / 2.0) * standard_error
        low, high = centre - reach, centre + reach
    elif recipe.method == "bca":
        left_out = _left_out(sample, strata[0])
        levels = adjusted_levels(centre, left_out, replicates, recipe.coverage, recipe.ties)
        low, high = quantiles(replicates, levels, recipe.quantile)
    else:
        low, high = quantiles(replicates, _tails(recipe), recipe.quantile)
        if recipe.method == "basic":
            low, high = 2.0 * centre - high, 2.0 * centre - low
    return Interval(
        low=low, high=high, standard_error=standard_error, degenerate=False, units=units
    )


def _analytic(vector: FloatArray, recipe: Recipe) -> Interval:
    """Normal or Student's t interval of a mean: x_bar plus or minus q s / sqrt(n)."""
    n = vector.size
    with np.errstate(over="ignore", invalid="ignore"):
        centre = float(np.add.reduce(vector) / n)
        standard_error = float(np.std(vector, ddof=1)) / math.sqrt(n)
    if not (math.isfinite(centre) and math.isfinite(standard_error)):
        raise ValueError(_TOO_LARGE)
    alpha = (1.0 - recipe.coverage) / 2.0
    quantile = normal.ppf(alpha) if recipe.method == "normal" else student.ppf(alpha, n - 1)
    reach = -quantile * standard_error
    return Interval(
        low=centre - reach,
        high=centre + reach,
        standard_error=standard_error,
        degenerate=False,
        units=n,
    )


def _degenerate(constant: float, units: int) -> Interval:
    return Interval(low=constant, high=constant, standard_error=0.0, degenerate=True, units=units)


def _tails(recipe: Recipe) -> tuple[float, float]:
    """The probabilities of the two ends, before any correction."""
    if steps(recipe.quantile):
        # (1 - 0.9) / 2 lies below 0.05 in FP64, and floor(p B) one replicate below what 0.05
        # gives: where a bit can do that, the tail is the nearest number to the exact one.
        tail = (1 - Fraction(repr(float(recipe.level)))) / (2 * recipe.comparisons)
        return float(tail), float(1 - tail)
    alpha = (1.0 - recipe.coverage) / 2.0
    return alpha, 1.0 - alpha


def _estimate(sample: Sample, strata: Sequence[Stratum]) -> float:
    return float(_values(sample, means(strata))[0])


def _values(sample: Sample, operands: list[FloatArray]) -> FloatArray:
    """The statistic of each set of operand means: all must have one."""
    if not all(np.isfinite(operand).all() for operand in operands):
        raise ValueError(_TOO_LARGE)
    if sample.of_means is None:
        return operands[0]
    with np.errstate(all="ignore"):
        values = np.asarray(sample.of_means(*operands), dtype=np.float64)
    undefined = values.size - int(np.count_nonzero(np.isfinite(values)))
    if undefined:
        message = (
            f"the statistic is undefined for {undefined} of {values.size} samples of the units, "
            "as where a denominator is 0"
        )
        raise ValueError(message)
    return values


def _left_out(sample: Sample, stratum: Stratum) -> FloatArray:
    """The statistic without each unit in turn; not finite where it is undefined."""
    operands = left_out_means(stratum)
    if sample.of_means is None:
        return operands[0]
    with np.errstate(all="ignore"):
        return np.asarray(sample.of_means(*operands), dtype=np.float64)


def _require_defined(sample: Sample, recipe: Recipe) -> None:
    if recipe.method == "bca" and sample.strata:
        message = "BCa has no one definition for strata: use the percentile method"
        raise ValueError(message)
    plain = not (sample.of_means or sample.counts or sample.strata)
    if not recipe.draws and not plain:
        message = (
            f"the {recipe.method} method is for a plain mean of units that weigh the same, without "
            "strata: use a bootstrap method"
        )
        raise ValueError(message)
