"""A second implementation of what top-k lists tell: dictionaries and loops over plain floats."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics.divergence_topk import TopK, top_k


@dataclass(frozen=True, slots=True, kw_only=True)
class Lists:
    """Top-k lists (rows, k) as they are stored."""

    ids: NDArray[np.int64]
    logp: FloatArray

    def checked(self, k: int | None = None) -> TopK:
        """The same as the program reads it."""
        return top_k(self.ids, self.logp, name="list", k=k)


def log_distributions(seed: int, rows: int, vocabulary: int, spread: float) -> FloatArray:
    """Log probabilities (rows, vocabulary); a large spread makes some rows nearly certain."""
    logits = np.random.default_rng(seed).standard_normal((rows, vocabulary)) * spread
    logits -= logits.max(axis=1, keepdims=True)
    # log1p keeps the digits of the largest one, from which a small rest is counted down.
    others = np.where(logits == 0.0, 0.0, np.exp(logits)).sum(axis=1, keepdims=True)
    found: FloatArray = logits - np.log1p(others)
    return found


def likeliest(logp: FloatArray, k: int) -> Lists:
    """The k likeliest tokens of each row of log probabilities (rows, vocabulary)."""
    ids = np.argsort(-logp, axis=1, kind="stable")[:, :k]
    return Lists(ids=ids, logp=np.take_along_axis(logp, ids, axis=1))


def buckets(reference: Lists, other: Lists, row: int) -> tuple[list[float], list[float]]:
    """Probabilities of the shared tokens and of the rest, in both distributions of one row."""
    p = dict(zip(reference.ids[row].tolist(), np.exp(reference.logp[row]).tolist(), strict=True))
    q = dict(zip(other.ids[row].tolist(), np.exp(other.logp[row]).tolist(), strict=True))
    shared = [token for token in p if token in q]
    first, second = [p[token] for token in shared], [q[token] for token in shared]
    return (
        [*first, max(0.0, 1.0 - math.fsum(first))],
        [*second, max(0.0, 1.0 - math.fsum(second))],
    )
