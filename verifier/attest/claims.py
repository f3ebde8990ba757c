"""What a signed payload claims, read into types; nothing here looks at a signature."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.attest.fields import array, document, mapping, shown, text
from verifier.attest.statement import EXTENSION, PREDICATE_TYPE, ROOT_SUBJECT, STATEMENT_TYPE
from verifier.errors import AttestationError
from verifier.model.report import Subject

_SHA256 = re.compile(r"[0-9a-f]{64}")
_CONFIGURATION = ("policy", "verifier")
_OTHER_KIND = "Expected an attestation that `verifier verify --attest` wrote."


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a statement of this program says.

    Attributes:
        result: the result word, as written.
        subjects: files by path, in the order of the statement.
        root: the seal root, None for a bundle without one.
        time: when the bundle was verified, as written.
        policy: name and sha256 of the policy that judged.
        verifier: name with version, and sha256, of the program that judged.
        allowed_missing: sealed files that the policy let be absent.
    """

    result: str
    subjects: tuple[Subject, ...]
    root: str | None
    time: str
    policy: Subject
    verifier: Subject
    allowed_missing: frozenset[str]


def parse(payload: bytes) -> Claims:
    """Read a payload; call it only with bytes whose signature has been verified.

    A test-result of another program is refused even though its type is right: a key may sign other
    test results too, and a passed unit test says nothing about a measurement.

    Raises:
        AttestationError: not strict JSON, not a Statement v1, another predicate type, no subjects,
            subjects without a usable name or digest, or no ``measurementVerification``.
    """
    fields = document(payload, name="the signed payload", hint=_OTHER_KIND)
    _expect(fields, "_type", STATEMENT_TYPE)
    _expect(fields, "predicateType", PREDICATE_TYPE)
    predicate = mapping(fields, "predicate", "statement")
    extension = mapping(predicate, EXTENSION, "predicate")
    subjects = _subjects(fields)
    root = next((subject.sha256 for subject in subjects if subject.name == ROOT_SUBJECT), None)
    if mapping(extension, "bundle", EXTENSION).get("root") != root:
        message = f"the statement contradicts itself: subject {ROOT_SUBJECT!r} and {EXTENSION}"
        message += " name different seal roots"
        raise AttestationError(message, hint=_OTHER_KIND)
    policy, verifier = _configuration(predicate)
    return Claims(
        result=text(predicate, "result", "predicate"),
        subjects=tuple(subject for subject in subjects if subject.name != ROOT_SUBJECT),
        root=root,
        time=text(extension, "timeVerified", EXTENSION),
        policy=policy,
        verifier=verifier,
        allowed_missing=_allowed_missing(extension),
    )


def _allowed_missing(extension: Mapping[str, Any]) -> frozenset[str]:
    names = extension.get("policyAllowedMissing", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        message = f"{EXTENSION}: policyAllowedMissing is no list of names"
        raise AttestationError(message, hint=_OTHER_KIND)
    return frozenset(names)


def _expect(fields: Mapping[str, Any], key: str, expected: str) -> None:
    value = text(fields, key, "statement")
    if value != expected:
        message = f"statement: {key!r} is {shown(value)}, expected {expected!r}"
        raise AttestationError(message, hint=_OTHER_KIND)


def _subjects(fields: Mapping[str, Any]) -> tuple[Subject, ...]:
    entries = array(fields, "subject", "statement")
    if not entries:
        message = "the statement names no subject, so it speaks of no bundle"
        raise AttestationError(message, hint=_OTHER_KIND)
    subjects = tuple(_named(entry, f"subject {index}") for index, entry in enumerate(entries))
    seen = set[str]()
    for subject in subjects:
        if subject.name in seen:
            message = f"the statement names subject {shown(subject.name)} twice"
            raise AttestationError(message, hint=_OTHER_KIND)
        seen.add(subject.name)
    return subjects


def _configuration(predicate: Mapping[str, Any]) -> list[Subject]:
    entries = array(predicate, "configuration", "predicate")
    if len(entries) < len(_CONFIGURATION):
        message = "predicate: 'configuration' does not name the policy and the verifier"
        raise AttestationError(message, hint=_OTHER_KIND)
    return [_named(entry, role) for role, entry in zip(_CONFIGURATION, entries[:2], strict=True)]


def _named(entry: Mapping[str, Any], place: str) -> Subject:
    name = text(entry, "name", place)
    sha256 = text(mapping(entry, "digest", place), "sha256", f"{place} {shown(name)}")
    if not _SHA256.fullmatch(sha256):
        message = f"{place} {shown(name)}: sha256 is not 64 lower-case hex digits"
        raise AttestationError(message, hint=_OTHER_KIND)
    return Subject(name=name, sha256=sha256)
