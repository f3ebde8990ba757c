"""Bootstrap intervals of the mean, bit by bit as ``scipy.stats.bootstrap`` draws them."""

from collections.abc import Sequence

import numpy as np

from verifier.model.plugin import FloatArray
from verifier.model.recipe import Interval, Recipe
from verifier.numerics.bca import adjusted_levels
from verifier.numerics.quantile import quantiles
from verifier.numerics.streams import index_blocks, rows_per_block
from verifier.numerics.vector import finite_vector

MAX_UNITS = 2**18
"""Most units of one interval; the jackknife takes n * n steps (17 s at this size)."""

MAX_RESAMPLES = 2_000_000
"""Most replicates of one interval, kept in memory as FP64."""

MAX_DRAWS = 2**33
"""Most indices of one interval, n * resamples (about a minute); a bundle names both factors."""


def interval(values: FloatArray, recipe: Recipe) -> Interval:
    """Bootstrap interval of the mean of the values (n,), in their unit.

    The order of the values matters: the stream draws positions, so the same windows in another
    order give other end points.

    Args:
        values: one number per resampled unit; narrower types are widened to FP64 first.
        recipe: method, level, stream and the rules for ties and quantiles.

    Returns:
        The end points and the standard deviation of the replicates (ddof 1). Constant values,
        also a single one, give the degenerate interval [c, c].

    Raises:
        ValueError: the values are not a finite vector, the recipe is impossible or too large, or
            the interval is undefined.
    """
    return intervals((values,), recipe)[0]


def intervals(vectors: Sequence[FloatArray], recipe: Recipe) -> tuple[Interval, ...]:
    """Bootstrap intervals of several vectors (n,) that share one index matrix.

    Each equals ``interval(vector, recipe)``; only the draws are not repeated.

    Raises:
        ValueError: as ``interval``, naming the vector; or the vectors differ in length.
    """
    samples = [
        finite_vector(vector, name=f"vector {number}" if len(vectors) > 1 else "values")
        for number, vector in enumerate(vectors, start=1)
    ]
    lengths = sorted({sample.size for sample in samples})
    if len(lengths) > 1:
        message = f"vectors that share draws need one length, found {lengths}"
        raise ValueError(message)
    for length in lengths:
        _require_possible(recipe, length)
    varied = [sample for sample in samples if not _is_constant(sample)]
    drawn = iter(replicate_means(varied, recipe))
    return tuple(
        _degenerate(sample) if _is_constant(sample) else _estimated(sample, next(drawn), recipe)
        for sample in samples
    )


def replicate_means(samples: Sequence[FloatArray], recipe: Recipe) -> list[FloatArray]:
    """Bootstrap means (resamples,) of each sample (n,), all of one length, in their unit.

    Each is the pairwise sum over one row of gathered values, divided by n: the bits of
    ``np.mean(sample[indices], axis=-1)``.
    """
    if not samples:
        return []
    n = samples[0].size
    means = [np.empty(recipe.resamples) for _ in samples]
    buffer = np.empty((min(rows_per_block(n), recipe.resamples), n))
    start = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for block in index_blocks(n, recipe.resamples, recipe.seed, recipe.stream):
            stop = start + len(block)
            gathered = buffer[: len(block)]
            for sample, out in zip(samples, means, strict=True):
                # The indices are in range; "clip" spares the second buffer that "raise" needs.
                np.take(sample, block, out=gathered, mode="clip")
                np.add.reduce(gathered, axis=1, out=out[start:stop])
            start = stop
    for out in means:
        np.divide(out, n, out=out)
    return means


def _estimated(sample: FloatArray, replicates: FloatArray, recipe: Recipe) -> Interval:
    with np.errstate(over="ignore", invalid="ignore"):
        standard_error = float(np.std(replicates, ddof=1))
    if not np.isfinite(standard_error):
        message = "the values are too large for an interval: their sums or squares exceed FP64"
        raise ValueError(message)
    if recipe.method == "bca":
        levels = adjusted_levels(sample, replicates, recipe.level, recipe.ties)
    else:
        alpha = (1.0 - recipe.level) / 2.0
        levels = (alpha, 1.0 - alpha)
    low, high = quantiles(replicates, levels)
    return Interval(low=low, high=high, standard_error=standard_error, degenerate=False)


def _degenerate(sample: FloatArray) -> Interval:
    constant = float(sample[0])
    return Interval(low=constant, high=constant, standard_error=0.0, degenerate=True)


def _is_constant(sample: FloatArray) -> bool:
    return bool(sample.max() == sample.min())


def _require_possible(recipe: Recipe, n: int) -> None:
    """Refuse what has no answer, and what a hostile bundle could ask for to exhaust the machine."""
    if not 0.0 < recipe.level < 1.0:
        message = f"expected a level between 0 and 1, found {recipe.level}"
        raise ValueError(message)
    if not 2 <= recipe.resamples <= MAX_RESAMPLES:  # noqa: PLR2004 - a deviation needs two values
        message = f"expected 2 to {MAX_RESAMPLES} resamples, found {recipe.resamples}"
        raise ValueError(message)
    if n > MAX_UNITS:
        message = f"{n} units exceed {MAX_UNITS}: resample windows, not rows"
        raise ValueError(message)
    if n * recipe.resamples > MAX_DRAWS:
        message = f"{n} units x {recipe.resamples} resamples exceed {MAX_DRAWS} draws"
        raise ValueError(message)
