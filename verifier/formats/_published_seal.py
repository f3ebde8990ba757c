"""Hash lists of the published record family: ``SHA256.json`` and ``sha256sum`` output.

They are seals without a root: they promise names and SHA-256 hashes, no sizes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifier.errors import StoreError
from verifier.formats._published_files import JSON_LIST, TEXT_LISTS
from verifier.formats._records import load, violation, with_violations
from verifier.jsontext import MAX_BYTES, pointer
from verifier.model.bundle import Record, Seal, SealEntry, Violation
from verifier.model.files import Store
from verifier.model.plugin import Schemas

# coreutils writes "HEX  NAME", "HEX *NAME" for binary mode and a leading backslash when the
# name is escaped.
_LINE = re.compile(r"(?P<escaped>\\?)(?P<hex>[0-9A-Fa-f]+) [ *](?P<name>.+)", re.DOTALL)
_ESCAPE = re.compile(r"\\[\\nr]")
_UNESCAPED = {"\\\\": "\\", "\\n": "\n", "\\r": "\r"}
_SHOWN = 80

HashList = tuple[Record, tuple[SealEntry, ...]]


def hash_lists(store: Store, schemas: Schemas) -> Iterator[HashList]:
    """Every hash list at the root: its record and its entries.

    A list that cannot be read has violations and no entries, so that it never counts as absent.
    """
    if JSON_LIST in store.paths:
        item = load(store, JSON_LIST, "sha256-list-1", schemas, published=False)
        yield item.record, from_json(item.document or {}, JSON_LIST)
    for path in TEXT_LISTS:
        if path in store.paths:
            yield _text_list(store, path)


def from_json(document: Mapping[str, Any], path: str) -> tuple[SealEntry, ...]:
    """Entries of a ``SHA256.json`` that obeys its schema."""
    return tuple(
        SealEntry(path=name, sha256=value, location=f"{path}#{pointer(name)}")
        for name, value in document.items()
    )


def from_text(data: bytes, path: str) -> tuple[tuple[SealEntry, ...], tuple[Violation, ...]]:
    """Entries of a ``sha256sum`` list, and a violation for each line that is none.

    As ``sha256sum --check`` reads it: lines end at a line feed (a carriage return before it is no
    part of the name), comments are passed over, and ``./NAME`` is ``NAME``.
    """
    entries: list[SealEntry] = []
    violations: list[Violation] = []
    lines = data.decode("utf-8", errors="surrogateescape").split("\n")
    for number, line in enumerate((line.removesuffix("\r") for line in lines), start=1):
        if line.startswith("#") or (not line and number == len(lines)):
            continue
        location = f"{path}:{number}"
        match = _LINE.fullmatch(line)
        if match is None:
            violations.append(
                Violation(
                    location=location,
                    expected="HEX, two blanks, NAME",
                    actual=ascii(line[:_SHOWN]),
                    message="The line is no entry of a sha256sum list.",
                )
            )
            continue
        name = match["name"].removeprefix("./")
        if match["escaped"]:
            name = _ESCAPE.sub(lambda found: _UNESCAPED[found[0]], name)
        entries.append(SealEntry(path=name, sha256=match["hex"], location=location))
    if not entries and not violations:
        violations.append(
            Violation(
                location=path,
                expected="at least one entry",
                actual="an empty list",
                message="An empty hash list promises nothing.",
            )
        )
    return tuple(entries), tuple(violations)


def seal(lists: Sequence[HashList]) -> Seal | None:
    """One seal over all hash lists that can be read; no list lists itself or another."""
    readable = [(record.path, entries) for record, entries in lists if entries]
    if not readable:
        return None
    return Seal(
        path=readable[0][0],
        entries=tuple(entry for _, entries in readable for entry in entries),
        closed=True,
        unsealed=frozenset(path for path, _ in readable),
    )


def _text_list(store: Store, path: str) -> HashList:
    record = Record(path=path, schema="sha256sum", published=False)
    try:
        entries, violations = from_text(_content(store, path), path)
    except StoreError as error:
        entries, violations = (), (_unreadable(path, error),)
    return with_violations(record, violations), entries


def _content(store: Store, path: str) -> bytes:
    if store.members[path].size > MAX_BYTES:
        message = f"over the limit of {MAX_BYTES} bytes for a hash list"
        raise StoreError(message, hint="No folder holds that many files.")
    return store.read(path)


def _unreadable(path: str, error: StoreError) -> Violation:
    return violation(path, "", expected="a readable file", actual=error.message, message=error.hint)
