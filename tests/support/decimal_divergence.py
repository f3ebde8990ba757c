"""Divergences in 60 digits, straight from their definitions."""

from collections.abc import Sequence
from decimal import Decimal, localcontext

DIGITS = 60

Numbers = Sequence[Decimal]


def probabilities(log_p: Sequence[float]) -> list[Decimal]:
    """What FP64 log probabilities, or logits before they are normalised, stand for exactly."""
    with localcontext(prec=DIGITS):
        return [Decimal(float(logarithm)).exp() for logarithm in log_p]


def normalised(weights: Numbers) -> list[Decimal]:
    """The weights over their sum."""
    with localcontext(prec=DIGITS):
        total = sum(weights, Decimal(0))
        return [weight / total for weight in weights]


def with_rest(p: Numbers) -> list[Decimal]:
    """The probabilities and what they leave of 1."""
    with localcontext(prec=DIGITS):
        return [*p, 1 - sum(p, Decimal(0))]


def kl(p: Numbers, q: Numbers) -> Decimal:
    """Sum of p log(p / q), in nats."""
    with localcontext(prec=DIGITS):
        return sum((a * (a / b).ln() for a, b in zip(p, q, strict=True) if a), Decimal(0))


def jensen_shannon(p: Numbers, q: Numbers) -> Decimal:
    """KL(p || m) / 2 + KL(q || m) / 2 with m = (p + q) / 2, in nats."""
    with localcontext(prec=DIGITS):
        middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        return (kl(p, middle) + kl(q, middle)) / 2


def relative_error(found: float, exact: Decimal) -> float:
    """By how much a number is off, as a part of the exact one; of 0 nothing may be off."""
    with localcontext(prec=DIGITS):
        off = abs(Decimal(float(found)) - exact)
        return float(off / abs(exact)) if exact else float(off and "inf")
