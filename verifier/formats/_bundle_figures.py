"""The published numbers of a bundle in our own format: figures.json onto figures with measures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from verifier.errors import JsonError
from verifier.formats._records import short, violation
from verifier.jsontext import canonical, pointer, published
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Violation
from verifier.model.figure import Figure, Kind, Measure
from verifier.model.number import Published
from verifier.model.recipe import Recipe

PATH = "figures.json"

# Numbers of things: they are compared exactly, whatever tolerance a policy grants to means.
_EXACT_STATISTICS = frozenset({"count", "size", "common"})
_ROW_COUNTS = frozenset({"predicted_rows", "scored_rows"})
_REFERENCE = "reference:"
_DEGENERATE = Published(text="null", value=float("nan"))


def recipes(document: Any) -> Mapping[str, Recipe]:
    """The interval recipes of a valid bundle.json, by name."""
    return {
        name: Recipe(
            method=entry["method"],
            level=float(entry["level"]),
            resamples=int(entry["resamples"]),
            seed=int(entry["seed"]),
            stream=entry["stream"],
            ties=entry["ties"],
            quantile=entry["quantile"],
        )
        for name, entry in document["protocol"]["intervals"].items()
    }


def read_figures(
    document: Any, declared: Mapping[str, Recipe], arms: Sequence[Arm]
) -> tuple[Figure, ...]:
    """The figures of a valid figures.json whose names are all known."""
    ends: Counter[tuple[str, str]] = Counter()
    return tuple(
        _figure(entry, f"{PATH}#{pointer(index, 'published')}", declared, arms, ends)
        for index, entry in enumerate(document)
    )


def broken_figures(
    document: Any, declared: Mapping[str, Recipe], arms: Sequence[str]
) -> Iterator[Violation]:
    """Names in figures.json that bundle.json does not know, ids given twice, stray nulls."""
    seen: set[str] = set()
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
        if entry["published"] is None and "interval" not in entry:
            yield violation(
                PATH,
                pointer(index, "published"),
                expected="a number",
                actual="null",
                message="Only an end of a degenerate interval is published as null.",
            )
        yield from _unreadable(entry["published"], pointer(index, "published"))
        yield from _unknown_names(entry, index, declared, arms)


def _unknown_names(
    entry: Any, index: int, declared: Mapping[str, Recipe], arms: Sequence[str]
) -> Iterator[Violation]:
    recipe = entry.get("interval", {}).get("recipe")
    if recipe is not None and recipe not in declared:
        yield violation(
            PATH,
            pointer(index, "interval", "recipe"),
            expected=f"one of {', '.join(sorted(declared)) or 'no recipe at all'}",
            actual=recipe,
            message="Name an interval recipe of bundle.json.",
        )
    for name in _arm_names(entry["measure"]):
        if name not in arms and not name.startswith(_REFERENCE):
            yield violation(
                PATH,
                pointer(index, "measure"),
                expected=f"one of {', '.join(arms)}",
                actual=name,
                message="Name an arm of bundle.json.",
            )


def _unreadable(value: Any, place: str) -> Iterator[Violation]:
    """A decimal string that obeys the schema and still is no double."""
    if value is None:
        return
    try:
        published(value)
    except JsonError as error:
        yield violation(
            PATH, place, expected="a finite number", actual=short(value), message=error.message
        )


def _figure(
    entry: Any,
    location: str,
    declared: Mapping[str, Recipe],
    arms: Sequence[Arm],
    ends: Counter[tuple[str, str]],
) -> Figure:
    value = entry["published"]
    printed = _DEGENERATE if value is None else published(value, location=location)
    missing = _inexpressible(entry, arms)
    measure = None if missing else _measure(entry["measure"])
    interval = entry.get("interval")
    if interval is None:
        return Figure(
            id=entry["id"],
            location=location,
            published=printed,
            kind=_kind(entry["measure"]),
            measure=measure,
            missing=missing,
        )
    # The same end may be published twice (printed and in full); the first low then belongs to
    # the first high, so that neither publication is lost.
    around = canonical([interval["recipe"], entry["measure"]]).decode()
    ends[around, interval["end"]] += 1
    return Figure(
        id=entry["id"],
        location=location,
        published=printed,
        kind="interval",
        measure=measure,
        end=interval["end"],
        interval=f"{around} {ends[around, interval['end']]}",
        recipe=declared[interval["recipe"]],
        missing=missing,
    )


def _inexpressible(entry: Any, arms: Sequence[Arm]) -> str:
    """What stands between a measure and its number, "" when it can be evaluated."""
    measure = entry["measure"]
    if measure.get("within") == "none":
        names = _arm_names(measure)
        if any(arm.id in names and arm.level < Level.ROW_SCORES for arm in arms):
            return "the row scores are not retained, only one value per window"
        return "this version does not pool the rows of several windows"
    if "quantile" in measure:
        return "this version evaluates no quantile"
    if "interval" in entry and (measure["statistic"] != "mean" or "scale" in measure):
        return "this version draws intervals of means and of mean differences only"
    return ""


def _measure(document: Any) -> Measure:
    windows = document.get("windows")
    return Measure(
        statistic=document["statistic"],
        column=document.get("column", "kld"),
        arms=_arm_names(document),
        pair=document.get("pair"),
        group=(windows["group"], windows["value"]) if windows else None,
        scale=document.get("scale"),
    )


def _arm_names(measure: Any) -> tuple[str, ...]:
    if "arm" in measure:
        return (measure["arm"],)
    return tuple(measure.get("arms", ()))


def _kind(measure: Any) -> Kind:
    if "scale" in measure:
        return "aggregate"
    statistic = measure["statistic"]
    counts_rows = statistic == "sum" and measure.get("column") in _ROW_COUNTS
    return "count" if counts_rows or statistic in _EXACT_STATISTICS else "aggregate"
