"""markdown-it-py, set up as GitHub reads Markdown and made to say where things end."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

    InlineRule = Callable[[StateInline, bool], bool]
    BlockRule = Callable[[StateBlock, int, int, bool], bool]

END = "end"
"""Key of ``meta`` of ``link_close`` and ``image``: where the construct ends in its content."""

STARTS = "starts"
"""Key of ``meta`` of ``table_open``: where each row begins in the text, the delimiter row too."""

DEEPEST = 24
"""Levels of blocks and marks within each other; the library leaves out what lies deeper."""


class TooDeep(ValueError):  # noqa: N818 - named for the situation; it never leaves the reader
    """Blocks lie deeper within each other than the parser shows."""


def parse(text: str) -> Sequence["Token"]:
    """Parse a text whose line ends are newlines.

    Raises:
        TooDeep: when the parser left something out.
    """
    tokens = _parser().parse(text)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        raise TooDeep
    return tokens


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - 30 ms that only documents need
    from markdown_it.rules_block import reference, table  # noqa: PLC0415 - as above
    from markdown_it.rules_inline import image, link  # noqa: PLC0415 - as above

    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    parser.enable(["table", "strikethrough"])
    # Joined, an escape or an entity could no longer be told from the text around it.
    parser.disable("text_join")
    parser.inline.ruler.at("link", _saying_its_end(link))
    parser.inline.ruler.at("image", _saying_its_end(image))
    parser.block.ruler.at("table", _saying_its_starts(table), {"alt": ["paragraph", "reference"]})
    parser.block.ruler.at("reference", _without_footnotes(reference))
    return parser


def _saying_its_end(rule: "InlineRule") -> "InlineRule":
    def recorded(state: "StateInline", silent: bool) -> bool:  # noqa: FBT001 - the library's shape
        matched = rule(state, silent)
        if matched and not silent:
            state.tokens[-1].meta[END] = state.pos
        return matched

    return recorded


def _saying_its_starts(rule: "BlockRule") -> "BlockRule":
    def recorded(
        state: "StateBlock",
        line: int,
        last: int,
        silent: bool,  # noqa: FBT001 - the library's shape
    ) -> bool:
        before = len(state.tokens)
        matched = rule(state, line, last, silent)
        if matched and not silent:
            # What stands before a quoted row is known only while the quote is being read.
            state.tokens[before].meta[STARTS] = [
                state.bMarks[at] + state.tShift[at] for at in range(line, state.line)
            ]
        return matched

    return recorded


def _without_footnotes(rule: "BlockRule") -> "BlockRule":
    def guarded(
        state: "StateBlock",
        line: int,
        last: int,
        silent: bool,  # noqa: FBT001 - the library's shape
    ) -> bool:
        # CommonMark takes a footnote of one word for the target of a link, which nobody sees.
        if state.src.startswith("[^", state.bMarks[line] + state.tShift[line]):
            return False
        return rule(state, line, last, silent)

    return guarded
