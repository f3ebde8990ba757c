"""Terms of a relative entropy from log probabilities, with every zero spelled out.

The terms p log(p / q) have both signs and cancel when the distributions nearly agree: of a
divergence near d squared only rounding is left. Where both sides have one total, the sum of
p log(p / q) is also the sum of p log(p / q) + q - p = p (exp(d) - 1 - d) with d = log(q / p), in
which nothing is negative and nothing cancels. That form is what the divergences here are made of.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from verifier.model.plugin import FloatArray

SLACK: Final = 1e-9
"""Probabilities that should add up to at most 1 may exceed it by this much, as sums round."""

ROUNDING: Final = 1e-12
"""A rest up to this size cannot be told from no rest: FP64 log-softmax rounds by that much."""

# Up to here exp(d) - 1 - d comes from its series, which then needs 1 / 13! as the last coefficient.
_SERIES_UP_TO = 0.25
_SERIES = tuple(1.0 / math.factorial(power) for power in range(13, 1, -1))

# exp(-2 x) is 0 beyond, and a product of it with a larger x need not be formed.
_NO_MORE_THAN = 400.0


def terms(log_p: FloatArray, log_q: FloatArray) -> FloatArray:
    """Each p log(p / q) in nats, for log probabilities of one shape.

    0 log 0 is 0, so p = 0 gives 0 whatever q is; p > 0 with q = 0 gives +inf; NaN gives NaN.

    Source: Cover and Thomas, Elements of Information Theory (2006), section 2.3.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        found: FloatArray = np.exp(log_p) * (log_p - log_q)
    found[np.isneginf(log_q)] = np.inf
    found[np.isneginf(log_p)] = 0.0
    found[np.isnan(log_p) | np.isnan(log_q)] = np.nan
    return found


def rest_terms(log_p: FloatArray, log_q: FloatArray) -> FloatArray:
    """Like ``terms`` for what is left of 1 in two distributions.

    A rest is a difference, so its size is uncertain by rounding: p up to ``ROUNDING`` against
    q = 0 gives 0, not +inf.
    """
    found = terms(log_p, log_q)
    found[np.isneginf(log_q) & (log_p <= math.log(ROUNDING))] = 0.0
    return found


def log_ratios(log_p: FloatArray, log_q: FloatArray) -> FloatArray:
    """Each log(q / p); NaN where both are 0."""
    with np.errstate(invalid="ignore"):
        found: FloatArray = log_q - log_p
    return found


