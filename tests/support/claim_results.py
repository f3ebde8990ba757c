"""Results of a claims check, made by hand, for tests of what counts and shows them."""

from typing import Any

from verifier.model.claim import ClaimResult, DocumentResult, Place, Problem, Status


def result(status: Status, text: str = "0.5", **changes: Any) -> ClaimResult:
    """A number in line 3, column 5 of README.md; of a cell with ``row`` and ``column_label``."""
    at: dict[str, Any] = {"line": 3, "column": 5}
    at |= {name: changes.pop(name) for name in tuple(changes) if name in Place._fields}
    attributes: dict[str, Any] = {
        "place": Place(document="README.md", **at),
        "what": "number",
        "text": text,
        "claim": "",
        "status": status,
    }
    return ClaimResult(**(attributes | changes))


def document(*results: ClaimResult, **changes: Any) -> DocumentResult:
    """What came of README.md."""
    attributes: dict[str, Any] = {"document": "README.md", "results": results}
    return DocumentResult(**(attributes | changes))


def problem(message: str = "claim kld fits no place") -> Problem:
    """A binding that cannot be used."""
    return Problem(location="claims.json#/claims/0", message=message)
