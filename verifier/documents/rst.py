"""reStructuredText, as docutils parses it without running or reading anything else.

docutils gives lines, not columns, so each text is looked for on its lines; a character that is not
found there has no place. Substitutions show what they stand for. A directive that docutils does not
know is text as it stands, because the tool that knows it would show its content. What the parser
cannot take is read as plain text, so that no number of it goes unseen.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.documents import plain
from verifier.documents._drafts import Draft, Page
from verifier.documents._grid import Grid, Slot
from verifier.documents._places import Headings, Normal, label, normal
from verifier.documents._rst_inline import Inline
from verifier.documents._rst_lines import Columns, SourceLines
from verifier.documents._rst_parser import parse
from verifier.model.document import Block, BlockKind, DocumentFormat

if TYPE_CHECKING:
    from docutils import nodes

_NEAR = 4
_FAR = 64
"""How many lines are searched where docutils says the line, and where it does not."""

_SHORT = 200
"""Longest text of a substitution that is written out wherever it is used."""

_INVISIBLE = frozenset(
    {"colspec", "image", "label", "pending", "raw", "substitution_definition", "target", "meta"}
)
_CODE = frozenset({"literal_block", "doctest_block"})
_BEGINS_LINE = frozenset({"field_name", "term"})


def read(source: str) -> tuple[Block, ...]:
    """Read reStructuredText.

    Args:
        source: any text.

    Returns:
        Paragraphs, headings, cells and code in the order of the source; paragraphs of plain text
        where docutils fails.
    """
    found = normal(source)
    try:
        return _Reader(found).read(parse(found.text))
    except Exception:  # noqa: BLE001 - a hostile text may break the library in any way
        return plain.read(source)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The table that is being read.

    Attributes:
        grid: its rows and columns.
        first: the line that it begins on, from 0.
        columns: where its columns begin in the source, if it is drawn as a grid.
    """

    grid: Grid
    first: int
    columns: Sequence[int]


