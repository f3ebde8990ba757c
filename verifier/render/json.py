"""The report for programs: strict JSON that ``schemas/report-1.schema.json`` describes."""

import json
from dataclasses import asdict
from typing import Any

from verifier.model.plugin import Renderer
from verifier.model.report import BundleIdentity, Finding, Outcome, Report
from verifier.render._words import NOTICE

FORMAT = "verification-report/1"


def render(report: Report) -> str:
    r"""The report as ASCII JSON with a final line break; the same report gives the same bytes.

    Numbers that matter are texts, because their digits are part of the claim. Texts of the bundle
    are given exactly, but for code points that no JSON text can carry (lone surrogates, from file
    names that are not UTF-8): these read ``\udcXX``, a backslash and five characters.
    """
    return encode(_document(report))


def encode(document: Any) -> str:
    """A document as ASCII JSON, its keys in the order given, with a final line break.

    Raises:
        ValueError: it holds NaN or an infinity.
    """
    return json.dumps(_encodable(document), indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def _document(report: Report) -> dict[str, Any]:
    policy, verifier, reference = report.policy, report.verifier, report.reference
    return {
        "format": FORMAT,
        "verdict": report.verdict,
        "notice": NOTICE,
        "bundle": _identity(report.bundle),
        "reference": None if reference is None else _identity(reference),
        "policy": {
            "name": policy.name,
            "sha256": policy.sha256,
            "allowed_missing": list(policy.allowed_missing),
        },
        "verifier": {
            "name": verifier.name,
            "version": verifier.version,
            "sha256": verifier.sha256,
        },
        "coverage": dict(report.coverage),
        "evidence": dict(report.evidence),
        "raw_windows": dict(report.raw_windows),
        "outcomes": [_outcome(outcome) for outcome in report.outcomes],
        "figures": [asdict(figure) for figure in report.figures],
    }


def _identity(bundle: BundleIdentity) -> dict[str, Any]:
    return {
        "format": bundle.format,
        "id": bundle.id,
        "title": bundle.title,
        "root": bundle.root,
        "subjects": [asdict(subject) for subject in bundle.subjects],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "check": outcome.check,
        "status": outcome.status,
        "compared": outcome.compared,
        "declared": outcome.declared,
        "mismatches": [_finding(item) for item in outcome.findings if item.severity == "failure"],
        "warnings": [_finding(item) for item in outcome.findings if item.severity == "warning"],
        "reason": outcome.reason,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "location": finding.location,
        "expected": finding.expected,
        "actual": finding.actual,
        "basis": finding.basis,
        "message": finding.message,
    }


def _encodable(value: Any) -> Any:
    """The same document with every lone surrogate written out."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_encodable(item) for item in value]
    return value


RENDERER = Renderer(id="json", title="A report for programs, strict JSON", render=render)
