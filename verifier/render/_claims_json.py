"""A claims check for programs: strict JSON under ``schemas/claims-report-1.schema.json``."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from verifier.claims.summary import Summary, percent
from verifier.model.claim import ClaimResult, DocumentResult
from verifier.render.json import encode

FORMAT = "claims-report/1"


def render(results: Sequence[DocumentResult], summary: Summary) -> str:
    """Every number and identity with its verdict, as ASCII JSON with a final line break.

    Args:
        results: one for each document.
        summary: of all of them.
    """
    coverage = summary.coverage
    return encode(
        {
            "format": FORMAT,
            "verdict": "FAILED" if summary.failures else "PASSED",
            "failures": list(summary.failures),
            "coverage": {
                "percent": None if coverage is None else percent(coverage),
                "owned": summary.owned,
                "unsupported": summary.missing,
                "unbound": summary.unbound,
                "ignored": summary.ignored,
            },
            "numbers": dict(summary.numbers),
            "identities": dict(summary.identities),
            "documents": [_document(result) for result in results],
        }
    )


def _document(result: DocumentResult) -> dict[str, Any]:
    return {
        "document": result.document,
        "problems": [asdict(problem) for problem in result.problems],
        "patches": [{"line": line, "old": old, "new": new} for line, old, new in result.patches],
        "results": [_result(item) for item in result.results],
    }


def _result(item: ClaimResult) -> dict[str, Any]:
    place = item.place
    return {
        "line": place.line,
        "column": place.column,
        "table": place.table,
        "row": place.row,
        "column_label": place.column_label,
        "what": item.what,
        "text": item.text,
        "claim": item.claim,
        "status": item.status,
        "expected": item.expected,
        "reason": item.reason,
        "flaws": list(item.flaws),
        "origin": item.origin,
        "context": item.context,
    }
