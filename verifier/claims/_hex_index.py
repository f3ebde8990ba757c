"""Hex identities that are found by their beginning, or by most of their digits."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import ne

_SHORTEST = 7
"""Digits below which an abbreviation names nothing: Git prints no fewer."""

_FULLEST = 16
"""Most identities that share a telling piece. Random digests hardly ever share one; where many do,
as in made-up ones full of zeros, the nearest of some of them would be a wrong correction."""

_AFTER_HEX = "g"
_ABBREVIATED = ((0, 3), (3, 7))

_Cut = tuple[int, int]


class HexIndex:
    """Identities of one length, in lower case.

    Two texts of 64 digits that differ in 4 have one of 5 pieces in common, so a few look-ups find
    every near miss, however many identities there are.

    Args:
        values: distinct identities.
        length: of each of them, in digits.
        reach: digits in which a near miss may differ.
        ends: digits at the beginning or end that suffice for a near miss; 0 for none at the end.
    """

    __slots__ = ("_abbreviated", "_cuts", "_ends", "_length", "_near", "_reach", "_values")

    def __init__(
        self, values: Iterable[str], *, length: int, reach: int, ends: tuple[int, int]
    ) -> None:
        self._values = sorted(values)
        self._length = length
        self._reach = reach
        self._ends = ends
        bounds = [length * piece // (reach + 1) for piece in range(reach + 2)]
        first, last = ends
        whole_ends = ((0, first), (length - last, length)) if last else ((0, first),)
        self._cuts = (*pairwise(bounds), *whole_ends)
        self._near: Mapping[tuple[int, str], Sequence[str]] | None = None
        self._abbreviated: Mapping[tuple[int, str], Sequence[str]] | None = None

    def near(self, text: str) -> tuple[str, ...]:
        """The nearest of the near misses; several when they are equally near.

        Of an abbreviation, which may differ in one digit, the beginnings as long as it is.
        """
        if len(text) == self._length:
            if self._near is None:
                self._near = _pieces(self._values, self._cuts)
            found = _sharing(self._near, self._cuts, text)
            return _nearest(text, filter(lambda value: self._is_near(text, value), found))
        if not _SHORTEST <= len(text) < self._length:
            return ()
        if self._abbreviated is None:
            self._abbreviated = _pieces(self._values, _ABBREVIATED)
        found = [value[: len(text)] for value in _sharing(self._abbreviated, _ABBREVIATED, text)]
        return _nearest(text, (value for value in found if distance(text, value) == 1))

    def _is_near(self, text: str, value: str) -> bool:
        first, last = self._ends
        return (
            distance(text, value) <= self._reach
            or text[:first] == value[:first]
            or (last > 0 and text[-last:] == value[-last:])
        )


def distance(one: str, other: str) -> int:
    """In how many digits two texts of one length differ."""
    return sum(map(ne, one, other))


def beginning(values: Sequence[str], text: str) -> tuple[str, ...]:
    """Of sorted identities of any length, those that begin with an abbreviation.

    An identity that another one continues is left out; at most two are given, since two already
    make the abbreviation ambiguous.
    """
    if len(text) < _SHORTEST:
        return ()
    found: list[str] = []
    for place in range(bisect_left(values, text), bisect_left(values, text + _AFTER_HEX)):
        value = values[place]
        if found and value.startswith(found[-1]):
            found[-1] = value
        elif len(found) > 1:
            break
        else:
            found.append(value)
    return tuple(found)


def _pieces(values: Iterable[str], cuts: Sequence[_Cut]) -> Mapping[tuple[int, str], Sequence[str]]:
    index: dict[tuple[int, str], list[str]] = {}
    for value in values:
        for number, (start, end) in enumerate(cuts):
            entries = index.setdefault((number, value[start:end]), [])
            if len(entries) <= _FULLEST:
                entries.append(value)
    return index


def _sharing(
    index: Mapping[tuple[int, str], Sequence[str]], cuts: Sequence[_Cut], text: str
) -> Iterable[str]:
    pieces = [(number, text[start:end]) for number, (start, end) in enumerate(cuts)]
    shared = (index.get(piece, ()) for piece in pieces)
    return dict.fromkeys(value for values in shared if len(values) <= _FULLEST for value in values)


def _nearest(text: str, values: Iterable[str]) -> tuple[str, ...]:
    ranked = sorted({(distance(text, value), value) for value in values})
    return tuple(value for far, value in ranked if far == ranked[0][0])
