"""Markdown as GitHub reads it, with tables and struck-out text; markdown-it-py parses it.

A comment that stands alone belongs to the end of the block before it. Other HTML between the
blocks is read as HTML. What the parser cannot take is read as plain text, so that no number of it
goes unseen.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from verifier.documents import plain
from verifier.documents._markdown_inline import Visible, comments, visible
from verifier.documents._markdown_parser import STARTS, parse
from verifier.documents._pipe_tables import PipeTable, split_row
from verifier.documents._places import BLANKS, Headings, Lines, Normal, Run, normal, through
from verifier.model.document import NO_PLACE, Block, BlockKind, Cell, DocumentFormat, Mark

if TYPE_CHECKING:
    from markdown_it.token import Token

_KEY = re.compile(r"""[\w"'][^:\n]*:(?=\s|$)""", re.MULTILINE)
_BELONGS = re.compile(r"[ \t#-]|$", re.MULTILINE)
_SIGNS = re.compile(rf"#+[{BLANKS}]*")
_LONGEST_RULE = 80
_NO_CELL: tuple[str, Sequence[int]] = ("", range(0))


def read(source: str) -> tuple[Block, ...]:
    """Read Markdown.

    Args:
        source: any text.

    Returns:
        Paragraphs, headings, cells and code in the order of the source; those of plain text where
        the parser fails, or where blocks lie deeper within each other than it shows.
    """
    found = normal(source)
    start, end, rest = _front_matter(found.text)
    body = Normal(text=found.text[rest:], places=found.places[rest:])
    try:
        first_line = 1 + found.text.count("\n", 0, rest)
        reader = _Reader(body, first_line=first_line)
        if start < end:
            reader.add_code(
                found.text[start : end - 1], found.places[start : end - 1], 2 - first_line
            )
        return reader.read(parse(body.text))
    except Exception:  # noqa: BLE001 - a hostile text may break the library in any way
        return plain.read(source)


def _front_matter(text: str) -> tuple[int, int, int]:
    """Start and end of the YAML between ``---`` lines at the very start, and where the rest begins.

    A text that merely begins with a rule must not hide behind it, so the first line has to be a
    key, and every other one a key or something that belongs to one.
    """
    start = text.find("\n") + 1
    if text[:start].rstrip() != "---" or not _KEY.match(text, start):
        return 0, 0, 0
    at = start
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at : min(end, at + _LONGEST_RULE)].rstrip() in {"---", "..."}:
            return start, at, min(end + 1, len(text))
        if not (_BELONGS.match(text, at) or _KEY.match(text, at)):
            break
        at = end + 1
    return 0, 0, 0


