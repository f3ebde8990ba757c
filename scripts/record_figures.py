"""Entries of figures.json that the bundles built from public records share."""

from collections.abc import Mapping, Sequence
from typing import Any

from scripts.record_tables import RECIPE, Layout

Entry = dict[str, Any]
Measure = Mapping[str, Any]
Printed = str | int | bool


def figure(name: str, published: Printed, measure: Measure) -> Entry:
    """A published number with the measure that produces it."""
    return {"id": name, "published": published, "measure": dict(measure)}


def with_ends(name: str, published: str, ends: Sequence[str], measure: Measure) -> list[Entry]:
    """A number and the two ends of its interval."""
    return [
        figure(name, published, measure),
        *(
            {
                **figure(f"{name}/{RECIPE}-{end}", number, measure),
                "interval": {"recipe": RECIPE, "end": end},
            }
            for end, number in zip(("low", "high"), ends, strict=True)
        ),
    ]


def decision(name: str, published: Printed, measure: Measure, **rule: Any) -> Entry:
    """The word that a rule makes of a measure and its interval."""
    return {**figure(name, published, measure), "decide": {**rule, "recipe": RECIPE}}


def lower_windows(name: str, lower: int, windows: int | None, measure: Measure) -> list[Entry]:
    """In how many windows the first of two arms is lower, and of how many when that is printed."""
    count = {"statistic": "count", **measure, "pair": "lower"}
    found = [figure(f"{name}/windows", lower, count)]
    if windows is not None:
        found.append(figure(f"{name}/of-windows", windows, {**count, "statistic": "size"}))
    return found


def counts(arm: str, windows: int, layout: Layout) -> list[Entry]:
    """Windows of an arm, and what each window holds: rows, and the bytes of its raw file."""
    return [
        figure(f"{arm}/windows", windows, {"statistic": "size", "arm": arm}),
        *(
            figure(
                f"{arm}/{column.replace('_', '-')}-per-window",
                rows,
                {"statistic": "common", "column": column, "arm": arm},
            )
            for column, rows in (
                ("predicted_rows", layout.predicted_rows),
                ("scored_rows", layout.scored_rows),
                ("raw_bytes", layout.raw_bytes),
            )
            if rows is not None
        ),
    ]
