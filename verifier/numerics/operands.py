"""Means of operands: of all units, of drawn units, and without each unit in turn.

A stratum is a tuple of operands over the same units. An operand's mean over several strata is the
unweighted mean of its stratum means.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verifier.model.plugin import FloatArray
from verifier.numerics.bca import jackknife_sums
from verifier.numerics.streams import BLOCK_ENTRIES, Block, Draws, blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One operand within one stratum.

    Attributes:
        vector: one value per unit (n,), finite FP64; with counts, one sum per unit.
        counts: rows behind each unit (n,); None where every unit weighs the same.
    """

    vector: FloatArray
    counts: FloatArray | None = None

    @property
    def constant(self) -> bool:
        """Whether every sample of these units has the same mean."""
        return _is_constant(self.vector) and (self.counts is None or _is_constant(self.counts))


Stratum = tuple[Operand, ...]


def means(strata: Sequence[Stratum]) -> list[FloatArray]:
    """Each operand's mean of all units, as an array (1,), in its unit; infinite beyond FP64.

    Raises:
        ValueError: the units of a stratum hold no rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return _over_strata([[_mean(operand) for operand in stratum] for stratum in strata])


def constant_means(strata: Sequence[Stratum]) -> list[FloatArray]:
    """As ``means``, exactly, where every operand is constant in its stratum.

    One unit stands for all: a sum of n equal numbers, divided by n, is not always that number.
    """
    return means(
        [
            tuple(
                Operand(
                    vector=operand.vector[:1],
                    counts=None if operand.counts is None else operand.counts[:1],
                )
                for operand in stratum
            )
            for stratum in strata
        ]
    )


def left_out_means(stratum: Stratum) -> list[FloatArray]:
    """Each operand's mean (n,) without each unit in turn; not finite where there is none."""
    with np.errstate(all="ignore"):
        return [_left_out_mean(operand) for operand in stratum]


def drawn_means(strata: Sequence[Stratum], draws: Draws) -> list[FloatArray]:
    """Each operand's mean (resamples,) of the drawn units, in its unit; infinite beyond FP64.

    All operands are drawn with the same indices. Each mean is the pairwise sum over one row of
    gathered values, divided by n: the bits of ``np.mean(vector[indices], axis=-1)``. With counts
    it is the quotient of two such sums, so rows that were summed unit by unit are never gathered.

    Raises:
        ValueError: a replicate draws only units without rows, or ``blocks`` refuses the draws.
    """
    totals = [np.zeros(draws.resamples) for _ in strata[0]]
    buffer = np.empty(max(BLOCK_ENTRIES, *draws.sizes))
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks(draws):
            rows = slice(block.start, block.start + len(block.indices))
            for operand, total in zip(strata[block.stratum], totals, strict=True):
                total[rows] += _drawn_mean(operand, block, buffer)
        return [np.divide(total, len(strata), out=total) for total in totals]


def _is_constant(vector: FloatArray) -> bool:
    return bool(vector.max() == vector.min())


def _mean(operand: Operand) -> FloatArray:
    total = np.add.reduce(operand.vector, keepdims=True)
    if operand.counts is None:
        return np.asarray(total / operand.vector.size)
    return _quotient(total, np.add.reduce(operand.counts, keepdims=True))


def _left_out_mean(operand: Operand) -> FloatArray:
    sums = jackknife_sums(operand.vector)
    if operand.counts is None:
        return np.asarray(sums / (sums.size - 1))
    return np.asarray(sums / jackknife_sums(operand.counts))


def _drawn_mean(operand: Operand, block: Block, buffer: FloatArray) -> FloatArray:
    sums = _drawn_sums(operand.vector, block, buffer)
    if operand.counts is None:
        return np.divide(sums, operand.vector.size, out=sums)
    return _quotient(sums, _drawn_sums(operand.counts, block, buffer))


def _drawn_sums(vector: FloatArray, block: Block, buffer: FloatArray) -> FloatArray:
    gathered = buffer[: block.indices.size].reshape(block.indices.shape)
    # The indices are in range; "clip" spares the second buffer that "raise" needs.
    np.take(vector, block.indices, out=gathered, mode="clip")
    return np.asarray(np.add.reduce(gathered, axis=1))


def _quotient(sums: FloatArray, counts: FloatArray) -> FloatArray:
    empty = counts.size - np.count_nonzero(counts)
    if empty:
        message = (
            f"{empty} of {counts.size} samples of the units hold no rows, so they have no mean: "
            "leave units without rows out"
        )
        raise ValueError(message)
    return np.asarray(sums / counts)


def _over_strata(found: Sequence[Sequence[FloatArray]]) -> list[FloatArray]:
    """Unweighted means over the strata, summed in the order of ``drawn_means``."""
    totals = [np.zeros(1) for _ in found[0]]
    for stratum in found:
        totals = [total + mean for total, mean in zip(totals, stratum, strict=True)]
    return [total / len(found) for total in totals]
