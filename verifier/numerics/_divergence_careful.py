"""Divergences of single rows that the formulas for many rows do not suit.

Such a row holds infinities, NaN or logits at the edge of FP64, or the distributions nearly agree:
subtracting numbers of the size of the logits leaves rounding of 1e-15, which may exceed the
divergence. With d = s - t for the logits s of the student and t of the teacher, p the teacher's
distribution and u = sum(p d):

    KL(teacher || student) = log(sum(p exp(d - u))) = log1p(sum(p (exp(d - u) - 1 - (d - u))))

since sum(p (d - u)) = 0. Nothing in that sum is negative, and an error of u is multiplied by the
divergence itself.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics.relative_entropy import excess, jensen_shannon_terms

SMALL: Final = 1e-3
"""Nats below which a divergence is worth the time of the formula that keeps its digits."""

Logits = NDArray[np.floating]

# Logits in a tile: small for the cache, large beside the cost of a call.
_TILE = 8_192


@dataclass(frozen=True, slots=True, kw_only=True)
class CarefulRow:
    """One row; ``entropy`` and ``logsumexp`` are (teacher, student)."""

    kl: float
    entropy: tuple[float, float]
    logsumexp: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Softmax:
    """One distribution; all NaN when the logits give none."""

    p: FloatArray
    logp: FloatArray
    logsumexp: float

    @property
    def entropy(self) -> float:
        return float(-np.sum(self.p * np.where(self.p > 0.0, self.logp, 0.0)))


def careful(teacher: Logits, student: Logits) -> CarefulRow:
    """KL(teacher || student), entropies and logsumexps of one row (vocabulary,)."""
    p, q = _softmax(teacher), _softmax(student)
    kl = _kl(p, q)
    return CarefulRow(
        kl=_nearby(p, teacher, student).kl if kl < SMALL else kl,
        entropy=(p.entropy, q.entropy),
        logsumexp=(p.logsumexp, q.logsumexp),
    )


def nearby_kl(teacher: Logits, student: Logits) -> float:
    """KL(teacher || student) of one row (vocabulary,) in nats, known to be below ``SMALL``."""
    return _nearby(_softmax(teacher), teacher, student).kl


def careful_jensen_shannon(teacher: Logits, student: Logits) -> float:
    """Jensen-Shannon divergence of one row (vocabulary,) in nats."""
    p, q = _softmax(teacher), _softmax(student)
    ratio = _nearby(p, teacher, student).log_ratio if _kl(p, q) < SMALL else q.logp - p.logp
    return float(jensen_shannon_terms(p.logp, q.logp, ratio).sum())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nearby:
    """Two distributions that nearly agree; ``log_ratio`` (vocabulary,) is log(q / p)."""

    kl: float
    log_ratio: FloatArray


def _nearby(teacher: _Softmax, teacher_logits: Logits, student_logits: Logits) -> _Nearby:
    student = student_logits.astype(np.float64)
    ratio = student - teacher_logits
    lost = teacher.p < np.finfo(np.float64).tiny
    # What has no mass in the teacher may have any ratio; its term is the mass in the student.
    gained = np.exp(student[lost] - teacher.logsumexp)
    mean = np.sum(teacher.p * np.where(lost, 0.0, ratio))
    ratio -= mean
    total = float(gained.sum() * np.exp(-mean))
    for start in range(0, len(ratio), _TILE):
        at = slice(start, start + _TILE)
        total += float(np.sum(teacher.p[at] * excess(np.where(lost[at], 0.0, ratio[at]))))
    kl = float(np.log1p(total))
    return _Nearby(kl=kl, log_ratio=ratio - kl)


def _softmax(logits: Logits) -> _Softmax:
    values = logits.astype(np.float64)
    highest = values.max()
    if not np.isfinite(highest):
        nothing = np.full(values.shape, np.nan)
        return _Softmax(p=nothing, logp=nothing, logsumexp=float("nan"))
    values -= highest
    exponentials = np.exp(values)
    logarithm = np.log(exponentials.sum())
    return _Softmax(
        p=exponentials / exponentials.sum(),
        logp=values - logarithm,
        logsumexp=float(highest + logarithm),
    )


def _kl(teacher: _Softmax, student: _Softmax) -> float:
    if np.isnan(teacher.logsumexp) or np.isnan(student.logsumexp):
        return float("nan")
    # A finite logit is mass, even where its probability is below the smallest FP64 number.
    if np.any(np.isneginf(student.logp) & ~np.isneginf(teacher.logp)):
        return float("inf")
    held = teacher.p > 0.0
    return float(np.sum(teacher.p[held] * (teacher.logp[held] - student.logp[held])))
