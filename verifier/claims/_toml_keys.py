"""Keys of a TOML document that would keep its parser busy for hours."""

import re

from verifier.jsontext import MAX_DEPTH

# Strings that do not end run to the end, and every repeat is possessive: one pass over any text.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    r"|'''(?:[^']|'(?!''))*+(?:''')?"
    r"|#[^\n]*+"
    r"|(?P<dot>\.)"
    r'|(?P<part>[A-Za-z0-9_-]++|[ \t]++|"(?:[^"\\\n]|\\.)*+"?|' + r"'[^'\n]*+'?)"
    r"|.",
    re.DOTALL,
)


def deep_key(text: str) -> int:
    """The line, from 1, of the first dotted key of more than 64 parts; 0 when there is none.

    The standard parser walks from the root for every part, so its time grows with their square.
    """
    dots = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "dot":
            dots += 1
            if dots >= MAX_DEPTH:
                return text.count("\n", 0, token.start()) + 1
        elif token.lastgroup is None:
            dots = 0
    return 0
