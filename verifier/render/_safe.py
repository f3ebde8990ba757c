r"""Make a foreign text harmless on a terminal, in a log and in a review comment.

Everything a bundle says may reach the report: names, titles, values, messages that quote them. A
text report therefore holds printable ASCII alone. That rules out terminal escapes, line breaks that
forge a line, bidirectional overrides, look-alike letters, zero-width and double-width characters,
and an output stream whose encoding cannot say a character. The JSON report has the exact text.
"""

import re
from itertools import accumulate

LIMIT = 240
"""Longest name, value or title that is shown whole, in shown characters."""

MESSAGE_LIMIT = 900
"""Longest message or reason that is shown whole."""

_EMPTY = "(empty)"
_TAIL_SHARE = 3
_UNPRINTABLE = re.compile(r"[^ -~]|\\|\A |(?<= ) | \Z")
_SHOWN_UNIT = re.compile(
    r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]", re.ASCII | re.DOTALL
)


def safe(text: str, limit: int = LIMIT) -> str:
    r"""One line of printable ASCII that shows a foreign text.

    Two texts within the limit are shown alike only when they are equal: other characters,
    backslashes and spaces that a line break could swallow are escaped as Python escapes them. The
    verdict word ``PASSED`` becomes ``PASS\x45D``, so that only the program's own verdict can be
    found by looking for it. Of a long text the beginning and the end are shown.

    Args:
        text: any string, lone surrogates included; "" becomes ``(empty)``.
        limit: most characters of the result, not counting the note about what was left out.
    """
    if not text:
        return _EMPTY
    if len(text) <= limit:
        whole = _escaped(text)
        if len(whole) <= limit:
            return whole
    tail_room = limit // _TAIL_SHARE
    head = _fitting(_units(text[:limit]), limit - tail_room)
    tail = _fitting(_units(text[-limit:])[::-1], tail_room)[::-1]
    return f"{''.join(head)}...[{len(text) - len(head) - len(tail)} more]...{''.join(tail)}"


def _escaped(text: str) -> str:
    shown = _UNPRINTABLE.sub(_escape, text)
    return shown.replace("PASSED", r"PASS\x45D").replace(_EMPTY, r"\x28empty)")


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    if character == " ":
        return r"\x20"
    return character.encode("unicode_escape").decode("ascii")


def _units(text: str) -> list[str]:
    """The shown text, one entry for each character of the original."""
    return _SHOWN_UNIT.findall(_escaped(text))


def _fitting(units: list[str], room: int) -> list[str]:
    kept = sum(total <= room for total in accumulate(map(len, units)))
    return units[:kept]
