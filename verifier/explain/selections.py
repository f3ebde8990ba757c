"""Other rows and other windows."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from verifier.explain.variation import STRICTNESS, Surroundings, Variation
from verifier.model.measure import Condition, Measure, RowSelection, WindowSelection
from verifier.model.recipe import QUANTILE_RULES

EXCLUDED_TOO = "with the excluded rows counted"

_MOST_GROUPS = 12
_MOST_PARTS = 12


def masked(measure: Measure) -> Iterator[Variation]:
    """With and without the excluded rows."""
    if measure.rows.mask == "scored":
        yield _rows(measure, EXCLUDED_TOO, replace(measure.rows, mask="all"))
    else:
        yield _rows(measure, "without the excluded rows", replace(measure.rows, mask="scored"))


def rows(measure: Measure) -> Iterator[Variation]:
    """Another range, part or condition of the rows."""
    yield from _ranges(measure)
    yield from _parts(measure)
    yield from _conditions(measure)
    yield from _trims(measure)


def windows(measure: Measure, around: Surroundings) -> Iterator[Variation]:
    """Another group, all windows, or one window fewer."""
    own = measure.windows
    if own.group is not None:
        name, value = own.group
        for other in _values(measure, around, name):
            if other != value:
                words = f"over {name} {other} instead of {value}"
                yield _windows(measure, words, replace(own, group=(name, other)))
        yield _windows(measure, f"over every {name}", replace(own, group=None))
    if own.omit:
        yield _windows(measure, "with the omitted windows", replace(own, omit=()))
    if own.ids is not None or own.first is not None:
        yield _windows(measure, "over all windows", replace(own, ids=None, first=None))
    if len(around.windows) > 1:
        for place, window in (("first", around.windows[0]), ("last", around.windows[-1])):
            words = f"without the {place} window"
            yield _windows(measure, words, replace(own, omit=(*own.omit, window)))


def _ranges(measure: Measure) -> Iterator[Variation]:
    own = measure.rows
    if own.last:
        yield _rows(measure, f"without row {own.last}", replace(own, last=own.last - 1))
    if own.first is not None:
        yield _rows(measure, f"without row {own.first}", replace(own, first=own.first + 1))
    if own.first is not None or own.last is not None or own.part is not None:
        yield _rows(measure, "over all rows", replace(own, first=None, last=None, part=None))


def _parts(measure: Measure) -> Iterator[Variation]:
    own = measure.rows
    if own.part is None:
        return
    index, of = own.part
    for other in range(1, min(of, _MOST_PARTS) + 1):
        if other != index:
            words = f"of part {other} of {of} instead of part {index}"
            yield _rows(measure, words, replace(own, part=(other, of)))


def _trims(measure: Measure) -> Iterator[Variation]:
    own = measure.rows
    if own.trim is None:
        return
    yield _rows(measure, "without trimming", replace(own, trim=None))
    for rule in QUANTILE_RULES:
        if rule != own.trim.rule:
            trim = replace(own.trim, rule=rule)
            yield _rows(measure, f"trimmed by quantile rule {rule}", replace(own, trim=trim))


def _conditions(measure: Measure) -> Iterator[Variation]:
    own = measure.rows
    for place, condition in enumerate(own.where):
        before, after = own.where[:place], own.where[place + 1 :]
        for words, other in _strictness(condition):
            yield _rows(measure, words, replace(own, where=(*before, other, *after)))
    if own.where:
        yield _rows(measure, "without the condition on its rows", replace(own, where=()))


def _strictness(condition: Condition) -> Iterator[tuple[str, Condition]]:
    for bound, other in STRICTNESS.items():
        value = getattr(condition, bound)
        if value is not None and getattr(condition, other) is None:
            words = f"where {condition.column} is {_plain(other)} {value:g}, not {_plain(bound)} it"
            changed: dict[str, float | None] = {bound: None, other: value}
            yield words, replace(condition, **changed)  # type: ignore[arg-type]


def _values(measure: Measure, around: Surroundings, name: str) -> list[str]:
    arm = around.first_arm(measure)
    held = () if arm is None else arm.windows
    found = dict.fromkeys(window.groups[name] for window in held if name in window.groups)
    return list(islice(found, _MOST_GROUPS))


def _rows(measure: Measure, words: str, selection: RowSelection) -> Variation:
    return Variation(words=words, measure=replace(measure, rows=selection))


def _windows(measure: Measure, words: str, selection: WindowSelection) -> Variation:
    return Variation(words=words, measure=replace(measure, windows=selection))


def _plain(bound: str) -> str:
    return bound.replace("_", " ")
