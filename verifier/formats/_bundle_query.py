"""A measure that the user types: the measure of an entry of figures.json, or such an entry."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from verifier.errors import JsonError, UsageError
from verifier.formats._bundle_figures import Known, broken_figures, read_figures
from verifier.formats._records import against_schema
from verifier.jsontext import decode
from verifier.model.bundle import Bundle, Violation
from verifier.model.figure import Figure
from verifier.model.plugin import Schemas

_HINT = (
    "Correct the measure: `verifier schemas figures-1` prints its schema, `verifier measures` "
    "lists statistics and columns."
)
_QUOTE = """Quote it for the shell: --measure '{"statistic": "mean", "arm": "NAME"}'."""
_ENTRY = frozenset({"measure", "interval", "decide"})


def read_query(text: str, bundle: Bundle, schemas: Schemas) -> tuple[Figure, ...]:
    """The figures that a query asks for: one, or the two ends of an interval.

    Args:
        text: JSON: a measure, or ``{"measure": ..., "interval": {"recipe": NAME}}``, or
            ``{"measure": ..., "decide": {...}}``.
        bundle: whose arms, windows and recipes the query may name.
        schemas: where the schema of figures comes from.

    Raises:
        UsageError: the query is no JSON, breaks the schema or names what the bundle does not know.
    """
    try:
        document = decode(text.encode(), name="--measure")
    except (JsonError, UnicodeEncodeError) as error:
        message = f"--measure is no strict JSON: {error}"
        raise UsageError(message, hint=_QUOTE) from error
    query = document if isinstance(document, dict) and "measure" in document else None
    entry = query if query is not None else {"measure": document}
    if stray := entry.keys() - _ENTRY:
        message = f"--measure: unknown field {min(stray)!r}"
        raise UsageError(message, hint=_HINT)
    entries = list(_entries(entry))
    known = Known(
        arms=frozenset(arm.id for arm in bundle.arms),
        windows=frozenset(window.id for window in bundle.panel)
        | frozenset(window.window for arm in bundle.arms for window in arm.windows),
    )
    recipes = bundle.protocol.intervals
    _refuse(against_schema("--measure", entries, "figures-1", schemas, todo=_HINT))
    _refuse(broken_figures(entries, recipes, known))
    figures = read_figures(entries, recipes)
    return tuple(replace(figure, location="--measure") for figure in figures)


def _entries(entry: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    decide, interval = entry.get("decide"), entry.get("interval")
    published: Any = 0
    if isinstance(decide, dict):
        published = "improvement" if decide.get("rule") == "reading" else True
    plain = {"id": "measure", "published": published, **entry}
    if not isinstance(interval, dict) or "end" in interval:
        yield plain
        return
    for end in ("low", "high"):
        yield {**plain, "id": f"measure/{end}", "interval": {**interval, "end": end}}


def _refuse(violations: Iterable[Violation]) -> None:
    for found in violations:
        place = found.location.partition("#")[2].removeprefix("/0") or "the document"
        message = f"--measure: {place}: expected {found.expected}, found {found.actual}"
        raise UsageError(message, hint=found.message)