class _Reader:
    """Walks the tree of one document."""

    __slots__ = (
        "_cursor",
        "_draft",
        "_headings",
        "_inline",
        "_level",
        "_lines",
        "_page",
        "_slot",
        "_source",
        "_table",
        "_tables",
    )

    def __init__(self, source: Normal) -> None:
        self._source = source
        self._lines = SourceLines(source.text)
        self._page = Page()
        self._headings = Headings()
        self._inline = Inline({}, {})
        self._draft: Draft | None = None
        self._slot: Slot | None = None
        self._table: _Table | None = None
        self._tables = 0
        self._level = 0
        self._cursor = 0

    def read(self, document: "nodes.document") -> tuple[Block, ...]:
        """Read all of it."""
        self._inline = Inline(dict(_targets(document)), dict(_substitutions(document)))
        self._children(document)
        return self._page.blocks(self._source)

    def _children(self, node: "nodes.Element") -> None:
        from docutils import nodes  # noqa: PLC0415 - docutils loads with the first document

        for child in node.children:
            if isinstance(child, nodes.Element):
                self._node(child)

    def _node(self, node: "nodes.Element") -> None:
        from docutils import nodes  # noqa: PLC0415 - as above

        name = node.tagname
        if name in _INVISIBLE:
            return
        if isinstance(node, nodes.comment):
            self._comment(node)
        elif isinstance(node, nodes.system_message):
            self._refused(node)
        elif isinstance(node, nodes.section):
            self._level += 1
            self._children(node)
            self._level -= 1
        elif isinstance(node, nodes.table):
            self._read_table(node)
        elif isinstance(node, nodes.TextElement):
            self._text(node)
        else:
            self._children(node)

    def _comment(self, node: "nodes.comment") -> None:
        content = node.astext()
        draft = self._draft
        if not content:
            # It parts what stands around it, and says nothing.
            return
        if draft is None:
            # docutils gives the line behind the comment.
            line = max((node.line or 1) - 2 - content.count("\n"), 0)
            self._page.comment(content, line=self._lines.number(line))
        else:
            draft.run.mark("comment", draft.run.length, content)

    def _refused(self, message: "nodes.system_message") -> None:
        """Write what docutils could not take; its messages about it are not part of the text."""
        from docutils import nodes  # noqa: PLC0415 - as above

        for child in message.children:
            if isinstance(child, nodes.literal_block):
                child.line = int(message.get("line", 0)) or None
                self._text(child, refused=True)

    def _read_table(self, node: "nodes.table") -> None:
        from docutils import nodes  # noqa: PLC0415 - as above

        outer = (self._table, self._slot)
        within = self._within()
        self._end_run()
        self._tables += 1
        first = self._cursor = max((node.line or 1) - 1, outer[0].first if outer[0] else 0)
        widths = [int(spec.get("colwidth", 0)) for spec in node.findall(nodes.colspec)]
        table = _Table(
            grid=Grid(self._tables),
            first=first,
            columns=self._lines.columns(first, widths, within),
        )
        self._table, self._slot = table, None
        for child in node.children:
            if isinstance(child, nodes.title):
                self._text(child)
                table.grid.caption = label(child.astext())
            elif isinstance(child, nodes.tgroup):
                for part in child.children:
                    self._rows(part, table.grid)
        self._table, self._slot = outer

    def _rows(self, part: "nodes.Node", grid: Grid) -> None:
        from docutils import nodes  # noqa: PLC0415 - as above

        grid.section()
        for row in part.children:
            grid.row(head=isinstance(part, nodes.thead))
            for entry in row.children:
                if isinstance(entry, nodes.entry):
                    self._entry(entry, grid)

    def _entry(self, entry: "nodes.entry", grid: Grid) -> None:
        self._slot = grid.cell(
            columns=int(entry.get("morecols", 0)) + 1, rows=int(entry.get("morerows", 0)) + 1
        )
        self._children(entry)
        self._end_run()
        self._slot = None

    def _within(self) -> Columns | None:
        """The columns of the source that the cell takes, if its table is drawn as a grid."""
        if self._table is None or self._slot is None:
            return None
        columns = self._table.columns
        if self._slot.past > len(columns):
            return None
        return columns[self._slot.column - 1], columns[self._slot.past - 1] - 1

    def _text(self, node: "nodes.TextElement", *, refused: bool = False) -> None:
        """Write a paragraph or the like: a block, or a part of the cell that it lies in.

        Args:
            node: the paragraph.
            refused: it is the source of what docutils could not take.
        """
        from docutils import nodes  # noqa: PLC0415 - as above

        literal = node.tagname in _CODE
        code = literal and not refused
        raw = _raw(node)
        cell = self._slot is not None
        at_end = not cell and node.tagname not in _BEGINS_LINE
        hint = self._hint(node)
        line, places = self._lines.find(raw, self._near(hint), at_end=at_end, within=self._within())
        if line >= 0:
            self._cursor = line
        is_title = isinstance(node, nodes.title) and isinstance(node.parent, nodes.section)
        begins = line if line >= 0 else max(hint, self._cursor)
        draft = self._begin(begins, code=code, title=is_title)
        run = draft.run
        if run.length:
            run.add_unplaced("\n")
        start = run.length
        self._inline.write(node, raw, places, run, literal=literal)
        if cell and code:
            run.mark("code", start)
        if not cell:
            self._end_run()
        if is_title:
            self._headings.under(self._level, run.text())

    def _begin(self, line: int, *, code: bool, title: bool) -> Draft:
        if self._draft is None:
            kind: BlockKind = "text"
            heading = self._headings.path
            if self._slot is not None:
                kind = "cell"
            elif code:
                kind = "code"
            elif title:
                kind = "heading"
                heading = self._headings.enter(self._level)
            self._draft = Draft(
                kind=kind, line=self._lines.number(line), heading=heading, slot=self._slot
            )
        return self._draft

    def _end_run(self) -> None:
        draft = self._draft
        if draft is None:
            return
        self._draft = None
        self._page.keep(draft)
        if draft.slot is not None:
            draft.slot.text = draft.slot.text or label(draft.run.text())

    def _hint(self, node: "nodes.TextElement") -> int:
        """The line that docutils gives, from 0; -1 where it gives none, as in tables from CSV."""
        line = (node.line or 0) - 1
        return line if self._table is None or line >= self._table.first else -1

    def _near(self, hint: int) -> Iterable[int]:
        """The lines where a text may begin, the likeliest first."""
        far = range(self._cursor, self._cursor + _FAR)
        if hint < 0:
            return far
        near = (*range(hint, hint + _NEAR), *range(hint - 1, hint - _NEAR, -1))
        # In a table from CSV lines are counted from where nobody knows.
        return near if self._slot is None else (*near, *far)


def _raw(node: "nodes.TextElement") -> str:
    """The source of a paragraph, without what surrounds it on its lines."""
    if node.tagname == "math_block":
        # docutils keeps the whole directive as its source.
        return node.astext()
    raw = node.rawsource or node.astext()
    return raw.partition(" : ")[0] if node.tagname == "term" else raw


def _targets(document: "nodes.document") -> Iterator[tuple[str, str]]:
    """Names and addresses of the document's link targets."""
    from docutils import nodes  # noqa: PLC0415 - docutils loads with the first document

    for target in document.findall(nodes.target):
        names: Iterable[str] = target.get("names", ())
        for name in names:
            yield name, str(target.get("refuri", ""))


def _substitutions(document: "nodes.document") -> Iterator[tuple[str, str]]:
    """Names of substitutions and their texts, without those that depend on the day."""
    for name, definition in document.substitution_defs.items():
        text = definition.astext()
        if len(text) <= _SHORT and " date::" not in definition.rawsource:
            yield str(name), text
            yield str(name).lower(), text


DOCUMENT = DocumentFormat(id="rst", suffixes=(".rst", ".rest"), read=read)
"""The catalogue's entry."""
