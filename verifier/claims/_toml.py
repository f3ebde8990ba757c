"""TOML decoded within bounds: bytes in, plain values out, and refusals say what is wrong."""

import math
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from verifier.claims._entries import Refused, shown
from verifier.jsontext import MAX_DEPTH, MAX_INTEGER, pointer

# Strings that do not end run to the end, and no repeat can take what stands behind it: one pass.
_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:""")?'
    r"|'''(?:[^']|'(?!''))*(?:''')?"
    r"|#[^\n]*+"
    r"|(?P<dot>\.)"
    r'|(?P<part>[A-Za-z0-9_-]++|[ \t]++|"(?:[^"\\\n]|\\.)*"?|' + r"'[^'\n]*+'?)"
    r"|.",
    re.DOTALL,
)


def decode(data: bytes, *, max_bytes: int, parse_float: Callable[[str], Any] = float) -> Any:
    """Decode a TOML document.

    Args:
        data: the whole document in UTF-8, perhaps with a byte order mark.
        max_bytes: longest document.
        parse_float: makes a value of the literal of a decimal.

    Raises:
        Refused: not UTF-8, too long, bad syntax, or nested deeper than the parser can follow.
    """
    if len(data) > max_bytes:
        message = f"{len(data)} bytes of TOML, over the limit of {max_bytes}"
        raise Refused(message)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = (
            f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        )
        raise Refused(message) from error
    if line := _deep_key(text):
        message = f"line {line}: a key of more than {MAX_DEPTH} parts"
        raise Refused(message)
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except RecursionError as error:
        message = "no TOML that can be read: nested too deeply"
        raise Refused(message) from error
    except (ValueError, ArithmeticError) as error:
        message = f"no TOML: {shown(str(error))}"
        raise Refused(message) from error


def decode_as_json(data: bytes, *, max_bytes: int) -> Any:
    """Decode a TOML document that says what JSON can say.

    Args:
        data: the whole document in UTF-8.
        max_bytes: longest document.

    Raises:
        Refused: as ``decode``; nested deeper than JSON may be, or a value that JSON does not have:
            a date, a time, NaN, an infinity, a whole number beyond 2**63-1.
    """
    document = decode(data, max_bytes=max_bytes)
    for parts, value in _walk(document):
        if not _is_json(value):
            message = f"expected what JSON can hold, found {type(value).__name__} {shown(value)}"
            raise Refused(message, place=pointer(*parts))
        if len(parts) > MAX_DEPTH:
            message = f"nested deeper than {MAX_DEPTH} levels"
            raise Refused(message, place=pointer(*parts[:MAX_DEPTH]))
    return document


def _deep_key(text: str) -> int:
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


def _walk(document: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Every value with its path; without recursion, since nesting is what may be wrong."""
    pending: list[tuple[tuple[str | int, ...], Any]] = [((), document)]
    while pending:
        parts, value = pending.pop()
        yield parts, value
        if isinstance(value, dict):
            pending.extend(((*parts, key), item) for key, item in value.items())
        elif isinstance(value, list):
            pending.extend(((*parts, index), item) for index, item in enumerate(value))


def _is_json(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) <= MAX_INTEGER
    return isinstance(value, str | list | dict)
