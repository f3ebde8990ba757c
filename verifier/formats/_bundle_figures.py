"""The published numbers of a bundle in our own format: figures.json onto figures with measures."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from verifier.errors import JsonError
from verifier.exactness import counts_things
from verifier.formats._bundle_measures import read_measure, unknown_names
from verifier.formats._records import listed, short, violation
from verifier.jsontext import canonical, pointer, published
from verifier.model.bundle import Violation
from verifier.model.figure import READINGS, Decision, Figure
from verifier.model.number import Published
from verifier.model.recipe import Recipe

PATH = "figures.json"

_NAME = {
    "recipe": "Name an interval recipe of bundle.json.",
    "arm": "Name an arm of bundle.json.",
    "window": "Name a window of bundle.json.",
}
_DEGENERATE = Published(text="null", value=float("nan"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Names that a measure may use."""

    arms: frozenset[str]
    windows: frozenset[str]


def read_figures(document: Any, declared: Mapping[str, Recipe]) -> tuple[Figure, ...]:
    """The figures of a valid figures.json whose names are all known."""
    ends: Counter[tuple[str, str]] = Counter()
    return tuple(
        _figure(entry, f"{PATH}#{pointer(index, 'published')}", declared, ends)
        for index, entry in enumerate(document)
    )


def broken_figures(
    document: Any, declared: Mapping[str, Recipe], known: Known
) -> Iterator[Violation]:
    """Names in figures.json that bundle.json does not know, ids given twice, stray nulls."""
    seen: set[str] = set()
    some = {
        "recipe": listed(sorted(declared)) or "no recipe at all",
        "arm": listed(sorted(known.arms)),
        "window": listed(sorted(known.windows)),
    }
    for index, entry in enumerate(document):
        if entry["id"] in seen:
            yield violation(
                PATH,
                pointer(index, "id"),
                expected="each id once",
                actual=entry["id"],
                message="Give every published number its own id.",
            )
        seen.add(entry["id"])
        yield from _misplaced_word(entry, pointer(index, "published"))
        if entry["published"] is None and not entry.keys() & {"interval", "decide"}:
            yield violation(
                PATH,
                pointer(index, "published"),
                expected="a number",
                actual="null",
                message="Only an end of a degenerate interval is published as null.",
            )
        yield from _unreadable(entry["published"], pointer(index, "published"))
        for place, kind, name in _unknown_names(entry, index, declared, known):
            yield violation(
                PATH,
                place,
                expected=f"one of {some[kind]}",
                actual=name,
                message=_NAME[kind],
            )


def _unknown_names(
    entry: Any, index: int, declared: Mapping[str, Recipe], known: Known
) -> Iterator[tuple[str, str, str]]:
    """(pointer, kind, name) of what bundle.json does not know."""
    for key in ("interval", "decide"):
        recipe = entry.get(key, {}).get("recipe")
        if recipe is not None and recipe not in declared:
            yield pointer(index, key, "recipe"), "recipe", recipe
    place = pointer(index, "measure")
    yield from unknown_names(entry["measure"], place, known.arms, known.windows)


def _misplaced_word(entry: Any, place: str) -> Iterator[Violation]:
    """A word or a truth value that no decision makes, or a number that one should."""
    value = entry["published"]
    if "decide" not in entry:
        if isinstance(value, bool) or _is_word(value):
            yield violation(
                PATH,
                place,
                expected="a number",
                actual=short(value),
                message="Words and truth values are published with the rule that decides them.",
            )
        return
    words = READINGS if entry["decide"]["rule"] == "reading" else ("true", "false")
    wants_word = entry["decide"]["rule"] == "reading"
    if isinstance(value, bool) == wants_word or (wants_word and value not in words):
        yield violation(
            PATH,
            place,
            expected=f"one of {', '.join(words)}",
            actual=short(value),
            message="A decision is published as the word or truth value that its rule gives.",
        )


def _unreadable(value: Any, place: str) -> Iterator[Violation]:
    """A decimal string that obeys the schema and still is no double."""
    if value is None or isinstance(value, bool) or _is_word(value):
        return
    try:
        published(value)
    except JsonError as error:
        yield violation(
            PATH, place, expected="a finite number", actual=short(value), message=error.message
        )


def _figure(
    entry: Any, location: str, declared: Mapping[str, Recipe], ends: Counter[tuple[str, str]]
) -> Figure:
    measure = read_measure(entry["measure"])
    interval, decide = entry.get("interval"), entry.get("decide")
    figure = Figure(
        id=entry["id"],
        location=location,
        published=_published(entry["published"], location),
        kind="count" if counts_things(measure) else "aggregate",
        measure=measure,
    )
    if decide is not None:
        recipe = declared[decide["recipe"]] if "recipe" in decide else None
        return replace(figure, kind="decision", recipe=recipe, decision=_decision(decide))
    if interval is None:
        return figure
    # The same end may be published twice (printed and in full); the first low then belongs to
    # the first high, so that neither publication is lost.
    around = canonical([interval["recipe"], entry["measure"]]).decode()
    ends[around, interval["end"]] += 1
    return replace(
        figure,
        kind="interval",
        end=interval["end"],
        interval=f"{around} {ends[around, interval['end']]}",
        recipe=declared[interval["recipe"]],
    )


def _published(value: Any, location: str) -> Published:
    if value is None:
        return _DEGENERATE
    if isinstance(value, bool):
        return Published(text=str(value).lower(), value=math.nan)
    if _is_word(value):
        return Published(text=value, value=math.nan)
    return published(value, location=location)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value[:1].isalpha()


def _decision(document: Any) -> Decision:
    plain = Decision(rule=document["rule"])
    return Decision(
        rule=plain.rule,
        better=document.get("better", plain.better),
        margin=float(document.get("margin", plain.margin)),
        strict=document.get("strict", plain.strict),
        operator=document.get("operator", plain.operator),
        threshold=float(document.get("threshold", plain.threshold)),
        of=document.get("of", plain.of),
    )
