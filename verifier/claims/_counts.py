"""Which counts and percentages can be those of whole things at all."""

from decimal import Decimal

from verifier.claims._rounding import EXACT, ZERO, is_even, is_whole, power, workable
from verifier.claims.units import factor
from verifier.model.claim import Numeral

_ALL = Decimal(100)


def in_things(numeral: Numeral) -> Decimal | None:
    """A number of things without its unit, 1200 for 1.2K; None where the unit is none of numbers.

    Args:
        numeral: as printed.
    """
    ratio = factor(numeral.unit, "")
    return None if ratio is None else EXACT.multiply(numeral.value, ratio)


def impossible_count(count: Decimal, whole: Decimal | None) -> bool:
    """Whether a number of things is negative, no whole number, or more than there are.

    Args:
        count: the number, finite.
        whole: of how many; None, or not finite, where that is not known.
    """
    if count < 0 or not is_whole(count):
        return True
    return whole is not None and whole.is_finite() and count > whole


def impossible_percentage(percentage: Decimal, place: int, things: Decimal) -> bool:
    """Whether no k of n things, for a whole k, are a printed percentage: the GRIM test.

    Args:
        percentage: as printed, 34.4 for 34.4 %.
        place: power of ten of the digit that it is rounded to.
        things: n. What is no positive whole number counts nothing, so nothing is impossible.

    Source: Brown and Heathers (2017), https://doi.org/10.1177/1948550616673876.
    """
    if not workable(things) or things <= 0 or not is_whole(things):
        return False
    # With so many things two neighbouring shares round to one place or to neighbouring ones.
    if ZERO <= percentage <= _ALL and EXACT.multiply(things, power(place)) >= _ALL:
        return False
    return not any(
        _gives(count, percentage, place, things) for count in _nearest(percentage, things)
    )


def _nearest(percentage: Decimal, things: Decimal) -> tuple[Decimal, ...]:
    """The counts whose shares lie nearest to the percentage on either side."""
    if percentage <= ZERO:
        return (ZERO,)
    if percentage >= _ALL:
        return (things,)
    below = EXACT.divide_int(EXACT.multiply(percentage, things), _ALL)
    return below, EXACT.add(below, Decimal(1))


def _gives(count: Decimal, percentage: Decimal, place: int, things: Decimal) -> bool:
    """Whether the share rounds to the percentage; everything times n, so nothing is divided."""
    share, printed = EXACT.multiply(count, _ALL), EXACT.multiply(percentage, things)
    distance = EXACT.subtract(share, printed).copy_abs()
    half = EXACT.multiply(power(place - 1, 5), things)
    if distance != half:
        return distance < half
    return share < printed or is_even(percentage, place)
