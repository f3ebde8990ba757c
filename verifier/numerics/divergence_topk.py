"""Divergences between two distributions of which only the likeliest tokens were kept.

What two lists of top-k tokens determine exactly is how both distributions weigh a coarser
partition: each token that both lists hold, and one bucket with all the rest. Nothing is invented
for a token that one list lacks; it lies in the rest.

A rest is 1 minus a sum. Where both rests are at most ``ROUNDING`` they cannot be told from none,
and as two numbers made of rounding they would outweigh a small divergence: there the shared tokens
are everything.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics.relative_entropy import (
    ROUNDING,
    SLACK,
    excess_terms,
    gains,
    jensen_shannon_terms,
    log_ratios,
    rest_excess_terms,
    rest_log_ratio,
    terms,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopK:
    """The retained tokens of one distribution per row; ``top_k`` makes and checks it.

    Attributes:
        ids: token ids (rows, k), int64, none twice in a row, in the order they were retained.
        logp: their log probabilities (rows, k); -inf is a token of no probability.
        rest: probability (rows,) of all other tokens; NaN where a row has no list.
    """

    ids: NDArray[np.int64]
    logp: FloatArray
    rest: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """How two distributions weigh the tokens that both lists hold, and the rest as one bucket.

    Attributes:
        shared: which tokens of the reference (rows, k) the other list holds.
        log_p: log probabilities (rows, k) in the reference; -inf where not shared.
        log_q: the same of the other distribution, token by token in the reference's order.
        log_rest_p: log probability (rows,) of everything else; NaN where a row has no list.
        log_rest_q: the same of the other distribution.
    """

    shared: NDArray[np.bool_]
    log_p: FloatArray
    log_q: FloatArray
    log_rest_p: FloatArray
    log_rest_q: FloatArray


def top_k(ids: NDArray[np.integer], logp: ArrayLike, *, name: str, k: int | None = None) -> TopK:
    """One list per row, checked; a row in which a log probability is NaN has no list.

    The order is taken as retained, so among equal probabilities, too, the first k are those that
    were written first. The rest is 1 minus the sum, counted down from -expm1 of the largest log
    probability so that a small rest keeps its digits; down to -``SLACK`` it counts as 0.

    Args:
        ids: token ids (rows, retained).
        logp: log probabilities (rows, retained).
        name: what error messages call the list.
        k: how many of the retained tokens count; None for all.

    Raises:
        ValueError: the shapes do not fit, ids are not whole numbers, k is not between 1 and the
            number that was retained, a row names a token twice, or its probabilities exceed 1.
    """
    log_p = np.asarray(logp, dtype=np.float64)
    if ids.ndim != len(("rows", "k")) or ids.shape != log_p.shape or not ids.shape[1]:
        found = f"{ids.shape} and {log_p.shape}"
        message = f"{name}: expected ids and logp of one shape (rows, k), found {found}"
        raise ValueError(message)
    if ids.dtype.kind not in "iu":
        message = f"{name}: expected whole numbers as token ids, found {ids.dtype}"
        raise ValueError(message)
    retained = ids.shape[1]
    if k is not None and not 1 <= k <= retained:
        message = f"{name}: expected a top_k between 1 and the {retained} tokens kept, found {k}"
        raise ValueError(message)
    kept = ids[:, :k].astype(np.int64, copy=False)
    log_p = log_p[:, :k]
    rest = _rest(log_p, name)
    _refuse_twins(kept, ~np.isnan(rest), name)
    return TopK(ids=kept, logp=log_p, rest=rest)


def partition(reference: TopK, other: TopK) -> Partition:
    """The finest partition of the vocabulary on which both lists tell the probabilities.

    Memory is a few times that of the lists, whatever k is.

    Raises:
        ValueError: the lists have different numbers of rows.
    """
    rows, width = reference.ids.shape
    if len(other.ids) != rows:
        message = f"expected as many rows in both lists, found {rows} and {len(other.ids)}"
        raise ValueError(message)
    both = np.concatenate((reference.ids, other.ids), axis=1)
    # No list names a token twice and the sort is stable, so equal neighbours are one token in
    # both lists, the reference's first. Rows without a list may hold anything: they are passed by.
    order = np.argsort(both, axis=1, kind="stable")
    ordered = np.take_along_axis(both, order, axis=1)
    has_lists = ~np.isnan(reference.rest + other.rest)
    row, place = np.nonzero((ordered[:, 1:] == ordered[:, :-1]) & has_lists[:, np.newaxis])
    here, there = order[row, place], order[row, place + 1] - width
    shared = np.zeros(reference.ids.shape, dtype=np.bool_)
    shared[row, here] = True
    log_p = np.where(shared, reference.logp, -np.inf)
    log_q = np.full(reference.ids.shape, -np.inf)
    log_q[row, here] = other.logp[row, there]
    matched = np.zeros(other.ids.shape, dtype=np.bool_)
    matched[row, there] = True
    with np.errstate(divide="ignore"):
        log_rest_p = np.log(reference.rest + _mass(reference.logp, ~shared))
        log_rest_q = np.log(other.rest + _mass(other.logp, ~matched))
    return Partition(
        shared=shared, log_p=log_p, log_q=log_q, log_rest_p=log_rest_p, log_rest_q=log_rest_q
    )


def kl(parts: Partition) -> FloatArray:
    """KL(reference || other) in nats over the partition, (rows,); NaN where a row has no list.

    A coarser partition never has a larger divergence, so this is at most the KL over the whole
    vocabulary, and equal to it where the lists hold the whole vocabulary. A token (or the rest)
    with probability in the reference and none in the other distribution gives +inf; a rest of up
    to 1e-12 against none is rounding and gives 0. Distributions that nearly agree keep their
    digits.

    Source: Kullback and Leibler (1951); log sum inequality and data processing, Cover and Thomas,
    Elements of Information Theory (2006), sections 2.7 and 2.8; chain rule, section 2.5.
    """
    ratio = log_ratios(parts.log_p, parts.log_q)
    tokens = excess_terms(parts.log_p, parts.log_q, ratio).sum(axis=1)
    rest = rest_excess_terms(parts.log_rest_p, parts.log_rest_q, _gain(parts, ratio))
    total = tokens + rest
    alone = _without_rest(parts)
    # Chain rule: the shared tokens' share of it; what the rest as a whole adds is rounding.
    total[alone] = (1.0 - np.exp(parts.log_rest_p[alone])) * kl_normalised(_rows(parts, alone))
    # What is negative here is rounding: a divergence is not.
    return _where_listed(np.maximum(total, 0.0), parts)


def kl_normalised(parts: Partition) -> FloatArray:
    """KL in nats between both distributions given that the token is one that both lists hold.

    NaN where that condition has no probability in one of the two, first of all where the lists
    share no token. Not a bound of the whole KL: renormalising can raise a divergence.

    Source: relative entropy, Cover and Thomas (2006), section 2.3, of conditional distributions.
    """
    given = _conditional(parts)
    total = np.maximum(excess_terms(given.log_p, given.log_q, given.log_ratio).sum(axis=1), 0.0)
    total[given.impossible] = np.nan
    return _where_listed(total, parts)


def jensen_shannon(parts: Partition) -> FloatArray:
    """Jensen-Shannon divergence in nats over the partition, (rows,): from 0 to log 2.

    KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2; NaN where a row has no list. Distributions
    that nearly agree keep their digits.

    Source: Lin (1991), Divergence measures based on the Shannon entropy, section IV, with equal
    weights.
    """
    ratio = log_ratios(parts.log_p, parts.log_q)
    tokens = jensen_shannon_terms(parts.log_p, parts.log_q, ratio).sum(axis=1)
    log_p, log_q = parts.log_rest_p, parts.log_rest_q
    rest = jensen_shannon_terms(log_p, log_q, rest_log_ratio(log_p, log_q, _gain(parts, ratio)))
    total = tokens + rest
    alone = _without_rest(parts)
    given = _conditional(_rows(parts, alone))
    total[alone] = jensen_shannon_terms(given.log_p, given.log_q, given.log_ratio).sum(axis=1)
    # What lies outside is rounding.
    return _where_listed(np.clip(total, 0.0, math.log(2.0)), parts)


def missing(parts: Partition) -> FloatArray:
    """How many of the reference's tokens the other list lacks, (rows,); NaN without a list."""
    lacking = np.count_nonzero(~parts.shared, axis=1).astype(np.float64)
    return _where_listed(lacking, parts)


