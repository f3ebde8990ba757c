"""Finds cells of a document's tables by number or label."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from verifier.claims.sources_text import brief
from verifier.model.claim import TableLocator
from verifier.model.document import Block, Cell

_MOST_TABLES = 1000
"""Tables that are looked through for one cell: a hostile document may have any number."""

_ENOUGH = 4
_NAMED = 8
_MARKS = str.maketrans("", "", "*`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Why nothing, or no single thing, stands where a locator points; a clause."""

    reason: str


class _Index:
    """Tables, rows or columns by number and by label, as written or without marks."""

    def __init__(self) -> None:
        self._numbers: dict[int | str, list[int]] = {}
        self._labels: dict[int, str] = {}

    def add(self, number: int, *labels: str) -> None:
        """Enter something once; an empty label is none."""
        if number in self._labels:
            return
        self._labels[number] = next(filter(None, labels), "")
        keys = {key for label in labels for key in _spellings(label) if key}
        for key in (number, *keys):
            self._numbers.setdefault(key, []).append(number)

    def find(self, wanted: int | str) -> Sequence[int]:
        """The numbers of what a locator names."""
        return _first(self._numbers, wanted)

    def keys(self) -> Iterable[int | str]:
        """All by which something can be found."""
        return self._numbers.keys()

    def listed(self) -> str:
        """How many there are, and the labels of the first few."""
        named = (brief(label) for label in self._labels.values() if label)
        labels = ", ".join(islice(named, _NAMED))
        return f"there are {len(self._labels)}{f', such as {labels}' if labels else ''}"


class _Table:
    """One table: its rows without the header, its columns, and the blocks of each cell."""

    def __init__(self) -> None:
        self.rows = _Index()
        self.columns = _Index()
        self.blocks: dict[tuple[int, int], list[int]] = {}

    def add(self, cell: Cell, block: int) -> None:
        """Enter one block of a cell."""
        if cell.row:
            self.rows.add(cell.row, cell.row_label)
        self.columns.add(cell.column, cell.column_label)
        self.blocks.setdefault((cell.row, cell.column), []).append(block)

    def single(self, at: TableLocator) -> tuple[int, ...]:
        """The blocks of a cell whose row and column have one number each; () for any other."""
        rows, columns = self.rows.find(at.row), self.columns.find(at.column)
        if len(rows) != 1 or len(columns) != 1:
            return ()
        return tuple(self.blocks.get((rows[0], columns[0]), ()))

    def find(self, at: TableLocator) -> Iterator[tuple[int, int]]:
        """Row and column of each cell that is meant."""
        columns = self.columns.find(at.column)
        for row in self.rows.find(at.row):
            yield from ((row, column) for column in columns if (row, column) in self.blocks)


class Cells:
    """The tables of one document.

    Args:
        blocks: of the document.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = blocks
        self._names = _Index()
        self._tables: dict[int, _Table] = {}
        self._with_row: dict[int | str, list[int]] = {}
        for index, block in enumerate(blocks):
            if block.cell is not None:
                number = block.cell.table
                if number not in self._tables:
                    self._names.add(number, block.cell.caption, *block.heading[-1:])
                    self._tables[number] = _Table()
                self._tables[number].add(block.cell, index)
        for number, table in self._tables.items():
            for key in table.rows.keys():  # noqa: SIM118 - an index is no dictionary
                self._with_row.setdefault(key, []).append(number)

    def find(self, at: TableLocator) -> tuple[int, ...] | Lost:
        """The blocks of the one cell that a locator names, in order."""
        named = None if at.table is None else self._names.find(at.table)
        numbers = _first(self._with_row, at.row) if named is None else named
        if len(numbers) == 1 and (blocks := self._tables[numbers[0]].single(at)):
            return blocks
        found = (
            (number, *cell)
            for number in numbers[:_MOST_TABLES]
            for cell in self._tables[number].find(at)
        )
        cells = list(islice(found, _ENOUGH))
        if len(cells) == 1:
            number, row, column = cells[0]
            return tuple(self._tables[number].blocks[row, column])
        if cells:
            return Lost(reason=self._several(cells))
        if len(numbers) > _MOST_TABLES:
            tables = f"the first {_MOST_TABLES} tables that may be meant"
            return Lost(reason=f"fits no place in {tables}; state the table's number")
        return Lost(reason=self._none(at, numbers))

    def _several(self, cells: Sequence[tuple[int, int, int]]) -> str:
        shown = [
            f"table {number} row {row} column {column} (line {self._line(number, row, column)})"
            for number, row, column in cells[: _ENOUGH - 1]
        ]
        more = " and others" if len(cells) == _ENOUGH else ""
        return f"fits several cells: {', '.join(shown)}{more}; state numbers instead of labels"

    def _line(self, number: int, row: int, column: int) -> int:
        return self._blocks[self._tables[number].blocks[row, column][0]].line

    def _none(self, at: TableLocator, numbers: Sequence[int]) -> str:
        if not self._tables:
            return "fits no place: the document has no tables"
        if at.table is not None and not numbers:
            return f"fits no place: there is no table {_shown(at.table)}; {self._names.listed()}"
        if not numbers:
            return f"fits no place: no table has a row {_shown(at.row)}"
        if len(numbers) > 1:
            return (
                f"fits no place: none of {len(numbers)} tables has a row {_shown(at.row)} and a "
                f"column {_shown(at.column)}"
            )
        table = self._tables[numbers[0]]
        for what, wanted, index in (
            ("row", at.row, table.rows),
            ("column", at.column, table.columns),
        ):
            if not index.find(wanted):
                missing = f"table {numbers[0]} has no {what} {_shown(wanted)}"
                return f"fits no place: {missing}; {index.listed()}"
        return f"fits no place: the row has no such cell in table {numbers[0]}"


def _first(index: dict[int | str, list[int]], wanted: int | str) -> Sequence[int]:
    if wanted in index:
        return index[wanted]
    for key in _spellings(wanted):
        if key in index:
            return index[key]
    return ()


@lru_cache(maxsize=4096)
def _spellings(wanted: int | str) -> tuple[int | str, ...]:
    """As written, and without what marks code and emphasis in a source."""
    if isinstance(wanted, int):
        return (wanted,)
    return (" ".join(wanted.split()), " ".join(wanted.translate(_MARKS).strip("_~ ").split()))


def _shown(wanted: int | str) -> str:
    return str(wanted) if isinstance(wanted, int) else brief(wanted)
