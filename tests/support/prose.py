"""Documents of one block, and their numbers in a short form."""

from verifier.claims.identities import identities
from verifier.claims.numerals import numerals
from verifier.model.claim import Numeral
from verifier.model.document import Block, BlockKind, Cell, Document, Mark


def one_block(
    text: str, *marks: Mark, kind: BlockKind = "text", column: str | None = None
) -> Document:
    """A document of one block; with the header of a column, the block is a cell."""
    cell = None
    if column is not None:
        cell = Cell(table=1, caption="", row=1, column=2, row_label="fp8", column_label=column)
    block = Block(
        kind=kind if cell is None else "cell",
        text=text,
        offsets=range(len(text)),
        line=1,
        marks=marks,
        cell=cell,
    )
    return Document(name="notes.txt", format="plain", source=text, blocks=(block,))


def numbers(text: str, *marks: Mark, kind: BlockKind = "text") -> tuple[Numeral, ...]:
    """The numbers of a text."""
    return numerals(one_block(text, *marks, kind=kind))


def rules_of(text: str, *marks: Mark, kind: BlockKind = "text") -> list[tuple[str, str]]:
    """Each number of a text as printed, with its rule."""
    return [(number.text, number.rule) for number in numbers(text, *marks, kind=kind)]


def claimed(text: str, *marks: Mark) -> list[str]:
    """The numbers of a text that are claims, as printed."""
    return [number.text for number in numbers(text, *marks) if not number.rule]


def named(text: str, *marks: Mark, kind: BlockKind = "text") -> list[tuple[str, str]]:
    """Kind and text of the identities in a text."""
    found = identities(one_block(text, *marks, kind=kind))
    return [(identity.kind, identity.text) for identity in found]


def code(text: str, content: str) -> Mark:
    """A code mark over the first place of a content in a text."""
    start = text.index(content)
    return Mark(kind="code", start=start, end=start + len(content))


def link(text: str, content: str, target: str) -> Mark:
    """A link from the first place of a content in a text."""
    start = text.index(content)
    return Mark(kind="link", start=start, end=start + len(content), value=target)
