"""The marks inside a paragraph, aligned with its source by walking both forward.

markdown-it-py says what a paragraph consists of, in order, but not where. Every token but plain
text carries the source it was made from, so the next one begins where the last one ended; what
does not fit, and everything after it in that paragraph, gets no place.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from verifier.documents._markdown_parser import END
from verifier.documents._places import INLINE_TAGS, Run, with_urls
from verifier.model.document import Mark

if TYPE_CHECKING:
    from markdown_it.token import Token

Visible = tuple[str, Sequence[int], tuple[Mark, ...]]
"""What a block shows: text, (len(text),) places in the document, marks. It is made for every cell,
so it is no class: that would cost more than the reading."""

_BREAK = re.compile(r" *\\?(\n)[ \t]*")
_TAG = re.compile(r"<([A-Za-z][A-Za-z0-9-]*)")


def comments(text: str) -> list[str] | None:
    """Contents of the HTML comments that a text consists of; None if it has anything else."""
    found = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        content, at = _comment(text, at)
        if at < 0:
            return None
        found.append(content)
    return found


def _comment(text: str, at: int) -> tuple[str, int]:
    """Content and end of the comment at a place, as browsers see it; end -1 if there is none."""
    if not text.startswith("<!--", at):
        return "", -1
    start = at + len("<!--")
    for short in (">", "->"):
        if text.startswith(short, start):
            return "", start + len(short)
    end = text.find("-->", start)
    return (text[start:end], end + len("-->")) if end >= 0 else ("", -1)


def visible(token: "Token", places: Sequence[int]) -> tuple[str, Sequence[int], tuple[Mark, ...]]:
    """Text, places and marks of a paragraph, heading or cell.

    Args:
        token: an inline token, in which escapes and entities were not joined with the text.
        places: (n,) places in the document of the (n,) characters of its content.

    Returns:
        What its block shows.
    """
    children = token.children or ()
    source = token.content
    if len(children) == 1 and children[0].content == source and children[0].type == "text":
        offsets = places if isinstance(places, range) else tuple(places)
        return source, offsets, with_urls(source, ())
    run = Run()
    _Walk(source, places, run).over(children)
    text = run.text()
    return text, run.offsets(), run.marks(text)


class _Walk:
    __slots__ = ("_at", "_links", "_places", "_run", "_source")

    def __init__(self, source: str, places: Sequence[int], run: Run) -> None:
        self._source = source
        self._places = places
        self._run = run
        self._at = 0
        self._links: list[tuple[int, str]] = []

    def over(self, tokens: Sequence["Token"]) -> None:
        rest = iter(tokens)
        for token in rest:
            if token.type == "text":
                self._text(token.content)
            elif token.markup == "autolink":
                self._autolink(token, rest)
            else:
                _STEPS.get(token.type, _Walk.marker)(self, token)

    def _text(self, text: str) -> None:
        if not text:
            return
        if not self._source.startswith(text, self._at):
            self._lose()
            self._run.add_unplaced(text)
            return
        self._take(text, self._at)
        self._at += len(text)

    def _take(self, text: str, start: int) -> None:
        self._run.add(text, self._places[start : start + len(text)])

    def _lose(self) -> None:
        # Nothing stands behind the end, so nothing that follows is placed.
        self._at = len(self._source)

    def marker(self, token: "Token") -> None:
        """Marks of emphasis: their source shows nothing."""
        self._at += len(token.markup)

    def special(self, token: "Token") -> None:
        """An escape or an entity; what an entity stands for is written nowhere."""
        at = self._source.startswith(token.markup, self._at)
        start = self._at + len(token.markup) - len(token.content)
        if at and token.info == "escape":
            self._take(token.content, start)
        else:
            self._run.add_unplaced(token.content)
        self._at += len(token.markup)

    def line_break(self, token: "Token") -> None:
        del token
        match = _BREAK.match(self._source, self._at)
        if match is None:
            self._lose()
            self._run.add_unplaced("\n")
            return
        self._take("\n", match.start(1))
        self._at = match.end()

    def code(self, token: "Token") -> None:
        start = self._run.length
        fence = token.markup
        first = self._at + len(fence)
        for blank in (0, 1):
            begin = first + blank
            text = self._source[begin : begin + len(token.content)]
            end = begin + len(text) + blank
            # A longer run of backticks is content, whatever its first ones look like.
            closes = self._source.startswith(fence, end)
            longer = self._source.startswith("`", end + len(fence))
            if closes and not longer and text.replace("\n", " ") == token.content:
                self._take(text, begin)
                self._at = end + len(fence)
                break
        else:
            self._lose()
            self._run.add_unplaced(token.content)
        self._run.mark("code", start)

    def html(self, token: "Token") -> None:
        content, end = _comment(token.content, 0)
        if end >= 0:
            self._run.mark("comment", self._run.length, content)
            self._at += end
            # The library takes ``<!-- a ----> 5 -->`` for one comment; a reader sees the 5.
            self._text(token.content[end:])
            return
        self._at += len(token.content)
        tag = _TAG.match(token.content)
        if tag and tag[1].lower() in INLINE_TAGS:
            self._run.add_unplaced(INLINE_TAGS[tag[1].lower()])

    def _autolink(self, opening: "Token", rest: Iterator["Token"]) -> None:
        """An address between angle brackets, as it is written and not as the library decodes it."""
        del opening
        shown = next(rest).content
        next(rest)
        start = self._run.length
        end = self._source.find(">", self._at)
        if end < 0:
            self._run.add_unplaced(shown)
        else:
            self._take(self._source[self._at + 1 : end], self._at + 1)
            self._at = end + 1
        self._run.mark("url", start)

    def link(self, token: "Token") -> None:
        self._links.append((self._run.length, str(token.attrs["href"])))
        self._at += len("[")

    def link_end(self, token: "Token") -> None:
        start, target = self._links.pop()
        self._run.mark("link", start, target)
        self._at = token.meta[END]

    def image(self, token: "Token") -> None:
        start = self._run.length
        first = self._at + len("![")
        last = first + len(token.content)
        inner = _Walk(self._source[first:last], self._places[first:last], self._run)
        inner.over(token.children or ())
        self._run.mark("link", start, str(token.attrs["src"]))
        self._at = token.meta[END]


_STEPS: Mapping[str, Callable[[_Walk, "Token"], None]] = {
    "text_special": _Walk.special,
    "softbreak": _Walk.line_break,
    "hardbreak": _Walk.line_break,
    "code_inline": _Walk.code,
    "html_inline": _Walk.html,
    "link_open": _Walk.link,
    "link_close": _Walk.link_end,
    "image": _Walk.image,
}
