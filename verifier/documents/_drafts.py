"""Blocks in the making: what is known of them before the document ends."""

from dataclasses import dataclass, field

from verifier.documents._grid import Slot
from verifier.documents._places import Normal, Run, through
from verifier.model.document import Block, BlockKind


@dataclass(slots=True, kw_only=True)
class Draft:
    """A block whose table is not complete yet.

    Attributes:
        kind: of the block.
        line: where it begins, from 1.
        heading: the headings above it.
        slot: where it stands in a table.
        run: its text.
    """

    kind: BlockKind
    line: int
    heading: tuple[str, ...] = ()
    slot: Slot | None = None
    run: Run = field(default_factory=Run)

    def block(self, source: Normal) -> Block:
        """Finish the block; places in the normal text become places in the source."""
        text = self.run.text()
        offsets = through(source.places, self.run.offsets())
        return Block(
            kind=self.kind,
            text=text,
            offsets=offsets if isinstance(offsets, range) else tuple(offsets),
            line=self.line,
            marks=self.run.marks(text),
            heading=self.heading,
            cell=self.slot.cell() if self.slot else None,
        )


class Page:
    """The blocks of a document so far, in its order."""

    __slots__ = ("_drafts",)

    def __init__(self) -> None:
        self._drafts: list[Draft] = []

    def keep(self, draft: Draft) -> None:
        """Append a block; of one without text only the comments stay, at the end of the last."""
        if draft.run.length:
            self._drafts.append(draft)
            return
        for mark in draft.run.marks(""):
            self.comment(mark.value, line=draft.line)

    def comment(self, content: str, *, line: int) -> None:
        """Put a comment at the end of the last block, or into an empty one of its own."""
        if not self._drafts:
            self._drafts.append(Draft(kind="text", line=line))
        run = self._drafts[-1].run
        run.mark("comment", run.length, content)

    def blocks(self, source: Normal) -> tuple[Block, ...]:
        """All blocks; every table must be complete."""
        return tuple(draft.block(source) for draft in self._drafts)
