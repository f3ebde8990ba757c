"""docutils, set up so that it reads nothing but the text, runs nothing and prints nothing."""

import re
from typing import TYPE_CHECKING, Any

from verifier.documents._rst_lines import TAB_WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes

    _ParseInline = Callable[
        [str, int, object, nodes.Element], tuple[list[nodes.Node], list[nodes.system_message]]
    ]

_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "warning_stream": False,
    "traceback": True,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "pep_references": False,
    "rfc_references": False,
}

_MARKS = re.compile(r"[*`|_\[\]:@]")

MOST_CHARACTERS = 1_000_000
MOST_COLUMNS = 2000
"""Longest text and widest table that docutils is given: it takes a minute or more for a million
characters of short paragraphs, and quadratic time for the cells that lie side by side."""

EASY_WORK = 50_000
MOST_WORK = 10_000_000
"""Most work on the long paragraphs of a document, in characters times marks of each.

docutils looks for the end of each mark up to the end of its paragraph, which takes seconds for a
paragraph of 20,000 characters. Paragraphs up to ``EASY_WORK`` are free; what lies beyond the most
is kept as text, marks and all.
"""

_WIDE = re.compile(rf"^[ \t]*+[+=|][^\n]{{{MOST_COLUMNS}}}", re.MULTILINE)


class TooLarge(ValueError):  # noqa: N818 - named for the situation; it never leaves the reader
    """A text that docutils would take too long for."""


def parse(text: str) -> "nodes.document":
    """Parse a text into docutils' tree, without the transforms that come after parsing.

    Args:
        text: whose line ends are newlines.

    Raises:
        TooLarge: beyond ``MOST_CHARACTERS`` or ``MOST_COLUMNS``.
        Exception: whatever docutils raises; a hostile text may break it in any way.
    """
    from docutils.frontend import get_default_settings  # noqa: PLC0415 - 100 ms, few need them
    from docutils.parsers.rst import Parser, roles, states  # noqa: PLC0415 - as above
    from docutils.utils import new_document  # noqa: PLC0415 - as above

    if len(text) > MOST_CHARACTERS or _WIDE.search(text):
        raise TooLarge
    settings: Any = get_default_settings(Parser)
    for name, value in {**_SETTINGS, "line_length_limit": TAB_WIDTH * len(text) + 1}.items():
        setattr(settings, name, value)
    document = new_document("", settings)
    registry: Any = roles
    known = dict(registry._roles)  # noqa: SLF001 - docutils offers no other way to forget roles
    try:
        # A subclass would not do: docutils looks for some attributes in the class alone.
        inliner: Any = states.Inliner()
        inliner.parse = _bounded(inliner.parse)
        Parser(inliner=inliner).parse(text, document)
    finally:
        # A role that one document defines must not change how the next one is read.
        registry._roles.clear()  # noqa: SLF001 - as above
        registry._roles.update(known)  # noqa: SLF001 - as above
    return document


def _bounded(parse_inline: "_ParseInline") -> "_ParseInline":
    """Make docutils' parser of paragraphs leave marks alone once a document asks for too much."""
    from docutils import nodes  # noqa: PLC0415 - docutils loads with the first document

    left = MOST_WORK

    def bounded(
        text: str, lineno: int, memo: object, parent: nodes.Element
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        nonlocal left
        work = len(text) * sum(1 for _ in _MARKS.finditer(text))
        if work > EASY_WORK:
            if work > left:
                return [nodes.Text(text)], []
            left -= work
        return parse_inline(text, lineno, memo, parent)

    return bounded
