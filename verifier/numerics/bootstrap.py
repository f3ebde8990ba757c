"""Bootstrap intervals of the mean, bit by bit as ``scipy.stats.bootstrap`` draws them."""

from collections.abc import Sequence

from verifier.model.plugin import FloatArray
from verifier.model.recipe import Interval, Recipe
from verifier.numerics.limits import require_possible
from verifier.numerics.operands import Operand, drawn_means
from verifier.numerics.resampling import Sample, interval_of, interval_of_replicates
from verifier.numerics.streams import Draws
from verifier.numerics.vector import finite_vector


def interval(values: FloatArray, recipe: Recipe) -> Interval:
    """Interval of the mean of the values (n,), in their unit.

    The order of the values matters: the stream draws positions, so the same windows in another
    order give other end points.

    Args:
        values: one number per resampled unit; narrower types are widened to FP64 first.
        recipe: method, level, stream and the rules for ties and quantiles.

    Returns:
        The end points, the standard deviation of the replicates (ddof 1) and n. Constant values
        give the degenerate interval [c, c].

    Raises:
        ValueError: the values are not a finite vector of at least two, the recipe is impossible or
            too large, or the interval is undefined.
    """
    return intervals((values,), recipe)[0]


def intervals(vectors: Sequence[FloatArray], recipe: Recipe) -> tuple[Interval, ...]:
    """Intervals of several vectors (n,) that share one index matrix.

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
        require_possible(recipe, length)
    drawn = iter(replicate_means([sample for sample in samples if _drawn(sample, recipe)], recipe))
    return tuple(
        interval_of_replicates(sample, next(drawn), recipe)
        if _drawn(sample, recipe)
        else interval_of(Sample(vectors=(sample,)), recipe)
        for sample in samples
    )


def replicate_means(samples: Sequence[FloatArray], recipe: Recipe) -> list[FloatArray]:
    """Bootstrap means (resamples,) of each sample (n,), all of one length, in their unit."""
    if not samples:
        return []
    draws = Draws(
        sizes=(samples[0].size,),
        resamples=recipe.resamples,
        seed=recipe.seed,
        stream=recipe.stream,
    )
    return drawn_means((tuple(Operand(vector=sample) for sample in samples),), draws)


def _drawn(sample: FloatArray, recipe: Recipe) -> bool:
    return recipe.draws and not Operand(vector=sample).constant
