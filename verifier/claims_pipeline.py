"""Documents, a claims file and data in; results out: where claims meet files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Protocol

from verifier import catalog, pipeline
from verifier.bundle_documents import format_of
from verifier.claims.bundle_figures import BundleFigures
from verifier.claims.candidates import Candidate, from_figures, from_json, gathered
from verifier.claims.check import Evidence, Looked, Stale, check
from verifier.claims.corrections import apply, unified
from verifier.claims.data import DataFiles
from verifier.claims.files import bindings
from verifier.claims.known import KnownIdentities, known_identities
from verifier.claims.locate import matches
from verifier.claims.numerals import numerals
from verifier.claims.resolve import Resolver
from verifier.claims.stale import Lookup, stale
from verifier.claims.suggest import as_claims_file, review, suggest
from verifier.claims.verdicts import judge
from verifier.errors import CannotLook, UsageError
from verifier.formats._bundle_query import read_query
from verifier.model.claim import (
    Absent,
    Binding,
    ClaimResult,
    DocumentResult,
    Found,
    Problem,
)
from verifier.model.document import Document
from verifier.model.figure import Figure
from verifier.model.plugin import Case
from verifier.model.policy import Policy
from verifier.model.wording import described
from verifier.render.json import encode
from verifier.store.history import History
from verifier.store.loose import FilesBelow, NamedFiles, StoredFiles, read_file
from verifier.store.rewrite import rewrite

_CLAIMS_FILES = ("claims.json", "claims.toml")
# Every figure stands in the first, and nothing that prose tells in the others.
_RECORDS = frozenset({"figures.json", "seal.json", "claims.json"})
_MOST_ROUNDS = 8
_NAMED = 3
_DATA = (".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".toml")
_MOST_BYTES = 32 * 1024 * 1024
"""Longest document; one of nothing but numbers takes minutes even so."""


class _Files(Protocol):
    def read(self, path: str) -> bytes | None: ...
    def names(self) -> Collection[str]: ...
    def path(self, name: str) -> Path | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What documents are held against.

    Attributes:
        policy: tolerances of recomputed values.
        bundle: folder or record file, None for none.
        reference: second bundle, for figures across records.
        data: files that may be cited; without a bundle and without any, those beside the claims
            file.
        claims: the claims file, None for ``claims.json`` or ``claims.toml`` beside the first
            document.
        jobs: threads that hash.
    """

    policy: Policy
    bundle: Path | None = None
    reference: Path | None = None
    data: tuple[Path, ...] = ()
    claims: Path | None = None
    jobs: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A document as it lies on disk, and what came of it."""

    path: Path
    data: bytes
    document: Document
    looked: Looked

    @property
    def result(self) -> DocumentResult:
        """The verdicts."""
        return self.looked.result


class Bench:
    """Everything that documents are held against, opened once.

    Args:
        documents: the documents; their names tell bindings apart.
        options: what they are held against.

    Raises:
        CannotLook: the claims file, the bundle or a named data file cannot be read.
        UsageError: no document, or two of one name.
    """

    def __init__(self, documents: Sequence[Path], options: Options) -> None:
        _refuse_twins(documents)
        claims = options.claims or _beside(documents[0])
        self._documents = documents
        self._bindings, self._problems = _bindings(claims)
        self._claims_name = claims.name if claims else ""
        self._case, self._files, digests = _opened(options, (claims or documents[0]).parent)
        self._data = DataFiles(self._files)
        self._evidence = Evidence(
            resolver=Resolver(data=self._data, figures=self._figures(), digests=digests),
            known=self._known(digests),
            stale=self._stale(History(documents[0].parent)),
        )

    def check(self) -> tuple[Checked, ...]:
        """Look at every document.

        Raises:
            CannotLook: a document cannot be read.
        """
        checked = [self.look(path, read_file(path)) for path in self._documents]
        return (self._with_problems(checked[0]), *checked[1:])

    def look(self, path: Path, data: bytes) -> Checked:
        """Look at one document.

        Args:
            path: its name.
            data: its content, which may be corrected already.

        Raises:
            CannotLook: it is no text.
        """
        document = read_document(path, data)
        looked = check(document, self._bindings, self._evidence)
        return Checked(path=path, data=data, document=document, looked=looked)

    def candidates(self) -> Iterator[Candidate]:
        """Every value that a number of a document may come from; no figure beside its own leaf."""
        places: set[str] = set()
        if self._case is not None:
            told = BundleFigures(self._case, self._query)
            for figure in self._case.bundle.figures:
                places.add(figure.location)
                value = told.figure(figure.id)
                if isinstance(value, Found) and isinstance(value.value, Decimal):
                    row = (figure.id, described(figure), value.value, value.unit)
                    yield from from_figures([row])
        for name in sorted(self._files.names()):
            if name.endswith(_DATA) and name not in _RECORDS:
                document = self._data.document(name)
                if not isinstance(document, Absent):
                    leaves = from_json(name, document)
                    yield from (leaf for leaf in leaves if leaf.source not in places)

    def _known(self, digests: Mapping[str, str]) -> KnownIdentities | None:
        names = self._files.names()
        if not names:
            return None
        judged = [path.resolve() for path in self._documents]
        # A document that lies in the bundle does not vouch for itself.
        own = [name for name in names if _is_one_of(self._files.path(name), judged)]
        return known_identities(self._data, digests, names, documents=own)

    def _figures(self) -> BundleFigures | None:
        return None if self._case is None else BundleFigures(self._case, self._query)

    def _query(self, text: str) -> tuple[Figure, ...]:
        if self._case is None:
            return ()
        return read_query(text, self._case.bundle, catalog.SCHEMAS)

    def _stale(self, history: History) -> Stale:
        def versions(name: str) -> Iterator[tuple[str, bytes]]:
            path = self._files.path(name)
            if path is not None:
                yield from history.older(path)

        def lookup(name: str, data: bytes) -> Lookup:
            resolver = Resolver(data=DataFiles(_One(name, data)), figures=None, digests={})
            return lambda source: resolver.resolve(source, {})

        return lambda suspects: stale(suspects, versions, judge=judge, lookup=lookup)

    def _with_problems(self, first: Checked) -> Checked:
        """The problems of the claims file itself, among them that it speaks of other documents."""
        problems = self._problems
        names = [str(path) for path in self._documents]
        speaks = any(
            not binding.document or matches(binding, name)
            for binding in self._bindings
            for name in names
        )
        if self._bindings and not speaks:
            message = f"it binds no number of {', '.join(names)}; its documents have other names"
            problems += (Problem(location=self._claims_name, message=message),)
        result = replace(first.result, problems=(*problems, *first.result.problems))
        return replace(first, looked=replace(first.looked, result=result))


@dataclass(frozen=True, slots=True)
class _One:
    """An older version of one file."""

    name: str
    data: bytes

    def read(self, path: str) -> bytes | None:
        return self.data if path == self.name else None

    def names(self) -> Collection[str]:
        return (self.name,)


def read_document(path: Path, data: bytes) -> Document:
    """Read a document with the reader of its suffix; plain text where none claims it.

    Raises:
        CannotLook: it is not UTF-8, or over 32 MiB.
    """
    if len(data) > _MOST_BYTES:
        message = f"{path}: {len(data)} bytes, over the limit of {_MOST_BYTES} for a document"
        raise CannotLook(message, hint="Split the document; data belong into data files.")
    try:
        source = data.decode()
    except UnicodeDecodeError as error:
        message = f"{path}: not UTF-8 at byte {error.start}"
        raise CannotLook(message, hint="Save the document as UTF-8.") from error
    formats = catalog.document_formats()
    reader = format_of(path.name, formats) or formats["plain"]
    return Document(name=str(path), format=reader.id, source=source, blocks=reader.read(source))


def _opened(options: Options, folder: Path) -> tuple[Case | None, _Files, Mapping[str, str]]:
    if options.bundle is not None:
        store, case = pipeline.opened(
            options.bundle,
            pipeline.Options(policy=options.policy, reference=options.reference, jobs=options.jobs),
        )
        stored = StoredFiles(store, options.bundle)
        return case, stored, stored.digests()
    if options.data:
        return None, NamedFiles(options.data), {}
    return None, FilesBelow(folder), {}


def _bindings(claims: Path | None) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    if claims is None:
        return (), ()
    return bindings(read_file(claims), name=claims.name, schemas=catalog.SCHEMAS)


def _beside(document: Path) -> Path | None:
    paths = (document.parent / name for name in _CLAIMS_FILES)
    return next((path for path in paths if path.is_file()), None)


def _is_claims_file(document: object) -> bool:
    """Whether decoded data bind numbers: what they hold was taken from a document."""
    said = document.get("format") if isinstance(document, dict) else None
    return isinstance(said, str) and said.startswith("claims/")


def _is_one_of(path: Path | None, judged: Collection[Path]) -> bool:
    return path is not None and path.resolve() in judged


def _refuse_twins(documents: Sequence[Path]) -> None:
    if len({str(path) for path in documents}) < len(documents):
        message = "a document is named twice"
        raise UsageError(message, hint="Name each document once.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A claims file for a person to review.

    Attributes:
        text: the file.
        doubts: lines about numbers that it leaves unbound because several sources fit.
    """

    text: str
    doubts: tuple[str, ...]


