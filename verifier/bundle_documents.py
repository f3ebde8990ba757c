"""Read the prose that a bundle lists, with the claims files beside it."""

from collections.abc import Iterator, Mapping

from verifier.claims.files import bindings
from verifier.errors import StoreError
from verifier.model.bundle import ListedDocument
from verifier.model.claim import HeldDocument, Problem
from verifier.model.document import Document, DocumentFormat
from verifier.model.files import Store
from verifier.model.plugin import Schemas

MOST_BYTES = 8 * 1024 * 1024
"""Most bytes of all documents together: a megabyte of nothing but numbers takes half a minute."""


def held_documents(
    listed: tuple[ListedDocument, ...],
    store: Store,
    schemas: Schemas,
    formats: Mapping[str, DocumentFormat],
) -> Iterator[HeldDocument]:
    """Documents in a format that is read, or with a claims file; whatever is wrong is a problem.

    A file that is not there is the business of the sealed-members check: a document is passed over,
    and one without its claims file is read without bindings.

    Args:
        listed: by the bundle.
        store: where they lie.
        schemas: where the schema of claims files comes from.
        formats: readers of documents by id.
    """
    left = MOST_BYTES
    for entry in listed:
        reader = format_of(entry.path, formats)
        if entry.path not in store.paths or (reader is None and not entry.claims):
            continue
        held = _held(entry, store, schemas, reader or formats["plain"], left)
        left -= len(held.document.source) if held.document is not None else 0
        yield held


def format_of(name: str, formats: Mapping[str, DocumentFormat]) -> DocumentFormat | None:
    """The reader of a document by the ending of its name; None where none claims it."""
    lower = name.lower()
    return next((reader for reader in formats.values() if lower.endswith(reader.suffixes)), None)


def _held(
    entry: ListedDocument, store: Store, schemas: Schemas, reader: DocumentFormat, room: int
) -> HeldDocument:
    try:
        data = store.read(entry.path)
        if len(data) > room:
            over = f"over the limit of {MOST_BYTES} bytes for the documents of a bundle"
            return _unread(entry, f"{entry.path}: {len(data)} bytes, {over}")
        source = data.decode()
        claims = store.read(entry.claims) if entry.claims in store.paths else None
    except StoreError as error:
        return _unread(entry, error.message)
    except UnicodeDecodeError as error:
        return _unread(entry, f"{entry.path}: not UTF-8 at byte {error.start}")
    found, problems = (
        ((), ()) if claims is None else bindings(claims, name=entry.claims, schemas=schemas)
    )
    return HeldDocument(
        path=entry.path,
        location=entry.location,
        document=Document(
            name=entry.path, format=reader.id, source=source, blocks=reader.read(source)
        ),
        bindings=found,
        problems=problems,
    )


def _unread(entry: ListedDocument, message: str) -> HeldDocument:
    problem = Problem(location=entry.location, message=message)
    return HeldDocument(
        path=entry.path, location=entry.location, document=None, problems=(problem,)
    )
