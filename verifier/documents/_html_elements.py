"""What the elements of HTML mean to a reader: which break lines, which hide, which end others.

Source: HTML standard, sections 13.2 (parsing) and 15.3 (rendering).
"""

from collections.abc import Mapping


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


CODE = _names("code kbd samp tt")

HEADINGS = _names("h1 h2 h3 h4 h5 h6")

PREFORMATTED = _names("listing plaintext pre xmp")

RAW = _names("iframe noembed noframes plaintext script style textarea title xmp")
"""Their content is text up to their own end tag, whatever it looks like."""

INVISIBLE = _names("audio canvas datalist iframe noembed noframes script style svg template video")
"""``head`` is none of them: all that it may hold is invisible by itself, except for the title."""

VOID = _names("area base br col embed hr img input link meta param source track wbr")
"""They have no content and no end tag."""

TABLE_PARTS = _names("caption colgroup table tbody td tfoot th thead tr")

OWN_TEXT = HEADINGS | PREFORMATTED | _names("caption dd dt figcaption li p td th")
"""Blocks that begin a text of their own, so that a comment right behind their tag is part of it."""

OTHER_BLOCKS = (TABLE_PARTS | OWN_TEXT) - HEADINGS | _names(
    """address article aside blockquote body center details dialog dir div dl fieldset figure footer
    form frameset head header hgroup hr html legend main menu nav ol optgroup option search section
    summary textarea title ul"""
)

BLOCKS = HEADINGS | OTHER_BLOCKS

SCOPES = ("caption", "table", "td", "template", "th")
"""An end tag ends nothing outside the innermost of these."""

END_TAG_STAYS_WITHIN: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(TABLE_PARTS, ("table", "template")),
    "table": ("template",),
    "template": (),
}
"""For parts of tables: what takes the place of ``SCOPES``."""

PARAGRAPH_SCOPES = (*SCOPES, "button", "object")
"""A block ends an open paragraph inside the innermost of these."""

_CELLS = _names("caption td th")

ENDS: Mapping[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "a": (_names("a"), ("caption", "td", "th")),
    "li": (_names("li"), ("dir", "menu", "ol", "ul")),
    "option": (_names("option"), ("datalist", "select")),
    "tr": (_CELLS | {"tr"}, ("table",)),
    **dict.fromkeys(("dt", "dd"), (_names("dt dd"), ("dl",))),
    **dict.fromkeys(("td", "th"), (_CELLS, ("table",))),
    **dict.fromkeys(
        ("caption", "colgroup", "tbody", "tfoot", "thead"), (TABLE_PARTS - {"table"}, ("table",))
    ),
}
"""Which open elements a start tag ends, and within which innermost elements it looks for them."""

LEAVES_DRAWING = HEADINGS | _names(
    """b big blockquote body br center code dd div dl dt em embed head hr i img li listing menu meta
    nobr ol p pre ruby s small span strike strong sub sup table tt u ul var"""
)
"""What cannot lie in a drawing or a formula, so that it ends one that was left open."""

FOREIGN_TEXT = ("annotation-xml", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext")
"""What holds HTML inside drawings and formulas."""
