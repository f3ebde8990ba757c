"""Divergences of two softmax distributions from blocks of their logits, in FP64.

For one row, t and s being the logits of teacher and student, lse(x) = log(sum(exp(x))) and
p = exp(t - lse(t)), q = exp(s - lse(s)):

    KL(teacher || student) = sum(p (t - s)) - (lse(t) - lse(s))             nats
    entropy of the teacher = lse(t) - sum(p t)                              nats
    Jensen-Shannon         = -sum(m log m) - (H(p) + H(q)) / 2, m = (p + q) / 2

(Kullback and Leibler 1951; Lin 1991, "Divergence measures based on the Shannon entropy"). KL and
entropies take one exponential of each logit, in one pass over tiles that stay in the processor's
cache; Jensen-Shannon takes a second pass. Results lie within 1e-12 of the same formulas in plain
FP64 as long as KL and logits are of ordinary size (up to some tens), and within 1e-13 relative
beyond: sums run over tiles, so that their rounding error grows with the size and the number of
tiles and not with the vocabulary (Higham 2002, section 4.2). Rows whose KL comes out below 1e-3
nats are taken once more, by a formula in which nothing cancels: their divergences are right to
1e-13 relative, however small.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.numerics._divergence_careful import (
    SMALL,
    careful,
    careful_jensen_shannon,
    nearby_kl,
)
from verifier.numerics._divergence_tiles import Sums, jensen_shannon, sums

Logits = NDArray[np.floating]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two distributions, row by row.

    A row that holds NaN or +infinity, or nothing but -infinity, is no distribution: its numbers
    are NaN and its ``top1`` is -1.

    Attributes:
        logsumexp: (rows,), in the unit of the logits.
        entropy: (rows,), nats.
        top1: id of the largest logit (rows,), int64; the lowest id of several.
        top1_p: probability of ``top1`` (rows,).
        logp: log probability of the given token (rows,), nats; NaN without a token, or for a token
            outside the vocabulary.
    """

    logsumexp: FloatArray
    entropy: FloatArray
    top1: NDArray[np.int64]
    top1_p: FloatArray
    logp: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """What two blocks of logits give, row by row.

    Attributes:
        kl: KL(teacher || student) (rows,), nats; +infinity where the student gives a logit of
            -infinity to a token whose teacher logit is larger; NaN where either side is no
            distribution.
        jensen_shannon: (rows,), nats; None unless it was asked for.
        teacher: the reference distribution.
        student: the other one.
        unusable: number of rows in which either side is no distribution.
    """

    kl: FloatArray
    jensen_shannon: FloatArray | None
    teacher: Side
    student: Side
    unusable: int


def divergence(
    teacher: Logits,
    student: Logits,
    tokens: NDArray[np.integer] | None = None,
    *,
    with_jensen_shannon: bool = False,
) -> Divergence:
    """Compare the distributions of two blocks of logits.

    Args:
        teacher: (rows, vocabulary) of float16, float32 or float64.
        student: of the same shape.
        tokens: ids (rows,) whose log probability is wanted.
        with_jensen_shannon: whether that divergence is computed too, for twice the time.

    Raises:
        ValueError: the shapes differ, there is no vocabulary, or a type is none of these.
    """
    _refuse_misfits(teacher, student, tokens)
    teacher, student = _at_least_single(teacher), _at_least_single(student)
    with np.errstate(all="ignore"):
        found = sums(teacher, student)
        kl = found.kl
        entropies = [found.entropy(side) for side in (0, 1)]
        lse = [found.logsumexp(side) for side in (0, 1)]
        shannon = jensen_shannon(teacher, student, found) if with_jensen_shannon else None
        for row in np.flatnonzero(kl < SMALL):
            kl[row] = nearby_kl(teacher[row], student[row])
            if shannon is not None:
                shannon[row] = careful_jensen_shannon(teacher[row], student[row])
        for row in np.flatnonzero(~np.isfinite(kl + entropies[0] + entropies[1])):
            one = careful(teacher[row], student[row])
            kl[row] = one.kl
            for side in (0, 1):
                entropies[side][row], lse[side][row] = one.entropy[side], one.logsumexp[side]
            if shannon is not None:
                shannon[row] = careful_jensen_shannon(teacher[row], student[row])
        sides = [
            _side(block, lse[side], entropies[side], found, side, tokens)
            for side, block in enumerate((teacher, student))
        ]
    bad = np.isnan(sides[0].logsumexp) | np.isnan(sides[1].logsumexp)
    return Divergence(
        kl=kl,
        jensen_shannon=shannon,
        teacher=sides[0],
        student=sides[1],
        unusable=int(np.count_nonzero(bad)),
    )


def _refuse_misfits(teacher: Logits, student: Logits, tokens: NDArray[np.integer] | None) -> None:
    if teacher.ndim != 2 or teacher.shape != student.shape:  # noqa: PLR2004 - rows, vocabulary
        message = f"teacher logits {teacher.shape} and student logits {student.shape} do not match"
        raise ValueError(message)
    if not teacher.shape[1]:
        message = "a vocabulary of 0 has no distribution"
        raise ValueError(message)
    for block in (teacher, student):
        if block.dtype not in (np.float16, np.float32, np.float64):
            message = f"logits of type {block.dtype}; expected float16, float32 or float64"
            raise ValueError(message)
    if tokens is not None and tokens.shape != teacher.shape[:1]:
        message = f"tokens {tokens.shape} for {teacher.shape[0]} rows"
        raise ValueError(message)


def _at_least_single(block: Logits) -> Logits:
    """Half precision becomes single precision, exactly; NumPy searches halves one by one."""
    return block.astype(np.float32) if block.dtype == np.float16 else block


def _side(  # noqa: PLR0913, PLR0917 - private: the parts of one result
    block: Logits,
    lse: FloatArray,
    entropy: FloatArray,
    found: Sums,
    side: int,
    tokens: NDArray[np.integer] | None,
) -> Side:
    bad = np.isnan(lse)
    logp = np.full(len(block), np.nan)
    if tokens is not None:
        known = (tokens >= 0) & (tokens < block.shape[1])
        logp[known] = block[known, tokens[known]] - lse[known]
    return Side(
        logsumexp=lse,
        entropy=entropy,
        top1=np.where(bad, -1, found.top1[side]),
        top1_p=np.exp(found.highest[side] - lse),
        logp=logp,
    )
