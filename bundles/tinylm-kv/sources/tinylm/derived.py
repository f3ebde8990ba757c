"""Columns that are derived from the retained arrays, by their definitions and nothing else.

Row by row where that is clearer than fast; the verifier has its own code for the same definitions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

F64: TypeAlias = npt.NDArray[np.float64]
_SMALL: Final = 0.1
_TERMS: Final = 12
Stored: TypeAlias = "Mapping[str, npt.NDArray[Any]]"


class _Bucket(NamedTuple):
    """A token, or several, under two distributions p and q: p, q - p and log(q / p)."""

    mass: float
    gain: float
    change: float


def copied(stored: Stored, tokens: bytes, *, ngram: int = 12, distance: int = 2048) -> F64:
    """1 where the realised token completes an n-gram that ended far before, for each row.

    Args:
        stored: Holds ``history``, the place of the realised token in the stream.
        tokens: The stream.
        ngram: Tokens in an n-gram.
        distance: The earliest equal n-gram ends more than this many tokens before.
    """
    earliest: dict[bytes, int] = {}
    far = [False] * len(tokens)
    for place in range(ngram - 1, len(tokens)):
        first = earliest.setdefault(tokens[place + 1 - ngram : place + 1], place)
        far[place] = place - first > distance
    return np.array([float(far[place]) for place in stored["history"].tolist()])


def two_bucket(stored: Stored) -> F64:
    """KL(teacher || student) of the realised token against all others together."""
    log_p, log_q = stored["teacher_logp_realized"], stored["student_logp_realized"]
    rows = zip(log_p.tolist(), log_q.tolist(), strict=True)
    return np.array([_kl({0: p}, {0: q}) for p, q in rows])


def kl_topk(teacher: Stored, student: Stored, sides: tuple[str, str], k: int | None = None) -> F64:
    """KL over the tokens that both lists hold, and everything else as one bucket."""
    return np.array([_kl(p, q) for p, q in _lists(teacher, student, sides, k)])


def kl_topk_normalised(
    teacher: Stored, student: Stored, sides: tuple[str, str], k: int | None = None
) -> F64:
    """KL over the tokens that both lists hold, both sides brought to 1 among them."""
    found = []
    for p, q in _lists(teacher, student, sides, k):
        shared = sorted(p.keys() & q.keys())
        mass = math.fsum(math.exp(p[token]) for token in shared)
        parts = [(math.exp(p[token]) / mass, q[token] - p[token]) for token in shared]
        # log of the ratio of both masses, from how the parts change.
        ratio = math.log1p(math.fsum(part * math.expm1(change) for part, change in parts))
        found.append(math.fsum(part * _excess(change - ratio) for part, change in parts))
    return np.array(found)


def js_topk(teacher: Stored, student: Stored, sides: tuple[str, str], k: int | None = None) -> F64:
    """Jensen-Shannon divergence over the same buckets as ``kl_topk``.

    With m = (p + q) / 2 and x = (q - p) / (q + p), a bucket adds m (x atanh x + log(1 - x^2) / 2):
    nothing there cancels, however close the two are.
    """
    lists = _lists(teacher, student, sides, k)
    return np.array([math.fsum(map(_js_term, _buckets(p, q))) for p, q in lists])


def topk_missing(
    teacher: Stored, student: Stored, sides: tuple[str, str], k: int | None = None
) -> F64:
    """How many tokens of the first list the second lacks."""
    lists = _lists(teacher, student, sides, k)
    return np.array([float(len(p.keys() - q.keys())) for p, q in lists])


def topk_entropy(stored: Stored) -> F64:
    """Entropy of the student's list and everything else as one bucket."""
    found = []
    for listed, _ in _lists(stored, stored, ("student", "student"), None):
        masses = [*map(math.exp, listed.values()), _rest(listed.values())]
        found.append(-math.fsum(mass * math.log(mass) for mass in masses if mass))
    return np.array(found)


def swapped(first: Stored, second: Stored) -> F64:
    """1 where the two likeliest tokens of two students are the same, in the other order."""
    ours, theirs = first["student_topk_ids"][:, :2], second["student_topk_ids"][:, :2]
    return np.array([float(a == d and b == c) for (a, b), (c, d) in zip(ours, theirs, strict=True)])


TOPK: Mapping[str, Callable[..., F64]] = {
    "kl_topk": kl_topk,
    "kl_topk_normalised": kl_topk_normalised,
    "js_topk": js_topk,
    "topk_missing": topk_missing,
}


def _lists(
    first: Stored, second: Stored, sides: tuple[str, str], k: int | None
) -> Iterator[tuple[dict[int, float], dict[int, float]]]:
    """For each row, log probability by token of both lists."""
    columns = [
        stored[f"{side}_topk_{part}"][:, :k].tolist()
        for stored, side in zip((first, second), sides, strict=True)
        for part in ("ids", "logp")
    ]
    for ids_p, logp_p, ids_q, logp_q in zip(*columns, strict=True):
        yield dict(zip(ids_p, logp_p, strict=True)), dict(zip(ids_q, logp_q, strict=True))


def _buckets(p: Mapping[int, float], q: Mapping[int, float]) -> list[_Bucket]:
    """Each shared token, and everything else.

    What everything else gains is what the shared tokens lose, and their small losses are known to
    more digits than the difference of two large rests would give.
    """
    shared = sorted(p.keys() & q.keys())
    changes = [(math.exp(p[token]), q[token] - p[token]) for token in shared]
    found = [_Bucket(mass, mass * math.expm1(change), change) for mass, change in changes]
    rest, gain = _rest([p[token] for token in shared]), -math.fsum(part.gain for part in found)
    change = math.log1p(gain / rest) if rest else math.inf
    return [*found, _Bucket(rest, gain if rest else max(gain, 0.0), change)]


def _kl_term(bucket: _Bucket) -> float:
    """Its part of a KL divergence: p (q / p - 1 - log(q / p)), which is q where p is 0."""
    return bucket.mass * _excess(bucket.change) if bucket.mass else bucket.gain


def _js_term(bucket: _Bucket) -> float:
    """Its part of ``js_topk``, which is q log(2) / 2 where p is 0."""
    if not bucket.mass:
        return bucket.gain * math.log(2.0) / 2.0
    x, middle = math.tanh(bucket.change / 2.0), bucket.mass + bucket.gain / 2.0
    return middle * (x * bucket.change / 2.0 + math.log1p(-x * x) / 2.0)


def _rest(logs: Iterable[float]) -> float:
    """1 less the probabilities, counted down from the largest, so that a small rest is exact."""
    ordered = sorted(logs, reverse=True)
    if not ordered:
        return 1.0
    largest, *others = ordered
    return max(math.fsum([-math.expm1(largest), *(-math.exp(log) for log in others)]), 0.0)


def _kl(p: Mapping[int, float], q: Mapping[int, float]) -> float:
    """Sum of p log(p / q) over the shared tokens and everything else.

    Both sides add up to 1, so the sum of q - p is 0 and may be added: p (q / p - 1 - log(q / p)) is
    never negative, so that nothing cancels, however close the two are.
    """
    return math.fsum(map(_kl_term, _buckets(p, q)))


def _excess(log_ratio: float) -> float:
    """exp(d) - 1 - d, by its series where the difference would cancel."""
    if abs(log_ratio) > _SMALL:
        return math.expm1(log_ratio) - log_ratio
    total, term = 0.0, 1.0
    for power in range(2, _TERMS):
        term *= log_ratio / power
        total += term
    return total * log_ratio
