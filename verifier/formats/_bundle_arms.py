"""One arm of a bundle in our own format: window scores, receipts, counters, launch, runtime."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.formats._bundle_counters import read_counters
from verifier.formats._bundle_images import reference_claim
from verifier.formats._bundle_rules import Paths, broken_sources
from verifier.formats._bundle_windows import broken_windows, other_arm, receipt, window_score
from verifier.formats._records import Loaded, load, with_violations
from verifier.jsontext import pointer
from verifier.model.basis import Level
from verifier.model.bundle import (
    Arm,
    CounterReading,
    Flag,
    ImageClaim,
    Record,
    SourceClaim,
    Window,
    WindowScore,
)
from verifier.model.files import Store
from verifier.model.plugin import Schemas

_TOPK = frozenset(
    {"teacher_topk_ids", "teacher_topk_logp", "student_topk_ids", "student_topk_logp"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What every arm of a bundle is read with.

    Attributes:
        store: the files.
        schemas: the schemas.
        document: a valid bundle.json.
        panel: its windows by id.
        paths: which paths exist or are promised by the seal.
    """

    store: Store
    schemas: Schemas
    document: Any
    panel: Mapping[str, Window]
    paths: Paths


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadArm:
    """One arm, the records it was read from and what they name.

    ``arm`` is None when its window scores are malformed.
    """

    arm: Arm | None
    records: tuple[Record, ...]
    image_claims: tuple[ImageClaim, ...] = ()
    sources: tuple[SourceClaim, ...] = ()
    flags: tuple[Flag, ...] = ()


def read_arm(context: Context, index: int) -> ReadArm:
    """Read the arm at an index of a valid bundle.json."""
    entry = context.document["arms"][index]
    files = entry["files"]
    loaded = _load(context, files["windows"], "windows-1")
    if loaded.document is None:
        return ReadArm(arm=None, records=(loaded.record,))
    record = with_violations(loaded.record, broken_windows(loaded, entry["name"], context.paths))
    windows = tuple(
        window_score(loaded, at, context.panel, context.paths)
        for at in range(len(loaded.document["windows"]))
    )
    receipts = [
        _load(context, path, "receipt-1") for path in _receipt_paths(loaded.document, context.paths)
    ]
    readings, counter_records = _counters(context, files, entry["name"])
    launch = _optional(context, files, "launch")
    runtime = _optional(context, files, "runtime")
    arm = Arm(
        id=entry["name"],
        name=entry["name"],
        location=f"bundle.json#{pointer('arms', index)}",
        windows=windows,
        receipts=tuple(
            receipt(item, entry["name"]) for item in receipts if item.document is not None
        ),
        counters=readings,
        level=_level(windows, entry),
        row_columns=tuple(entry.get("row_columns", ())),
        repeats=entry.get("repeats"),
    )
    return ReadArm(
        arm=arm,
        records=(
            record,
            *(item.record for item in receipts),
            *counter_records,
            *(_owned(item, entry["name"], context) for item in (launch, runtime) if item),
        ),
        image_claims=tuple(_image_claims(launch, runtime, _image(context, entry))),
        sources=tuple(_running_sources(runtime, context)),
        flags=tuple(_flags(entry, index)),
    )


def _load(context: Context, path: str, schema: str) -> Loaded:
    return load(context.store, path, schema, context.schemas, published=False)


def _optional(context: Context, files: Mapping[str, str], name: str) -> Loaded | None:
    """A file that the arm names; one that only the seal still promises is not read."""
    path = files.get(name)
    return _load(context, path, f"{name}-1") if path and context.paths.held(path) else None


def _receipt_paths(document: Any, paths: Paths) -> list[str]:
    named = [window["receipt"] for window in document["windows"] if "receipt" in window]
    return [path for path in dict.fromkeys(named) if paths.held(path)]


def _counters(
    context: Context, files: Mapping[str, str], arm: str
) -> tuple[tuple[CounterReading, ...] | None, tuple[Record, ...]]:
    if "counters" not in files:
        return None, ()
    read = read_counters(context.store, files["counters"], arm, context.schemas)
    return read.readings, read.records


def _owned(loaded: Loaded, arm: str, context: Context) -> Record:
    """The record of a launch or runtime file, held against the arm that it belongs to."""
    if loaded.document is None:
        return loaded.record
    path, document = loaded.record.path, loaded.document
    found = list(broken_sources(path, document, context.document))
    if document["arm"] != arm:
        found.append(other_arm(path, document["arm"], arm))
    return with_violations(loaded.record, found)


def _image(context: Context, entry: Any) -> Any:
    """The image that the arm names; the rules of bundle.json demand one beside launch files."""
    images = context.document["images"]
    return next((image for image in images if image["name"] == entry["image"]), None)


def _image_claims(
    launch: Loaded | None, runtime: Loaded | None, image: Any
) -> Iterator[ImageClaim]:
    if image is None:
        return
    if launch and launch.document is not None:
        yield reference_claim(f"{launch.record.path}#/image", image, launch.document["image"])
    if runtime and runtime.document is not None:
        yield ImageClaim(
            location=f"{runtime.record.path}#/image_id",
            image=image["name"],
            kind="config",
            value=runtime.document["image_id"],
        )


def _running_sources(runtime: Loaded | None, context: Context) -> Iterator[SourceClaim]:
    if runtime is None or runtime.document is None:
        return
    kinds = {source["name"]: source["kind"] for source in context.document["sources"]}
    for name, revision in runtime.document.get("sources", {}).items():
        yield SourceClaim(
            location=f"{runtime.record.path}#{pointer('sources', name)}",
            subject=name,
            kind=kinds.get(name, "git"),
            value=revision,
        )


def _flags(entry: Any, index: int) -> Iterator[Flag]:
    name = "all_prefix_cache_hits_zero"
    if name in entry.get("declared", {}):
        yield Flag(
            location=f"bundle.json#{pointer('arms', index, 'declared', name)}",
            topic="prefix-cache-hits",
            statement=name,
            value=entry["declared"][name],
        )


def _level(windows: tuple[WindowScore, ...], entry: Any) -> Level:
    if any(window.rows_path is None for window in windows):
        return Level.WINDOW_SCORES
    if all(window.raw_path is not None for window in windows):
        return Level.RAW_LOGITS
    if set(entry.get("row_columns", ())) >= _TOPK:
        return Level.ROW_DISTRIBUTIONS
    return Level.ROW_SCORES
