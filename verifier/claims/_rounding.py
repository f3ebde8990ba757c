"""Exact decimal arithmetic on printed numbers, bounded however long or large they are.

Operators on ``Decimal`` round to 28 digits under the caller's context, so none is used here but
comparisons, which are exact.
"""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_05UP, Context, Decimal

DIGITS = 20_000
"""Longest result of one operation; FP64 values have at most 767 digits, in a plain form 1,100."""

EXACT = Context(prec=DIGITS, rounding=ROUND_05UP, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""Results up to ``DIGITS`` digits are exact. Longer ones are cut off so that they still lie on the
right side of every number with fewer digits, ties among them: no second rounding goes wrong."""

# Room below MAX_EMAX, so that no sum or product of two such numbers overflows.
_LARGEST_EXPONENT = 10**15

ZERO = Decimal(0)


def workable(number: Decimal) -> bool:
    """Whether arithmetic on the number gives a number: finite, with no absurd exponent."""
    return number.is_finite() and -_LARGEST_EXPONENT < number.adjusted() < _LARGEST_EXPONENT


def power(place: int, digit: int = 1) -> Decimal:
    """``digit`` at the place: 0.05 for ``power(-2, 5)``."""
    return Decimal((0, (digit,), place))


def decisive_place(number: Decimal, place: int, *, approximate: bool) -> int:
    """Power of ten of the digit that a printed number is rounded to.

    Args:
        number: the printed number.
        place: of its last printed digit.
        approximate: "about 2,000" is rounded to thousands, its last digit that is not zero.
    """
    if not number:
        # "0e9" must not stand for every small number.
        return min(place, 0)
    if not approximate:
        return place
    exponent = number.normalize(EXACT).as_tuple().exponent
    return max(place, exponent) if isinstance(exponent, int) else place


def rounds_to(exact: Decimal, printed: Decimal, place: int, slack: Decimal = ZERO) -> bool:
    """Whether a value rounds to a printed number at the place, half-even or half-up.

    Half-up rounds ties away from zero, so 0.125 rounds to 0.12 and to 0.13, and 0.135 to 0.14
    alone.

    Args:
        exact: the value.
        printed: a multiple of ten to the place.
        place: power of ten of the digit that decides.
        slack: how far the value may lie off: a number that near to a tie may round either way.
    """
    distance = EXACT.subtract(exact, printed).copy_abs()
    half = power(place - 1, 5)
    if distance < half:
        return True
    if slack:
        return distance <= EXACT.add(half, slack)
    if distance > half:
        return False
    return exact.copy_abs() < printed.copy_abs() or is_even(printed, place)


def cut_off(exact: Decimal, printed: Decimal, place: int) -> bool:
    """Whether the printed digits are the first ones of the value, though it rounds to others."""
    if printed and exact.is_signed() != printed.is_signed():
        return False
    return within_a_unit(exact, printed, place) and exact.copy_abs() > printed.copy_abs()


def significant_digits(printed: Decimal, place: int) -> int:
    """How many digits from the first that is not zero to the place; 0 for a zero."""
    return max(0, printed.adjusted() - place + 1) if printed else 0


def within_a_unit(exact: Decimal, printed: Decimal, place: int) -> bool:
    """Whether two numbers are less than a unit of the place apart."""
    return EXACT.subtract(exact, printed).copy_abs() < power(place)


def is_whole(number: Decimal) -> bool:
    """Whether a number is one of things, whatever its sign."""
    return number == number.to_integral_value()


def is_even(printed: Decimal, place: int) -> bool:
    """Whether the digit at the place is even."""
    return EXACT.remainder(printed, power(place, 2)) == ZERO