def gains(log_p: FloatArray, log_q: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Each q - p with the digits of log(q / p), which the two log probabilities need not have."""
    with np.errstate(invalid="ignore", over="ignore"):
        p = np.exp(log_p)
        near = np.abs(log_ratio) <= 1.0
        return np.where(near, p * np.expm1(np.where(near, log_ratio, 0.0)), np.exp(log_q) - p)


def excess(log_ratio: FloatArray) -> FloatArray:
    """Each exp(d) - 1 - d, never negative and right to some units in its last place.

    Source: the Taylor series where d is small.
    """
    near = np.abs(log_ratio) <= _SERIES_UP_TO
    if near.all():
        return _series(log_ratio)
    small = np.where(near, log_ratio, 0.0)
    return np.where(near, _series(small), np.expm1(log_ratio) - log_ratio)


def excess_terms(log_p: FloatArray, log_q: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Each p log(p / q) + q - p in nats, never negative and right to some units in its last place.

    p = 0 gives q; p > 0 with q = 0 gives +inf; NaN gives NaN.

    Args:
        log_p: log probabilities of any shape.
        log_q: those of the other distribution.
        log_ratio: log(q / p), with more digits than the difference of the two may have.

    Source: p (exp(d) - 1 - d) with d = log(q / p), the density of the I-divergence of Csiszar
    (1991), Why least squares and maximum entropy?
    """
    with np.errstate(invalid="ignore", over="ignore"):
        p, q = np.exp(log_p), np.exp(log_q)
        near = np.abs(log_ratio) <= 1.0
        small = excess(np.where(near, log_ratio, 0.0))
        found = np.where(near, p * small, q - p * (1.0 + log_ratio))
    found[np.isneginf(log_q)] = np.inf
    ruled_out = np.isneginf(log_p)
    found[ruled_out] = q[ruled_out]
    found[np.isnan(log_p) | np.isnan(log_q)] = np.nan
    return found


def jensen_shannon_terms(log_p: FloatArray, log_q: FloatArray, log_ratio: FloatArray) -> FloatArray:
    """Each p log(p / m) / 2 + q log(q / m) / 2 in nats with m = (p + q) / 2, never negative.

    0 log 0 is 0, so p = 0 gives q log(2) / 2 and likewise q = 0; NaN gives NaN.

    Args:
        log_p: log probabilities of any shape.
        log_q: those of the other distribution.
        log_ratio: log(q / p), with more digits than the difference of the two may have.

    Source: Lin (1991), Divergence measures based on the Shannon entropy, section IV. With
    x = log(q / p) / 2, p / m = 1 - tanh(x) and q / m = 1 + tanh(x), so that the term is
    m (x tanh(x) - log(cosh(x))), of which both parts keep their digits.
    """
    middle = 0.5 * (np.exp(log_p) + np.exp(log_q))
    # Where both are 0 there is no ratio, nor a middle for it to be weighed with.
    x = np.minimum(0.5 * np.abs(np.where(np.isnan(log_ratio), 0.0, log_ratio)), _NO_MORE_THAN)
    small, vanishing = np.minimum(x, 1.0), np.exp(-2.0 * x)
    near = small * np.tanh(small) - 0.5 * np.log1p(np.sinh(small) ** 2)
    far = math.log(2.0) - np.log1p(vanishing) - 2.0 * x * vanishing / (1.0 + vanishing)
    found: FloatArray = middle * np.where(x < 1.0, near, far)
    return found


def rest_log_ratio(log_p: FloatArray, log_q: FloatArray, gain: FloatArray) -> FloatArray:
    """log(q / p) of what is left of 1 in two distributions, with the digits of what it gains.

    Two rests that nearly agree do not know by how much they differ: each is 1 minus a sum. What
    all else loses to the rest does. The rests themselves decide where they differ by more than
    half, and where q is not p and the gain, as when sums above 1 were clipped.

    Args:
        log_p: log probabilities (rows,) of the rest.
        log_q: those of the other distribution.
        gain: what all else has in total in p minus what it has in q (rows,).
    """
    near = _by_gain(log_p, log_q, gain)
    relative = np.divide(gain, np.exp(log_p), out=np.zeros_like(gain), where=near)
    return np.where(near, np.log1p(relative), log_ratios(log_p, log_q))


def rest_excess_terms(log_p: FloatArray, log_q: FloatArray, gain: FloatArray) -> FloatArray:
    """What the rest adds to the ``excess_terms`` of all else to make a relative entropy, (rows,).

    Its own ``excess_terms``, or ``rest_terms`` and the gain where ``rest_log_ratio`` does not use
    it: together with all else that is the sum of p log(p / q), whatever the totals are.

    Args:
        log_p: log probabilities (rows,) of the rest.
        log_q: those of the other distribution.
        gain: as ``rest_log_ratio`` takes it.
    """
    near = excess_terms(log_p, log_q, rest_log_ratio(log_p, log_q, gain))
    return np.where(_by_gain(log_p, log_q, gain), near, rest_terms(log_p, log_q) + gain)


def log_complement(log_p: FloatArray) -> FloatArray:
    """log(1 - exp(x)) for x <= 0, to full relative precision near both ends.

    Source: Maechler, Accurately computing log(1 - exp(-|a|)) (2012).
    """
    near_one = log_p > -math.log(2.0)
    with np.errstate(divide="ignore"):
        return np.where(
            near_one,
            np.log(-np.expm1(np.where(near_one, log_p, -1.0))),
            np.log1p(-np.exp(np.where(near_one, -1.0, log_p))),
        )


def two_bucket(reference: ArrayLike, other: ArrayLike) -> FloatArray:
    """KL(reference || other) in nats of one token against everything else.

    p log(p / q) + (1 - p) log((1 - p) / (1 - q)), without loss of digits where p and q nearly
    agree. A zero counts as in ``terms`` for the token and as in ``rest_terms`` for everything else;
    log probabilities above 0 by at most ``SLACK`` count as 0. Merging outcomes never raises a
    divergence, so this is at most the KL of the whole distributions.

    Args:
        reference: log probabilities (rows,) of the token.
        other: the same of the other distribution.

    Returns:
        FP64 values (rows,), never negative; NaN where an input is.

    Raises:
        ValueError: a log probability is above 0; the message names the first row.

    Source: Kullback and Leibler (1951); log sum inequality, Cover and Thomas (2006), section 2.7.
    """
    log_p = _at_most_one(reference)
    log_q = _at_most_one(other)
    ratio = log_ratios(log_p, log_q)
    token = excess_terms(log_p, log_q, ratio)
    gain = -gains(log_p, log_q, ratio)
    rest = rest_excess_terms(log_complement(log_p), log_complement(log_q), gain)
    # What is negative here is rounding: a divergence is not.
    return np.maximum(token + rest, 0.0)


def _series(small: FloatArray) -> FloatArray:
    found = np.full_like(small, _SERIES[0])
    for coefficient in _SERIES[1:]:
        found *= small
        found += coefficient
    found *= small
    found *= small
    return found


def _by_gain(log_p: FloatArray, log_q: FloatArray, gain: FloatArray) -> NDArray[np.bool_]:
    p, q = np.exp(log_p), np.exp(log_q)
    near: NDArray[np.bool_] = (np.abs(gain) <= 0.5 * p) & (np.abs(q - p - gain) <= ROUNDING)
    return near & (p > 0.0)


def _at_most_one(values: ArrayLike) -> FloatArray:
    log_p = np.asarray(values, dtype=np.float64)
    above = log_p > SLACK
    if above.any():
        row = int(np.argmax(above))
        message = f"row {row}: expected a log probability of at most 0, found {log_p[row]}"
        raise ValueError(message)
    return np.minimum(log_p, 0.0)
