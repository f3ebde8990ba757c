"""Divergences of single rows that hold infinities, NaN or logits at the edge of FP64."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Logits = NDArray[np.floating]


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
    return CarefulRow(
        kl=_kl(p, q), entropy=(p.entropy, q.entropy), logsumexp=(p.logsumexp, q.logsumexp)
    )


def careful_jensen_shannon(teacher: Logits, student: Logits) -> float:
    """Jensen-Shannon divergence of one row (vocabulary,) in nats."""
    p, q = _softmax(teacher), _softmax(student)
    mixture = (p.p + q.p) / 2.0
    logarithm = np.log(np.maximum(mixture, np.finfo(np.float64).tiny))
    return float(-np.sum(mixture * logarithm)) - (p.entropy + q.entropy) / 2.0


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
