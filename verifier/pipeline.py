"""From paths to reports, attestations and seals: the only place that joins edge and core."""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from verifier import audit, catalog, seal
from verifier import policy as policies
from verifier import recompute as recomputation
from verifier.errors import CannotLook, OutputError, PolicyError, UsageError, VerifierError
from verifier.formats._bundle_query import read_query
from verifier.measures.evaluator import Evaluator
from verifier.model.bundle import Bundle
from verifier.model.claim import HeldDocument
from verifier.model.plugin import Case
from verifier.model.policy import Policy
from verifier.model.report import PolicyIdentity, Report
from verifier.recompute import Recomputed
from verifier.scores import StoreRows
from verifier.store.folder import FolderStore, Paths, open_store
from verifier.store.loose import StoredFiles, read_file
from verifier.store.output import write_new

if TYPE_CHECKING:
    from verifier.attest.check import BundleFiles, Checked

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to look at bundles.

    Attributes:
        policy: the bar.
        reference: another bundle that cross-record figures need.
        jobs: threads that hash.
        progress: called while hashing with bytes done and bytes in total.
    """

    policy: Policy
    reference: Path | None = None
    jobs: int = 1
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What became of one path: a report, or the error that kept us from looking."""

    path: str
    report: Report | None
    error: VerifierError | None = None


def load_policy(name: str, allowed_missing: Sequence[str] = ()) -> Policy:
    """A built-in policy by name, or a policy file, with the user's allowances added.

    Raises:
        PolicyError: neither a built-in name nor a readable policy file.
    """
    policy = policies.BUILT_IN.get(name) or _policy_file(Path(name))
    allowed = tuple(sorted({*policy.allowed_missing, *allowed_missing}))
    return replace(policy, allowed_missing=allowed)


def verify(paths: Sequence[Path], options: Options) -> tuple[Look, ...]:
    """Look at every path; what cannot be looked at does not keep the others from it."""
    looks: list[Look] = []
    for path in paths:
        try:
            looks.append(Look(path=str(path), report=audit_path(path, options)))
        except CannotLook as error:
            looks.append(Look(path=str(path), report=None, error=error))
    return tuple(looks)


def audit_path(path: Path, options: Options) -> Report:
    """Audit one bundle.

    Raises:
        CannotLook: nothing there, unreadable, over a limit, or of no known format.
    """
    return audit.run(
        opened(path, options)[1],
        catalog.checks(),
        policy=identify_policy(options.policy),
        verifier=catalog.identity(),
    )


def recompute(
    path: Path, options: Options, *, figures: Sequence[str] = (), measure: str | None = None
) -> list[Recomputed]:
    """Evaluate figures, or a measure that the user typed, without judging them.

    Args:
        path: the bundle.
        options: as for an audit.
        figures: ids; all figures of the bundle without any and without a measure.
        measure: JSON of a measure (``verifier.formats._bundle_query``).

    Raises:
        CannotLook: as ``audit_path``, or a record breaks its schema.
        UsageError: an id that the bundle does not publish, or a measure that it cannot have.
    """
    _, case = opened(path, options)
    bundle = case.bundle
    if not bundle.readable:
        message = f"{path}: a record breaks its schema, so nothing can be recomputed"
        raise CannotLook(message, hint="`verifier verify` says where.")
    if measure is not None:
        return recomputation.recompute(
            case, read_query(measure, bundle, catalog.SCHEMAS), typed=True
        )
    known = {figure.id for figure in bundle.figures}
    for name in figures:
        if name not in known:
            message = f"{path} publishes no figure {name!r}"
            raise UsageError(message, hint="Without --figure, every figure is listed.")
    chosen = [figure for figure in bundle.figures if not figures or figure.id in figures]
    return recomputation.recompute(case, chosen)


