"""Hex identities in the bytes of a file, and where decoded values hold them."""

import re
from collections.abc import Iterator
from typing import Any

from verifier.jsontext import pointer

LENGTHS = (40, 64)
"""Digits of a commit id, and of a SHA-256."""

_HEX = b"0123456789abcdefABCDEF"
# Hex digits become h, other letters and digits x, the rest blanks: one search for forty h then
# passes over everything else at the speed of memory.
_SHAPE = bytes(
    ord("h") if code in _HEX else ord("x") if chr(code).isalnum() and code < 0x80 else ord(" ")  # noqa: PLR2004 - ASCII
    for code in range(256)
)
_RUN = b"h" * min(LENGTHS)
_WHOLE_RUN = re.compile(rb"h++")
_SHORT = re.compile(rb'"(?=[0-9]*[a-f])(?=[a-f]*[0-9])([0-9a-f]{7,39})"')
_TOKEN = re.compile(r"[0-9A-Za-z]{7,}+")


def hex_identities(data: bytes) -> Iterator[tuple[str, int]]:
    """(hex digits in lower case, line from 1) of each commit id and SHA-256 in a text.

    What stands in letters or more digits is none. A quoted value that is nothing but 7 to 39 hex
    digits with a letter among them is an abbreviation; those come last.
    """
    shape = data.translate(_SHAPE)
    line, counted = 1, 0
    start = shape.find(_RUN)
    while start >= 0:
        run = _WHOLE_RUN.match(shape, start)
        end = run.end() if run else start
        around = shape[max(0, start - 1) : start] + shape[end : end + 1]
        if end - start in LENGTHS and b"x" not in around:
            line += data.count(b"\n", counted, start)
            counted = start
            yield data[start:end].decode("ascii").lower(), line
        start = shape.find(_RUN, end)
    line, counted = 1, 0
    for short in _SHORT.finditer(data):
        line += data.count(b"\n", counted, short.start())
        counted = short.start()
        yield short[1].decode("ascii"), line


def pointers(document: Any) -> dict[str, str]:
    """The first JSON pointer under which each hex identity stands in decoded values, or as a key.

    Longer runs of letters and digits are taken too; nobody asks for those that are no identity.
    """
    found: dict[str, str] = {}
    work: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while work:
        parts, value = work.pop()
        if isinstance(value, str):
            for token in _TOKEN.findall(value):
                found.setdefault(token.lower(), pointer(*parts))
        elif isinstance(value, list):
            work.extend(((*parts, index), value[index]) for index in reversed(range(len(value))))
        elif isinstance(value, dict):
            for key in value:
                for token in _TOKEN.findall(str(key)):
                    found.setdefault(token.lower(), pointer(*parts, str(key)))
            work.extend(((*parts, key), value[key]) for key in reversed(value))
    return found
