"""Student's t distribution with the standard library alone.

The two halves of its probability are regularised incomplete beta functions (NIST DLMF 8.17); with
n degrees of freedom and y = t**2 / (n + t**2):

    P(|T| <= t) = I(y; 1/2, n/2)        P(|T| > t) = I(1 - y; n/2, 1/2)

The smaller half is computed, so that its relative precision is that of FP64 far into the tail and
close to the middle. Against 40-digit arithmetic a quantile is right to 1e-14.
"""

import math
from collections.abc import Callable

from verifier.numerics import normal

MAX_DF = 1e9
"""Most degrees of freedom: far beyond any number of units."""

SMALLEST = 1e-100
"""Smallest probability above 0: with one degree of freedom its t squared still fits FP64."""

_MOST_STEPS = 1_000_000
_MOST_NEWTON_STEPS = 100
_CONVERGED = 1e-9  # each step squares the error of the one before
_EPSILON = 2.0**-52
_SHIFTED = 30.0  # from here on the series is exact to FP64
_SERIES = (
    39325 / 33554432,
    869 / 4194304,
    -399 / 262144,
    -21 / 32768,
    5 / 1024,
    1 / 128,
    -1 / 8,
    1.0,
)


def ppf(p: float, df: float) -> float:
    """The t (a pure number) up to which Student's t distribution holds probability ``p``.

    Source: the inverse of I(y; a, b), NIST DLMF 8.17, by Newton's method in logarithms of t and of
    the probability. There both halves are concave, so the method converges from anywhere.

    Args:
        p: 0 gives -inf, 1 gives inf.
        df: degrees of freedom, from 1 to ``MAX_DF``.

    Raises:
        ValueError: the probability is outside [0, 1] or nearer to 0 than ``SMALLEST``, or the
            degrees of freedom are out of range.
    """
    if not (p == 0.0 or SMALLEST <= p <= 1.0):
        message = f"expected a probability between 0 and 1, found {p}"
        raise ValueError(message)
    if not 1.0 <= df <= MAX_DF:
        message = f"expected 1 to {MAX_DF:g} degrees of freedom, found {df}"
        raise ValueError(message)
    if p > 0.5:  # noqa: PLR2004 - the middle of a symmetric distribution
        return -ppf(1.0 - p, df)
    if p == 0.0:
        return -math.inf
    if p == 0.5:  # noqa: PLR2004 - the middle of a symmetric distribution
        return 0.0
    if 2.0 * p < tail(1.0, df):
        # The tails are heavier than those of a normal distribution, so this lies before the root.
        start = max(1.0, -normal.ppf(p))
        return -_solve(lambda t: tail(t, df), -1.0, 2.0 * p, df, start)
    return -_solve(lambda t: central(t, df), 1.0, 1.0 - 2.0 * p, df, 1.0)


def central(t: float, df: float) -> float:
    """P(|T| <= t) to full relative precision, for 0 < t <= 1 where its fraction converges."""
    x, y = df / (df + t * t), t * t / (df + t * t)
    return t * density(t, df) * _fraction(0.5, 0.5 * df, y, x)


def tail(t: float, df: float) -> float:
    """P(|T| > t) to full relative precision, for t >= 1 where its fraction converges."""
    x, y = df / (df + t * t), t * t / (df + t * t)
    return t * density(t, df) * _fraction(0.5 * df, 0.5, x, y)


def density(t: float, df: float) -> float:
    """Density of Student's t distribution at ``t``."""
    power = -0.5 * (df + 1.0) * math.log1p(t * t / df)
    return _gamma_ratio(0.5 * df) / math.sqrt(math.pi * df) * math.exp(power)


def _solve(
    held: Callable[[float], float], sign: float, target: float, df: float, start: float
) -> float:
    """The t > 0 at which ``held`` is the target; ``sign`` is that of its slope."""
    t = start
    for _ in range(_MOST_NEWTON_STEPS):
        probability = held(t)
        slope = sign * 2.0 * density(t, df) * t / probability
        step = math.log(target / probability) / slope
        t *= math.exp(step)
        if abs(step) <= _CONVERGED:
            break
    return t


def _fraction(a: float, b: float, x: float, y: float) -> float:
    """I(x; a, b) B(a, b) / (x**a * y**b), with y = 1 - x.

    Source: DiDonato and Morris, algorithm TOMS 708 (1992), equation 9, evaluated forwards by the
    method of Lentz. Unlike the fraction of DLMF 8.17.22 it loses nothing when x is close to 1.
    """
    value = c = _term(a, b, x, y, 0)
    d = 0.0
    for m in range(1, _MOST_STEPS):
        k = a + 2.0 * m - 1.0
        numerator = (a + m - 1.0) * (a + b + m - 1.0) * m * (b - m) * x * x / (k * k)
        term = _term(a, b, x, y, m)
        d = 1.0 / (term + numerator * d)
        c = term + numerator / c
        value *= c * d
        if abs(c * d - 1.0) <= _EPSILON:
            break
    return 1.0 / value


def _term(a: float, b: float, x: float, y: float, m: int) -> float:
    k = a + 2.0 * m
    rest = m * (b - m) * x / (k - 1.0) if m else 0.0
    return m + rest + (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (k + 1.0)


def _gamma_ratio(a: float) -> float:
    """Gamma(a + 1/2) / Gamma(a), 0 < a.

    A difference of two log-gamma values would lose nine digits at a = 1e6. Source: DLMF 5.11.13
    after enough steps of Gamma(z + 1) = z Gamma(z), DLMF 5.5.1.
    """
    factor = 1.0
    while a < _SHIFTED:
        factor *= a / (a + 0.5)
        a += 1.0
    r = 1.0 / a
    series = 0.0
    for coefficient in _SERIES:
        series = series * r + coefficient
    return factor * math.sqrt(a) * series
