r"""Foreign text that is shown as it is, such as a difference, but never obeyed by a terminal.

Unlike ``_safe.py`` it keeps letters, lines and tabs, so that what is shown can be compared with
the document, and a difference without odd characters can be applied.
"""

import re

# Controls but for tab, line feed and the end of a line in two characters; characters that reorder
# text, end lines, show as nothing or are no text at all.
_OBEYED = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    r"\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]|\r(?!\n)"
)


def visible(text: str, encoding: str = "utf-8") -> str:
    r"""The text with an escape such as ``\x1b`` for everything that a terminal would obey.

    Args:
        text: any string, lone surrogates included.
        encoding: of the stream that it goes to; what that cannot say becomes an escape too.
    """
    shown = _OBEYED.sub(_escape, text)
    return shown.encode(encoding, "backslashreplace").decode(encoding)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
