"""Text with the place of every character, which is what all readers build their blocks from."""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise, repeat

from verifier.model.document import NO_PLACE, Mark, MarkKind

REPLACEMENT = "\ufffd"

BLANKS = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
"""White space that markdown-it-py strips from the ends of paragraphs and cells."""

INLINE_TAGS = {"br": "\n", "sup": "^", "sub": "_"}
"""What an opening tag puts between two characters that it keeps apart: without it
``10<sup>3</sup>`` would read 103, and ``5<br>6`` would read 56."""

_IRREGULAR = re.compile("\r\n?|\0")

# The look-behind lets a scheme begin at a word only, so that a long word is walked once.
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])(?:[A-Za-z][A-Za-z0-9+.-]{1,31}://|www\.)[^\s<>\"`|\\^{}]+",
)
_TRAILING = ".,;:!?'*_~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    r"""A source with its line ends made ``\n``, its byte order mark dropped and NUL replaced.

    Attributes:
        text: what a parser is given.
        places: (len(text),), for each character its index in the source, or ``NO_PLACE`` where
            the source has another character there.
    """

    text: str
    places: Sequence[int]

    def in_source(self, places: Sequence[int]) -> Sequence[int]:
        """Turn places in this text into places in the source."""
        return through(self.places, places)


def normal(source: str) -> Normal:
    """Make the line ends of a source alike; without carriage returns this costs no copy."""
    start = 1 if source.startswith("\ufeff") else 0
    if _IRREGULAR.search(source) is None:
        return Normal(text=source[start:], places=range(start, len(source)))
    parts: list[str] = []
    places = array("q")
    for match in _IRREGULAR.finditer(source):
        parts.append(source[start : match.start()])
        places.extend(range(start, match.start()))
        found = match.group()
        parts.append(REPLACEMENT if found == "\0" else "\n")
        places.append(match.start() + 1 if found == "\r\n" else NO_PLACE)
        start = match.end()
    parts.append(source[start:])
    places.extend(range(start, len(source)))
    return Normal(text="".join(parts), places=places)


def through(outer: Sequence[int], inner: Sequence[int]) -> Sequence[int]:
    """Places of a text that was cut out of a text with places of its own.

    Args:
        outer: (n,) places of that text.
        inner: (m,) indices into it, or ``NO_PLACE``.

    Returns:
        (m,) places, as a range or a piece of ``outer`` where ``inner`` is a range.
    """
    if isinstance(inner, range) and inner.step == 1:
        return outer[inner.start : inner.stop]
    return tuple(NO_PLACE if index == NO_PLACE else outer[index] for index in inner)


class Lines:
    """The lines of a text: where each begins, and which one holds an offset."""

    __slots__ = ("starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        lengths = (len(line) + 1 for line in text.split("\n"))
        self.starts = list(accumulate(lengths, initial=0))

    def line(self, index: int) -> str:
        """Text of a line, counted from 0, without its line end; "" behind the last."""
        if index + 1 >= len(self.starts):
            return ""
        return self.text[self.starts[index] : self.starts[index + 1] - 1]

    def locate(self, content: str, first: int) -> Sequence[int]:
        """Where text stands that a parser took from whole lines.

        Args:
            content: the ends of consecutive lines: indentation, quote marks and bullets are cut
                off, perhaps replaced by blanks, and blanks behind the last line as well.
            first: the line that it begins on, from 0.

        Returns:
            (len(content),), places in the text of these lines.
        """
        if first + 1 >= len(self.starts):
            return (NO_PLACE,) * len(content)
        head, several, _ = content.partition("\n")
        line = self.line(first)
        start = len(line if several else line.rstrip(BLANKS)) - len(head)
        if start >= 0 and self.text.startswith(content, self.starts[first] + start):
            return range(self.starts[first] + start, self.starts[first] + start + len(content))
        return self._line_by_line(content.split("\n"), first)

    def _line_by_line(self, contents: Sequence[str], first: int) -> Sequence[int]:
        places = Places()
        # To a parser a line of form feeds is not blank, but at the start of a block it strips it.
        head = contents[0].strip(BLANKS)
        while first + 2 < len(self.starts) and not self.line(first).rstrip(BLANKS).endswith(head):
            first += 1
        for number, content in enumerate(contents, first):
            if number + 1 >= len(self.starts):
                places.skip(len(content) + (number > first))
                continue
            if number > first:
                places.add(range(self.starts[number] - 1, self.starts[number]))
            self._end_of_line(content, number, places)
        return places.all()

    def _end_of_line(self, content: str, number: int, places: "Places") -> None:
        line = self.line(number)
        for shown in (content, content.lstrip(" \t")):
            for whole in (line, line.rstrip(BLANKS)):
                if whole.endswith(shown):
                    start = self.starts[number] + len(whole) - len(shown)
                    places.skip(len(content) - len(shown))
                    places.add(range(start, start + len(shown)))
                    return
        places.skip(len(content))

    def number(self, offset: int) -> int:
        """Number of the line, from 1, that holds an offset of the text."""
        return min(bisect_right(self.starts, offset), max(len(self.starts) - 1, 1))


class Places:
    """Collects places piece by piece, and keeps a range where they follow each other."""

    __slots__ = ("_pieces",)

    def __init__(self) -> None:
        self._pieces: list[Sequence[int]] = []

    def add(self, places: Sequence[int]) -> None:
        """Append the places of the next characters."""
        if not places:
            return
        pieces = self._pieces
        if pieces and isinstance(places, range) and places.step == 1:
            last = pieces[-1]
            if isinstance(last, range) and last.stop == places.start:
                pieces[-1] = range(last.start, places.stop)
                return
        pieces.append(places)

    def skip(self, count: int) -> None:
        """Append characters that have no place."""
        self.add(tuple(repeat(NO_PLACE, count)))

    def all(self) -> Sequence[int]:
        """The places of all characters, as a range or a tuple."""
        if len(self._pieces) == 1 and isinstance(self._pieces[0], range):
            return self._pieces[0]
        return tuple(chain.from_iterable(self._pieces))


class Run:
    """Builds the text of one block with its places and marks.

    Attributes:
        length: number of characters so far, which is where the next one goes.
    """

    __slots__ = ("_marks", "_parts", "_places", "length")

    def __init__(self) -> None:
        self.length = 0
        self._parts: list[str] = []
        self._places = Places()
        self._marks: list[Mark] = []

    def add(self, text: str, places: Sequence[int]) -> None:
        """Append text whose characters stand at ``places``, one for each."""
        self._parts.append(text)
        self._places.add(places)
        self.length += len(text)

    def add_unplaced(self, text: str) -> None:
        """Append text that stands in no one place of the source."""
        self._parts.append(text)
        self._places.skip(len(text))
        self.length += len(text)

    def mark(self, kind: MarkKind, start: int, value: str = "") -> None:
        """Mark what was appended since ``start``; for a comment that is nothing."""
        if start < self.length or kind == "comment":
            self._marks.append(Mark(kind=kind, start=start, end=self.length, value=value))

    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    def offsets(self) -> Sequence[int]:
        """(len(text),), the places so far."""
        return self._places.all()

    def marks(self, text: str) -> tuple[Mark, ...]:
        """The marks so far, with the addresses that ``text``, the text so far, shows."""
        return with_urls(text, self._marks)


class Headings:
    """The headings above the current place."""

    __slots__ = ("_open", "path")

    def __init__(self) -> None:
        self.path: tuple[str, ...] = ()
        self._open: list[int] = []

    def enter(self, level: int) -> tuple[str, ...]:
        """Close the headings that one of ``level`` ends; what remains stands above it."""
        while self._open and self._open[-1] >= level:
            self._open.pop()
        self.path = self.path[: len(self._open)]
        return self.path

    def under(self, level: int, text: str) -> None:
        """Put what follows under a heading that was entered."""
        self._open.append(level)
        self.path = (*self.path, label(text))


def label(text: str) -> str:
    """The text of a cell or heading as a name: white space counts as one blank."""
    return " ".join(text.split())


def with_urls(text: str, marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """Marks in the order of their starts, with those of the bare addresses in the text.

    Outer marks come before inner ones. An address that other marks begin or end in is marked in
    pieces, so that marks nest or stand apart.
    """
    if "://" not in text and "www." not in text:
        return tuple(sorted(marks, key=_order)) if len(marks) > 1 else tuple(marks)
    edges = sorted({edge for mark in marks for edge in (mark.start, mark.end)})
    known = {(mark.start, mark.end) for mark in marks if mark.kind == "url"}
    found = [
        Mark(kind="url", start=start, end=end)
        for match in _URL.finditer(text)
        for start, end in _pieces(match.start(), _without_trailing(match.group()), edges)
        if (start, end) not in known
    ]
    return tuple(sorted([*marks, *found], key=_order))


def _order(mark: Mark) -> tuple[int, int]:
    return (mark.start, -mark.end)


def _pieces(start: int, length: int, edges: Sequence[int]) -> Iterator[tuple[int, int]]:
    end = start + length
    inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
    return pairwise((start, *inside, end))


def _without_trailing(url: str) -> int:
    """Length of an address without the punctuation of the sentence around it."""
    end = len(url)
    excess = url.count(")") - url.count("(")
    while url[end - 1] in _TRAILING or (url[end - 1] == ")" and excess > 0):
        excess -= url[end - 1] == ")"
        end -= 1
    return end
