"""Strict JSON: bytes in, plain values out, and every refusal names its place.

Python's own decoder keeps the last of two equal keys and accepts NaN, so two readers of one signed
file may see different values. Nothing ambiguous passes here; what is left means the same to every
JSON reader (RFC 8259, I-JSON of RFC 7493). Number literals keep their printed digits.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import rfc8785

from verifier.errors import JsonError
from verifier.model.number import Published

MAX_BYTES = 32 * 1024 * 1024
MAX_DEPTH = 64
MAX_INTEGER = 2**63 - 1
MAX_VALUES = 2_000_000
"""Most values of a document: far more than any record needs, and still decoded in seconds."""

_SHOWN = 80
_LONGEST_INTEGER = len(str(-MAX_INTEGER))
# The closing quote is optional and every repeat possessive: an unterminated string then costs one
# pass, not one pass per quote in it.
_DEPTH_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_DECIMAL = re.compile(r"[+-]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")

_Parts = tuple[str | int, ...]

_SURROGATE_HINT = "Write both halves of the pair, or the character itself."
_NUMBER_HINT = "Write numbers as finite decimals; integers beyond 2**63-1 belong in strings."


class NumberText(float):
    """A non-integer JSON number: the nearest FP64 value, and the literal it was printed as.

    It is a float to everybody else (JSON Schema, arithmetic, RFC 8785). Two literals of one value
    compare equal.

    Attributes:
        text: the literal, for example ``1.50e-3``.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, text: str) -> Self:
        """Read a literal that a JSON decoder has found to be a number."""
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Copies keep the literal too."""
        return type(self), (self.text,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flaw:
    """Stands in the tree where a value was refused, until its pointer is known."""

    message: str
    hint: str
    key: str | None = None


class _Hooks:
    """What the decoder calls for each number and object; a refused one leaves a ``_Flaw``."""

    __slots__ = ("refused",)

    def __init__(self) -> None:
        self.refused = False

    def _flaw(self, message: str, hint: str, key: str | None = None) -> _Flaw:
        self.refused = True
        return _Flaw(message=message, hint=hint, key=key)

    def members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any] | _Flaw:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        key = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        return self._flaw(f"duplicate key {_quoted(key)}", "Keep one value per key.", key)

    def real(self, literal: str) -> NumberText | _Flaw:
        number = NumberText(literal)
        if math.isinf(number):
            return self._flaw(f"{literal[:_SHOWN]} overflows a double", _NUMBER_HINT)
        return number

    def integer(self, literal: str) -> int | NumberText | _Flaw:
        if literal == "-0":
            return NumberText(literal)
        # Lengths first: int() of a long literal is slow, and refuses 4,301 digits on its own.
        if len(literal) <= _LONGEST_INTEGER and abs(number := int(literal)) <= MAX_INTEGER:
            return number
        return self._flaw(f"integer {literal[:_SHOWN]} is outside +-(2**63-1)", _NUMBER_HINT)

    def constant(self, literal: str) -> _Flaw:
        return self._flaw(f"{literal} is not a JSON number", _NUMBER_HINT)


def decode(
    data: bytes,
    *,
    name: str,
    max_depth: int = MAX_DEPTH,
    max_bytes: int = MAX_BYTES,
    max_values: int = MAX_VALUES,
) -> Any:
    """Decode one JSON document strictly.

    Integers become ``int``; every other number, and ``-0``, becomes ``NumberText``.

    Args:
        data: the whole document in UTF-8, without a byte order mark.
        name: what to call the document in messages, usually its path in the bundle.
        max_depth: deepest nesting of arrays and objects; the decoder recurses that deep.
        max_bytes: longest document.
        max_values: most values, as its separators suggest.

    Raises:
        JsonError: not UTF-8, a byte order mark, empty, too long, nested too deeply, bad syntax,
            text after the document, a duplicate key, a number that is not finite or an integer
            outside +-(2**63-1), half of a surrogate pair. ``location`` is a JSON pointer where
            the document can be parsed, else ``line L column C``.
    """
    text = _text(data, name=name, max_bytes=max_bytes)
    _refuse_many(text, name=name, max_values=max_values)
    _refuse_deep(text, name=name, max_depth=max_depth)
    hooks = _Hooks()
    try:
        value = json.loads(
            text,
            object_pairs_hook=hooks.members,
            parse_float=hooks.real,
            parse_int=hooks.integer,
            parse_constant=hooks.constant,
        )
    except json.JSONDecodeError as error:
        raise _syntax_error(error, name=name) from error
    # A raw surrogate cannot survive UTF-8, so without such an escape no string needs a look.
    if hooks.refused or _SURROGATE_ESCAPE.search(text):
        _refuse_flawed(value, name=name)
    return value


def pointer(*parts: str | int) -> str:
    """The JSON pointer (RFC 6901) of a path of keys and indices; ``""`` is the whole document."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def canonical(value: Any) -> bytes:
    """The canonical form (RFC 8785) of a JSON value, the same bytes on every machine.

    Literals of one FP64 value get one form, and -0 becomes 0: exact scores are hashed as arrays,
    never through this.

    Raises:
        JsonError: NaN, an infinity, an integer beyond +-(2**53-1), half of a surrogate pair, or
            a type that JSON does not have.
    """
    try:
        return rfc8785.dumps(value)
    except rfc8785.CanonicalizationError as error:
        message = f"no canonical JSON form: {error}"
        hint = "Write integers beyond 2**53-1 as strings; use finite numbers only."
        raise JsonError(message, hint=hint) from error


