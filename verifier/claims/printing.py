"""A value in the format that a document printed another one in."""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from verifier.claims._rounding import EXACT, ZERO, decisive_place, power, workable
from verifier.claims.number_words import word_like
from verifier.model.claim import Numeral

_SEPARATORS = ",\u2009\u202f\u00a0'_ "
_PLAIN_MINUS, _TRUE_MINUS, _RAISED_MINUS = "-", "\u2212", "\u207b"
_PLUSES = frozenset("+\u207a")
_RAISED_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
_RAISED = str.maketrans("0123456789", _RAISED_DIGITS)
_FORM = re.compile(
    rf"(?P<sign>[+\-\u2212]?)(?P<whole>[0-9{_SEPARATORS}]*)\.?(?P<fraction>[0-9]*)"
    r"(?:(?P<mark>[eE]|[ \u00a0\u2009\u202f]*[x\u00d7\u00b7*][ \u00a0\u2009\u202f]*10\^?)"
    rf"(?P<power_sign>[+\-\u2212\u207a\u207b]?)(?P<power>[0-9]+|[{_RAISED_DIGITS}]+))?"
)

# How many digits more than the number that it replaces a value may take; FP64 reaches 309.
_MORE_DIGITS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """How a number is written.

    Attributes:
        sign: ``+``, a minus or "".
        whole: digits before the point, with separators.
        fraction: digits after it.
        mark: what stands between mantissa and exponent, "" for a plain number.
        power_sign: sign of the exponent.
        power: digits of the exponent, perhaps superscript.
    """

    sign: str = ""
    whole: str = "0"
    fraction: str = ""
    mark: str = ""
    power_sign: str = ""
    power: str = ""


_LONG = _Form(fraction="0" * 16, mark="e", power_sign="+", power="0")


def printed_like(value: Decimal, numeral: Numeral, *, rounding: str = ROUND_HALF_EVEN) -> str:
    """A value as the document would print it in the place of a number.

    It has as many digits after the point, or as many significant ones where the number has an
    exponent, and the same sign character, separators of thousands and style of exponent. A leading
    plus is kept, and a zero never gets a minus. In the place of a word it is a word, up to twenty.
    An approximate number ("about 2,000") gives as many significant digits as it has itself. Where
    all that takes hundreds of digits more than the number has, or more than 20,000, it is
    ``1.2345678901234567e+4000``, with 17 digits.

    Args:
        value: in the unit of the number; the unit itself is not part of the text.
        numeral: the number that is printed.
        rounding: a rounding mode of ``decimal``.

    Returns:
        The text, "" for a value that is not finite or has an exponent beyond 10**15.
    """
    if not workable(value):
        return ""
    form = _form(numeral)
    if numeral.approximate:
        value = _rough(value, numeral, rounding, plain=not form.mark)
    if form.mark:
        text = _scientific(value, form, rounding)
    elif word := _as_word(value, numeral, rounding):
        text = word
    else:
        text = _plain(value, form, max(0, -numeral.place), rounding)
    return text or _scientific(value, _LONG, rounding)


def _as_word(value: Decimal, numeral: Numeral, rounding: str) -> str:
    """The word for the rounded value, "" where the number is none or a word would not say it."""
    if numeral.place or not numeral.text.isalpha():
        return ""
    rounded = _rounded(value, 0, rounding)
    return "" if rounded is None else word_like(rounded, numeral.text)


def _form(numeral: Numeral) -> _Form:
    """The parts of a number's text, or of its literal where the text is written in another way."""
    found = _FORM.fullmatch(numeral.text) or _FORM.fullmatch(numeral.literal)
    return _Form() if found is None else _Form(**found.groupdict(default=""))


def _rough(value: Decimal, numeral: Numeral, rounding: str, *, plain: bool) -> Decimal:
    """The value with as many significant digits as an approximate number has."""
    if not value or not numeral.value:
        return value
    last = decisive_place(numeral.value, numeral.place, approximate=True)
    place = value.adjusted() - (numeral.value.adjusted() - last)
    rounded = _rounded(value, max(place, numeral.place) if plain else place, rounding)
    return value if rounded is None else rounded


def _rounded(value: Decimal, place: int, rounding: str) -> Decimal | None:
    """The value rounded to a place, None where that takes more digits than are worked with."""
    found = value.quantize(power(place), rounding=rounding, context=EXACT)
    return found if found.is_finite() else None


def _plain(value: Decimal, form: _Form, decimals: int, rounding: str) -> str:
    """Without an exponent; "" where that takes too many digits."""
    if value.adjusted() > len(form.whole) + _MORE_DIGITS:
        return ""
    rounded = _rounded(value, -decimals, rounding)
    if rounded is None:
        return ""
    separator = next((mark for mark in form.whole if mark in _SEPARATORS), "")
    digits = format(rounded.copy_abs(), ",f" if separator else "f").replace(",", separator)
    if form.fraction and not form.whole:
        digits = digits.removeprefix("0")
    return _sign(rounded, value, form) + digits


def _scientific(value: Decimal, form: _Form, rounding: str) -> str:
    """With an exponent, and the point as far to the right as in the form; "" if too long."""
    mantissa = Decimal(f"0{re.sub('[^0-9]', '', form.whole)}.{form.fraction}")
    decimals = len(form.fraction)
    if not value:
        digits = format(power(-decimals, 0), "f")
        return f"{_sign(value, value, form)}{digits}{form.mark}{form.power_sign}{form.power}"
    lead = mantissa.adjusted() if mantissa else 0
    place = value.adjusted() - lead - decimals
    rounded = _rounded(value, place, rounding)
    if rounded is not None and rounded.adjusted() > value.adjusted():
        # 9.96 became 10.0, a digit too many.
        rounded = _rounded(rounded, place + 1, rounding)
    if rounded is None:
        return ""
    exponent = rounded.adjusted() - lead
    digits = format(rounded.copy_abs().scaleb(-exponent, EXACT), "f")
    return f"{_sign(rounded, value, form)}{digits}{form.mark}{_power(exponent, form)}"


def _power(exponent: int, form: _Form) -> str:
    """The exponent with the form's sign, padding and kind of digits."""
    raised = form.power[0] in _RAISED_DIGITS
    padded = form.power[0] in {"0", _RAISED_DIGITS[0]} and len(form.power) > 1
    digits = str(abs(exponent)).rjust(len(form.power) if padded else 1, "0")
    if exponent < 0:
        negative = form.power_sign not in {"", *_PLUSES}
        sign = form.power_sign if negative else _RAISED_MINUS if raised else _minus(form)
    else:
        # Programs that pad an exponent also give it a sign: 1e-05, 1e+05.
        plus = form.power_sign in _PLUSES or (padded and form.power_sign)
        sign = "" if not plus else "\u207a" if raised else "+"
    return sign + (digits.translate(_RAISED) if raised else digits)


def _sign(rounded: Decimal, value: Decimal, form: _Form) -> str:
    """The sign of a rounded value; one that rounds to zero from below has none."""
    if rounded < ZERO:
        return _minus(form)
    return "+" if form.sign == "+" and value >= ZERO else ""


def _minus(form: _Form) -> str:
    """The minus that the number has, in its sign or its exponent."""
    signs = {form.sign, form.power_sign}
    return _TRUE_MINUS if _TRUE_MINUS in signs else _PLAIN_MINUS
