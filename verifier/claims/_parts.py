"""Numbers that are only a part of what a reader sees: ``3`` of ``3½``, of ``3 000`` or ``3,5``.

Reading numbers takes the digits that it is sure of. Where more stands beside them that a reader
takes for the same number, holding those digits against a value would check something that nobody
says.
"""

import re
import unicodedata

from verifier.model.claim import Numeral

_UNSEEN = (
    "\0\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
"""Characters without a width, as a set of a pattern: they cut digits apart, and nobody sees it."""

_CUT = re.compile(rf"[{_UNSEEN}]++")
_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
_SHORT_WHOLE = re.compile(r"[-+\u2212]?[0-9]{1,3}")
_THOUSANDS_MARKS = frozenset({"'", "\u2019", "\u066c", "_"})
_POINTS = frozenset({".", "\u00b7", "\u066b"})
"""Signs for the decimal point elsewhere; between two numbers a point itself makes a third."""

_LONGER_WORDS = re.compile(
    r"\s(?:hundred|dozen|and\sa\s(?:half|third|quarter))(?![\w-])", re.IGNORECASE
)
_SUPERSCRIPTS = frozenset("\u00b9\u00b2\u00b3\u2070\u2074\u2075\u2076\u2077\u2078\u2079")
_DASHES = frozenset("\u02d7\u2010\u2011\u2012\u2013\u2014\u2015\u207b\u2796\ufe58\ufe63\uff0d")
"""What is printed for a minus, and read as none because it also is a dash."""

_OPENING = frozenset(" \t\n\u00a0([{|\"'*<=\u2248~:")
_REACH = 24
_UNSEEN_REACH = 8


def larger(
    text: str, number: Numeral, before: Numeral | None, behind: Numeral | None, *, cell: bool
) -> str:
    """What a reader sees instead of a number, if that is only a part of it.

    Args:
        text: text of the block.
        number: the number.
        before: the number before it in the block, unless the two belong together.
        behind: the number behind it, likewise.
        cell: whether the block is a cell of a table, where a dash in front is no bullet.

    Returns:
        The number with what belongs to it; "" where it stands for itself.
    """
    start, end = number.start, number.end
    if before is not None and _joined(text, before, number):
        start = before.start
    if behind is not None and _joined(text, number, behind):
        end = behind.end
    end = max(end, _grown(text, number))
    start = min(start, _led(text, number, cell=cell))
    return text[start:end] if (start, end) != (number.start, number.end) else ""


def _joined(text: str, first: Numeral, second: Numeral) -> bool:
    """Whether two numbers are one to a reader."""
    gap = text[first.end : second.start]
    seen = _CUT.sub("", gap)
    if seen in _POINTS or (gap and not seen):
        return True
    if seen == ",":
        # "0,035" and "1.234,5" are one number, "0.1,0.2" and "0.5,1" are two.
        _, point, decimals = first.literal.partition(".")
        return "." not in second.text and (not point or _GROUP.fullmatch(decimals) is not None)
    grouped = _SHORT_WHOLE.fullmatch(first.text) and _GROUP.match(second.text)
    if gap == " ":
        return bool(grouped) and second.text == second.text[:3] and second.text[0] == "0"
    return bool(grouped) and gap in _THOUSANDS_MARKS


def _grown(text: str, number: Numeral) -> int:
    """One past the characters behind a number that change its value."""
    end = number.end
    if words := _LONGER_WORDS.match(text, end, end + _REACH):
        return words.end()
    hidden = _CUT.match(text, end)
    at = hidden.end() if hidden else end
    sign = text[at : at + 1]
    if sign.isascii() or unicodedata.numeric(sign, None) is None:
        return end
    # Behind a fraction it is the mark of a footnote, behind a whole number more often a power.
    power = sign not in _SUPERSCRIPTS or ("." not in number.text and not number.rule)
    return at + 1 if power else end


def _led(text: str, number: Numeral, *, cell: bool) -> int:
    """Where a dash begins that a reader takes for the minus of a number."""
    start = number.start
    if not start:
        return start
    head = text[max(start - _UNSEEN_REACH, 0) : start]
    dash = head[-1]
    if dash in _DASHES and (start == 1 or text[start - 2] in _OPENING) and number.role != "high":
        return start - 1
    alone = cell and start < _UNSEEN_REACH and head.strip()
    return 0 if alone and (alone in _DASHES or alone in {"-", "\u2212"}) else start
