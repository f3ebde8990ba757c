"""Figures of the published record family: every number outside the per-window lists.

Places whose meaning is known get a measure. Every other number is a figure too, without a
measure, so that it ends as NOT_RECOMPUTABLE and says what is missing instead of being skipped.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.formats._published_measures import (
    Known,
    Places,
    audit_places,
    comparison_places,
    single_arm_places,
)
from verifier.jsontext import pointer, published
from verifier.model.figure import Figure
from verifier.model.number import Published

_MISSING = (
    (re.compile(r"engine_capacity"), "the engine's startup log is not retained"),
    (re.compile(r"^/prior_attempts/"), "nothing of an earlier attempt is retained"),
    (re.compile(r"^/(tp|dcp|mtp|conditions)(/|$)"), "the launch configuration is not retained"),
    (re.compile(r"_minus_"), "it names no two arms of this record"),
    (
        re.compile(r"^/paired_window_bca95/|_lower_windows$"),
        "the record does not say which two of its arms it compares",
    ),
    (re.compile(r"historical"), "the record it comes from is named for context and not retained"),
)
_MISSING_OTHERWISE = "no retained value is known to give it"

# A seed or a number of resamples; longer runs of digits are dates, hashes or an attempt to make
# the search long, and so is a text that names many.
_HINT = re.compile(r"(?<![0-9])[0-9]{3,12}(?![0-9])")
_MOST_HINTS = 4


def comparison_figures(document: Mapping[str, Any], path: str) -> tuple[Figure, ...]:
    """Figures of a comparison record that obeys its schema."""
    evidence = {pointer("arms", name, "per_window") for name in document["arms"]}
    return _figures(document, path, comparison_places(document), evidence)


def audit_figures(document: Mapping[str, Any], path: str) -> tuple[Figure, ...]:
    """Figures of an audit record that obeys its schema: its counts."""
    return _figures(document, path, audit_places("/arms", document["arms"]), set())


def single_arm_figures(document: Mapping[str, Any], path: str) -> tuple[Figure, ...]:
    """Figures of a single-arm record that obeys its schema."""
    return _figures(document, path, single_arm_places(document, path), {"/per_window"})


def _figures(
    document: Mapping[str, Any], path: str, known: Places, evidence: set[str]
) -> tuple[Figure, ...]:
    hints = _hints(document.get("bootstrap_rng", ""))
    return tuple(
        _figure(f"{path}#{place}", number, known.get(place), path, hints)
        for place, number in _numbers(document, "", evidence)
        if number is not None or place in known
    )


def _hints(text: Any) -> tuple[int, ...]:
    """Seeds and numbers of resamples that the record names in a sentence."""
    named = [int(digits) for digits in _HINT.findall(text)] if isinstance(text, str) else []
    return tuple(dict.fromkeys(named))[:_MOST_HINTS]


def _figure(
    location: str, number: Any, known: Known | None, path: str, hints: tuple[int, ...]
) -> Figure:
    # An interval of constant data is published as null; NaN agrees with nothing else.
    printed = Published(text="null", value=math.nan) if number is None else published(number)
    if known is None:
        return Figure(
            id=location,
            location=location,
            published=printed,
            kind="aggregate",
            measure=None,
            missing=_missing(location.removeprefix(f"{path}#")),
        )
    return Figure(
        id=location,
        location=location,
        published=printed,
        kind=known.kind,
        measure=known.measure,
        end=known.end,
        interval=f"{path}#{known.interval}" if known.interval else "",
        hints=hints,
    )


def _missing(place: str) -> str:
    return next(
        (reason for pattern, reason in _MISSING if pattern.search(place)), _MISSING_OTHERWISE
    )


def _numbers(value: Any, at: str, evidence: set[str]) -> Iterator[tuple[str, Any]]:
    """Every number and null of a document with its pointer, except the per-window evidence."""
    if at in evidence:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _numbers(item, f"{at}{pointer(key)}", evidence)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{at}/{index}", evidence)
    elif value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        yield at, value
