"""Finds short quotes in a document, at the cost of a few binary searches each.

The text on either side of every number is sorted once, what stands before it read backwards. The
numbers with given words beside them are then neighbours in a list, and a quote is compared with
those few places only.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

from verifier.model.document import Block

BRACES = "{}"

_CONTEXT = 64
"""How many characters on each side of a number are sorted."""

_MOST_PLACES = 4096
"""Places that one quote is compared with."""

_MOST_BRACES_TRIED = 1_000_000
"""And how many braces all quotes together: a hostile document may repeat one sentence forever."""

_MOST_BRACES = 8
_FEW = 2
_TELLING = 5
_LAST = chr(0x10FFFF)
_ENOUGH = 4
_WIDE = re.compile(r"[^\S ]\s*| \s+")

Slot = tuple[int, int, int, int]
"""What braces can stand for: block, first character, one past the last, index of the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fits:
    """Where a quote fits.

    Attributes:
        places: items that its braces stand for, one tuple for each place; four of them, if there
            are more, and in the order of the document.
        nearest: where none fits, an item that has one of the quote's segments beside it.
        common: whether the words beside the braces stand beside more numbers than were looked at.
    """

    places: tuple[tuple[int, ...], ...]
    nearest: int | None = None
    common: bool = False


class _Side(NamedTuple):
    """The places that one segment of a quote leaves: a stretch of a sorted list."""

    places: int
    first: int
    order: Sequence[int]
    brace: int
    segment: str


class Quotes:
    """The text of a document around its numbers, or around its identities.

    Args:
        blocks: of the document; a quote fits within one of them.
        slots: what braces can stand for, in the order of the document.
    """

    def __init__(self, blocks: Sequence[Block], slots: Sequence[Slot]) -> None:
        self._left = _MOST_BRACES_TRIED
        self._items = [slot[3] for slot in slots]
        self._text, self._starts, self._ends = _joined(blocks, slots)
        self._starting = {start: slot for slot, start in enumerate(self._starts)}
        self._ending = {end: slot for slot, end in enumerate(self._ends)}
        before = [self._text[max(start - _CONTEXT, 0) : start][::-1] for start in self._starts]
        after = [self._text[end : end + _CONTEXT] for end in self._ends]
        self._by_before = sorted(range(len(slots)), key=before.__getitem__)
        self._by_after = sorted(range(len(slots)), key=after.__getitem__)
        self._before = [before[slot] for slot in self._by_before]
        self._after = [after[slot] for slot in self._by_after]

    def find(self, quote: str) -> Fits:
        """Every place where the quote stands, up to four of them.

        Args:
            quote: with ``{}`` for each item; white space counts as one blank.
        """
        segments = " ".join(quote.split()).split(BRACES)
        best = _rarest(self._sides(segments))
        most = min(best.places, _MOST_PLACES, self._left // len(segments))
        # Both spellings of one identity are one place.
        places: set[tuple[int, ...]] = set()
        for slot in best.order[best.first : best.first + most]:
            self._left -= len(segments)
            found = self._spread(slot, best.brace, segments)
            if found is not None:
                places.add(found)
                if len(places) == _ENOUGH:
                    break
        nearest = None if places else self._nearest(segments)
        return Fits(places=tuple(sorted(places)), nearest=nearest, common=best.places > most)

    def _sides(self, segments: Sequence[str]) -> Iterator[_Side]:
        for brace, (before, after) in enumerate(islice(pairwise(segments), _MOST_BRACES)):
            reverse = before[::-1][:_CONTEXT]
            count, first = _stretch(self._before, reverse)
            yield _Side(count, first, self._by_before, brace, before)
            count, first = _stretch(self._after, after[:_CONTEXT])
            yield _Side(count, first, self._by_after, brace, after)

    def _spread(self, slot: int, brace: int, segments: Sequence[str]) -> tuple[int, ...] | None:
        """The items of a quote one of whose braces is a slot; None unless all of it fits."""
        slots = [slot]
        for segment in reversed(segments[1 : brace + 1]):
            start = self._starts[slots[0]]
            previous = self._ending.get(start - len(segment))
            if previous is None or not self._text.endswith(segment, 0, start):
                return None
            slots.insert(0, previous)
        for segment in segments[brace + 1 : -1]:
            end = self._ends[slots[-1]]
            following = self._starting.get(end + len(segment))
            if following is None or not self._text.startswith(segment, end):
                return None
            slots.append(following)
        fits = self._text.endswith(segments[0], 0, self._starts[slots[0]])
        fits = fits and self._text.startswith(segments[-1], self._ends[slots[-1]])
        return tuple(self._items[each] for each in slots) if fits else None

    def _nearest(self, segments: Sequence[str]) -> int | None:
        """An item beside the longest segment that stands beside any; punctuation tells nothing."""
        standing = [side for side in self._sides(segments) if side.places]
        longest = max(standing, key=lambda side: len(side.segment), default=None)
        if longest is None or len(longest.segment) < _TELLING:
            return None
        return self._items[longest.order[longest.first]]


def _rarest(sides: Iterator[_Side]) -> _Side:
    """The side with the fewest places; few enough need no further search."""
    best = next(sides)
    while best.places > _FEW and (side := next(sides, None)) is not None:
        if side.places < best.places:
            best = side
    return best


def _stretch(ordered: Sequence[str], prefix: str) -> tuple[int, int]:
    """How many of the sorted texts begin with a prefix, and the first of them."""
    first = bisect_left(ordered, prefix)
    end = bisect_left(ordered, prefix + _LAST, first)
    # The last character of all may stand in a text as well.
    while end < len(ordered) and end - first <= _MOST_PLACES and ordered[end].startswith(prefix):
        end += 1
    return end - first, first


def _joined(blocks: Sequence[Block], slots: Sequence[Slot]) -> tuple[str, list[int], list[int]]:
    """The text with each run of white space as one blank, and where the slots lie in it.

    Blocks are joined by newlines, which no collapsed text or quote holds.
    """
    cuts: dict[int, list[int]] = {}
    for holder, start, end, _ in slots:
        cuts.setdefault(holder, []).extend((start, end))
    pieces: list[str] = []
    bases: list[int] = []
    moved: dict[int, dict[int, int]] = {}
    base = 0
    for index, block in enumerate(blocks):
        text = _WIDE.sub(" ", block.text)
        bases.append(base)
        if len(text) != len(block.text):
            moved[index] = _moved(block.text, cuts.get(index, ()), base)
        pieces.append(text)
        base += len(text) + 1
    starts, stops = [], []
    for holder, start, end, _ in slots:
        ends = moved.get(holder)
        starts.append(bases[holder] + start if ends is None else ends[start])
        stops.append(bases[holder] + end if ends is None else ends[end])
    return "\n".join(pieces), starts, stops


def _moved(text: str, ends: Iterable[int], base: int) -> dict[int, int]:
    """Where places in a text come to lie when each run of white space becomes one blank."""
    moved: dict[int, int] = {}
    last = 0
    # Both ends of a slot are no white space, so that no run of it is cut in two.
    for end in sorted(set(ends)):
        base += len(_WIDE.sub(" ", text[last:end]))
        moved[end] = base
        last = end
    return moved
