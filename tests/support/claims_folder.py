"""A folder with a small document, its data and its wrong twin, for tests of ``verifier claims``."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from verifier import catalog

DOCUMENT = """# Run

The mean is 0.26 nats <!-- claim: run.json#/mean -->, at most 0.91 <!-- claim: run.json#/most -->.
It took 12 minutes.
"""
WRONG = DOCUMENT.replace("0.26", "0.25")
DATA = {"mean": 0.2604, "most": 0.9087}


def filled(folder: Path) -> Path:
    """Write ``run.md``, ``wrong.md`` and ``run.json`` into a folder."""
    (folder / "run.md").write_text(DOCUMENT)
    (folder / "wrong.md").write_text(WRONG)
    (folder / "run.json").write_text(json.dumps(DATA))
    return folder


def claims_file(path: Path, *claims: dict[str, Any]) -> Path:
    """Write a claims file."""
    path.write_text(json.dumps({"format": "claims/1", "claims": claims}))
    return path


def report(text: str) -> dict[str, Any]:
    """A report in JSON, which obeys its schema."""
    parsed: dict[str, Any] = json.loads(text)
    jsonschema.validate(parsed, catalog.SCHEMAS.get("claims-report-1"))
    return parsed


def statuses(text: str) -> list[tuple[str, str]]:
    """Printed text and verdict of everything in a report of one document."""
    (only,) = report(text)["documents"]
    return [(item["text"], item["status"]) for item in only["results"]]
