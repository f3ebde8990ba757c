"""Tables with spans: which row and column a cell stands in, and what labels those have."""

from bisect import bisect_right
from dataclasses import dataclass, field

from verifier.model.document import Cell

MOST_COLUMNS_SPANNED = 1000
MOST_ROWS_SPANNED = 65_534
"""Both as the HTML standard bounds them (section 4.9.11)."""

_MOST_CARRIED = 64
"""Most cells that reach down into a row; each costs time in each row."""

_MOST_HEADER_ROWS = 16


@dataclass(slots=True, kw_only=True, eq=False)
class Slot:
    """Where a cell stands in its grid.

    Attributes:
        grid: its table.
        row: index of the row, header rows included.
        column: number of its first column.
        past: one past the number of its last column.
        header: a header cell.
        text: its text, once it is known.
    """

    grid: "Grid"
    row: int
    column: int
    past: int
    header: bool
    text: str = ""

    def cell(self) -> Cell:
        """Say the place as the document's model has it; the whole table must be known."""
        return self.grid.cell_of(self)


@dataclass(slots=True, kw_only=True)
class _Row:
    """One row: whether it lies in the table's head, its own cells, and the one in column 1."""

    head: bool
    slots: list[Slot] = field(default_factory=list)
    first: Slot | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carried:
    """A cell that takes its columns from later rows too, up to a last one."""

    slot: Slot
    last: int


class Grid:
    """One table, filled row by row and from left to right.

    Attributes:
        number: in the document, from 1.
        caption: text of its caption.
    """

    __slots__ = (
        "_carried",
        "_column",
        "_labels",
        "_next",
        "_numbers",
        "_passed",
        "_rows",
        "caption",
        "number",
    )

    def __init__(self, number: int, caption: str = "") -> None:
        self.number = number
        self.caption = caption
        self._rows: list[_Row] = []
        self._carried: list[_Carried] = []
        self._next: list[_Carried] = []
        self._passed = 0
        self._column = 1
        self._numbers: list[int] = []
        self._labels: dict[int, str] = {}

    def section(self) -> None:
        """Begin a head, a body or a foot; no cell reaches from one into the next."""
        self._carried = []
        self._next = []

    def row(self, *, head: bool = False) -> None:
        """Begin a row."""
        index = len(self._rows)
        alive = [held for held in self._carried + self._next if held.last >= index]
        self._carried = sorted(alive, key=lambda held: held.slot.column)[:_MOST_CARRIED]
        self._next = []
        self._passed = 0
        self._column = 1
        first = next((held.slot for held in self._carried if held.slot.column == 1), None)
        self._rows.append(_Row(head=head, first=first))

    def cell(self, *, columns: int = 1, rows: int = 1, header: bool = False) -> Slot:
        """Place the next cell of the row; without a row it begins one.

        Args:
            columns: how many columns it spans; at least 1 is taken.
            rows: how many rows it spans; 0 means all rows of its section.
            header: it is a header cell.
        """
        if not self._rows:
            self.row()
        held = self._carried
        while self._passed < len(held) and held[self._passed].slot.column <= self._column:
            self._column = max(self._column, held[self._passed].slot.past)
            self._passed += 1
        columns = min(max(columns, 1), MOST_COLUMNS_SPANNED)
        index = len(self._rows) - 1
        slot = Slot(
            grid=self, row=index, column=self._column, past=self._column + columns, header=header
        )
        self._column = slot.past
        row = self._rows[index]
        row.slots.append(slot)
        row.first = row.first or slot
        last = index + min(rows or MOST_ROWS_SPANNED, MOST_ROWS_SPANNED) - 1
        if last > index and len(self._next) < _MOST_CARRIED:
            self._next.append(_Carried(slot=slot, last=last))
        return slot

    def cell_of(self, slot: Slot) -> Cell:
        """The place of one of the table's cells, once the whole table is known."""
        if not self._numbers:
            self._number_rows()
        first = self._rows[slot.row].first
        return Cell(
            table=self.number,
            caption=self.caption,
            row=self._numbers[slot.row],
            column=slot.column,
            row_label="" if first is None else first.text,
            column_label=self._label(slot.column),
        )

    def _number_rows(self) -> None:
        heads = self._heads()
        number = 0
        for row, head in zip(self._rows, heads, strict=True):
            number += bool(row.slots) and not head
            self._numbers.append(0 if head else number)

    def _heads(self) -> list[bool]:
        """Which rows are header rows: those of the head, else the first rows of header cells."""
        heads = [row.head for row in self._rows]
        if any(heads):
            return heads
        filled = [index for index, row in enumerate(self._rows) if row.slots]
        for index in filled:
            if not all(slot.header for slot in self._rows[index].slots):
                return heads
            heads[index] = True
        # A table of nothing but header cells has at least its first row as its header.
        return [index == filled[0] for index in range(len(heads))]

    def _label(self, column: int) -> str:
        if column not in self._labels:
            above = (
                _covering(row.slots, column)
                for row, number in zip(self._rows, self._numbers, strict=True)
                if number == 0 and row.slots
            )
            first = [slot for slot, _ in zip(above, range(_MOST_HEADER_ROWS), strict=False)]
            self._labels[column] = " ".join(slot.text for slot in first if slot and slot.text)
        return self._labels[column]


def _covering(slots: list[Slot], column: int) -> Slot | None:
    """The cell of a row that spans a column; ``slots`` go from left to right."""
    index = bisect_right(slots, column, key=lambda slot: slot.column) - 1
    return slots[index] if index >= 0 and column < slots[index].past else None
