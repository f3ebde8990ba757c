"""Put the reports on several paths into one output, those that could not be looked at included."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.errors import UsageError, VerifierError
from verifier.render._layout import WIDTH, field, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render.json import encode

FORMAT = "verification-reports/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """What became of one path.

    Attributes:
        path: as the user named it.
        text: the rendered report; "" when there is none.
        error: why nothing could be looked at, None when there is a report.
    """

    path: str
    text: str
    error: VerifierError | None = None


def combine(format_id: str, rendered: Sequence[Rendered]) -> str:
    """One output for several paths, in the order given.

    Args:
        format_id: id of the renderer that made the texts.
        rendered: one entry for each path.

    Raises:
        UsageError: the format has no way to hold several reports.
    """
    if format_id == "text":
        return "".join(f"{line}\n" for line in _text(rendered))
    if format_id == "json":
        return encode({"format": FORMAT, "reports": [_entry(item) for item in rendered]})
    message = f"--format {format_id} holds one report, and {len(rendered)} paths were named"
    raise UsageError(message, hint="Name one PATH at a time, or use --format text or json.")


def _text(rendered: Iterable[Rendered]) -> Iterator[str]:
    rule = "=" * WIDTH
    for number, item in enumerate(rendered):
        if number:
            yield ""
        yield rule
        yield from paragraph(safe(item.path))
        yield rule
        if item.error is None:
            yield from item.text.splitlines()
            continue
        yield "NO VERDICT: there was nothing to look at"
        yield from field("error", safe(item.error.message, MESSAGE_LIMIT))
        if item.error.hint:
            yield from field("hint", safe(item.error.hint, MESSAGE_LIMIT))


def _entry(item: Rendered) -> dict[str, Any]:
    if item.error is None:
        return {"path": item.path, "report": json.loads(item.text)}
    error = {"message": item.error.message, "hint": item.error.hint}
    return {"path": item.path, "error": error}
