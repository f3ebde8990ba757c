"""Numbers that belong together: counts, intervals, ranges, and values with a margin."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from verifier.claims._digits import Printed
from verifier.claims.units import unit_at
from verifier.model.claim import Role

_LONGEST_GAP = 16

_COUNT_GAPS = frozenset(
    {"/", "of", "of the", "of all", "of its", "of these", "of those"}
    | {"out of", "out of the", "out of all"}
)
_DASHES = frozenset("-\u2010\u2011\u2013\u2014") | {"--"}
_RANGE_WORDS = frozenset({"to", "through"})
_MARGIN_GAPS = frozenset({"±", "+/-", "+-"})
_COMMAS = frozenset(",;")
_BETWEEN = re.compile(r"\bbetween\s{1,3}$", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\s{1,3}$", re.IGNORECASE)
_INTERVAL_WORD = re.compile(
    r"(?:\b|_)(?:intervals?|CIs?|BCa|bounds|limits|range|confidence|credible)(?![a-z])[^()\[\];]*$",
    re.IGNORECASE,
)
_WORDS_REACH = 40
_REACH = 12
_MULTIPLIERS = frozenset("KMGT")


class Membership(NamedTuple):
    """What a number is among its neighbours.

    Attributes:
        role: in its group.
        leader: index of the first number of the group.
        unit: canonical unit, which ends and margins share.
    """

    role: Role
    leader: int
    unit: str


class _Pair(NamedTuple):
    roles: tuple[Role, Role]
    units: tuple[str, str]


_COUNT: tuple[Role, Role] = ("part", "whole")
_ENDS: tuple[Role, Role] = ("low", "high")
_MARGIN: tuple[Role, Role] = ("value", "margin")


def memberships(
    text: str, printed: Sequence[Printed], free: Sequence[bool], *, label: str
) -> list[Membership]:
    """Group the numbers of a text; a number is in one group of two, or alone.

    Args:
        text: text of a block.
        printed: its numbers, in order.
        free: for each, whether it can be in a group: it is no part of a name, date or the like.
        label: header of the column, where the text is that of a cell; "CI" makes ``(1, 2)`` one.

    Returns:
        One for each number, in order.
    """
    if len(printed) == 1:
        return [Membership("value", 0, printed[0].unit)]
    found: list[Membership] = []
    while len(found) < len(printed):
        index = len(found)
        pair = None
        if index + 1 < len(printed) and free[index] and free[index + 1]:
            pair = _pair(text, printed, index, label)
        if pair is None:
            found.append(Membership("value", index, printed[index].unit))
        else:
            found.append(Membership(pair.roles[0], index, pair.units[0]))
            found.append(Membership(pair.roles[1], index, pair.units[1]))
    return found


def _pair(text: str, printed: Sequence[Printed], index: int, label: str) -> _Pair | None:
    first, second = printed[index], printed[index + 1]
    length = second.start - first.stop
    if not 0 < length <= _LONGEST_GAP:
        return None
    written = text[first.stop : second.start]
    gap = " ".join(written.split()).lower()
    if gap in _COMMAS:
        return _interval(text, printed, index, label)
    if gap in _COUNT_GAPS:
        chained = gap == "/" and _chained(text, first, second, "/")
        return _Pair(_COUNT, ("", "")) if _counts(first, second) and not chained else None
    if gap in _MARGIN_GAPS:
        return _Pair(_MARGIN, _shared(first, second))
    between = gap == "and" and _stands_before(_BETWEEN, text, first)
    if between or (gap in _RANGE_WORDS and _stands_before(_FROM, text, first)):
        return _Pair(_ENDS, _shared(first, second))
    dashed = gap in _DASHES and _dashed(text, first, second, spaced=written != gap)
    return _range(first, second) if dashed or gap in _RANGE_WORDS else None


def _stands_before(word: re.Pattern[str], text: str, number: Printed) -> bool:
    return word.search(text, max(0, number.start - _REACH), number.start) is not None


def _counts(first: Printed, second: Printed) -> bool:
    # "5 % of 64" is a share, and "-3/4" no count.
    return _natural(first) and _natural(second) and not first.unit and not second.unit


def _natural(number: Printed) -> bool:
    return number.place == 0 and number.start == number.first


def _chained(text: str, first: Printed, second: Printed, sign: str) -> bool:
    """Whether the pair is a piece of a chain such as ``1/2/3`` or ``1-2-3``."""
    before = first.start > 1 and text[first.start - 1] == sign and text[first.start - 2].isalnum()
    after = text[second.stop : second.stop + 1] == sign and text[second.stop + 1 : second.stop + 2]
    return before or bool(after and after.isalnum())


def _dashed(text: str, first: Printed, second: Printed, *, spaced: bool) -> bool:
    if spaced:
        # "5 - 3" subtracts, and "in 1 - 20 of them" breaks off: only a rising pair is a range.
        return first.value < second.value
    return not _chained(text, first, second, "-")


def _range(first: Printed, second: Printed) -> _Pair | None:
    alike = (first.place < 0) == (second.place < 0) or not first.value or not second.value
    return _Pair(_ENDS, _shared(first, second)) if alike else None


def _interval(text: str, printed: Sequence[Printed], index: int, label: str) -> _Pair | None:
    first, second = printed[index], printed[index + 1]
    opening = _before(text, first.start)
    closing = _after(text, second.stop)
    if opening < 0 or text[opening] not in "[(" or text[closing : closing + 1] not in {"]", ")"}:
        return None
    if text[opening] == "(" and not (
        _INTERVAL_WORD.search(label)
        or _INTERVAL_WORD.search(text, max(0, opening - _WORDS_REACH), opening)
        or _encloses(text, printed, index, opening)
    ):
        return None
    units = _shared(first, second)
    if not any(units):
        # The unit of both stands behind the bracket.
        unit, _ = unit_at(text, closing + 1)
        units = (unit, unit)
    return _Pair(_ENDS, units)


def _encloses(text: str, printed: Sequence[Printed], index: int, opening: int) -> bool:
    """Whether the number before the parenthesis lies between the two in it: ``2.1 (1.9, 2.4)``."""
    if not index:
        return False
    before, low, high = printed[index - 1 : index + 2]
    return (
        before.stop <= opening
        and not text[before.stop : opening].strip()
        and low.value <= before.value <= high.value
        and low.place < 0
    )


def _shared(first: Printed, second: Printed) -> tuple[str, str]:
    """The units of two numbers that share one, if only one of them is followed by it."""
    if first.unit and not second.unit:
        return first.unit, "" if first.unit in _MULTIPLIERS else first.unit
    if second.unit and not first.unit:
        if second.unit in _MULTIPLIERS and first.value > second.value:
            # "128-2K" starts at 128.
            return "", second.unit
        return second.unit, second.unit
    return first.unit, second.unit


def _before(text: str, position: int) -> int:
    """Index of the last character before a position that is no blank, -1 if there is none."""
    for index in range(position - 1, max(-1, position - 4), -1):
        if not text[index].isspace():
            return index
    return -1


def _after(text: str, position: int) -> int:
    """Index of the first character from a position on that is no blank."""
    for index in range(position, min(len(text), position + 3)):
        if not text[index].isspace():
            return index
    return len(text)
