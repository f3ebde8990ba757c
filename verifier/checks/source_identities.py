"""Every source identity is a full hash, the same wherever it is named, and that of the kept file.

Compared: each identity with the grammar of its kind (a git commit: 40 or 64 lower-case hex digits;
a Hugging Face revision: 40; a file: the 64 of its SHA-256); each place with the first place that
names the same source; each file hash with the bytes of the file when it is retained; and another
record that this one names by the SHA-256 of its file with the record given by `--reference`.

Basis: SPEC for the grammar, SEALED for the rest: the expected side is a recorded hash.

Why it matters: a branch, a tag or a short hash can move, so it does not say which code or weights
were measured. A hash that differs between two places says that two things were measured.

A mismatch means that an identity does not pin anything, that two places speak of different
sources, or that a retained file is not the one that was named. For a reference it means that the
file given is another one; its bundle may declare that it carries the same figures, and then the
message says so, but nothing retained proves it.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from verifier.checks._digests import hex_flaw
from verifier.checks._spec_rules import rule
from verifier.checks._wording import listed
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, ReferenceName, SourceClaim, SourceKind
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.files import Member
from verifier.model.plugin import Case, Check

_LENGTHS: Mapping[SourceKind, tuple[int, ...]] = MappingProxyType(
    {"git": (40, 64), "hf": (40,), "file": (64,)}
)


def _applies(case: Case) -> str:
    if case.bundle.sources or case.bundle.reference:
        return ""
    return "the bundle names no source and no other record"


def _run(case: Case) -> Iterable[Fact]:
    first: dict[tuple[str, SourceKind], SourceClaim] = {}
    for claim in case.bundle.sources:
        flaw = hex_flaw(claim.value, _LENGTHS[claim.kind])
        yield _grammar(claim.location, claim.value, _LENGTHS[claim.kind], flaw)
        if flaw:
            continue
        leader = first.setdefault((claim.subject, claim.kind), claim)
        member = case.bundle.members.get(claim.path) if claim.path is not None else None
        if member is not None:
            yield _kept(claim, member)
        elif leader is not claim:
            yield Comparison(
                location=claim.location,
                expected=leader.value,
                actual=claim.value,
                basis=Basis.SEALED,
                message=f"{leader.location} names another identity of {claim.subject!r}.",
            )
    if case.bundle.reference is not None:
        yield from _reference(case.bundle.reference, case.reference)


def _grammar(location: str, value: str, lengths: tuple[int, ...], flaw: str) -> Comparison:
    return rule(
        location=location,
        holds=not flaw,
        demand=f"{' or '.join(map(str, lengths))} lower-case hex digits",
        actual=repr(value) if flaw else value,
        message=f"This pins nothing: {flaw}.",
    )


def _kept(claim: SourceClaim, member: Member) -> Comparison:
    return Comparison(
        location=claim.location,
        expected=claim.value,
        actual=member.sha256 if member.kind == "file" else f"a {member.kind}",
        basis=Basis.SEALED,
        message=f"{member.path} is not the file that was named as {claim.subject!r}.",
    )


def _reference(named: ReferenceName, reference: Bundle | None) -> Iterator[Fact]:
    flaw = hex_flaw(named.sha256, _LENGTHS["file"])
    yield _grammar(named.location, named.sha256, _LENGTHS["file"], flaw)
    if flaw:
        return
    if reference is None:
        yield Gap(
            location=named.location,
            reason="needs the record with sha256 "
            f"{named.sha256}; name its bundle with --reference PATH",
            concern="not-recomputable",
        )
        return
    hashes = [
        reference.members[record.path].sha256
        for record in reference.records
        if record.published and record.path in reference.members
    ]
    carried = named.sha256 in reference.carries
    yield Comparison(
        location=named.location,
        expected=named.sha256,
        actual=named.sha256 if named.sha256 in hashes else listed(hashes) or "no published record",
        basis=Basis.SEALED,
        message="The reference given is another file than the record named here."
        + (
            " It declares that it carries the figures of that record; nothing kept proves it."
            if carried
            else " It does not declare that it carries the figures of that record either."
        ),
        concern="reference-identity",
        subject=named.sha256,
    )


CHECK = Check(
    id="source-identities",
    title="Every source identity is a full hash and the same wherever it is named",
    applies=_applies,
    run=_run,
)
