"""Rows of pipe tables, split as GitHub's Markdown splits them, with the place of every cell."""

import re
from collections.abc import Sequence

from verifier.documents._places import BLANKS, Run, label
from verifier.model.document import Cell

_PIPE = re.compile(r"\\?\|")


def split_row(row: str, start: int) -> list[tuple[str, Sequence[int]]]:
    """Split a row into its cells.

    Args:
        row: source of the row, without line end and without what stands before a table that is
            quoted or in a list.
        start: where the row begins in the text it was taken from.

    Returns:
        For each cell that the row itself has, which may be fewer or more than the header's: its
        text without the blanks around it and with escaped pipes decoded, and as many indices into
        the text that the row was taken from.
    """
    start += len(row) - len(row.lstrip(BLANKS))
    row = row.strip(BLANKS)
    cells = _escaped(row, start) if "\\|" in row else _plain(row, start)
    if row.startswith("|"):
        del cells[0]
    if cells and (row.endswith("|") and not row.endswith("\\|")):
        del cells[-1]
    return cells


def _plain(row: str, start: int) -> list[tuple[str, Sequence[int]]]:
    cells: list[tuple[str, Sequence[int]]] = []
    for piece in row.split("|"):
        text = piece.strip(BLANKS)
        first = start + piece.find(text)
        cells.append((text, range(first, first + len(text))))
        start += len(piece) + 1
    return cells


def _escaped(row: str, start: int) -> list[tuple[str, Sequence[int]]]:
    cells = []
    run = Run()
    last = 0
    for match in _PIPE.finditer(row):
        # The backslash of an escaped pipe is left out, its pipe begins the next stretch.
        end = match.start()
        run.add(row[last:end], range(start + last, start + end))
        last = end + 1
        if len(match.group()) == 1:
            cells.append(_trimmed(run))
            run = Run()
    run.add(row[last:], range(start + last, start + len(row)))
    cells.append(_trimmed(run))
    return cells


def _trimmed(run: Run) -> tuple[str, Sequence[int]]:
    text = run.text().strip(BLANKS)
    first = run.text().find(text)
    return text, run.offsets()[first : first + len(text)]


class PipeTable:
    """Names the cells of one table, which has no caption, while it is walked row by row."""

    __slots__ = ("_column", "_headers", "_row", "_row_label", "_table")

    def __init__(self, table: int) -> None:
        self._table = table
        self._headers: list[str] = []
        self._row = -1
        self._column = 0
        self._row_label = ""

    def next_row(self) -> None:
        """Begin the next row; the first is the header."""
        self._row += 1
        self._column = 0

    def next_cell(self, text: str) -> Cell:
        """Name the next cell of the row, whose visible text is given."""
        self._column += 1
        if self._column == 1:
            self._row_label = label(text)
        if not self._row:
            self._headers.append(label(text))
        return Cell(
            table=self._table,
            caption="",
            row=self._row,
            column=self._column,
            row_label=self._row_label,
            column_label=self._headers[self._column - 1],
        )
