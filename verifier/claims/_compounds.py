"""Digits that are part of a name: ``FP64``, ``TP4``, ``4-bit``, ``top-20``, ``1st``."""

import re

from verifier.claims._digits import Printed, is_letter

_HYPHENS = frozenset("-\u2010\u2011")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?!\w)")
_COUNT_AFTER = re.compile(r"\s?/\s?[0-9]")
_COUNT_BEFORE = re.compile(r"[0-9]\s?/\s?$")
_STANDARDS = frozenset({"rfc", "iso", "pep", "din", "ieee"})
_LONGEST_WORD = 24
_LITTLE_WORDS = frozenset(
    {"all", "and", "at", "both", "for", "from", "in", "is", "of", "only", "over", "than", "the"}
    | {"to", "use", "uses", "with", "within"}
)
_THINGS = re.compile(r"[a-z]{3,24}s(?![A-Za-z0-9_-])")
_SHORT_PLACE = -2
"""Place of the last digit in versions of models, such as 5.3 and 3.25."""


def is_name(text: str, number: Printed, neighbour: Printed | None, *, named: bool) -> bool:
    """Whether a number is part of a name or of a compound word.

    Sloppy writing glues numbers to words as well ("lower in26/32", "is0.0318"). What the digits in
    names lack makes such a number a claim: a decimal point, an exponent, separators, more than
    three digits, a count or a per cent sign. So does a little word before it ("all64 scores"), and
    a plural behind it ("24slots").

    Args:
        text: text of the block.
        number: the number.
        neighbour: the number before it.
        named: whether that one is part of a name.
    """
    start, stop = number.start, number.stop
    left = text[start - 1] if start else ""
    right = text[stop] if stop < len(text) else ""
    if has_leading_zeros(number) or "_" in (left, right):
        return True
    if number.unit == "percent":
        return False
    if is_letter(left):
        return _glued(text, number, left)
    if neighbour is not None and neighbour.stop == start - 1:
        # "r27-20260908" and "TP4/8", but not the range "64K-128K".
        if named and number.whole and (left in _HYPHENS or (left == "/" and not number.strong)):
            return True
    elif left in _HYPHENS and is_letter(text[start - 2 : start - 1]):
        return _hyphenated(text, number)
    return _goes_on(text, number, right)


def has_leading_zeros(number: Printed) -> bool:
    """Whether digits begin as those of identifiers do, and never those of numbers."""
    return number.whole and number.literal[0] == "0" and len(number.literal) > 1


def _goes_on(text: str, number: Printed, right: str) -> bool:
    """Whether a word goes on behind a number, as in ``4-bit`` and ``64K-token``.

    What is glued and plural is a count of things: ``24slots``.
    """
    if number.whole and _ORDINAL.match(text, number.end):
        return True
    hyphenated = right in _HYPHENS and is_letter(text[number.stop + 1 : number.stop + 2])
    glued = number.stop == number.end and is_letter(right)
    if number.strong or not (hyphenated or glued):
        return False
    if glued and _THINGS.match(text, number.stop):
        return False
    return not _COUNT_BEFORE.search(text, max(0, number.start - 4), number.start)


def _glued(text: str, number: Printed, letter: str) -> bool:
    if number.whole and letter.islower() and _COUNT_AFTER.match(text, number.stop):
        return False
    word = _word_before(text, number.start)
    if number.whole and letter in "xX" and text[number.start - 2 : number.start - 1].isdigit():
        # "0x1000", "2x4096"
        return True
    if word.lower() in _LITTLE_WORDS:
        return False
    if not number.strong or word.lower() in _STANDARDS:
        return True
    # "K3.25" and "p99.9" are names; "x1.5" is a ratio, and "p0.05" is sloppy.
    single = len(word) == 1 and word not in "xX" and "." in number.literal
    return single and number.literal[0] != "0"


def _hyphenated(text: str, number: Printed) -> bool:
    """Whether a number behind a word and a hyphen is part of a name."""
    if not number.strong:
        return True
    if number.whole or number.place < _SHORT_PLACE or number.literal[0] == "0":
        return False
    # "GLM-5.3-Flash" is a name, "temperature-1.5" is not.
    word = _word_before(text, number.start - 1)
    goes_on = text[number.stop : number.stop + 1] in _HYPHENS
    return word[:1].isupper() or goes_on


def _word_before(text: str, end: int) -> str:
    """The letters directly before a position."""
    start = end
    while start > max(0, end - _LONGEST_WORD) and text[start - 1].isalpha():
        start -= 1
    if start and text[start - 1].isalnum():
        # "c2x1.5": no word of its own.
        start -= 1
    return text[start:end]
