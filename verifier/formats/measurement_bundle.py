"""Our own sealed format, ``measurement-bundle/1`` (docs/format.md, section 1).

Recognised by a file named ``bundle.json``. Every record file is strict JSON under a closed schema;
one broken record makes the whole bundle unreadable, because half a bundle cannot be judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.formats import _bundle_figures as figures_of
from verifier.formats._bundle_arms import Context, ReadArm, read_arm
from verifier.formats._bundle_images import image_claims, read_images
from verifier.formats._bundle_recipes import broken_recipes, read_recipes
from verifier.formats._bundle_rules import PATH, Paths, broken_bundle, share_files
from verifier.formats._bundle_seal import ReadSeal, read_seal
from verifier.formats._records import Loaded, load, with_violations
from verifier.jsontext import pointer
from verifier.model.bundle import (
    Bundle,
    Hash,
    ListedDocument,
    Protocol,
    Record,
    SourceClaim,
    Window,
)
from verifier.model.files import Store
from verifier.model.plugin import Reader, Schemas

_FORMAT = "measurement-bundle/1"
_BYTES_PER_LOGIT = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}


def _recognises(store: Store) -> bool:
    return store.paths.get(PATH) == "file"


def _read(store: Store, schemas: Schemas) -> Bundle:
    seal = read_seal(store, schemas)
    main = load(store, PATH, "bundle-1", schemas, published=False)
    figures = load(store, figures_of.PATH, "figures-1", schemas, published=True)
    if main.document is None:
        return _unreadable(store, seal, (main.record, figures.record, *seal.records))
    paths = Paths(present=store.paths, promised=seal.paths)
    context = Context(
        store=store,
        schemas=schemas,
        document=main.document,
        panel={window.id: window for window in _panel(main.document, store.paths)},
        paths=paths,
    )
    readable = 0 if share_files(main.document) else len(main.document["arms"])
    arms = tuple(read_arm(context, index) for index in range(readable))
    records = (
        with_violations(
            main.record,
            (*broken_bundle(main.document, paths), *broken_recipes(main.document)),
        ),
        _figures_record(figures, main.document),
        *(record for arm in arms for record in arm.records),
        *seal.records,
    )
    if any(record.violations for record in records):
        return _unreadable(store, seal, records)
    return _bundle(_Valid(store=store, main=main, figures=figures, seal=seal, arms=arms), records)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Valid:
    """Everything that was read and broke no rule."""

    store: Store
    main: Loaded
    figures: Loaded
    seal: ReadSeal
    arms: tuple[ReadArm, ...]


def _unreadable(store: Store, seal: ReadSeal, records: tuple[Record, ...]) -> Bundle:
    """What is left of a bundle with a broken record: its files, its seal and the violations."""
    return Bundle(
        format=_FORMAT,
        id=store.name,
        title="",
        members=store.members,
        records=records,
        seal=seal.seal,
    )


def _bundle(valid: _Valid, records: tuple[Record, ...]) -> Bundle:
    document = valid.main.document
    arms = tuple(item.arm for item in valid.arms if item.arm is not None)
    return Bundle(
        format=_FORMAT,
        id=document["id"],
        title=document["title"],
        members=valid.store.members,
        records=records,
        seal=valid.seal.seal,
        protocol=_protocol(document),
        panel=_panel(document, valid.store.paths),
        arms=arms,
        images=read_images(valid.store, document),
        image_claims=(
            *image_claims(document),
            *(claim for item in valid.arms for claim in item.image_claims),
        ),
        sources=(
            *_sources(document, valid.store.paths),
            *_inputs(document, valid.store.paths),
            *(claim for item in valid.arms for claim in item.sources),
        ),
        flags=tuple(flag for item in valid.arms for flag in item.flags),
        figures=figures_of.read_figures(valid.figures.document, read_recipes(document)),
        documents=tuple(
            ListedDocument(
                path=entry["path"],
                claims=entry.get("claims", ""),
                location=f"{PATH}#{pointer('documents', index)}",
            )
            for index, entry in enumerate(document.get("documents", ()))
        ),
        carries=tuple(document["provenance"].get("carries", ())),
    )


def _panel(document: Any, present: Mapping[str, str]) -> tuple[Window, ...]:
    return tuple(
        Window(
            id=entry["id"],
            location=location,
            groups=entry.get("groups", {}),
            token=Hash(value=entry["token_sha256"], location=f"{location}/token_sha256"),
            teacher=Hash(value=entry["teacher_sha256"], location=f"{location}/teacher_sha256"),
            tokens_path=path if (path := _tokens_path(entry)) in present else None,
        )
        for index, entry in enumerate(document["windows"])
        for location in (f"{PATH}#{pointer('windows', index)}",)
    )


def _tokens_path(window: Any) -> str:
    return f"inputs/{window['id']}.tokens.npy"


def _protocol(document: Any) -> Protocol:
    metric, rows = document["protocol"]["metric"], document["protocol"]["rows"]
    return Protocol(
        vocabulary=int(metric["vocabulary"]),
        excluded=tuple(int(row) for row in rows["excluded"]),
        predicted_rows=int(rows["predicted"]) if "predicted" in rows else None,
        bytes_per_logit=_BYTES_PER_LOGIT[metric["logits_dtype"]],
        logits_dtype=metric["logits_dtype"],
        intervals=read_recipes(document),
    )


def _sources(document: Any, present: Mapping[str, str]) -> Iterator[SourceClaim]:
    """Revisions and file hashes; a retained file lies at ``sources/<name>/<path>``."""
    for index, source in enumerate(document["sources"]):
        name, place = source["name"], f"{PATH}#{pointer('sources', index)}"
        if "revision" in source:
            yield SourceClaim(
                location=f"{place}/revision",
                subject=name,
                kind=source["kind"],
                value=source["revision"],
            )
        for path, sha256 in source.get("files", {}).items():
            retained = f"sources/{name}/{path}"
            yield SourceClaim(
                location=place + pointer("files", path),
                subject=f"{name}/{path}",
                kind="file",
                value=sha256,
                path=retained if retained in present else None,
            )


def _inputs(document: Any, present: Mapping[str, str]) -> Iterator[SourceClaim]:
    """Retained input tokens: the hash that the panel gives of a window is that of its file."""
    for index, window in enumerate(document["windows"]):
        path = _tokens_path(window)
        if path in present:
            yield SourceClaim(
                location=f"{PATH}#{pointer('windows', index, 'token_sha256')}",
                subject=f"the tokens of {window['id']}",
                kind="file",
                value=window["token_sha256"],
                path=path,
            )


def _figures_record(figures: Loaded, document: Any) -> Record:
    if figures.document is None:
        return figures.record
    known = figures_of.Known(
        arms=frozenset(arm["name"] for arm in document["arms"]),
        windows=frozenset(window["id"] for window in document["windows"]),
    )
    broken = figures_of.broken_figures(figures.document, read_recipes(document), known)
    return with_violations(figures.record, broken)


READER = Reader(
    id="measurement-bundle",
    title="Our sealed format measurement-bundle/1: bundle.json, figures.json, seal.json",
    recognises=_recognises,
    read=_read,
)