def suggested(path: Path, options: Options) -> Proposal:
    """Propose what binds the numbers of a document.

    Raises:
        CannotLook: the document, the bundle or a data file cannot be read.
    """
    bench = Bench([path], options)
    document = read_document(path, read_file(path))
    found = suggest(document, numerals(document), gathered(bench.candidates()))
    return Proposal(text=encode(as_claims_file(path.name, found)), doubts=review(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Right numbers for a document, not written yet.

    Attributes:
        path: the document.
        old: its content.
        new: its corrected content.
        difference: unified, "" when nothing changes.
        refused: lines about wrong numbers that a person has to correct.
    """

    path: Path
    old: bytes
    new: bytes
    difference: str
    refused: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether there is anything to write."""
        return self.new != self.old

    def write(self) -> None:
        """Write the corrected content in place.

        Raises:
            StoreError: the document has changed since it was read, or cannot be written; it is
                untouched then.
        """
        rewrite(self.path, self.old, self.new)


def _keeps(before: Checked, after: Checked) -> bool:
    """Whether corrections change the numbers that they are for, and nothing else that is read."""
    new = {edit.start: edit.new for edit in before.looked.edits}
    wanted = [
        (*_standing(item), new.get(item.span[0], item.text)) for item in before.result.results
    ]
    found = [(*_standing(item), item.text) for item in after.result.results]
    return found == wanted


def _standing(item: ClaimResult) -> tuple[str, str, int, int | None]:
    """What stands where, but for its column, which moves with what is corrected before it."""
    return item.what, item.claim, item.place.line, item.place.table


def corrected(path: Path, options: Options) -> Correction:
    """Correct the numbers of a document that its bindings contradict.

    Claims that are derived from other claims of the document follow in later rounds.

    Raises:
        CannotLook: the document, the claims file, the bundle or a data file cannot be read.
    """
    bench = Bench([path], options)
    (first,) = bench.check()
    latest, broken = first, False
    for _ in range(_MOST_ROUNDS):
        if not latest.looked.edits:
            break
        text = apply(latest.document.source, latest.looked.edits)
        following = bench.look(path, text.encode())
        if not _keeps(latest, following):
            broken = True
            break
        latest = following
    refused = [
        f"{path}:{item.line}:{item.column}: {item.text}: {item.reason}"
        for item in latest.looked.refusals
    ]
    refused += [f"{problem.location}: {problem.message}" for problem in first.result.problems]
    if broken:
        lines = ", ".join(f"line {line}" for line, _, _ in latest.result.patches[:_NAMED])
        why = "as a wider number does to a table drawn with lines; correct it by hand"
        refused.append(f"{path}: the corrections ({lines}) change how the rest is read, {why}")
    elif latest.looked.edits:
        more = "more corrections follow from these; write them with --partial and run it again"
        refused.append(f"{path}: {more}")
    return Correction(
        path=path,
        old=first.data,
        new=latest.data,
        difference=unified(str(path), first.document.source, latest.document.source),
        refused=tuple(refused),
    )
