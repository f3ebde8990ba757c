"""The files of the bundle are exactly the files that its seal lists.

Compared: every name in the seal with the grammar of names (relative, no empty, ``.`` or ``..``
part, no backslash, drive letter or control character); every listed file with what lies there:
present, a regular file, its SHA-256 and, where recorded, its size and BLAKE3; every file that lies
there with the list, symbolic links and special files included; no file listed twice in one list;
the recorded root and the seal's own hash with those computed again. All differences are listed at
once.

Basis: SEALED for hashes, sizes, presence and the root; SPEC for names, for the way a hash is
written (lower-case hex) and for what may be sealed (regular files). A bundle without a seal gives
the gap "no-seal", and so does a record that a seal of the open kind leaves out. A signature over
the seal (``seal.dsse.json``) gives the gap "declared-only": this version does not check it.

Why it matters: every other check reads these files. Without the seal they prove what the folder
says today, not what was sealed.

A mismatch means that a file was changed, added, removed or renamed after sealing, or that the seal
was written carelessly. Compare the file with the author's copy; an absent file that everybody knows
about can be allowed by name (``--allow-missing``), and stays a warning.
"""

import re
from collections.abc import Iterable, Iterator

from verifier.checks._spec_rules import hash_text, is_sha256, rule
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Hash, Seal, SealEntry
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.files import Member
from verifier.model.plugin import Case, Check

_DRIVE = re.compile(r"[A-Za-z]:")
_LINE_NUMBER = re.compile(r":[0-9]+")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f\\]")
_CHANGED = (
    "This is not the file that was sealed: restore it or, if it was meant to change, seal again."
)


def _applies(case: Case) -> str:
    return "" if case.bundle.members else "the bundle holds no file"


def _run(case: Case) -> Iterable[Fact]:
    seal = case.bundle.seal
    if seal is None:
        yield Gap(
            location=".",
            reason="no seal lists the files, so nothing shows whether one was changed or removed",
            concern="no-seal",
        )
        return
    first: dict[tuple[str, str], SealEntry] = {}
    for entry in seal.entries:
        earlier = first.setdefault((_list_of(entry), entry.path), entry)
        yield from _entry(entry, earlier, case.bundle.members.get(entry.path))
    yield from _unlisted(case.bundle, seal)
    if seal.root is not None:
        yield Comparison(
            location=f"{seal.path}#/root",
            expected=seal.root,
            actual=seal.computed_root,
            basis=Basis.SEALED,
            message="The root does not cover this list: the seal was edited after it was made.",
        )
    if seal.own_sha256 is not None:
        yield Comparison(
            location=f"{seal.path}#/document_sha256",
            expected=seal.own_sha256,
            actual=seal.computed_own_sha256,
            basis=Basis.SEALED,
            message="The seal document was edited after it was made, for example its time.",
        )


def _list_of(entry: SealEntry) -> str:
    """The file that holds an entry, because two hash lists of a folder may list the same files."""
    return _LINE_NUMBER.sub("", entry.location.partition("#")[0])


def _entry(entry: SealEntry, earlier: SealEntry, member: Member | None) -> Iterator[Fact]:
    named_well = _is_name(entry.path)
    yield rule(
        location=entry.location,
        holds=named_well,
        demand="a relative path without empty, '.' or '..' parts",
        actual=entry.path,
        message="A seal names files inside its own folder only.",
    )
    yield rule(
        location=entry.location,
        holds=earlier is entry,
        demand="one entry per file",
        actual=entry.path,
        message=f"The file is listed at {earlier.location} already; keep one entry.",
    )
    yield hash_text(Hash(value=entry.sha256, location=entry.location))
    if entry.blake3 is not None:
        yield hash_text(Hash(value=entry.blake3, location=entry.location), algorithm="BLAKE3")
    if member is None:
        # A name that cannot exist in the bundle was reported above; "absent" adds nothing.
        if named_well:
            yield _absent(entry)
        return
    yield rule(
        location=entry.path,
        holds=member.kind == "file",
        demand="file",
        actual=member.kind,
        message="Only regular files can be sealed: put the content itself here.",
    )
    if member.kind == "file":
        yield from _content(entry, member)


def _absent(entry: SealEntry) -> Comparison:
    return Comparison(
        location=entry.path,
        expected=entry.sha256,
        actual=None,
        basis=Basis.SEALED,
        message="The seal lists this file and the bundle does not hold it.",
        concern="missing-member",
        subject=entry.path,
    )


def _content(entry: SealEntry, member: Member) -> Iterator[Fact]:
    recorded = [("SHA-256", entry.sha256, member.sha256)]
    if entry.blake3 is not None:
        recorded.append(("BLAKE3", entry.blake3, member.blake3))
    if entry.size is not None:
        yield Comparison(
            location=entry.path,
            expected=entry.size,
            actual=member.size,
            basis=Basis.SEALED,
            message=f"The file has another size in bytes. {_CHANGED}",
        )
    for name, expected, actual in recorded:
        # How a hash is written was judged above; here only what it says counts.
        if not is_sha256(expected.lower()):
            continue
        if not actual:
            yield Gap(
                location=entry.path,
                reason=f"the {name} of this file was not computed",
                concern="not-recomputable",
            )
            continue
        yield Comparison(
            location=entry.path,
            expected=expected.lower(),
            actual=actual,
            basis=Basis.SEALED,
            message=f"The {name} differs. {_CHANGED}",
        )


def _unlisted(bundle: Bundle, seal: Seal) -> Iterator[Fact]:
    listed = {entry.path for entry in seal.entries}
    free = seal.unsealed | {seal.path}
    if not seal.closed:
        for record in bundle.records:
            if record.path not in listed | free:
                yield Gap(
                    location=record.path,
                    reason="the seal does not list this record, so nothing shows if it was changed",
                    concern="no-seal",
                )
        return
    records = {record.path for record in bundle.records}
    for path, member in sorted(bundle.members.items()):
        if path in listed:
            continue
        if path in free and member.kind == "file":
            if path not in records | {seal.path}:
                yield Gap(
                    location=path,
                    reason="the seal does not cover this file, and this version checks no signature"
                    " in it",
                    concern="declared-only",
                )
            continue
        yield Comparison(
            location=path,
            expected=None,
            actual=member.sha256 or member.kind,
            basis=Basis.SEALED,
            message="The seal does not list this: it was added later. Remove it or seal again.",
        )


def _is_name(path: str) -> bool:
    if _FORBIDDEN.search(path) or _DRIVE.match(path):
        return False
    return all(part not in ("", ".", "..") for part in path.split("/"))


CHECK = Check(
    id="sealed-members",
    title="The files of the bundle are exactly those that its seal lists",
    applies=_applies,
    run=_run,
    reads_records=False,
)