def published(value: Any, *, location: str = "") -> Published:
    """A decoded number, or a string that holds a decimal, with its printed digits.

    Args:
        value: an ``int``, a ``NumberText`` or a decimal string; a plain float has no digits.
        location: where the value was read, for the message.

    Raises:
        JsonError: anything else, also ``true`` and decimals that overflow a double.
    """
    if isinstance(value, NumberText):
        return Published.parse(value.text)
    if isinstance(value, int) and not isinstance(value, bool):
        return Published(text=str(value), value=value)
    if isinstance(value, str) and _DECIMAL.fullmatch(value) and math.isfinite(float(value)):
        return Published.parse(value)
    place = f"{_printable(location)}: " if location else ""
    message = f"{place}expected a number or a decimal string, found {_quoted(value)}"
    raise JsonError(message, location=location, hint=_NUMBER_HINT)


def _text(data: bytes, *, name: str, max_bytes: int) -> str:
    if len(data) > max_bytes:
        message = f"{_printable(name)}: {len(data)} bytes of JSON, over the limit of {max_bytes}"
        raise JsonError(message, hint="Keep big arrays out of JSON records.")
    if not data:
        message = f"{_printable(name)}: empty file, expected a JSON document"
        raise JsonError(message, location="line 1 column 1", hint="Restore the file.")
    if data.startswith(b"\xef\xbb\xbf"):
        message = f"{_printable(name)}: starts with a byte order mark"
        raise JsonError(message, location="line 1 column 1", hint="Save as UTF-8 without a BOM.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        location = _line_column(before)
        message = f"{_printable(name)}: {location}: byte 0x{data[error.start]:02x} is not UTF-8"
        raise JsonError(message, location=location, hint="Save the file as UTF-8.") from error


def _line_column(before: str) -> str:
    line = before.count("\n") + 1
    return f"line {line} column {len(before) - before.rfind(chr(10))}"


def _refuse_many(text: str, *, name: str, max_values: int) -> None:
    """Count what begins a value: megabytes of brackets would become a gigabyte of objects.

    A comma or bracket inside a string counts too, so this is an upper bound; a member has four
    quotes at most, and more only where strings hold escaped ones.
    """
    values = 1 + text.count(",") + text.count("[") + text.count("{")
    if values > max_values or text.count('"') > 4 * max_values:
        message = f"{_printable(name)}: more than {max_values} values"
        raise JsonError(message, hint="Keep big arrays out of JSON records.")


def _refuse_deep(text: str, *, name: str, max_depth: int) -> None:
    """Count brackets outside strings, so that the recursive decoder never sees a deep document.

    Up to the first syntax error the tokens are the decoder's own, and it stops there.
    """
    depth = 0
    for token in _DEPTH_TOKEN.finditer(text):
        first = text[token.start()]
        if first in "[{":
            depth += 1
            if depth > max_depth:
                location = _line_column(text[: token.start()])
                message = f"{_printable(name)}: {location}: nested deeper than {max_depth} levels"
                raise JsonError(message, location=location, hint="Flatten the document.")
        elif first != '"':
            depth -= 1
            if depth < 0:
                return


def _syntax_error(error: json.JSONDecodeError, *, name: str) -> JsonError:
    location = f"line {error.lineno} column {error.colno}"
    what = "text after the end of the document" if error.msg == "Extra data" else error.msg
    message = f"{_printable(name)}: {location}: {what[:1].lower()}{what[1:]}"
    return JsonError(message, location=location, hint="The file must hold one JSON document.")


def _refuse_flawed(value: Any, *, name: str) -> None:
    """Name the first refused value in document order, if there is one."""
    for parts, flaw in _flaws(value, ()):
        place = pointer(*parts, *([] if flaw.key is None else [flaw.key]))
        message = f"{_printable(name)}#{_printable(place)}: {flaw.message}"
        raise JsonError(message, location=_printable(place), hint=flaw.hint)


def _flaws(value: Any, parts: _Parts) -> Iterator[tuple[_Parts, _Flaw]]:
    if isinstance(value, _Flaw):
        yield parts, value
    elif isinstance(value, str) and _has_surrogate(value):
        yield parts, _Flaw(message="half of a surrogate pair", hint=_SURROGATE_HINT)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _flaws(item, (*parts, index))
    elif isinstance(value, dict):
        for key, item in value.items():
            if _has_surrogate(key):
                message = "half of a surrogate pair in a key"
                yield parts, _Flaw(message=message, hint=_SURROGATE_HINT, key=key)
            yield from _flaws(item, (*parts, key))


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _quoted(value: Any) -> str:
    """A hostile value as one short line of ASCII."""
    if isinstance(value, str):
        return ascii(value if len(value) <= _SHOWN else value[:_SHOWN] + "...")
    return type(value).__name__


def _printable(text: str) -> str:
    """Hostile text without anything that moves a cursor or cannot be encoded."""
    shown = "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text[: 4 * _SHOWN]
    )
    return shown if len(text) <= 4 * _SHOWN else shown + "..."
