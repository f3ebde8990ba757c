"""Which rows contradict their own top-k lists."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.model.column import Arrays
from verifier.numerics import divergence_topk
from verifier.numerics.divergence_topk import TopK

Mask = NDArray[np.bool_]

TOLERANCE = 1e-9
"""Absolute, in nats or as a probability; for larger numbers relative as well."""

# Sums and logarithms of FP64 round; an order is broken only by more than this.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Rows of one array that cannot be true.

    Attributes:
        array: name of the array.
        rows: (rows,), true where it cannot.
        what: what was counted, after "number of".
        message: what it means.
    """

    array: str
    rows: Mask
    what: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """One side's lists; ``sound`` rows name each token once and have a mass of at most 1."""

    side: str
    ids: NDArray[np.integer]
    logp: NDArray[np.float64]
    repeated: Mask
    heavy: Mask
    listed: Mask

    @property
    def sound(self) -> Mask:
        return self.listed & ~self.repeated & ~self.heavy


def contradictions(arrays: Arrays, vocabulary: int | None) -> Iterator[Contradiction]:
    """Hold every row against its top-k lists.

    Args:
        arrays: sound arrays by name, each with one entry per row; what is absent is passed over.
        vocabulary: number of tokens, None where the record does not say.
    """
    lists = [found for side in ("teacher", "student") if (found := _list(arrays, side)) is not None]
    for found in lists:
        yield from _own(found, vocabulary)
        if vocabulary is not None:
            yield _rest(found, vocabulary)
        yield from _top1(arrays, found)
        yield from _realised(arrays, found)
        if f"{found.side}_entropy" in arrays:
            yield from _entropy(arrays[f"{found.side}_entropy"], found, vocabulary)
    if len(lists) == len(("teacher", "student")) and "kld" in arrays:
        yield _divergence(arrays["kld"], lists[0], lists[1], vocabulary)


def close(actual: NDArray[Any], expected: NDArray[Any]) -> Mask:
    """Whether numbers agree within the tolerance, absolute or relative; equal infinities do."""
    with np.errstate(invalid="ignore"):
        near = np.abs(actual - expected) <= TOLERANCE * np.maximum(1.0, np.abs(expected))
    # An infinite bound would let anything agree with an infinity.
    agrees: Mask = np.where(np.isfinite(expected), near, actual == expected)
    return agrees


def _list(arrays: Arrays, side: str) -> _List | None:
    ids, logp = arrays.get(f"{side}_topk_ids"), arrays.get(f"{side}_topk_logp")
    if ids is None or logp is None or ids.shape != logp.shape:
        return None
    ordered = np.sort(ids, axis=1)
    with np.errstate(over="ignore"):
        mass = np.exp(logp).sum(axis=1)
    return _List(
        side=side,
        ids=ids,
        logp=logp,
        repeated=_any(ordered[:, 1:] == ordered[:, :-1]),
        heavy=mass > 1.0 + TOLERANCE,
        listed=~np.isnan(mass),
    )


def _own(found: _List, vocabulary: int | None) -> Iterator[Contradiction]:
    ids, logp = f"{found.side}_topk_ids", f"{found.side}_topk_logp"
    yield Contradiction(
        array=ids,
        rows=found.repeated & found.listed,
        what="rows in which the list names a token twice",
        message="A list of the likeliest tokens names each of them once.",
    )
    outside = _any(found.ids < 0)
    if vocabulary is not None:
        outside |= _any(found.ids >= vocabulary)
    yield Contradiction(
        array=ids,
        rows=outside & found.listed,
        what="rows in which the list names a token outside the vocabulary",
        message=f"Token ids lie between 0 and the vocabulary ({vocabulary or 'not recorded'}).",
    )
    yield Contradiction(
        array=logp,
        rows=_any(found.logp[:, 1:] > found.logp[:, :-1] + _ROUNDING),
        what="rows in which the list does not descend",
        message="A list of the likeliest tokens starts with the likeliest.",
    )
    yield Contradiction(
        array=logp,
        rows=found.heavy,
        what="rows in which the listed probabilities exceed 1 in all",
        message="No distribution gives more than 1 in all.",
    )


def _rest(found: _List, vocabulary: int) -> Contradiction:
    """No token outside a list of the likeliest has more than the last of it."""
    width = found.ids.shape[1]
    with np.errstate(over="ignore"):
        probabilities = np.exp(found.logp)
    reach = probabilities.sum(axis=1) + max(vocabulary - width, 0) * probabilities[:, -1]
    return Contradiction(
        array=f"{found.side}_topk_logp",
        rows=found.sound & (reach < 1.0 - TOLERANCE),
        what="rows whose other tokens cannot make up what the list leaves of 1",
        message="No token that is not listed is likelier than the last of the list.",
    )


