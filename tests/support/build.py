"""A valid sealed bundle as bytes in memory, one change at a time, and what an audit says of it."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from scripts.build_example_rows import SEALED_AT, SEED, files
from scripts.example_arms import Size
from tests.support.memory import MemoryStore
from verifier import audit as auditing
from verifier import catalog, seal
from verifier.bundle_documents import held_documents
from verifier.formats._bundle_query import read_query
from verifier.measures.evaluator import Evaluator
from verifier.model.bundle import Retired
from verifier.model.files import FileKind
from verifier.model.plugin import Case
from verifier.model.policy import Policy
from verifier.model.report import Report
from verifier.pipeline import identify_policy
from verifier.policy import REVIEW
from verifier.scores import StoreRows
from verifier.store.loose import StoredFiles

if TYPE_CHECKING:
    from verifier.store.folder import FolderStore

Files = dict[str, bytes]

SMALL = Size(windows=2, rows=4, vocabulary=16, top_k=4)
"""Small enough to commit many times, with two arms, two domains and every kind of file."""

DEEP = Size(windows=4, rows=8, vocabulary=32, top_k=2)
"""The same with every array that a score file may hold, and more windows."""


@lru_cache(maxsize=64)
def _valid(seed: int, size: Size) -> Mapping[str, bytes]:
    return resealed(files(seed, size))


def valid(seed: int = SEED, size: Size = SMALL) -> Files:
    """A valid bundle with its seal."""
    return dict(_valid(seed, size))


def resealed(content: Mapping[str, bytes]) -> Files:
    """The same files under a new seal, as whoever changed them would seal them.

    Retired files come from the receipts; where a record is broken, from the seal before.
    """
    loose = {path: data for path, data in content.items() if path not in seal.UNSEALED}
    store = MemoryStore(loose)
    bundle = catalog.reader_for(store).read(store, catalog.SCHEMAS)
    retired = seal.retired_from(bundle) if bundle.readable else _retired_before(content)
    # Two receipts may claim one raw file; a seal that lists it twice would not even be read.
    once = {entry.path: entry for entry in retired}
    sealed = seal.document(store.members.values(), once.values(), SEALED_AT)
    return {**content, seal.PATH: sealed}


def _retired_before(content: Mapping[str, bytes]) -> tuple[Retired, ...]:
    if seal.PATH not in content:
        return ()
    return tuple(
        Retired(
            path=entry["path"],
            sha256=entry["sha256"],
            size=entry["bytes"],
            receipt=entry["receipt"],
            location="",
        )
        for entry in json.loads(content[seal.PATH])["retired"]
    )


def with_json(content: Mapping[str, bytes], path: str, edit: Callable[[Any], object]) -> Files:
    """The same files with one record edited in place; the seal is left as it is."""
    document = json.loads(content[path])
    edit(document)
    return {**content, path: as_json(document)}


def as_json(document: Any) -> bytes:
    """A record file as the example's script writes it."""
    return (json.dumps(document, indent=1) + "\n").encode()


def flipped(content: Mapping[str, bytes], path: str, bit: int) -> Files:
    """The same files with one bit of one file changed."""
    data = bytearray(content[path])
    data[bit // 8] ^= 1 << bit % 8
    return {**content, path: bytes(data)}


def audit(
    content: Mapping[str, bytes],
    policy: Policy = REVIEW,
    *,
    others: Mapping[str, FileKind] | None = None,
) -> Report:
    """Audit a bundle in memory as the program audits one on disk.

    Args:
        content: files by path.
        policy: the bar.
        others: entries that are no regular files.
    """
    return auditing.run(
        case(content, policy, others=others),
        catalog.checks(),
        policy=identify_policy(policy),
        verifier=catalog.identity(),
    )


def case(
    content: Mapping[str, bytes],
    policy: Policy = REVIEW,
    *,
    others: Mapping[str, FileKind] | None = None,
) -> Case:
    """A bundle in memory with everything that a check may look at.

    Args:
        content: files by path.
        policy: the bar.
        others: entries that are no regular files.
    """
    store = MemoryStore(content, others=others)
    bundle = catalog.reader_for(store).read(store, catalog.SCHEMAS)
    rows = StoreRows(store)
    documents = held_documents(bundle.documents, store, catalog.SCHEMAS, catalog.document_formats())
    return Case(
        bundle=bundle,
        policy=policy,
        rows=rows,
        measures=Evaluator(bundle=bundle, rows=rows, statistics=catalog.statistics()),
        documents=tuple(documents),
        files=StoredFiles(cast("FolderStore", store), Path(store.name)),
        query=lambda text: read_query(text, bundle, catalog.SCHEMAS),
    )


def failing(report: Report) -> set[str]:
    """Ids of the checks that failed or crashed."""
    return {item.check for item in report.outcomes if item.status in {"FAILED", "ERROR"}}


def messages(report: Report) -> list[str]:
    """Every failure as one line: place, expected, actual and what it means."""
    return [
        f"{found.location}: expected {found.expected!r}, found {found.actual!r}: {found.message}"
        for outcome in report.outcomes
        for found in outcome.findings
        if found.severity == "failure"
    ]
