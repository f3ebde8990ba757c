"""Window scores and receipts of one arm of a bundle in our own format."""

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.formats._bundle_rules import Paths, repeated, unnamed
from verifier.formats._records import Loaded, violation
from verifier.jsontext import pointer
from verifier.model.bundle import Hash, Receipt, Violation, Window, WindowScore


def broken_windows(loaded: Loaded, arm: str, paths: Paths) -> Iterator[Violation]:
    """What a schema-valid windows.json gets wrong about its arm, its windows and their files."""
    path, windows = loaded.record.path, loaded.document["windows"]
    if loaded.document["arm"] != arm:
        yield other_arm(path, loaded.document["arm"], arm)
    yield from repeated(path, windows, "id", under=("windows",))
    owners: dict[str, str] = {}
    for index, window in enumerate(windows):
        for field in ("score_path", "raw_path", "receipt"):
            if field in window:
                place = pointer("windows", index, field)
                yield from unnamed(path, place, window[field], paths)
        score = window.get("score_path")
        # A window that stands twice is a violation of its own.
        if score is not None and owners.setdefault(score, window["id"]) != window["id"]:
            yield violation(
                path,
                pointer("windows", index, "score_path"),
                expected="a score file of its own",
                actual=score,
                message="One measurement cannot count as two windows.",
            )


def window_score(
    loaded: Loaded, index: int, panel: Mapping[str, Window], paths: Paths
) -> WindowScore:
    """One entry of a valid windows.json; its groups are those of the panel."""
    entry = loaded.document["windows"][index]
    location = f"{loaded.record.path}#{pointer('windows', index)}"
    listed = panel.get(entry["id"])
    score_path, raw_path = entry.get("score_path"), entry.get("raw_path")
    return WindowScore(
        window=entry["id"],
        location=location,
        groups=listed.groups if listed else {},
        predicted_rows=int(entry["predicted_rows"]),
        scored_rows=int(entry["scored_rows"]),
        excluded=tuple(int(row) for row in entry["excluded"]),
        values={column: float(value) for column, value in entry["values"].items()},
        including_prefill=_float(entry.get("including_prefill")),
        prefill=_float(entry.get("prefill")),
        raw=_hash(entry, "raw_sha256", location),
        raw_bytes=int(entry["raw_bytes"]) if "raw_bytes" in entry else None,
        score=_hash(entry, "score_sha256", location),
        teacher=_hash(entry, "teacher_sha256", location),
        token=_hash(entry, "token_sha256", location),
        receipt_path=entry.get("receipt"),
        rows_path=score_path if score_path and paths.held(score_path) else None,
        raw_path=raw_path if raw_path and paths.held(raw_path) else None,
    )


def receipt(loaded: Loaded, arm: str) -> Receipt:
    """A valid receipt."""
    document, location = loaded.document, f"{loaded.record.path}#"
    raw, retired = document["raw"], document["retired"]
    return Receipt(
        location=location,
        arm=arm,
        window=document["window"],
        rows=int(document["rows"]),
        excluded=tuple(int(row) for row in document["excluded"]),
        raw=Hash(value=raw["sha256"], location=f"{location}/raw/sha256") if raw else None,
        raw_bytes=int(raw["bytes"]) if raw else None,
        score=Hash(value=document["score"]["sha256"], location=f"{location}/score/sha256"),
        score_path=document["score"]["path"],
        teacher=Hash(value=document["teacher_sha256"], location=f"{location}/teacher_sha256"),
        token=Hash(value=document["token_sha256"], location=f"{location}/token_sha256"),
        scored_at=document["scored_at"],
        retired_at=retired["at"] if retired else None,
    )


def other_arm(path: str, actual: str, expected: str) -> Violation:
    """A file that names another arm than the one it is listed under."""
    return violation(
        path, "/arm", expected=expected, actual=actual, message="The file belongs to another arm."
    )


def _hash(entry: Any, name: str, location: str) -> Hash | None:
    return Hash(value=entry[name], location=f"{location}/{name}") if name in entry else None


def _float(value: Any) -> float | None:
    return None if value is None else float(value)
