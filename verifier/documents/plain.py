"""Plain text: each run of lines that are not blank is a paragraph.

A table drawn with pipes stays text of its paragraph, line by line, and so does indented code: in a
format without rules nothing says that it is anything else.
"""

from collections.abc import Iterator

from verifier.documents._places import Lines, normal, with_urls
from verifier.model.document import Block, DocumentFormat


def read(source: str) -> tuple[Block, ...]:
    """Read paragraphs.

    Args:
        source: any text.

    Returns:
        One block of kind ``text`` for each paragraph, with its lines as they stand.
    """
    found = normal(source)
    blocks = []
    for line, start, end in _paragraphs(found.text):
        text = found.text[start:end]
        offsets = found.places[start:end]
        blocks.append(
            Block(
                kind="text",
                text=text,
                offsets=offsets if isinstance(offsets, range) else tuple(offsets),
                line=line,
                marks=with_urls(text, ()),
            )
        )
    return tuple(blocks)


def _paragraphs(text: str) -> Iterator[tuple[int, int, int]]:
    """Number of the first line, start and end of each paragraph."""
    lines = Lines(text)
    first = -1
    end = 0
    for number, line in enumerate(text.split("\n")):
        if line and not line.isspace():
            first = number if first < 0 else first
            end = lines.starts[number] + len(line)
        elif first >= 0:
            yield first + 1, lines.starts[first], end
            first = -1
    if first >= 0:
        yield first + 1, lines.starts[first], end


DOCUMENT = DocumentFormat(id="plain", suffixes=(".txt", ".text"), read=read)