def entropy(listed: TopK) -> FloatArray:
    """Entropy in nats of the listed tokens with the rest as one bucket, (rows,).

    At most the entropy of the whole distribution, because merging outcomes never raises it; 0 log 0
    is 0; NaN where a row has no list.

    Source: Shannon (1948), section 6; Cover and Thomas (2006), problem 2.4.
    """
    with np.errstate(divide="ignore"):
        log_rest = np.log(listed.rest)
    against_one: FloatArray = terms(listed.logp, np.zeros_like(listed.logp)).sum(axis=1)
    of_rest = terms(log_rest, np.zeros_like(log_rest))
    # What is negative here is rounding: an entropy is not.
    return np.maximum(-(against_one + of_rest), 0.0)


def _rest(log_p: FloatArray, name: str) -> FloatArray:
    """What is left of 1 (rows,), clipped at 0; NaN where a log probability is NaN."""
    rows = np.arange(len(log_p))
    largest = np.argmax(log_p, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        others = np.exp(log_p)
        others[rows, largest] = 0.0
        rest: FloatArray = -np.expm1(log_p[rows, largest]) - others.sum(axis=1)
    rest[np.isnan(log_p).any(axis=1)] = np.nan
    beyond = rest < -SLACK
    if beyond.any():
        row = int(np.argmax(beyond))
        total = 1.0 - float(rest[row])
        message = f"{name}, row {row}: expected probabilities of at most 1 in all, found {total}"
        raise ValueError(message)
    return np.maximum(rest, 0.0)


def _refuse_twins(ids: NDArray[np.int64], has_list: NDArray[np.bool_], name: str) -> None:
    ordered = np.sort(ids, axis=1)
    twins = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1) & has_list
    if twins.any():
        row = int(np.argmax(twins))
        message = f"{name}, row {row}: expected each token once, found one twice"
        raise ValueError(message)


