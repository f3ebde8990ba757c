"""Pages of results that bundles list: written by hand, every number bound to the bundle.

``documents/<bundle>/`` holds the page and its claims file. Who changes the numbers of a bundle
corrects its page; ``verifier verify`` says where.
"""

from pathlib import Path
from typing import Any

PAGE = "RESULTS.md"

LISTED = {
    "path": PAGE,
    "description": "The results in prose and tables, every number bound to this bundle",
    "claims": "claims.json",
}
"""How bundle.json lists the page."""

UNWRITTEN = {"path": PAGE, "description": "What is known of a bundle before anybody looks at it"}
"""How bundle.json lists the page of a bundle for which nobody wrote one."""

_FOLDER = Path(__file__).parent / "documents"
_PROTOCOL = "claim: bundle.json#/protocol"


def results(bundle: str) -> dict[str, bytes]:
    """The page and its claims file by their paths in the bundle.

    Args:
        bundle: folder below ``documents``, which is the id of a shipped bundle.
    """
    return {
        LISTED[name]: (_FOLDER / bundle / LISTED[name]).read_bytes() for name in ("path", "claims")
    }


def unwritten(protocol: Any) -> dict[str, bytes]:
    """A page for a bundle of any seed and size: its only numbers are bound by inline marks.

    Args:
        protocol: of bundle.json.
    """
    rows, vocabulary = protocol["rows"]["predicted"], protocol["metric"]["vocabulary"]
    text = (
        "# A made-up bundle\n\n"
        f"Each window has {rows} <!-- {_PROTOCOL}/rows/predicted --> predicted rows over a "
        f"vocabulary of {vocabulary} <!-- {_PROTOCOL}/metric/vocabulary -->.\n"
    )
    return {PAGE: text.encode()}
