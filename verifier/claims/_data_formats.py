"""Bytes of a data file to plain values: one tree of objects, lists, texts and exact numbers."""

import csv
import datetime as dt
import io
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from verifier import jsontext
from verifier.claims import _toml as toml
from verifier.claims._entries import Refused
from verifier.claims._near import quoted
from verifier.errors import JsonError
from verifier.jsontext import NumberText
from verifier.model.claim import Absent

TOML_BYTES = 1024 * 1024
"""Longest TOML file; made to be slow, a megabyte may keep the parser busy for seconds."""

_LONGEST_LITERAL = 400
_LARGEST_EXPONENT = 400
_LARGEST_BITS = 1300
_LITERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")


def parsed(data: bytes, *, name: str) -> Any:
    """The values of a data file, or ``Absent`` when it cannot be read as what its name says.

    JSON keeps its literals as ``NumberText``; numbers of TOML are ``int`` and ``Decimal``; every
    field of CSV and TSV is a text. ``leaf`` makes numbers of all three.

    Args:
        data: the whole file.
        name: its path, whose suffix says the format.
    """
    read = _FORMATS.get(suffix(name))
    if read is None:
        expected = ", ".join(_FORMATS)
        reason = f"{quoted(name)} is no data file: values are read from {expected}"
        return Absent(reason=reason, broken=True)
    if len(data) > jsontext.MAX_BYTES:
        limit = jsontext.MAX_BYTES
        return Absent(reason=f"{quoted(name)} has {len(data)} bytes, over the limit of {limit}")
    return read(data, name)


def suffix(name: str) -> str:
    """The ending of a file's name in lower case, with its dot; "" without one."""
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def leaf(value: Any) -> Decimal | str | None:
    """A number exactly as it is written, or a text; None for whatever else a file may hold.

    A text that is a plain literal is a number; one with a leading zero, such as ``0056``, is a
    name. Numbers far beyond FP64 are refused (None), because arithmetic on them need not end.
    """
    if isinstance(value, NumberText):
        return _decimal(value.text)
    if isinstance(value, str):
        number = _decimal(value.strip()) if len(value) <= _LONGEST_LITERAL else None
        return value if number is None else number
    if isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value) if value.bit_length() <= _LARGEST_BITS else None
    if isinstance(value, Decimal):
        return _bounded(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return None


def kind(value: Any) -> str:
    """What a value is, in words, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    if isinstance(value, list):
        return f"a list of {len(value)} elements"
    if isinstance(value, str | dt.date | dt.time):
        return "a text"
    return "a number" if leaf(value) is not None else "a number beyond FP64"


def _decimal(text: str) -> Decimal | None:
    if len(text) > _LONGEST_LITERAL or not _LITERAL.fullmatch(text) or _LEADING_ZERO.match(text):
        return None
    return _bounded(Decimal(text))


def _bounded(value: Decimal) -> Decimal | None:
    if not value.is_finite() or abs(value.adjusted()) > _LARGEST_EXPONENT:
        return None
    return value


def _json(data: bytes, name: str) -> Any:
    try:
        return jsontext.decode(data, name=name)
    except JsonError as error:
        return Absent(reason=error.message)


def _lines(data: bytes, name: str) -> Any:
    if _is_long(data, b",", b"\n", b"[", b"{"):
        return _too_many(name)
    lines = data.split(b"\n")
    if not lines[-1].strip():
        lines.pop()
    try:
        return [
            jsontext.decode(line, name=f"{name} line {number}")
            for number, line in enumerate(lines, start=1)
        ]
    except JsonError as error:
        return Absent(reason=error.message)


def _toml(data: bytes, name: str) -> Any:
    try:
        return toml.decode(data, max_bytes=TOML_BYTES, parse_float=Decimal)
    except Refused as refusal:
        return Absent(reason=f"{quoted(name)}: {refusal.message}")


def _commas(data: bytes, name: str) -> Any:
    return _table(data, name, delimiter=",")


def _tabs(data: bytes, name: str) -> Any:
    return _table(data, name, delimiter="\t")


def _table(data: bytes, name: str, *, delimiter: str) -> Any:
    text = _text(data, name)
    if isinstance(text, Absent):
        return text
    if _is_long(data, delimiter.encode(), b"\n", b"\r"):
        return _too_many(name)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        twice = [column for column, count in Counter(header).items() if count > 1]
        if not header or twice:
            what = f"names the column {quoted(twice[0])} twice" if twice else "is empty"
            return Absent(reason=f"{quoted(name)}: the header line {what}")
        found = []
        for fields in rows:
            if len(fields) == len(header):
                found.append(dict(zip(header, fields, strict=True)))
            elif fields:
                counts = f"has {len(fields)} fields, the header {len(header)}"
                return Absent(reason=f"{quoted(name)}: line {rows.line_num} {counts}")
    except csv.Error as error:
        return Absent(reason=f"{quoted(name)}: line {rows.line_num}: {error}")
    return found


def _text(data: bytes, name: str) -> str | Absent:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return Absent(reason=f"{quoted(name)}: line {line}: {byte}; save the file as UTF-8")


def _is_long(data: bytes, *separators: bytes) -> bool:
    return sum(map(data.count, separators)) > jsontext.MAX_VALUES


def _too_many(name: str) -> Absent:
    return Absent(reason=f"{quoted(name)} holds over {jsontext.MAX_VALUES} values")


_FORMATS: Mapping[str, Callable[[bytes, str], Any]] = MappingProxyType(
    {
        ".json": _json,
        ".jsonl": _lines,
        ".ndjson": _lines,
        ".csv": _commas,
        ".tsv": _tabs,
        ".toml": _toml,
    }
)