def _mass(log_p: FloatArray, counted: NDArray[np.bool_]) -> FloatArray:
    """Sum of the counted probabilities (rows,)."""
    mass: FloatArray = np.where(counted, np.exp(log_p), 0.0).sum(axis=1)
    return mass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conditional:
    """Both distributions given that the token is a shared one; see ``Partition`` for the shapes.

    ``impossible`` marks the rows (rows,) in which one of the two gives that no probability.
    """

    log_p: FloatArray
    log_q: FloatArray
    log_ratio: FloatArray
    impossible: NDArray[np.bool_]


def _conditional(parts: Partition) -> _Conditional:
    with np.errstate(invalid="ignore"):
        sum_p: FloatArray = np.logaddexp.reduce(parts.log_p, axis=1)
        sum_q: FloatArray = np.logaddexp.reduce(parts.log_q, axis=1)
        log_p = parts.log_p - sum_p[:, np.newaxis]
        log_q = parts.log_q - sum_q[:, np.newaxis]
        ratio = log_ratios(parts.log_p, parts.log_q) - (sum_q - sum_p)[:, np.newaxis]
        # Rounding of the two sums shifts all ratios alike; what q then exceeds p by tells how far.
        ratio -= np.log1p(gains(log_p, log_q, ratio).sum(axis=1))[:, np.newaxis]
    return _Conditional(
        log_p=log_p,
        log_q=log_q,
        log_ratio=ratio,
        impossible=np.isneginf(sum_p) | np.isneginf(sum_q),
    )


def _gain(parts: Partition, log_ratio: FloatArray) -> FloatArray:
    """What the shared tokens have in the reference minus what they have in the other, (rows,)."""
    gain: FloatArray = -gains(parts.log_p, parts.log_q, log_ratio).sum(axis=1)
    return gain


def _without_rest(parts: Partition) -> NDArray[np.bool_]:
    """Rows (rows,) in which the shared tokens are everything, as far as rounding lets one tell."""
    least = math.log(ROUNDING)
    without: NDArray[np.bool_] = (parts.log_rest_p <= least) & (parts.log_rest_q <= least)
    return without


def _rows(parts: Partition, chosen: NDArray[np.bool_]) -> Partition:
    return Partition(
        shared=parts.shared[chosen],
        log_p=parts.log_p[chosen],
        log_q=parts.log_q[chosen],
        log_rest_p=parts.log_rest_p[chosen],
        log_rest_q=parts.log_rest_q[chosen],
    )


def _where_listed(values: FloatArray, parts: Partition) -> FloatArray:
    """The values, NaN where either row has no list."""
    return np.where(np.isnan(parts.log_rest_p + parts.log_rest_q), np.nan, values)
