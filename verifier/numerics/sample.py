"""What an interval resamples: units of one or more operands, weighted and stratified."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics.operands import Operand, Stratum
from verifier.numerics.vector import finite_vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The units that an interval resamples, and the statistic of their means.

    Attributes:
        vectors: one value per unit (n,) for each operand, over the same units: all operands are
            resampled with the same indices, a denominator too.
        counts: rows behind each unit (n,), one vector for each operand, none of them negative.
            The vectors are then sums over these rows, and a mean is the sum of the drawn sums
            divided by the sum of the drawn counts: the literal cluster bootstrap by unit sums.
            Empty where all units weigh the same.
        strata: positions of the units of each stratum, in the sorted order of the strata's names:
            units are drawn within their stratum, and an operand's mean is the unweighted mean of
            its stratum means. Empty without strata.
        of_means: the statistic: arrays of the operands' means, one per operand, to values of
            their shape; None for the mean of the only operand.
    """

    vectors: tuple[FloatArray, ...]
    counts: tuple[FloatArray, ...] = ()
    strata: tuple[NDArray[np.int64], ...] = ()
    of_means: Callable[..., FloatArray] | None = None


def sizes_of(sample: Sample) -> tuple[int, ...]:
    """Number of units of each stratum, in order; one number without strata."""
    if sample.strata:
        return tuple(positions.size for positions in sample.strata)
    return (sample.vectors[0].size,)


def strata_of(sample: Sample) -> tuple[Stratum, ...]:
    """The operands by stratum; one stratum when the sample has none.

    Raises:
        ValueError: a vector is not finite, lengths or numbers of operands differ, a count is
            negative, or the strata do not hold each unit once.
    """
    operands = _operands(sample)
    if not sample.strata:
        return (operands,)
    _require_partition(sample.strata, operands[0].vector.size)
    return tuple(
        tuple(
            Operand(
                vector=operand.vector[positions],
                counts=None if operand.counts is None else operand.counts[positions],
            )
            for operand in operands
        )
        for positions in sample.strata
    )


def _operands(sample: Sample) -> Stratum:
    number = len(sample.vectors)
    if not number or (sample.of_means is None and number > 1):
        message = f"expected one operand, or a statistic of several, found {number} operands"
        raise ValueError(message)
    if sample.counts and len(sample.counts) != number:
        message = f"expected counts for {number} operands, found them for {len(sample.counts)}"
        raise ValueError(message)
    names = [f"operand {place}" if number > 1 else "values" for place in range(1, number + 1)]
    vectors = [
        finite_vector(vector, name=name) for vector, name in zip(sample.vectors, names, strict=True)
    ]
    counts = [
        _checked_counts(vector, name=f"counts of {name}")
        for vector, name in zip(sample.counts, names, strict=False)
    ]
    lengths = sorted({vector.size for vector in (*vectors, *counts)})
    if len(lengths) > 1:
        message = f"operands and counts over the same units need one length, found {lengths}"
        raise ValueError(message)
    if not counts:
        return tuple(Operand(vector=vector) for vector in vectors)
    return tuple(
        Operand(vector=vector, counts=rows) for vector, rows in zip(vectors, counts, strict=True)
    )


def _checked_counts(counts: FloatArray, *, name: str) -> FloatArray:
    vector = finite_vector(counts, name=name)
    if vector.min() < 0.0:
        place = int(np.argmin(vector))
        message = f"{name}: expected 0 or more rows, found {vector[place]:g} at index {place}"
        raise ValueError(message)
    return vector


def _require_partition(strata: tuple[NDArray[np.int64], ...], units: int) -> None:
    together = np.sort(np.concatenate(strata))
    if not (all(stratum.size for stratum in strata) and np.array_equal(together, np.arange(units))):
        message = f"expected strata that hold each of {units} units once, none of them empty"
        raise ValueError(message)
