"""HTML as a browser lays it out without scripts and style sheets.

Blocks break where lines break, cells know their rows and columns through spans, and what never
shows (scripts, styles, drawings, hidden elements) is left out. Broken HTML is mended as the
standard says wherever that decides what shows; the rest of its repairs is not attempted, and when
in doubt text counts as visible: a number looked at in vain does less harm than one missed.
"""

import re
from collections.abc import Callable, Iterable, Mapping

from verifier.documents._drafts import Draft, Page
from verifier.documents._grid import Grid, Slot
from verifier.documents._html_elements import (
    BLOCKS,
    CODE,
    END_TAG_STAYS_WITHIN,
    ENDS,
    FOREIGN_TEXT,
    HEADINGS,
    INVISIBLE,
    LEAVES_DRAWING,
    OTHER_BLOCKS,
    OWN_TEXT,
    PARAGRAPH_SCOPES,
    PREFORMATTED,
    RAW,
    SCOPES,
    TABLE_PARTS,
    VOID,
)
from verifier.documents._html_open import Element, OpenElements
from verifier.documents._html_text import BLANK, Writer
from verifier.documents._html_tokens import Token, Tokens
from verifier.documents._places import INLINE_TAGS, Headings, label, normal
from verifier.model.document import Block, BlockKind, DocumentFormat

_SPAN = re.compile(rf"[{BLANK}]*+\+?([0-9]++)")
_SPAN_DIGITS = 9


def read(source: str) -> tuple[Block, ...]:
    """Read HTML, a whole document or a piece of one.

    Args:
        source: any text.

    Returns:
        Paragraphs, headings, cells and preformatted code in the order of the source. Comments that
        stand before any text have an empty block of their own.
    """
    found = normal(source)
    reader = _Reader(found.text)
    return reader.read().blocks(found)


