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
tiles and not with the vocabulary (Higham 2002, section 4.2).

A divergence far below 1e-3 nats is then hardly more than what rounding leaves of the difference. On
request such rows are taken once more, by a formula in which nothing cancels: their divergences are
right to 1e-13 relative, however small, for several times the time.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics._divergence_careful import (
    SMALL,
    careful,
    careful_jensen_shannon,
    nearby_kl,
)
from verifier.numerics._divergence_tiles import jensen_shannon, sums

Logits = NDArray[np.floating]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two distributions, row by row.

    A row that holds NaN or +infinity, or nothing but -infinity, is no distribution: its numbers
    are NaN and its ``top1`` is -1.

    Attributes:
        logsumexp: (rows,), in the unit of the logits.
        entropy: (rows,), nats; None unless it was asked for.
        top1: id of the largest logit (rows,), int64; the lowest id of several.
        top1_p: probability of ``top1`` (rows,).
        logp: log probability of the given token (rows,), nats; NaN without a token, or for a token
            outside the vocabulary.
    """

    logsumexp: FloatArray
    entropy: FloatArray | None
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
    """

    kl: FloatArray
    jensen_shannon: FloatArray | None
    teacher: Side
    student: Side


def divergence(  # noqa: PLR0913 - three of them say what is computed
    teacher: Logits,
    student: Logits,
    tokens: NDArray[np.integer] | None = None,
    *,
    with_entropies: bool = False,
    with_jensen_shannon: bool = False,
    precise: bool = False,
) -> Divergence:
    """Compare the distributions of two blocks of logits.

    Args:
        teacher: (rows, vocabulary) of float16, float32 or float64.
        student: of the same shape.
        tokens: ids (rows,) whose log probability is wanted.
        with_entropies: whether entropies are computed too.
        with_jensen_shannon: whether that divergence is computed too, for several times the time.
        precise: whether small divergences keep their digits, for several times the time.

    Raises:
        ValueError: the shapes differ, there is no vocabulary, or a type is none of these.
    """
    _refuse_misfits(teacher, student, tokens)
    teacher, student = _at_least_single(teacher), _at_least_single(student)
    with np.errstate(all="ignore"):
        found = sums(teacher, student, entropies=with_entropies or with_jensen_shannon)
        kl, lse, entropies = found.kl, found.logsumexps, found.entropies
        shannon = None
        if with_jensen_shannon and entropies is not None:
            shannon = jensen_shannon(teacher, student, found, entropies)
        # Whatever is not finite in a row has made this sum of it NaN or infinite as well.
        spoiled = ~np.isfinite(kl)
        for row in np.flatnonzero(spoiled):
            one = careful(teacher[row], student[row])
            kl[row], lse[:, row] = one.kl, one.logsumexp
            if entropies is not None:
                entropies[:, row] = one.entropy
        for row in np.flatnonzero(kl < SMALL) if precise else ():
            kl[row] = nearby_kl(teacher[row], student[row])
        if shannon is not None:
            for row in np.flatnonzero(spoiled | (precise & (kl < SMALL))):
                shannon[row] = careful_jensen_shannon(teacher[row], student[row])
        unusable = np.isnan(lse)
        top1_p = np.exp(found.highest - lse)
    sides = [
        Side(
            logsumexp=lse[side],
            entropy=None if entropies is None else entropies[side],
            top1=np.where(unusable[side], -1, found.top1[side]),
            top1_p=top1_p[side],
            logp=_logp(block, lse[side], tokens),
        )
        for side, block in enumerate((teacher, student))
    ]
    return Divergence(
        kl=kl,
        jensen_shannon=shannon,
        teacher=sides[0],
        student=sides[1],
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


def _logp(block: Logits, lse: FloatArray, tokens: NDArray[np.integer] | None) -> FloatArray:
    logp = np.full(len(block), np.nan)
    if tokens is not None:
        known = (tokens >= 0) & (tokens < block.shape[1])
        logp[known] = block[known, tokens[known]] - lse[known]
    return logp
