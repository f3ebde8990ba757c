"""Where a proposed binding says that its numbers stand: a cell by its labels, prose by a quote.

Every locator is tried out by the code that later finds its place, so that what is proposed fits.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise, product

from verifier.claims._cells import Cells
from verifier.claims._quotes import BRACES, Quotes
from verifier.model.claim import Locator, Numeral, QuoteLocator, TableLocator
from verifier.model.document import Document

_WORD = re.compile(r"\S+")
_LEAST_WORDS = 2
"""Words before a number that a quote begins with: a person has to recognise the place."""

_MOST_WORDS = 12
_LONGEST_SIDE = 100
_LONGEST_LABEL = 200
_MOST_SHARED = 16
"""Numbers of one entry; a hostile cell may hold thousands."""


def locators(
    document: Document, numerals: Sequence[Numeral], units: Mapping[int, str]
) -> dict[int, Locator]:
    """Locators of numbers; numbers that share one belong into one entry, in their order.

    Args:
        document: where they stand.
        numerals: all numbers of the document.
        units: index of each number that is to be bound, to the unit that its entry states; numbers
            of different units do not share an entry.

    Returns:
        Locator by index; a number that no locator singles out is left out.
    """
    finder = _Finder(document, numerals)
    blocks: dict[int, list[int]] = {}
    for index, numeral in enumerate(numerals):
        blocks.setdefault(numeral.block, []).append(index)
    found: dict[int, Locator] = {}
    for block, members in blocks.items():
        bound = [index for index in members if index in units]
        if not bound:
            continue
        # The sources of a cell are dealt out to the first of those numbers that claim something.
        first = [index for index in members if not numerals[index].rule][: len(bound)]
        if bound == first and len(bound) <= _MOST_SHARED and _is_one(bound, units):
            cell = finder.cell(block)
            if cell is not None:
                found.update(dict.fromkeys(bound, cell))
                continue
        for run in _runs(bound, numerals, units):
            quote = finder.quote(block, run)
            if quote is not None:
                found.update(dict.fromkeys(run, quote))
    return found


def _is_one(bound: Sequence[int], units: Mapping[int, str]) -> bool:
    return len({units[index] for index in bound}) == 1


def _runs(
    bound: Sequence[int], numerals: Sequence[Numeral], units: Mapping[int, str]
) -> Iterator[list[int]]:
    """Neighbours that are one interval or count, and of one unit."""

    def key(item: tuple[int, int]) -> tuple[int, str, int]:
        place, index = item
        return numerals[index].group, units[index], index - place

    for _, run in groupby(enumerate(bound), key=key):
        yield [index for _, index in run]


class _Finder:
    """Finds locators that fit one place of one document."""

    def __init__(self, document: Document, numerals: Sequence[Numeral]) -> None:
        self._blocks = document.blocks
        self._numerals = numerals
        self._cells = Cells(document.blocks)
        self._repeated: set[str] = set()
        self._quotes = Quotes(
            document.blocks,
            [(item.block, item.start, item.end, index) for index, item in enumerate(numerals)],
        )

    def cell(self, block: int) -> TableLocator | None:
        """By labels as far as they are unique, since they outlive a row that is put in between."""
        there = self._blocks[block]
        if there.cell is None:
            return None
        names = (there.cell.caption, *there.heading[-1:])
        for table, row, column in product(
            _either(next(filter(None, names), ""), there.cell.table),
            _either(there.cell.row_label, there.cell.row),
            _either(there.cell.column_label, there.cell.column),
        ):
            locator = TableLocator(table=table, row=row, column=column)
            if self._cells.find(locator) == (block,):
                return locator
        return None

    def quote(self, block: int, run: Sequence[int]) -> QuoteLocator | None:
        """The shortest quote of whole words around neighbouring numbers that fits them alone."""
        text = self._blocks[block].text
        spans = [(self._numerals[index].start, self._numerals[index].end) for index in run]
        between = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
        for before, after in _growing(text, spans[0][0], spans[-1][1]):
            quote = " ".join(BRACES.join((before, *between, after)).split())
            if quote.count(BRACES) > len(run):
                return None
            if quote in self._repeated:
                continue
            fits = self._quotes.find(quote)
            if fits.places == (tuple(run),) and not fits.common:
                return QuoteLocator(quote=quote)
            self._repeated.add(quote)
        return None


def _either(label: str, number: int) -> tuple[str | int, ...]:
    label = " ".join(label.split())
    return (label, number) if label and len(label) <= _LONGEST_LABEL else (number,)


def _growing(text: str, start: int, end: int) -> Iterator[tuple[str, str]]:
    """What stands before and after, one whole word more at a time, in turns."""
    lead = max(start - _LONGEST_SIDE, 0)
    # The first of the words may be cut in two, unless the text begins there.
    words = [lead + word.start() for word in _WORD.finditer(text[lead:start])][bool(lead) :]
    befores = ["", *(text[at:start] for at in reversed(words[-_MOST_WORDS:]))]
    words = [end + word.end() for word in _WORD.finditer(text[end : end + _LONGEST_SIDE])]
    if end + _LONGEST_SIDE < len(text):
        del words[-1:]
    afters = ["", *(text[end:at] for at in words[:_MOST_WORDS])]
    seen = set()
    for count in range(_LEAST_WORDS, _MOST_WORDS + 1):
        for behind in (count - 1, count):
            pair = (befores[min(count, len(befores) - 1)], afters[min(behind, len(afters) - 1)])
            if pair not in seen:
                seen.add(pair)
                yield pair
