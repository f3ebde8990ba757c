"""A table that stays within the width: what does not fit beside its name goes below it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verifier.render._layout import WIDTH, field, paragraph

_GAP = "  "
_INDENT = 4
_BELOW = 6
_LABEL = 12
_WIDEST_CELL = 26
"""A double with all its digits, sign and exponent; anything wider is written out below."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table, safe to print.

    Attributes:
        name: what the line is about.
        note: more about it, beside the name where it fits and below it otherwise.
        cells: one text for each further column.
        details: lines to print below it, laid out already.
    """

    name: str
    cells: tuple[str, ...]
    note: str = ""
    details: tuple[str, ...] = ()


def table(head: tuple[str, ...], rows: Sequence[Row]) -> Iterator[str]:
    """The lines of a table.

    With short names and no notes each row is one line. Otherwise every name has a line of its own
    and its cells stand aligned below it; cells too wide for a column are labelled and listed.

    Args:
        head: a title for the name, then one for each cell.
        rows: at least one.
    """
    regular = [row for row in rows if _is_regular(row)]
    cells = _widths([head[1:], *(row.cells for row in regular)])
    whole = [max(len(head[0]), *(len(row.name) for row in rows)), *cells]
    noted = any(row.note for row in rows)
    if len(regular) == len(rows) and not noted and _fits(whole, _INDENT):
        yield _line(head, whole, _INDENT)
        for row in rows:
            yield _line((row.name, *row.cells), whole, _INDENT)
            yield from row.details
        return
    yield _line(head[1:], cells, _BELOW)
    for row in rows:
        yield from _named(row)
        if _is_regular(row):
            yield _line(row.cells, cells, _BELOW)
        else:
            yield from stacked(zip(head[1:], row.cells, strict=True))
        yield from row.details


def _named(row: Row) -> Iterator[str]:
    beside = f"{row.name} {row.note}".rstrip()
    if _INDENT + len(beside) <= WIDTH:
        yield from paragraph(beside, indent=_INDENT)
        return
    yield from paragraph(row.name, indent=_INDENT)
    if row.note:
        yield from paragraph(row.note, indent=_BELOW)


def stacked(fields: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Labelled cells below each other; empty ones are left out."""
    for label, text in fields:
        if text:
            yield from field(label, text, indent=_BELOW, width=_LABEL)


def _is_regular(row: Row) -> bool:
    return all(len(cell) <= _WIDEST_CELL for cell in row.cells)


def _widths(rows: Iterable[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*rows, strict=True)]


def _line(cells: Sequence[str], sizes: Sequence[int], indent: int) -> str:
    line = _GAP.join(f"{cell:<{size}}" for cell, size in zip(cells, sizes, strict=True))
    return (" " * indent + line).rstrip()


def _fits(sizes: Sequence[int], indent: int) -> bool:
    return indent + sum(sizes) + len(_GAP) * (len(sizes) - 1) <= WIDTH
