"""Small documents made of blocks, with their numbers, for tests of what binds numbers."""

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from verifier.model.claim import Binding, Identity, Locator, Numeral, Pointer, QuoteLocator, Source
from verifier.model.document import Block, Cell, Document, Mark

_NUMBER = re.compile(r"[-+\u2212]?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_DIGEST = re.compile(r"(?:sha256:)?(?P<digits>[0-9a-f]{64})")


def document(*blocks: Block | str, name: str = "README.md") -> Document:
    """A document whose blocks stand one below the other, with an empty line between them."""
    placed: list[Block] = []
    source = ""
    for item in blocks:
        block = item if isinstance(item, Block) else text(item)
        start = len(source)
        line = source.count("\n") + 1
        offsets = range(start, start + len(block.text))
        placed.append(replace(block, offsets=offsets, line=line))
        source += f"{block.text}\n\n"
    return Document(name=name, format="markdown", source=source, blocks=tuple(placed))


def text(words: str, *marks: Mark, heading: tuple[str, ...] = ()) -> Block:
    """A paragraph; ``document`` gives it its place."""
    return Block(kind="text", text=words, offsets=(), line=0, marks=marks, heading=heading)


def marked_text(words: str) -> Block:
    """A paragraph in which ``<!--...-->`` are comments."""
    pieces = re.split(r"<!--(.*?)-->", words, flags=re.DOTALL)
    shown = ""
    marks = []
    for place, piece in enumerate(pieces):
        if place % 2:
            marks.append(Mark(kind="comment", start=len(shown), end=len(shown), value=piece))
        else:
            shown += piece
    return text(shown, *marks)


def table(
    number: int, *rows: Sequence[str], caption: str = "", heading: tuple[str, ...] = ()
) -> list[Block]:
    """The cells of a table whose first row is its header."""
    header, *body = rows
    cells = []
    for row, texts in enumerate((header, *body)):
        for column, words in enumerate(texts, start=1):
            cell = Cell(
                table=number,
                caption=caption,
                row=row,
                column=column,
                row_label=texts[0],
                column_label=header[column - 1],
            )
            cells.append(replace(text(words, heading=heading), kind="cell", cell=cell))
    return cells


def numerals(doc: Document, rules: dict[str, str] | None = None) -> tuple[Numeral, ...]:
    """Every number; ``rules`` gives the rule of a printed text."""
    found = [(block, match) for block, item in enumerate(doc.blocks) for match in _matches(item)]
    return tuple(
        Numeral(
            block=block,
            start=match.start(),
            end=match.end(),
            text=match[0],
            literal=match[0],
            value=Decimal(match[0].replace(",", "").replace("\u2212", "-")),
            place=0,
            group=group,
            rule=(rules or {}).get(match[0], ""),
        )
        for group, (block, match) in enumerate(found)
    )


def _matches(block: Block) -> list[re.Match[str]]:
    digests = [match.span() for match in _DIGEST.finditer(block.text)]
    return [
        match
        for match in _NUMBER.finditer(block.text)
        if not any(start <= match.start() < end for start, end in digests)
    ]


def identities(doc: Document) -> tuple[Identity, ...]:
    """Every SHA-256; a prefix is no part of it."""
    return tuple(
        Identity(
            block=block,
            start=match.start("digits"),
            end=match.end(),
            kind="sha256",
            text=match["digits"],
        )
        for block, item in enumerate(doc.blocks)
        for match in _DIGEST.finditer(item.text)
    )


def binding(at: Locator | str | None, *sources: Source, **changes: Any) -> Binding:
    """A binding of a quote or a cell, called ``kld``, in entry 0 of a claims file."""
    attributes: dict[str, Any] = {
        "id": "kld",
        "document": "",
        "at": QuoteLocator(quote=at) if isinstance(at, str) else at,
        "sources": sources or (Pointer(file="a.json", pointer="/kld"),),
        "location": "claims.json#/claims/0",
    }
    return Binding(**(attributes | changes))
