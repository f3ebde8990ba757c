"""Lay lines out within 80 columns; texts come in already safe (``_safe.py``)."""

from collections.abc import Iterator

WIDTH = 80
"""No line is longer, unless it is one name or digest that cannot be broken."""

_LABEL = 11
_LEAST_INDENT = 2


def fill(text: str, *, first: str, rest: str) -> Iterator[str]:
    """Break a text at its spaces.

    A word that does not fit goes on a line of its own, moved left as far as it needs and never
    broken, so that a name or a digest can be copied. It never starts in column 0: there only the
    program itself speaks.

    Args:
        text: what to say.
        first: what the first line starts with: an indent, or an indent and a label.
        rest: indent of the lines that follow.
    """
    line, bare = first, True
    for word in text.split():
        extended = f"{line}{'' if bare else ' '}{word}"
        if len(extended) <= WIDTH:
            line, bare = extended, False
            continue
        if line.strip():
            yield line.rstrip()
        indent = max(_LEAST_INDENT, min(len(rest), WIDTH - len(word)))
        line, bare = " " * indent + word, False
    yield line.rstrip()


def field(label: str, text: str, *, indent: int = 2, width: int = _LABEL) -> Iterator[str]:
    """A label and its text, which continues under itself."""
    first = f"{' ' * indent}{label:<{width}}"
    yield from fill(text, first=first, rest=" " * len(first))


def pair(left: tuple[str, str], right: tuple[str, str], *, indent: int) -> Iterator[str]:
    """Two labelled values: beside each other where they fit, else aligned below each other."""
    line = f"{' ' * indent}{left[0]} {left[1]}  {right[0]} {right[1]}"
    if len(line) <= WIDTH:
        yield line
        return
    for label, text in (left, right):
        yield from field(label, text, indent=indent, width=_LABEL - 1)


def paragraph(text: str, *, indent: int = 2) -> Iterator[str]:
    """A text of several lines."""
    yield from fill(text, first=" " * indent, rest=" " * indent)


def heading(title: str, count: int | None = None) -> str:
    """The title of a section, with the number of things in it."""
    return title if count is None else f"{title} ({count})"