class _Reader:
    """Walks the tokens of one document, in time linear in its length."""

    __slots__ = (
        "_counted",
        "_draft",
        "_fresh",
        "_grids",
        "_headings",
        "_hidden",
        "_level",
        "_line",
        "_open",
        "_page",
        "_preformatted",
        "_slots",
        "_source",
        "_tables",
        "_tokens",
        "_writer",
    )

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = Tokens(source)
        self._open = OpenElements()
        self._page = Page()
        self._writer = Writer(source)
        self._headings = Headings()
        self._level = 0
        self._draft: Draft | None = None
        self._grids: list[Grid] = []
        self._slots: list[Slot | None] = [None]
        self._tables = 0
        self._hidden = 0
        self._preformatted = 0
        self._fresh = False
        self._line = 1
        self._counted = 0

    def read(self) -> Page:
        """Read all of it."""
        for token in self._tokens:
            _TOKENS[token.kind](self, token)
        self._close_down_to(0)
        self._end_run()
        return self._page

    def text(self, token: Token) -> None:
        if self._hidden:
            return
        start = token.start
        if self._preformatted:
            after_tag = self._fresh and self._draft is None
            start += after_tag and self._source.startswith("\n", start)
        elif self._draft is None:
            start += _blanks(self._source, start, token.end)
        if start == token.end:
            return
        self._begin_run(start)
        if self._preformatted:
            self._writer.kept(start, token.end, references=self._open.innermost not in RAW)
        else:
            self._writer.flowing(start, token.end)

    def comment(self, token: Token) -> None:
        if self._hidden:
            return
        if self._draft is None and self._fresh and self._open.innermost in OWN_TEXT:
            self._begin_run(token.start)
        if self._draft is None:
            self._page.comment(token.content, line=self._line_of(token.start))
        else:
            self._draft.run.mark("comment", self._draft.run.length, token.content)

    def start_tag(self, token: Token) -> None:
        name = token.name
        self._end_others(name)
        if name in VOID:
            self._void(name)
            return
        # Only drawings close in their own tag; elsewhere the slash means nothing.
        if name in {"svg", "math"} and token.closed:
            return
        hides = not self._hidden and (name in INVISIBLE or "hidden" in token.attributes)
        if name in BLOCKS and not self._hidden:
            self._break()
            self._fresh = True
        visible = not self._hidden and not hides
        self._open.push(Element(name=name, visible=visible, hides=hides))
        if hides:
            self._hidden += 1
        if visible:
            self._enter(token)
        if name in RAW and self._open.depth("svg") < 0:
            self._raw(name)

    def end_tag(self, token: Token) -> None:
        name = token.name
        names = HEADINGS if name in HEADINGS else {name}
        if self._close_outermost(names, within=END_TAG_STAYS_WITHIN.get(name, SCOPES)):
            return
        if name == "br":
            self._void(name)
        elif name == "p" and not self._hidden:
            # A stray one makes an empty paragraph, so it parts what stands around it.
            self._break()

    def _raw(self, name: str) -> None:
        self.text(self._tokens.raw(name))

    def _void(self, name: str) -> None:
        if self._hidden:
            return
        if name == "br":
            self._writer.line_break()
        elif name in BLOCKS:
            self._break()

    def _end_others(self, name: str) -> None:
        """Close what the start tag of ``name`` ends."""
        if name in LEAVES_DRAWING:
            self._close_outermost(("svg", "math"), within=FOREIGN_TEXT)
        if name in ENDS:
            ended, within = ENDS[name]
            self._close_outermost(ended, within=within)
        elif name in HEADINGS and self._open.innermost in HEADINGS:
            self._close_down_to(len(self._open) - 1)
        if name in BLOCKS:
            self._close_outermost(("p",), within=PARAGRAPH_SCOPES)

    def _close_outermost(self, names: Iterable[str], *, within: Iterable[str]) -> bool:
        depth = self._open.outermost(names, within=within)
        if depth >= 0:
            self._close_down_to(depth)
        return depth >= 0

    def _close_down_to(self, depth: int) -> None:
        while len(self._open) > depth:
            element = self._open.pop()
            if element.hides:
                self._hidden -= 1
            if element.visible:
                self._leave(element.name)

    def _enter(self, token: Token) -> None:
        """Do what a visible element brings about where it begins."""
        name = token.name
        if name in CODE or (name in PREFORMATTED and self._slots[-1] is not None):
            self._writer.open_code()
        if name in PREFORMATTED:
            self._preformatted += 1
        elif name == "a" and token.attributes.get("href"):
            self._writer.open_link(token.attributes["href"])
        elif name in INLINE_TAGS:
            self._writer.apart(INLINE_TAGS[name])
        elif name in TABLE_PARTS:
            self._enter_table_part(token)

    def _enter_table_part(self, token: Token) -> None:
        name = token.name
        if name == "table":
            self._end_run()
            self._tables += 1
            self._grids.append(Grid(self._tables))
            self._slots.append(None)
        elif not self._grids:
            return
        elif name == "tr":
            self._grids[-1].row(head=self._open.depth("thead") > self._open.depth("table"))
        elif name in {"td", "th"}:
            self._slots[-1] = self._grids[-1].cell(
                columns=_span(token, "colspan"),
                rows=_span(token, "rowspan"),
                header=name == "th",
            )
        elif name in {"thead", "tbody", "tfoot"}:
            self._grids[-1].section()

    def _leave(self, name: str) -> None:
        """Do what a visible element brings about where it ends."""
        if name == "a":
            self._writer.close_link()
        if name in CODE or (name in PREFORMATTED and self._slots[-1] is not None):
            self._writer.close_code()
        if name in BLOCKS:
            self._leave_block(name)

    def _leave_block(self, name: str) -> None:
        if name in {"td", "th"}:
            self._end_run()
            self._slots[-1] = None
        elif name == "caption" and self._grids:
            self._grids[-1].caption = label(self._end_run())
        elif name == "table":
            self._end_run()
            self._grids.pop()
            self._slots.pop()
        else:
            self._break()
        if name in PREFORMATTED:
            self._preformatted -= 1

    def _begin_run(self, start: int) -> None:
        if self._draft is not None:
            return
        slot = self._slots[-1]
        kind: BlockKind = "text"
        heading = self._headings.path
        if slot is not None:
            kind = "cell"
        elif self._preformatted:
            kind = "code"
        elif (level := self._heading_level()) > 0:
            kind = "heading"
            heading = self._headings.enter(level)
            self._level = level
        self._draft = Draft(kind=kind, line=self._line_of(start), heading=heading, slot=slot)
        self._writer.begin(self._draft.run)

    def _heading_level(self) -> int:
        """Level of the heading that the next text is part of, 0 for none."""
        depth, name = max((self._open.depth(name), name) for name in HEADINGS)
        if depth < 0 or self._open.depth(*OTHER_BLOCKS) > depth:
            return 0
        return int(name[1])

    def _break(self) -> None:
        """Break the line: a cell goes on behind it, any other run ends."""
        if self._draft is not None and self._draft.slot is not None:
            self._writer.line_break()
        else:
            self._end_run()

    def _end_run(self) -> str:
        """End the run, if there is one, and give its text."""
        draft = self._draft
        if draft is None:
            return ""
        self._draft = None
        self._writer.finish()
        self._page.keep(draft)
        text = draft.run.text()
        if draft.slot is not None:
            draft.slot.text = draft.slot.text or label(text)
        elif draft.kind == "heading" and text:
            self._headings.under(self._level, text)
        if text:
            self._fresh = False
        return text

    def _line_of(self, place: int) -> int:
        """Number of the line that holds a place; places are asked for in their order."""
        self._line += self._source.count("\n", self._counted, place)
        self._counted = place
        return self._line


_TOKENS: Mapping[str, Callable[[_Reader, Token], None]] = {
    "text": _Reader.text,
    "comment": _Reader.comment,
    "start": _Reader.start_tag,
    "end": _Reader.end_tag,
}


def _blanks(source: str, start: int, end: int) -> int:
    """How many blanks a stretch of the source begins with."""
    text = source[start:end]
    return len(text) - len(text.lstrip(BLANK))


def _span(token: Token, name: str) -> int:
    """A span that a cell asks for; 1 where it asks for none that can be read."""
    match = _SPAN.match(token.attributes.get(name, ""))
    if match is None:
        return 1
    # The first digits of an endless number are already more than any bound.
    return int(match[1].lstrip("0")[:_SPAN_DIGITS] or "0")


DOCUMENT = DocumentFormat(id="html", suffixes=(".html", ".htm"), read=read)
"""The catalogue's entry."""
