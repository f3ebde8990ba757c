"""The committed list of everything the catalogue finds, so that a deletion shows in review.

Regenerate it with ``python -m tests.support.snapshot`` after adding or removing a plugin or schema.
"""

import json
from pathlib import Path

from verifier import catalog

PATH = Path(__file__).parents[1] / "data" / "catalog.json"


def current() -> dict[str, list[str]]:
    """Every id that the catalogue finds now, by kind."""
    return {
        "checks": list(catalog.checks()),
        "documents": list(catalog.document_formats()),
        "readers": list(catalog.readers()),
        "renderers": list(catalog.renderers()),
        "schemas": list(catalog.SCHEMAS.names()),
        "statistics": list(catalog.statistics()),
    }


def write() -> None:
    """Replace the committed list by what the catalogue finds now."""
    PATH.write_text(json.dumps(current(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write()