def opened(path: Path, options: Options) -> tuple[FolderStore, Case]:
    """A bundle with its files and everything that a check may look at.

    Raises:
        CannotLook: nothing there, unreadable, over a limit, of no known format, or the reference
            is not what it promises.
    """
    store, bundle = _open(path, options)
    rows = StoreRows(store)
    reference = reference_rows = None
    if options.reference is not None:
        reference_store, reference = _open(options.reference, options)
        _refuse_unsound(options.reference, reference)
        reference_rows = StoreRows(reference_store)
    measures = Evaluator(
        bundle=bundle,
        rows=rows,
        statistics=catalog.statistics(),
        reference=reference,
        reference_rows=reference_rows,
    )
    case = Case(
        bundle=bundle,
        policy=options.policy,
        rows=rows,
        measures=measures,
        reference=reference,
        documents=_documents(bundle, store),
        files=StoredFiles(store, path),
        query=lambda text: read_query(text, bundle, catalog.SCHEMAS),
    )
    return store, case


def _documents(bundle: Bundle, store: FolderStore) -> tuple[HeldDocument, ...]:
    if not bundle.documents:
        return ()
    from verifier.bundle_documents import held_documents  # noqa: PLC0415 - loads slowly

    return tuple(
        held_documents(bundle.documents, store, catalog.SCHEMAS, catalog.document_formats())
    )


def _refuse_unsound(path: Path, reference: Bundle) -> None:
    """Refuse a reference that cannot be read or is not what the seal named in the report covers.

    Raises:
        CannotLook: a record breaks its schema, or a file is not as the reference's seal promises.
    """
    hint = "Verify it on its own to see where."
    if not reference.readable:
        message = f"{path}: the reference bundle breaks its schema"
        raise CannotLook(message, hint=hint)
    differing = seal.departures(reference.members, reference.seal) if reference.seal else ()
    if differing:
        message = (
            f"{path}: the reference bundle is not as its seal promises: {differing[0]} differs"
        )
        raise CannotLook(message, hint=hint)


def identify_policy(policy: Policy) -> PolicyIdentity:
    """Name a policy by its digest, for reports."""
    return PolicyIdentity(
        name=policy.name,
        sha256=policies.digest(policy),
        allowed_missing=policy.allowed_missing,
    )


def exit_code(looks: Sequence[Look], *, strict: bool) -> int:
    """The worst exit of all paths: 3 cannot look, 1 failed (or warned when strict), 0."""
    codes = [0]
    for look in looks:
        if look.error is not None:
            codes.append(look.error.exit_code)
        elif look.report is not None:
            verdict = look.report.verdict
            codes.append(int(verdict == "FAILED" or (strict and verdict == "WARNED")))
    return max(codes)


def timestamp(text: str | None) -> str:
    """The given RFC 3339 time, or now in UTC.

    Raises:
        UsageError: the text is no RFC 3339 time with a zone.
    """
    if text is None:
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        valid = _RFC3339.fullmatch(text) is not None and datetime.fromisoformat(text) is not None
    except ValueError:
        valid = False
    if not valid:
        message = f"--time {text!r} is no RFC 3339 time with a zone"
        raise UsageError(message, hint="Write it like 2026-09-09T21:25:29Z.")
    return text


def attest(report: Report, *, now: str, key: Path, outputs: dict[str, Path]) -> None:
    """Sign the verdict and write the envelope, and the Sigstore bundle when asked for.

    Args:
        report: the verdict to sign, whichever it is.
        now: RFC 3339 time of the verification.
        key: Ed25519 private key, PEM.
        outputs: ``envelope`` and optionally ``sigstore`` to new files.

    Raises:
        KeyFileError: the key cannot be used.
        OutputError: a file exists already or cannot be written.
        CannotLook: nothing in the bundle could be named as a subject.
    """
    from verifier.attest import dsse, keys, sigstore_bundle, statement  # noqa: PLC0415 - lazy

    if not report.bundle.subjects:
        message = f"{report.bundle.id}: no file that an attestation could name"
        raise CannotLook(message, hint="The bundle's record is not there; see the report.")
    payload = statement.encode(statement.build(report, now))
    envelope = dsse.sign(payload, keys.load_private(key))
    write_new(outputs["envelope"], dsse.encode(envelope))
    if "sigstore" in outputs:
        write_new(outputs["sigstore"], sigstore_bundle.wrap(envelope))


