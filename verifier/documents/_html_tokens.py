"""HTML source cut into text, tags and comments, each with its place.

The cuts are those of the HTML standard's tokenizer (https://html.spec.whatwg.org/#tokenization), so
what a browser takes for a comment is one here too, and each character is looked at once: whatever
is not closed reaches to the end of the source. ``html.parser`` reads the attributes of each whole
tag. It does not cut, because given unfinished tags or comments it takes quadratic time in some
Python releases, raises on ``<![x``, and after ``&#;`` takes tags for text.
"""

import html.entities
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Literal, Self

# Groups are not repeated possessively beside captures: Python 3.11.2 then loops or loses them
# (https://github.com/python/cpython/issues/101955). What follows them always matches.
_BLANK = r"\t\n\f\r "
_ATTRIBUTES = (
    rf"(?:[{_BLANK}/]++"
    rf"|[^{_BLANK}/>][^{_BLANK}/>=]*+"
    rf"(?:[{_BLANK}]*+=[{_BLANK}]*+"
    rf"(?:\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z)|(?![\"'])[^{_BLANK}>]*+))?)*"
)
_TOKEN = re.compile(
    r"(?P<text>(?:[^<]++|<(?![A-Za-z/!?]))+)"
    r"|(?P<comment><!--(?:-?>|(?P<content>.*?)(?:--!?>|\Z)))"
    rf"|(?P<tag><(?P<slash>/?)(?P<name>[A-Za-z][^{_BLANK}/>]*+)"
    rf"(?P<attributes>{_ATTRIBUTES})(?P<closed>>?))"
    r"|(?P<bogus><[/!?][^>]*+>?)",
    re.DOTALL,
)

REFERENCE = r"&(?:#(?:[0-9]++|[xX][0-9a-fA-F]++);?+|[A-Za-z][A-Za-z0-9]{0,31}+;?+)"
"""Pattern of what may be a character reference; ``decoded`` tells."""

# Python refuses to read endless numbers, and no character has that many digits.
_ENDLESS = re.compile(r"&#(?:[0-9]{8,}+|[xX][0-9a-fA-F]{8,}+);?+")
_MOST_DIGITS = 7
_UNKNOWN = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One stretch of the source.

    Attributes:
        kind: ``end`` is an end tag.
        start: its first character, as an index into the source.
        end: one past its last.
        name: of a tag, in lower case.
        attributes: of a start tag; names in lower case, the first of equal names.
        closed: a start tag that ends in ``/>``.
        content: of a comment.
    """

    kind: Literal["text", "start", "end", "comment"]
    start: int
    end: int
    name: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict, hash=False)
    closed: bool = False
    content: str = ""


class Tokens:
    """The tokens of a source, in order. Time is linear in its length; nothing raises.

    Source: HTML standard, section 13.2.5, without the states of escaped scripts.
    """

    __slots__ = ("_at", "_source", "_tags")

    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._tags = _StartTag()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Token:
        """Give the next token; declarations and processing instructions are passed over."""
        while (match := _TOKEN.match(self._source, self._at)) is not None:
            start, self._at = match.span()
            if match["text"] is not None:
                return Token(kind="text", start=start, end=self._at)
            if match["comment"] is not None:
                content = match["content"] or ""
                return Token(kind="comment", start=start, end=self._at, content=content)
            if match["tag"] is not None and match["closed"]:
                return self._tag(match)
        raise StopIteration

    def raw(self, name: str) -> Token:
        """Take everything up to the end tag of ``name`` as one text, tags and all."""
        start = self._at
        end_tag = re.compile(rf"</{re.escape(name)}(?=[{_BLANK}/>])", re.IGNORECASE)
        found = end_tag.search(self._source, start)
        self._at = len(self._source) if found is None else found.start()
        return Token(kind="text", start=start, end=self._at)

    def _tag(self, match: re.Match[str]) -> Token:
        start, end = match.span()
        name = match["name"].lower()
        if match["slash"]:
            return Token(kind="end", start=start, end=end, name=name)
        written = match["attributes"]
        if not written.strip(" \t\n\f\r/"):
            return Token(kind="start", start=start, end=end, name=name, closed="/" in written)
        attributes = self._tags.attributes(match["tag"])
        closed = written.endswith("/")
        return Token(
            kind="start", start=start, end=end, name=name, attributes=attributes, closed=closed
        )


class _StartTag(HTMLParser):
    """Reads the attributes of one whole start tag at a time."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._attributes: dict[str, str] = {}

    def attributes(self, tag: str) -> Mapping[str, str]:
        """Attributes by name, with references decoded; "" where no value is given."""
        self.reset()
        self._attributes = {}
        self.feed(_ENDLESS.sub(_UNKNOWN, tag))
        return self._attributes

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del tag
        self._attributes = {name: value or "" for name, value in reversed(attrs)}


def decoded(reference: str) -> tuple[str, int]:
    """Decode a character reference.

    Args:
        reference: what ``REFERENCE`` matched.

    Returns:
        The characters that it stands for, and how much of it was used: 0 for a name that is none.
        A name without a semicolon may be shorter than what was matched, as in ``&ltx``.
    """
    if reference[1] == "#":
        digits = reference[2:].rstrip(";").lstrip("xX0")
        if len(digits) > _MOST_DIGITS:
            return _UNKNOWN, len(reference)
        return html.unescape(reference), len(reference)
    for length in range(len(reference), 1, -1):
        known = html.entities.html5.get(reference[1:length])
        if known is not None:
            return known, length
    return "", 0
