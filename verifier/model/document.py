"""A document as its readers see it: runs of visible text, with the place of every character."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["text", "heading", "cell", "code"]

MarkKind = Literal["code", "link", "url", "comment"]

NO_PLACE = -1
"""Offset of a character that stands in no one place of the source, such as a decoded entity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What a stretch of a block's text is beside text.

    Attributes:
        kind: ``code`` for code marks inside a paragraph or cell, ``link`` for the text of a link,
            ``url`` for an address that shows as itself, ``comment`` for one that renders to
            nothing (then ``start == end``: it stands after the character before ``start``).
        start: first character, as an index into the text.
        end: one past the last.
        value: target of a link, content of a comment without its delimiters; "" for the others.
    """

    kind: MarkKind
    start: int
    end: int
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Where a block stands in a table; tables, rows and columns are counted from 1.

    Attributes:
        table: number of the table in the document.
        caption: its caption, "" without one.
        row: number of the body row, 0 for the header.
        column: number of the column.
        row_label: text of the first cell of the row.
        column_label: text of the header of the column; "" without a header.
    """

    table: int
    caption: str
    row: int
    column: int
    row_label: str
    column_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One run of visible text: a paragraph, a list item's paragraph, a heading, a cell, code.

    Attributes:
        kind: ``code`` is a block of code or literal text, whose numbers are no claims by default.
        text: what a reader sees, in one piece: marks removed, entities and escapes decoded; line
            breaks of the source stay newlines. Visible numbers of ordered lists are left out.
        offsets: (len(text),), for each character its index in the source, or ``NO_PLACE``; strictly
            increasing where they are places. ``source[offset]`` is that very character.
        line: line in the source where it begins, from 1, for characters without a place.
        marks: in the order of their starts; they nest or stand apart.
        heading: texts of the headings above it, outermost first.
        cell: for kind ``cell``.
    """

    kind: BlockKind
    text: str
    offsets: Sequence[int]
    line: int
    marks: tuple[Mark, ...] = ()
    heading: tuple[str, ...] = ()
    cell: Cell | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document that was read.

    Attributes:
        name: as the user or the bundle names it.
        format: id of the reader.
        source: the text of the file.
        blocks: in the order of the source.
    """

    name: str
    format: str
    source: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFormat:
    """A reader of documents, exported as ``DOCUMENT`` by a module of ``verifier.documents``.

    Attributes:
        id: the module's name with hyphens.
        suffixes: file name endings in lower case, such as ``.md``.
        read: source text to blocks; never raises, whatever the text.
    """

    id: str
    suffixes: tuple[str, ...]
    read: Callable[[str], tuple[Block, ...]]
