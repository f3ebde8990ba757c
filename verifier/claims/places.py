"""Where in the source of a document a stretch of a block's text stands, and the words around it."""

from bisect import bisect_right
from collections.abc import Sequence

from verifier.model.claim import Place
from verifier.model.document import NO_PLACE, Block, Document

_CONTEXT = 40


class Places:
    """Finds lines, columns and spans of one document; its lines are counted once."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._starts = _line_starts(document.source)

    def place(self, block: Block, start: int) -> Place:
        """Line and column, from 1, of a character; column 1 where only the block's line is known.

        Args:
            block: of this document.
            start: index into its text.
        """
        offset = block.offsets[start]
        line, column = block.line, 1
        if offset != NO_PLACE:
            line = bisect_right(self._starts, offset)
            column = offset - self._starts[line - 1] + 1
        cell = block.cell
        return Place(
            document=self._document.name,
            line=line,
            column=column,
            table=cell.table if cell else None,
            row=cell.row_label if cell else "",
            column_label=cell.column_label if cell else "",
        )


def span(block: Block, start: int, end: int) -> tuple[int, int]:
    """First character and one past the last in the source; (-1, -1) unless they are neighbours."""
    first, last = block.offsets[start], block.offsets[end - 1]
    # Places increase strictly, so that equal distances leave no gap between them.
    placed = first != NO_PLACE and last - first == end - 1 - start
    if not placed or NO_PLACE in block.offsets[start:end]:
        return (-1, -1)
    return (first, last + 1)


def context(block: Block, start: int, end: int) -> str:
    """A few whole words before and after, on one line."""
    before = block.text[max(start - _CONTEXT, 0) : start]
    after = block.text[end : end + _CONTEXT]
    if start > _CONTEXT:
        before = before.partition(" ")[2]
    if end + _CONTEXT < len(block.text):
        after = after.rpartition(" ")[0]
    return " ".join(f"{before}{block.text[start:end]}{after}".split())


def _line_starts(source: str) -> Sequence[int]:
    starts = [0]
    at = source.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = source.find("\n", at + 1)
    return starts