def _entropy(
    entropy: NDArray[np.float64], found: _List, vocabulary: int | None
) -> Iterator[Contradiction]:
    """Hold entropies (rows,) in nats against their bounds.

    All tokens that are not listed as one bucket give the least, spread evenly the most: merging
    outcomes never raises an entropy, and the uniform distribution has the largest.

    Source: Cover and Thomas, Elements of Information Theory (2006), theorem 2.6.4 and problem 2.4.
    """
    least = np.full(len(entropy), -np.inf)
    most = np.full(len(entropy), np.inf if vocabulary is None else math.log(max(vocabulary, 1)))
    rows = np.flatnonzero(found.sound & np.isfinite(entropy))
    if rows.size:
        listed = _taken(found, rows)
        least[rows] = divergence_topk.entropy(listed)
        if vocabulary is not None:
            others = max(vocabulary - found.ids.shape[1], 1)
            most[rows] = np.minimum(most[rows], least[rows] + listed.rest * math.log(others))
    name, held = f"{found.side}_entropy", np.isfinite(entropy)
    yield Contradiction(
        array=name,
        rows=held & (entropy < least) & ~close(entropy, least),
        what="rows whose entropy is below that of the list with everything else as one bucket",
        message="A distribution has at least the entropy that its likeliest tokens show.",
    )
    yield Contradiction(
        array=name,
        rows=held & (entropy > most) & ~close(entropy, most),
        what="rows whose entropy is above what the list and the vocabulary leave room for",
        message="What is not listed adds most when it is spread evenly over all other tokens.",
    )


def _top1(arrays: Arrays, found: _List) -> Iterator[Contradiction]:
    first = found.logp[:, :1]
    top1, top1_p = arrays.get(f"{found.side}_top1"), arrays.get(f"{found.side}_top1_p")
    if top1 is not None:
        tied = found.logp >= first - _ROUNDING
        among = _any((found.ids == top1[:, np.newaxis]) & tied)
        # Where the whole list is tied, so may be one more token, as far as probability reaches.
        with np.errstate(over="ignore"):
            room = (found.ids.shape[1] + 1) * np.exp(first[:, 0]) <= 1.0 + TOLERANCE
        yield Contradiction(
            array=f"{found.side}_top1",
            rows=found.listed & ~among & ~(tied.all(axis=1) & room),
            what="rows whose top-1 token is not the first of the list, nor tied with it",
            message="The likeliest token and the list of the likeliest tokens disagree.",
        )
    if top1_p is not None:
        with np.errstate(over="ignore"):
            expected = np.exp(first[:, 0])
        yield Contradiction(
            array=f"{found.side}_top1_p",
            rows=_compared(top1_p, expected) & ~close(top1_p, expected),
            what="rows whose top-1 probability is not that of the first of the list",
            message="exp of the first listed log probability is the probability of the top-1.",
        )


def _realised(arrays: Arrays, found: _List) -> Iterator[Contradiction]:
    name = f"{found.side}_logp_realized"
    token, logp = arrays.get("realized_token"), arrays.get(name)
    if token is None or logp is None:
        return
    here = found.ids == token[:, np.newaxis]
    listed = _any(here)
    expected = np.where(
        listed, found.logp[np.arange(len(logp)), here.argmax(axis=1)], found.logp[:, -1]
    )
    agrees = close(logp, expected) | (~listed & (logp <= expected))
    yield Contradiction(
        array=name,
        rows=_compared(logp, expected) & found.sound & ~agrees,
        what="rows whose realised log probability contradicts the list",
        message="A realised token has the listed log probability, and one that is not listed no "
        "more than the last of the list.",
    )


def _divergence(
    kld: NDArray[np.float64], teacher: _List, student: _List, vocabulary: int | None
) -> Contradiction:
    rows = np.flatnonzero(teacher.sound & student.sound & ~np.isnan(kld))
    bad = np.zeros(len(kld), dtype=np.bool_)
    whole = vocabulary is not None and all(
        found.ids.shape[1] == vocabulary for found in (teacher, student)
    )
    if rows.size:
        bound = _bound(_taken(teacher, rows), _taken(student, rows))
        held = kld[rows]
        agrees = close(held, bound)
        bad[rows] = ~agrees if whole else ~agrees & (held < bound)
    rest = (
        "equal to the divergence of the lists, which hold the whole vocabulary"
        if whole
        else "at least the divergence of the lists with everything else as one bucket"
    )
    return Contradiction(
        array="kld",
        rows=bad,
        what=f"rows whose kld is not {rest}",
        message=f"KL(teacher || student) is {rest}.",
    )


def _taken(found: _List, rows: NDArray[np.intp]) -> TopK:
    # The list is known to be sound; a mass that exceeds 1 by rounding must not stop the others.
    logp = found.logp[rows]
    excess = np.log(np.maximum(np.exp(logp).sum(axis=1), 1.0))
    return divergence_topk.top_k(
        found.ids[rows], logp - excess[:, np.newaxis], name=f"{found.side}_topk"
    )


def _bound(teacher: TopK, student: TopK) -> NDArray[np.float64]:
    """What the divergence is at least; the student's rest is as large as sums may have rounded."""
    parts = divergence_topk.partition(teacher, student)
    rest = np.logaddexp(parts.log_rest_q, np.log(TOLERANCE))
    return divergence_topk.kl(replace(parts, log_rest_q=rest))


def _compared(actual: NDArray[Any], expected: NDArray[Any]) -> Mask:
    """Rows in which both sides are numbers; score-arrays counts those that are not."""
    compared: Mask = ~np.isnan(actual) & ~np.isnan(expected)
    return compared


def _any(marked: Mask) -> Mask:
    """Rows (rows,) with a mark in any column."""
    rows: Mask = np.logical_or.reduce(marked, axis=1)
    return rows
