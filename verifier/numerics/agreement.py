"""Whether a number rounds to printed digits."""

import math
import re
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    InvalidOperation,
)

_LITERAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

# The exact decimal form of an FP64 number has at most 767 significant digits.
_EXACT = Context(prec=800, Emax=MAX_EMAX, Emin=MIN_EMIN)


def rounds_to(value: float, printed: str) -> bool:
    """Whether the value, rounded to the printed digits, is what was printed.

    The last printed digit decides, so 0.12 claims more than 0.1. Both half-even and half-up
    (away from zero) count, as programs print either: 0.125 rounds to 0.12 and to 0.13. The FP64
    value is taken exactly, so 2.675, which lies below its literal, rounds to 2.67 alone. That is
    at most half a unit of the last printed place, never a whole one.

    Args:
        value: the recomputed number, in the unit of the printed one.
        printed: a plain or scientific decimal literal; ``1.20e-3`` is printed to 1e-5.

    Raises:
        ValueError: the text is no decimal literal.
    """
    if not _LITERAL.fullmatch(printed):
        message = f"expected a decimal literal such as 0.0354 or 3.54e-2, found {printed!r}"
        raise ValueError(message)
    if not math.isfinite(value):
        return False
    try:
        claimed = Decimal(printed, _EXACT)
    except InvalidOperation:
        # An exponent of more than 18 digits: no FP64 number prints like that.
        return False
    exact = Decimal(value)
    place = _exponent(claimed)
    if not claimed:
        # A zero has no digit above the units, and "0e9" must not stand for every small number.
        place = min(place, 0)
    if place <= _exponent(exact):
        return exact == claimed
    unit = Decimal((0, (1,), place))
    return any(
        exact.quantize(unit, rounding=rule, context=_EXACT) == claimed
        for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )


def _exponent(number: Decimal) -> int:
    """Power of ten of the last digit of a finite decimal."""
    exponent = number.as_tuple().exponent
    # Typing alone: the literals n, N and F belong to NaN and infinity, which never come here.
    return exponent if isinstance(exponent, int) else 0
