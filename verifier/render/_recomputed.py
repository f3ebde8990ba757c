"""Recomputed values as a table for people or as JSON for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from verifier.recompute import Recomputed
from verifier.render._layout import paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._table import Row, table
from verifier.render.json import encode

FORMAT = "recomputed-values/1"
_HEAD = ("figure", "value", "n", "evidence", "published")


def as_table(values: Sequence[Recomputed]) -> str:
    """A table, what is missing below it; with a final line break."""
    return "\n".join(_lines(values)) + "\n"


def as_json(values: Sequence[Recomputed]) -> str:
    """Strict JSON; values are texts, because their digits matter."""
    return encode({"format": FORMAT, "values": [asdict(value) for value in values]})


def _lines(values: Sequence[Recomputed]) -> Iterator[str]:
    found = [value for value in values if value.value is not None]
    if found:
        yield from table(_HEAD, [_row(value) for value in found])
    for value in values:
        if value.value is None:
            reason = f"{safe(value.id)}: not recomputable: {safe(value.how, MESSAGE_LIMIT)}"
            yield from paragraph(reason, indent=4)


def _row(value: Recomputed) -> Row:
    how = f"; {safe(value.how, MESSAGE_LIMIT)}" if value.how else ""
    return Row(
        name=safe(value.id),
        note=f"= {safe(value.measure, MESSAGE_LIMIT)}{how}",
        cells=(
            safe(value.value or ""),
            "" if value.n is None else str(value.n),
            value.level or "",
            safe(value.published) if value.published else "",
        ),
    )
