"""The record family that people already publish: ``comparison.json`` and what lies beside it.

Recognised by shape, not by one schema id, because the next study has another id: a JSON object
with ``arms`` whose members have ``per_window`` lists. Beside it may lie an audit (``arms`` is a
list), further single-arm records (``per_window`` at the top), and hash lists. Fields that no
schema knows are reported as not verified; JSON files of another shape are no records, and only
the seal speaks of them.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from verifier.formats import _published_arms as arms_of
from verifier.formats import _published_figures as figures_of
from verifier.formats import _published_identities as identities
from verifier.formats import _published_seal as seals
from verifier.formats._published_files import (
    AUDIT,
    COMPARISON,
    SINGLE,
    holds_comparison,
    record_files,
)
from verifier.formats._records import Loaded, load
from verifier.model.bundle import Arm, Bundle, Flag, Protocol, ReferenceName, SourceClaim
from verifier.model.figure import Figure
from verifier.model.files import Store
from verifier.model.plugin import Reader, Schemas

_Documents = list[tuple[str, Mapping[str, Any]]]


def _recognises(store: Store) -> bool:
    """A file named ``comparison.json``, or a JSON file that has a comparison's shape."""
    return "bundle.json" not in store.paths and holds_comparison(store)


def _read(store: Store, schemas: Schemas) -> Bundle:
    loaded = [
        load(store, path, schema, schemas, published=schema != AUDIT, open_world=True)
        for path, schema in record_files(store)
    ]
    lists = tuple(seals.hash_lists(store, schemas))
    bundle = Bundle(
        format="published-record",
        id=store.name,
        title=_title(loaded),
        members=store.members,
        records=(*(item.record for item in loaded), *(record for record, _ in lists)),
        seal=seals.seal(lists),
    )
    return _filled(bundle, loaded) if bundle.readable else bundle


def _filled(bundle: Bundle, loaded: list[Loaded]) -> Bundle:
    comparisons = _documents(loaded, COMPARISON)
    audits = _documents(loaded, AUDIT)
    singles = _documents(loaded, SINGLE)
    arms = _arms(comparisons, singles)
    return Bundle(
        format=bundle.format,
        id=bundle.id,
        title=bundle.title,
        members=bundle.members,
        records=bundle.records,
        seal=bundle.seal,
        protocol=Protocol(excluded=arms_of.EXCLUDED),
        panel=arms_of.panel(arms),
        arms=arms,
        images=tuple(image for path, doc in comparisons for image in identities.images(doc, path)),
        image_claims=(
            *(claim for path, doc in comparisons for claim in identities.image_claims(doc, path)),
            *(claim for path, doc in singles for claim in identities.single_arm_image(doc, path)),
        ),
        sources=tuple(_sources(comparisons, audits, singles)),
        flags=tuple(_flags(comparisons, audits, singles)),
        figures=_figures(comparisons, audits, singles),
        reference=_reference(comparisons),
    )


def _documents(loaded: list[Loaded], schema: str) -> _Documents:
    return [
        (item.record.path, item.document)
        for item in loaded
        if item.record.schema == schema and item.document is not None
    ]


def _arms(comparisons: _Documents, singles: _Documents) -> tuple[Arm, ...]:
    return (
        *(arm for path, doc in comparisons for arm in arms_of.comparison_arms(doc, path)),
        *(arms_of.single_arm(doc, path) for path, doc in singles),
    )


def _figures(
    comparisons: _Documents, audits: _Documents, singles: _Documents
) -> tuple[Figure, ...]:
    return (
        *(f for path, doc in comparisons for f in figures_of.comparison_figures(doc, path)),
        *(f for path, doc in audits for f in figures_of.audit_figures(doc, path)),
        *(f for path, doc in singles for f in figures_of.single_arm_figures(doc, path)),
    )


def _sources(
    comparisons: _Documents, audits: _Documents, singles: _Documents
) -> Iterator[SourceClaim]:
    for path, document in (*comparisons, *audits, *singles):
        yield from identities.sources(document, path)
    for path, document in comparisons:
        audit = document.get("receipt_audit", ())
        yield from identities.audited_arms(audit, f"{path}#/receipt_audit")
    for path, document in audits:
        yield from identities.audited_arms(document["arms"], f"{path}#/arms")
    for path, document in singles:
        yield from identities.window_sources(document, path)


def _flags(comparisons: _Documents, audits: _Documents, singles: _Documents) -> Iterator[Flag]:
    for path, document in comparisons:
        audit = document.get("receipt_audit", ())
        yield from identities.audit_flags(audit, f"{path}#/receipt_audit")
    for path, document in audits:
        yield from identities.audit_flags(document["arms"], f"{path}#/arms")
    for path, document in (*audits, *singles):
        yield from identities.status_flag(document, path)
    for path, document in singles:
        yield from identities.alignment_flags(document, path)


def _reference(comparisons: _Documents) -> ReferenceName | None:
    for path, document in comparisons:
        if "reference_comparison_sha256" in document:
            return ReferenceName(
                location=f"{path}#/reference_comparison_sha256",
                sha256=document["reference_comparison_sha256"],
            )
    return None


def _title(loaded: list[Loaded]) -> str:
    return next((str(doc.get("schema", "")) for _, doc in _documents(loaded, COMPARISON)), "")


READER = Reader(
    id="published-record",
    title="Published records: comparison.json, audit.json, single-arm records, hash lists",
    recognises=_recognises,
    read=_read,
)
