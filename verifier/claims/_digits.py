"""The digits of numbers: where they stand in a text, and what they are worth."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from verifier.claims.units import ENDINGS, unit_at

LONGEST = 400
"""Most digits that are read; FP64 has 309 before the point, and nobody prints as many behind it."""
_LONGEST_EXPONENT = 4
_NAME_DIGITS = 3

MINUS = "-\u2212"
_SIGNS = f"+{MINUS}"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_BARE = frozenset("^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹")
_SPACES = "\u2009\u202f\u00a0"

# Every repeat is possessive or ends before a character that it cannot take: no backtracking. No
# group is repeated possessively: Python 3.11.2 loops there, or goes on behind what did not match
# (https://github.com/python/cpython/issues/101955).
_NUMBER = re.compile(
    r"(?:(?<![0-9a-z_.)\]])(\.[0-9]++)"
    rf"|([1-9][0-9]{{0,2}}(?:(?:,[0-9]{{3}})+(?!,[0-9]{{3}})"
    rf"|(?:[{_SPACES}][0-9]{{3}})+(?![{_SPACES}][0-9]{{3}}))(?![0-9])|[0-9]++)"
    r"(\.[0-9]++)?)"
    r"((?:[eE](?:[-+\u2212][0-9]++|[0-9]++(?![A-Za-z_])))"
    r"|\s?[xX\u00d7\u00b7\u22c5*]\s?10(?:(?:\^|\*\*)\{?[-+\u2212]?[0-9]++\}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]++)"
    r"|\s?\u00d7\s?10[-\u2212][0-9]++"
    r"|(?<=10)(?<![0-9.,]10)(?:\^\{?[-+\u2212]?[0-9]++\}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]++))?"
)
_NOT_DIGITS = re.compile(r"[^0-9]")


class Printed(NamedTuple):
    """A number as it stands in a text; a tuple, because thousands of them are made.

    Attributes:
        start: first character, the sign included.
        first: first character behind the sign.
        end: one past the last digit.
        stop: one past the last character of the unit, ``end`` without one.
        literal: plain literal.
        value: what it is worth.
        place: power of ten of the last digit.
        unit: canonical unit.
        whole: only digits: no point, exponent or separators.
        strong: has what the digits in names lack: a point, an exponent, separators, or more than
            three digits.
        cut: too long to be read whole; literal, value and place are of the part that was.
    """

    start: int
    first: int
    end: int
    stop: int
    literal: str
    value: Decimal
    place: int
    unit: str
    whole: bool
    strong: bool
    cut: bool


def is_letter(character: str) -> bool:
    """Whether a character binds digits beside it into one word.

    Scripts without case, such as Chinese, write numbers against words without a blank.
    """
    return character == "_" or character.lower() != character.upper()


def scan(text: str) -> Iterator[Printed]:
    """Every number of a text, in order, also those inside names, dates and digests."""
    length = len(text)
    for match in _NUMBER.finditer(text):
        bare, whole, fraction, exponent = match.groups()
        first, end = match.span()
        signed = first and text[first - 1] in _SIGNS and _is_sign(text, first)
        start = first - 1 if signed else first
        sign = "-" if start < first and text[start] in MINUS else ""
        power, cut, place = 0, False, 0
        if bare is not None:
            whole, fraction = "0", bare
        digits = whole if whole.isdigit() else _NOT_DIGITS.sub("", whole)
        strong = digits is not whole or len(digits) > _NAME_DIGITS
        if exponent is not None:
            power, cut = _power(exponent)
        if end - first > LONGEST:
            digits, cut = digits[:LONGEST], True
            fraction = fraction and fraction[: LONGEST + 1]
        literal = sign + digits
        if fraction:
            literal += fraction
            place = 1 - len(fraction)
            strong = True
        if exponent is not None:
            if exponent[0] in _BARE:
                # A power of ten alone.
                literal = f"{sign}1"
            literal = f"{literal}e{power}"
            place += power
        unit, stop = ("", end) if end == length or text[end] in ENDINGS else unit_at(text, end)
        yield Printed(
            start,
            first,
            end,
            stop,
            literal,
            Decimal(literal),
            place,
            unit,
            digits is whole and not fraction and exponent is None,
            strong or exponent is not None,
            cut,
        )


def _is_sign(text: str, first: int) -> bool:
    if first == 1:
        return True
    # "8-16" is a range, "FP8-0.5" a compound, "5%-10%" a range, "--5" a dash, "+/-5" a margin.
    before = text[first - 2]
    return not (
        before.isdigit()
        or is_letter(before)
        or before in "+-\u2212±%"
        or (before == "/" and text[first - 3 : first - 2] == "+")
    )


def _power(exponent: str) -> tuple[int, bool]:
    """The power of ten that an exponent stands for, and whether it had to be cut."""
    written = exponent[1:]
    if exponent[0] not in "eE":
        written = exponent.partition("10")[2] if exponent[0] not in _BARE else exponent
        written = written.strip("^*{}").translate(_SUPERSCRIPTS)
    digits = written.lstrip(_SIGNS).lstrip("0") or "0"
    power = int(digits[:_LONGEST_EXPONENT])
    return -power if written[0] in MINUS else power, len(digits) > _LONGEST_EXPONENT
