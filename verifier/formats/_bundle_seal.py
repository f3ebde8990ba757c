"""The seal of a bundle in our own format."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from verifier import seal as sealing
from verifier.formats._records import load, violation, with_violations
from verifier.jsontext import pointer
from verifier.model.bundle import Record, Retired, Seal, SealEntry, Violation
from verifier.model.files import Store
from verifier.model.plugin import Schemas


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSeal:
    """The seal and its record; ``seal`` is None when there is none or it is malformed."""

    seal: Seal | None
    records: tuple[Record, ...]

    @property
    def paths(self) -> frozenset[str]:
        """Paths that the seal promises."""
        return frozenset(entry.path for entry in self.seal.entries) if self.seal else frozenset()


def read_seal(store: Store, schemas: Schemas) -> ReadSeal:
    """The seal of a bundle, with its root computed again from its entries."""
    if sealing.PATH not in store.paths:
        return ReadSeal(seal=None, records=())
    loaded = load(store, sealing.PATH, "seal-1", schemas, published=False)
    if loaded.document is None:
        return ReadSeal(seal=None, records=(loaded.record,))
    record = with_violations(loaded.record, _repeated(loaded.document))
    seal = None if record.violations else _seal(loaded.document)
    return ReadSeal(seal=seal, records=(record,))


def _seal(document: Any) -> Seal:
    return Seal(
        path=sealing.PATH,
        entries=tuple(
            SealEntry(
                path=entry["path"],
                sha256=entry["sha256"],
                size=int(entry["size"]),
                blake3=entry.get("blake3"),
                location=_location("files", index),
            )
            for index, entry in enumerate(document["files"])
        ),
        closed=True,
        unsealed=sealing.UNSEALED,
        root=document["root"],
        computed_root=sealing.root(document["files"], document["retired"]),
        retired=tuple(
            Retired(
                path=entry["path"],
                sha256=entry["sha256"],
                size=int(entry["bytes"]),
                receipt=entry["receipt"],
                location=_location("retired", index),
            )
            for index, entry in enumerate(document["retired"])
        ),
        own_sha256=document.get(sealing.OWN_HASH),
        computed_own_sha256=sealing.own_sha256(document),
    )


def _repeated(document: Any) -> Iterator[Violation]:
    """A path that is listed twice could promise two contents."""
    for name in ("files", "retired"):
        seen: set[str] = set()
        for index, entry in enumerate(document[name]):
            if entry["path"] in seen:
                yield violation(
                    sealing.PATH,
                    pointer(name, index, "path"),
                    expected="each path once",
                    actual=ascii(entry["path"]),
                    message="Seal the bundle again.",
                )
            seen.add(entry["path"])


def _location(name: str, index: int) -> str:
    return f"{sealing.PATH}#{pointer(name, index)}"
