"""The lines of a reStructuredText source, and where on them a piece of text stands.

docutils says on which line a paragraph or cell begins, and keeps its source text without the
indentation, bullets and borders around it. Cells of one row share their lines, so what was found
once is not found again; in a drawn grid each cell is looked for between its own borders.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from unicodedata import east_asian_width

from verifier.documents._places import Places
from verifier.model.document import NO_PLACE

TAB_WIDTH = 8

_BLANKS_TO_DOCUTILS = {ord("\v"): " ", ord("\f"): " "}
_NOT_BEFORE = ".-+\N{MINUS SIGN}"
_NOT_BEHIND = ".%)"
_MOST_TRIES = 16
"""How many false hits on one line are passed over, so that a long line costs little."""

_MOST_OPTIONS = 12
_GRID = re.compile(r"\+-[-+]+-\+")
_NO_GRID = re.compile(r"==* +=")


Columns = tuple[int, int]
"""The first column of a cell and one past its last; wide characters take two."""


class SourceLines:
    """Lines as docutils splits them, with tabs expanded."""

    __slots__ = ("_expansions", "_lines", "_numbers", "_starts", "_taken", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: list[str] = []
        self._starts: list[int] = []
        self._expansions: dict[int, Sequence[int]] = {}
        self._numbers: list[int] = []
        self._taken: dict[int, int] = {}
        start = 0
        number = 1
        for line in text.translate(_BLANKS_TO_DOCUTILS).splitlines(keepends=True):
            self._starts.append(start)
            self._numbers.append(number)
            start += len(line)
            number += line.endswith("\n")
            self._lines.append(line.expandtabs(TAB_WIDTH).rstrip())
        self._starts.append(start)

    def number(self, line: int) -> int:
        """Number of a line, from 1, as everybody else counts: by newlines alone."""
        return self._numbers[line] if line < len(self._numbers) else 1

    def columns(self, first: int, widths: Sequence[int], within: Columns | None) -> Sequence[int]:
        """Where the columns of a drawn grid begin.

        Args:
            first: the line that the table or its directive begins on, from 0.
            widths: (n,) widths of the columns as docutils says them.
            within: where the table lies, if it lies in a cell.

        Returns:
            (n + 1,) the first character of each column, and one past the right border; none for a
            table of another kind.
        """
        total = sum(widths) + len(widths) + 1
        for number in range(first, min(first + _MOST_OPTIONS, len(self._lines))):
            line = self._lines[number]
            for match in _GRID.finditer(line):
                left = _width(line[: match.start()])
                inside = within is None or within[0] <= left < within[1]
                if inside and len(match[0]) == total:
                    return list(accumulate((width + 1 for width in widths), initial=left + 1))
            if _NO_GRID.search(line):
                break
        return ()

    def find(
        self, raw: str, lines: Iterable[int], *, at_end: bool, within: Columns | None
    ) -> tuple[int, Sequence[int]]:
        """Find text that docutils took from the source.

        Args:
            raw: pieces of consecutive lines, without what stands before and behind them.
            lines: where its first line may be, from 0, the likeliest first.
            at_end: it reaches to the end of its lines, if there is such a place.
            within: the columns of the cell that it lies in, if they are known.

        Returns:
            The line where it was found, or -1, and for each character its index in the text.
        """
        pieces = raw.split("\n")
        for first in lines:
            found = self._match(pieces, first, at_end=at_end, within=within)
            if found:
                return first, self._places(pieces, first, found)
        return -1, (NO_PLACE,) * len(raw)

    def _match(
        self, pieces: Sequence[str], first: int, *, at_end: bool, within: Columns | None
    ) -> Sequence[int]:
        """The index of each piece on its line, one line after the other; none if a piece lacks."""
        if first < 0 or first + len(pieces) > len(self._lines):
            return ()
        found = []
        for number, piece in enumerate(pieces, first):
            line = self._lines[number]
            if not piece:
                index = len(line)
            elif within is not None:
                index = _first(line, piece, _index(line, within[0]), _index(line, within[1]))
            else:
                index = self._free(piece, number, at_end=at_end)
            if index < 0:
                return ()
            found.append(index)
        for number, (piece, index) in enumerate(zip(pieces, found, strict=True), first):
            self._taken[number] = index + len(piece)
        return found

    def _free(self, piece: str, number: int, *, at_end: bool) -> int:
        """The index of a piece behind what was found on its line before, or -1."""
        line = self._lines[number]
        past = self._taken.get(number, 0)
        end = len(line) - len(piece)
        if at_end and end >= past and line.endswith(piece) and _stands_alone(line, end, piece):
            return end
        return _first(line, piece, past, len(line))

    def _places(self, pieces: Sequence[str], first: int, found: Sequence[int]) -> Sequence[int]:
        places = Places()
        past = 0
        for number, (piece, index) in enumerate(zip(pieces, found, strict=True), first):
            if number > first:
                self._add_line_end(number - 1, past, places)
            past = index + len(piece)
            if self._is_plain(number):
                start = self._starts[number]
                places.add(range(start + index, start + past))
            else:
                places.add(self._expanded(number)[index:past])
        return places.all()

    def _add_line_end(self, number: int, past: int, places: Places) -> None:
        end = self._starts[number + 1] - 1
        if past == len(self._lines[number]) and self._text[end] == "\n":
            places.add(range(end, end + 1))
        else:
            # The line goes on with the next cell.
            places.skip(1)

    def _is_plain(self, number: int) -> bool:
        line = self._lines[number]
        return self._text.startswith(line, self._starts[number])

    def _expanded(self, number: int) -> Sequence[int]:
        """For each character of a line with tabs and the like, its index in the text."""
        if number not in self._expansions:
            places: list[int] = []
            for index in range(self._starts[number], self._starts[number + 1]):
                character = self._text[index]
                if character == "\t":
                    places.extend([NO_PLACE] * (TAB_WIDTH - len(places) % TAB_WIDTH))
                else:
                    places.append(NO_PLACE if character in "\v\f" else index)
            self._expansions[number] = tuple(places)
        return self._expansions[number]


def _first(line: str, piece: str, start: int, end: int) -> int:
    """The first index from ``start`` up to ``end`` where the piece stands alone, or -1."""
    for _ in range(_MOST_TRIES):
        start = line.find(piece, start, end)
        if start < 0 or _stands_alone(line, start, piece):
            return start
        start += 1
    return -1


def _stands_alone(line: str, start: int, piece: str) -> bool:
    """Whether what stands around a piece is no part of the same word or number."""
    before = line[start - 1] if start else " "
    behind = line[start + len(piece)] if start + len(piece) < len(line) else " "
    return not (
        before.isalnum() or before in _NOT_BEFORE or behind.isalnum() or behind in _NOT_BEHIND
    )


def _width(text: str) -> int:
    return len(text) + (not text.isascii() and sum(map(_is_wide, text)))


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in {"W", "F"}


def _index(line: str, column: int) -> int:
    """The index of the character that stands in a column."""
    if line.isascii():
        return column
    shown = 0
    for index, character in enumerate(line):
        if shown >= column:
            return index
        shown += 1 + _is_wide(character)
    return len(line)