def check_attestation(
    file: Path,
    *,
    trust: Sequence[Path],
    bundle: Path | None,
    require: Literal["PASSED", "WARNED"],
    jobs: int,
) -> "Checked":
    """Check an attestation against trusted keys and, when given, the files of a bundle.

    The files themselves are held against the seal, so a file that changed after the verdict is
    noticed even when the seal beside it still speaks of the old one.

    Raises:
        AttestationError: it is not what it claims.
        CannotLook: a file cannot be read.
    """
    from verifier.attest import check, keys  # noqa: PLC0415 - lazy: cryptography loads slowly

    data = read_input(file)
    public = [keys.load_public(path) for path in trust]
    files = _files(bundle, jobs) if bundle is not None else None
    return check.check(data, public, bundle=files, require=require)


def _files(path: Path, jobs: int) -> "BundleFiles":
    from verifier.attest.check import BundleFiles  # noqa: PLC0415 - cryptography loads slowly

    store, bundle = _open(path, Options(policy=policies.REVIEW, jobs=jobs))
    members = store.members
    sha256 = {name: member.sha256 for name, member in members.items()}
    vouching = seal.vouching(members, bundle.seal)
    if bundle.seal is None:
        return BundleFiles(sha256=sha256, vouching=vouching)
    return BundleFiles(
        sha256=sha256,
        vouching=vouching,
        root=bundle.seal.computed_root,
        departures=seal.departures(members, bundle.seal),
        absent=seal.absent(members, bundle.seal),
    )


def seal_folder(folder: Path, *, now: str, jobs: int) -> Path:
    """Write ``seal.json`` for a folder in our format; an existing seal is replaced atomically.

    Raises:
        CannotLook: the folder is no bundle in our format or cannot be written.
    """
    from verifier.store.output import write_atomic  # noqa: PLC0415 - only for this command

    store, bundle = _open(folder, Options(policy=policies.REVIEW, jobs=jobs))
    if bundle.format != "measurement-bundle/1" or not folder.is_dir():
        message = f"{folder}: only a folder in the format measurement-bundle/1 can be sealed"
        raise CannotLook(message, hint="It holds bundle.json; see docs/format.md.")
    broken = [
        violation
        for record in bundle.records
        if record.path != seal.PATH
        for violation in record.violations
    ]
    if broken:
        message = f"{broken[0].location}: {broken[0].message}"
        raise CannotLook(message, hint="Mend the record; sealing it would seal the fault.")
    target = folder / seal.PATH
    write_atomic(target, seal.document(store.members.values(), seal.retired_from(bundle), now))
    return target


def read_input(path: Path) -> bytes:
    """The bytes of a file the user names.

    Raises:
        CannotLook: it cannot be read.
    """
    return read_file(path)


def refuse_existing(paths: Sequence[Path | None], *, inside: Sequence[Path]) -> None:
    """Refuse output files that exist, coincide or lie in a bundle, before any long work starts.

    Raises:
        OutputError: a file exists already.
        UsageError: a file is named twice, or would become part of a bundle that is being looked at.
    """
    seen: set[Path] = set()
    for path in filter(None, paths):
        if os.path.lexists(path):
            message = f"{path} exists already"
            raise OutputError(message, hint="Nothing is overwritten; name another file.")
        real = Path(os.path.realpath(path))
        if real in seen:
            message = f"{path} is named for two outputs"
            raise UsageError(message, hint="Name a file of its own for each.")
        seen.add(real)
        for bundle in inside:
            if real.is_relative_to(os.path.realpath(bundle)):
                message = f"{path} lies inside the bundle {bundle}"
                raise UsageError(message, hint="An extra file breaks the seal; write elsewhere.")


def _policy_file(path: Path) -> Policy:
    if not path.exists():
        message = f"no policy {str(path)!r}"
        known = ", ".join(policies.BUILT_IN)
        raise PolicyError(message, hint=f"Built in: {known}; or name a policy file.")
    return policies.parse(read_input(path), name=path.name, schema=catalog.SCHEMAS.get("policy-1"))


def _open(path: Path, options: Options) -> tuple[FolderStore, Bundle]:
    store = _store(path, jobs=options.jobs, progress=options.progress)
    return store, catalog.reader_for(store).read(store, catalog.SCHEMAS)


def _store(path: Path, *, jobs: int, progress: Callable[[int, int], None] | None) -> FolderStore:
    return open_store(path, jobs=jobs, blake3=_wants_blake3, progress=progress)


def _wants_blake3(paths: Paths) -> bool:
    """Only a seal in our own format records BLAKE3 digests."""
    return "bundle.json" in paths
