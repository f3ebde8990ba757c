"""The sentences that say what is wrong with a printed number."""

from decimal import ROUND_HALF_EVEN, Context, Decimal

from verifier.claims._rounding import EXACT
from verifier.model.claim import Numeral

_SHORT = Context(prec=15, rounding=ROUND_HALF_EVEN, Emax=EXACT.Emax, Emin=EXACT.Emin, traps=[])
_LONGEST = 40
_EXACT_DIGITS = 20
"""As many as a 64-bit integer has; FP64 literals have 17, and derived values 50."""

_PLAIN = range(-7, 18)


def shown(value: Decimal) -> str:
    """A value for a person: exactly up to 20 significant digits, longer ones with 15."""
    digits = len(value.as_tuple().digits)
    short = (
        value.normalize(EXACT) if digits <= _EXACT_DIGITS else _SHORT.plus(value).normalize(_SHORT)
    )
    return f"{short:f}" if short.adjusted() in _PLAIN else str(short)


def clipped(text: str) -> str:
    """A text of any length and any characters, quoted, for a sentence."""
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")


def in_unit(value: Decimal, unit: str) -> str:
    """A value with its unit, ``33.1 percent``."""
    return f"{shown(value)} {unit}".rstrip()


def no_number(text: str) -> str:
    """The source gives a text."""
    return f"The source gives the text {clipped(text)}, where a number is needed."


def unworkable(value: Decimal) -> str:
    """Source or document has NaN, an infinity or an absurd exponent."""
    return f"{clipped(str(value))} is no number that can be compared."


def not_convertible(source: str, printed: str) -> str:
    """Two units of different kinds."""
    return f"The source is in {source} and the number in {printed}, which do not convert."


def mixed_up(mistake: str, value: Decimal, unit: str) -> str:
    """A unit mix-up explains the number."""
    return f"The source gives {in_unit(value, unit)}: {mistake}."


def differs(value: Decimal, unit: str) -> str:
    """The number is not the value."""
    return f"The source gives {in_unit(value, unit)}."


def truncated(value: Decimal, unit: str) -> str:
    """The digits are the first ones of the value."""
    return f"The source gives {in_unit(value, unit)}: it is cut off, not rounded."


def bound_fails(value: Decimal, numeral: Numeral) -> str:
    """The bound does not hold."""
    given = in_unit(value, numeral.unit)
    return f"The source gives {given}, which is not {numeral.relation} {_literal(numeral)}."


def bound_misrounded(value: Decimal, numeral: Numeral) -> str:
    """The bound would hold if it had been rounded away from the value."""
    way = "up" if numeral.relation in {"<", "<="} else "down"
    return f"{bound_fails(value, numeral).removesuffix('.')}: this bound is to be rounded {way}."


def not_nothing(value: Decimal, unit: str) -> str:
    """A zero stands for a count that is none."""
    return f"The source gives {in_unit(value, unit)}, and a whole 0 says that there is none."


def no_such_share(numeral: Numeral, things: Decimal) -> str:
    """No whole count gives the percentage."""
    return f"No whole number out of {shown(things)} makes {_literal(numeral)} %."


def _literal(numeral: Numeral) -> str:
    """The number as a literal, however long it is."""
    literal = numeral.literal
    return literal if len(literal) <= _LONGEST else f"{literal[:_LONGEST]}..."