class _Reader:
    """Turns the tokens of one document into blocks."""

    __slots__ = (
        "_blocks",
        "_body",
        "_cell",
        "_comments",
        "_first_line",
        "_headings",
        "_html",
        "_level",
        "_lines",
        "_row",
        "_row_starts",
        "_table",
        "_table_line",
        "_tables",
    )

    def __init__(self, body: Normal, *, first_line: int) -> None:
        self._body = body
        self._lines = Lines(body.text)
        self._first_line = first_line
        self._blocks: list[Block] = []
        self._comments: list[Mark] = []
        self._headings = Headings()
        self._html: list[Token] = []
        self._level = 0
        self._tables = 0
        self._table = PipeTable(0)
        self._table_line = 0
        self._row_starts: Sequence[int] = ()
        self._row: Iterator[tuple[str, Sequence[int]]] = iter(())
        self._cell: tuple[str, Sequence[int]] | None = None

    def read(self, tokens: Sequence["Token"]) -> tuple[Block, ...]:
        for token in tokens:
            step = _STEPS.get(token.type)
            if self._html and step is not _Reader.html:
                self._end_html()
            if step is not None:
                step(self, token)
        self._end_html()
        self._end_block()
        return tuple(self._blocks)

    def heading(self, token: "Token") -> None:
        self._level = int(token.tag[1:])

    def table(self, token: "Token") -> None:
        self._tables += 1
        self._table = PipeTable(self._tables)
        self._table_line = _line(token)
        self._row_starts = token.meta[STARTS]

    def row(self, token: "Token") -> None:
        line = _line(token)
        start = self._row_starts[line - self._table_line]
        self._row = iter(
            split_row(self._body.text[start : self._lines.starts[line + 1] - 1], start)
        )
        self._table.next_row()

    def cell(self, token: "Token") -> None:
        del token
        self._cell = next(self._row, _NO_CELL)

    def inline(self, token: "Token") -> None:
        line = _line(token)
        if self._cell is not None:
            text, places = self._cell
            self._cell = None
            # A later version of the library may split rows in another way.
            same = text == token.content
            places = self._body.in_source(places) if same else (NO_PLACE,) * len(token.content)
            found = visible(token, places)
            self._add("cell", line, found, self._table.next_cell(found[0]))
        elif self._level:
            found = visible(token, self._heading_places(token.content, line))
            self._headings.enter(self._level)
            self._add("heading", line, found)
            self._headings.under(self._level, found[0])
            self._level = 0
        else:
            places = self._body.in_source(self._lines.locate(token.content, line))
            self._add("text", line, visible(token, places))

    def fence(self, token: "Token") -> None:
        self._code(token, _line(token) + 1)

    def indented(self, token: "Token") -> None:
        self._code(token, _line(token))

    def html(self, token: "Token") -> None:
        found = None if self._html else comments(token.content)
        if found is None:
            self._html.append(token)
            return
        if not self._blocks:
            self._append(
                Block(kind="text", text="", offsets=range(0), line=_line(token) + self._first_line)
            )
        end = len(self._blocks[-1].text)
        self._comments.extend(Mark(kind="comment", start=end, end=end, value=one) for one in found)

    def add_code(self, text: str, places: Sequence[int], line: int) -> None:
        """Add (n,) characters of code that stand at (n,) places of the source."""
        run = Run()
        run.add(text, places)
        self._add("code", line, (text, run.offsets(), run.marks(text)))

    def _code(self, token: "Token", line: int) -> None:
        text = token.content.removesuffix("\n")
        self.add_code(text, self._body.in_source(self._lines.locate(text, line)), line)

    def _heading_places(self, content: str, line: int) -> Sequence[int]:
        """Places of a heading, whose line may end in signs that are not shown."""
        signs = _SIGNS.search(self._lines.line(line))
        if signs is not None:
            start = self._lines.starts[line] + signs.end()
            if self._body.text.startswith(content, start):
                return self._body.in_source(range(start, start + len(content)))
        return self._body.in_source(self._lines.locate(content, line))

    def _add(
        self,
        kind: BlockKind,
        line: int,
        shown: Visible,
        cell: Cell | None = None,
    ) -> None:
        text, offsets, marks = shown
        if text or marks:
            self._append(
                Block(
                    kind=kind,
                    text=text,
                    offsets=offsets,
                    line=line + self._first_line,
                    marks=marks,
                    heading=self._headings.path,
                    cell=cell,
                )
            )

    def _append(self, block: Block) -> None:
        self._end_block()
        self._blocks.append(block)

    def _end_block(self) -> None:
        """Give the last block the comments that stand behind it."""
        if self._comments:
            last = self._blocks[-1]
            self._blocks[-1] = replace(last, marks=(*last.marks, *self._comments))
            self._comments.clear()

    def _end_html(self) -> None:
        """Read HTML blocks that follow each other, because a blank line parts them, as one."""
        tokens, self._html = self._html, []
        if not tokens:
            return
        from verifier.documents.html import (  # noqa: PLC0415 - few documents have any
            read as read_html,
        )

        run = Run()
        first = line = _line(tokens[0])
        for token in tokens:
            start = _line(token)
            text = token.content.removesuffix("\n")
            run.add_unplaced("\n" * (start - line))
            run.add(text, self._body.in_source(self._lines.locate(text, start)))
            line = start + text.count("\n")
        places = run.offsets()
        tables = self._tables
        for block in read_html(run.text()):
            cell = block.cell
            if cell is not None:
                cell = replace(cell, table=cell.table + tables)
                self._tables = cell.table
            self._append(
                replace(
                    block,
                    offsets=through(places, block.offsets),
                    line=block.line + first + self._first_line - 1,
                    heading=(*self._headings.path, *block.heading),
                    cell=cell,
                )
            )


def _line(token: "Token") -> int:
    """The line that a block begins on, from 0."""
    return token.map[0] if token.map else 0


_STEPS: Mapping[str, Callable[[_Reader, "Token"], None]] = {
    "heading_open": _Reader.heading,
    "table_open": _Reader.table,
    "tr_open": _Reader.row,
    "th_open": _Reader.cell,
    "td_open": _Reader.cell,
    "inline": _Reader.inline,
    "fence": _Reader.fence,
    "code_block": _Reader.indented,
    "html_block": _Reader.html,
}

DOCUMENT = DocumentFormat(id="markdown", suffixes=(".md", ".markdown"), read=read)
