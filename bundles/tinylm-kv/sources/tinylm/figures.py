"""figures.json: every published number of a captured bundle, kind by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from examples.tinylm.analysis import Rows
from examples.tinylm.published import (
    agreement,
    copying,
    decisions,
    distributions,
    intervals,
    likelihood,
    location,
    moved,
    pairs,
    pooled,
    position,
    tails,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from examples.tinylm.files import Folder
    from examples.tinylm.published.figure import Figure

KINDS: Final = {
    "location": location,
    "tails": tails,
    "position": position,
    "pairs": pairs,
    "agreement": agreement,
    "likelihood": likelihood,
    "moved": moved,
    "distributions": distributions,
    "copying": copying,
    "intervals": intervals,
    "pooled": pooled,
    "decisions": decisions,
}


def compute(rows: Rows) -> Mapping[str, list[Figure]]:
    """Every figure, by kind."""
    return {kind: list(module.figures(rows)) for kind, module in KINDS.items()}


def write(folder: Folder) -> int:
    """Analyse a folder's score files and write figures.json; returns the number of figures."""
    found = [figure for kind in compute(Rows(folder)).values() for figure in kind]
    folder.write_json("figures.json", [figure.document() for figure in found])
    return len(found)
