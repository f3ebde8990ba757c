"""Find the record files of the published family by name and by shape.

A folder holds one comparison, at its root: with two of them nobody could say which one a verdict,
an audit beside it or a hash list speaks of.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verifier.errors import JsonError, StoreError, UnknownFormat
from verifier.jsontext import decode
from verifier.model.files import Store

COMPARISON = "published-comparison-1"
AUDIT = "published-audit-1"
SINGLE = "published-arm-1"
JSON_LIST = "SHA256.json"
TEXT_LISTS = ("SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt")

_ORDER = (COMPARISON, AUDIT, SINGLE)
_NAMES: Mapping[str, str] = {"comparison.json": COMPARISON, "audit.json": AUDIT}
_NAMED = 8


def holds_comparison(store: Store) -> bool:
    """Whether a file is named ``comparison.json`` or has a comparison's shape, at any depth."""
    if "comparison.json" in store.paths:
        return True
    return any(schema_of(store, path) == COMPARISON for path in _json_files(store))


def record_files(store: Store) -> tuple[tuple[str, str], ...]:
    """Path and schema id of every record file, the comparison first.

    Raises:
        UnknownFormat: there is not exactly one comparison, or it lies in a folder of its own.
    """
    found = [(path, schema_of(store, path)) for path in _json_files(store)]
    _require_one(store, [path for path, schema in found if schema == COMPARISON])
    return tuple(
        sorted(
            ((path, schema) for path, schema in found if schema),
            key=lambda item: (_ORDER.index(item[1]), item[0]),
        )
    )


def schema_of(store: Store, path: str) -> str:
    """The schema a JSON file should be held against, "" for files of no known shape.

    A file with a well-known name at the root is held against its schema whatever its shape, so
    that a broken comparison is a finding and not an unknown format. A file that is no strict JSON
    and speaks of per-window scores was meant as a record too.
    """
    if path in _NAMES:
        return _NAMES[path]
    try:
        data = store.read(path)
    except StoreError:
        return ""
    try:
        return _shape(decode(data, name=path))
    except JsonError:
        return SINGLE if b'"per_window"' in data else ""


def _shape(document: Any) -> str:
    if not isinstance(document, Mapping):
        return ""
    arms = document.get("arms")
    if isinstance(arms, Mapping) and _any_with(arms.values(), "per_window"):
        return COMPARISON
    if "per_window" in document:
        return SINGLE
    if isinstance(arms, list) and _any_with(arms, "arm"):
        return AUDIT
    return ""


def _any_with(items: Iterable[Any], key: str) -> bool:
    return any(isinstance(item, Mapping) and key in item for item in items)


def _json_files(store: Store) -> list[str]:
    """JSON files by name; a well-known name counts even where no regular file lies there."""
    return sorted(
        path
        for path, kind in store.paths.items()
        if path.endswith(".json") and path != JSON_LIST and (kind == "file" or path in _NAMES)
    )


def _require_one(store: Store, comparisons: Sequence[str]) -> None:
    if len(comparisons) == 1 and "/" not in comparisons[0]:
        return
    named = ", ".join(ascii(path)[1:-1] for path in comparisons[:_NAMED])
    more = f" and {len(comparisons) - _NAMED} more" if len(comparisons) > _NAMED else ""
    message = (
        f"{store.name}: expected one comparison record at the root of the folder, "
        f"found {named or 'none'}{more}"
    )
    raise UnknownFormat(message, hint="Name one of them, or the folder it lies in.")
