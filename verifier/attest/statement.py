"""Say a report as an in-toto Statement with a test-result predicate.

The same report and time give the same bytes on any machine: RFC 8785 canonical JSON, no clock, no
environment. Numbers are texts, because Go and Python consumers turn every JSON number of a
predicate into a double. Only ``measurementVerification`` holds fields that the test-result
predicate does not define.

Formats: in-toto attestation framework v1.2 (Statement v1), test-result predicate v0.1.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import rfc8785

from verifier.errors import AttestationError
from verifier.model.report import BundleIdentity, FigureResult, Outcome, Report, Status

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
EXTENSION = "measurementVerification"
ROOT_SUBJECT = "seal-root"
SCOPE = (
    "The retained evidence was recomputed and held against what was published. "
    "Nothing was recaptured: this is not an independent measurement."
)


def build(report: Report, now: str) -> dict[str, Any]:
    """State what was verified; the subjects' digests say of which bundle.

    Subjects are the published records by path and, for a bundle whose seal has one, the root as a
    subject named ``seal-root`` (its sha256 digest is the root, not the hash of a file).

    Args:
        report: the finished report; its verdict becomes the result.
        now: time of the verification, RFC 3339, as the caller validated it.

    Returns:
        The Statement as JSON values; no number, no NaN, nothing outside ``predicate`` that the
        Statement format does not define.

    Raises:
        AttestationError: the report has no subject, or two with one name, so that a signature
            would not say what it covers.
    """
    return {
        "_type": STATEMENT_TYPE,
        "subject": _subjects(report.bundle),
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": report.verdict,
            "configuration": [
                _descriptor(report.policy.name, report.policy.sha256),
                _descriptor(
                    f"{report.verifier.name} {report.verifier.version}", report.verifier.sha256
                ),
            ],
            "passedTests": _checks(report.outcomes, "PASSED"),
            "warnedTests": _checks(report.outcomes, "WARNED"),
            "failedTests": _checks(report.outcomes, "FAILED", "ERROR"),
            EXTENSION: _extension(report, now),
        },
    }


def encode(statement: Mapping[str, Any]) -> bytes:
    """The RFC 8785 form of a statement: the bytes that are signed.

    Raises:
        AttestationError: a text in it cannot be written as JSON (an undecodable file name).
    """
    try:
        return rfc8785.dumps(dict(statement))
    except rfc8785.CanonicalizationError as error:
        message = f"the statement cannot be written as canonical JSON: {error}"
        raise AttestationError(
            message, hint="Rename the file or field whose name is not valid Unicode."
        ) from error


def _subjects(bundle: BundleIdentity) -> list[dict[str, Any]]:
    named = [(subject.name, subject.sha256) for subject in bundle.subjects]
    if bundle.root is not None:
        named.append((ROOT_SUBJECT, bundle.root))
    if not named:
        message = f"bundle {bundle.id!r} has no published record and no seal root to sign for"
        raise AttestationError(message, hint="Verify a bundle that holds a published record.")
    repeated = sorted(
        name for name, count in Counter(name for name, _ in named).items() if count > 1
    )
    if repeated:
        message = f"two subjects of the attestation would be named {repeated[0]!r}"
        raise AttestationError(
            message, hint=f"Names must be unique, and {ROOT_SUBJECT!r} is kept for the seal's root."
        )
    return [_descriptor(name, sha256) for name, sha256 in named]


def _descriptor(name: str, sha256: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": sha256}}


def _checks(outcomes: Iterable[Outcome], *statuses: Status) -> list[str]:
    return [outcome.check for outcome in outcomes if outcome.status in statuses]


def _extension(report: Report, now: str) -> dict[str, Any]:
    reference = report.reference
    return {
        "scope": SCOPE,
        "timeVerified": now,
        "bundle": _identity(report.bundle),
        "reference": None if reference is None else _reference(reference),
        "policyAllowedMissing": list(report.policy.allowed_missing),
        "evidence": dict(report.evidence),
        "comparisons": {outcome.check: str(outcome.compared) for outcome in report.outcomes},
        "notApplicable": _checks(report.outcomes, "NOT_APPLICABLE"),
        "figureCoverage": {status: str(count) for status, count in report.coverage.items()},
        "figuresNotReproduced": [
            _figure(figure) for figure in report.figures if figure.status != "REPRODUCED"
        ],
    }


def _identity(bundle: BundleIdentity) -> dict[str, Any]:
    return {"format": bundle.format, "id": bundle.id, "title": bundle.title, "root": bundle.root}


def _reference(bundle: BundleIdentity) -> dict[str, Any]:
    records = [_descriptor(subject.name, subject.sha256) for subject in bundle.subjects]
    return {**_identity(bundle), "records": records}


def _figure(figure: FigureResult) -> dict[str, Any]:
    return {
        "id": figure.id,
        "status": figure.status,
        "published": figure.published,
        "recomputed": figure.recomputed,
        "how": figure.how,
    }
