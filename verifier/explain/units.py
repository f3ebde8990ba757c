"""Other units under the same measure: rounded to float32, in another order, with all rows."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from verifier.explain.selections import EXCLUDED_TOO
from verifier.measures.pairing import paired
from verifier.model.measure import Measure, Operand
from verifier.model.plugin import Case, FloatArray, Units

Altered = tuple[str, Units]
"""Words that complete "the same measure ...", and the units."""

_MOST_GROUPS = 4


def rounded(units: Units) -> Iterator[Altered]:
    """Each unit rounded to float32 before anything is computed from it."""
    with np.errstate(over="ignore"):
        vectors = tuple(vector.astype(np.float32).astype(np.float64) for vector in units.vectors)
    if all(np.isfinite(vector).all() for vector in vectors):
        yield "with its units rounded to float32", replace(units, vectors=vectors)


def float32_mean(measure: Measure, units: Units) -> Iterator[Altered]:
    """The mean in float32 arithmetic, which rounds at every addition."""
    if measure.statistic != "mean" or units.counts or units.strata:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        mean = np.mean(units.values.astype(np.float32))
    if np.isfinite(mean):
        # One unit that is the mean already: nothing is left to be reduced.
        alone = replace(
            units,
            vectors=(np.array([mean], dtype=np.float64),),
            windows=units.windows[:1],
            window_ids=units.window_ids[:1],
        )
        yield "in float32 arithmetic", alone


def with_prefill(case: Case, measure: Measure, units: Units) -> Iterator[Altered]:
    """Window scores that count the excluded rows, where only such scores are retained of them."""
    if measure.column != "kld" or units.from_rows or units.counts:
        return
    vectors = [_including(case, operand, units.window_ids) for operand in measure.arms]
    known = [vector for vector in vectors if vector is not None]
    if len(known) < len(vectors) or measure.within != "mean":
        return
    if measure.pair is not None and measure.by == "window":
        known = [paired(known[0], known[1], measure.pair)]
    if len(known) == len(units.vectors):
        yield EXCLUDED_TOO, replace(units, vectors=tuple(known))


def orders(case: Case, units: Units) -> Iterator[Altered]:
    """The windows in every other order in which a script may have met them."""
    ids = units.window_ids
    if len(set(ids)) < len(ids):
        return
    known = {tuple(range(len(ids)))}
    for words, order in _orders(case, units):
        if len(order) == len(ids) and tuple(order) not in known:
            known.add(tuple(order))
            yield words, _reordered(units, np.array(order, dtype=np.int64))


def _orders(case: Case, units: Units) -> Iterator[tuple[str, Sequence[int]]]:
    ids = units.window_ids
    places = range(len(ids))
    yield "with the windows sorted by id", sorted(places, key=lambda place: ids[place])
    position = {window: place for place, window in enumerate(ids)}
    panel = [window.id for window in case.bundle.panel]
    yield "with the windows in the order of the panel", _met(panel, position)
    for arm in case.bundle.arms[:_MOST_GROUPS]:
        listed = [window.window for window in arm.windows]
        yield f"with the windows in the order of {arm.id}", _met(listed, position)
    groups = {window.id: window.groups for window in case.bundle.panel}
    names = dict.fromkeys(name for window in ids[:1] for name in groups.get(window, ()))
    for name in list(names)[:_MOST_GROUPS]:
        yield (
            f"with the windows sorted by {name}",
            sorted(places, key=lambda place: groups.get(ids[place], {}).get(name, "")),
        )
    yield "with the windows in reverse order", places[::-1]
    if not units.from_rows:
        yield "with the windows sorted by value", np.argsort(units.values, kind="stable").tolist()


def _met(listed: Sequence[str], position: dict[str, int]) -> list[int]:
    return [position[window] for window in dict.fromkeys(listed) if window in position]


def _reordered(units: Units, order: NDArray[np.int64]) -> Units:
    """The same units with their windows in another order (windows,), old positions."""
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    windows = rank[units.windows]
    places = np.argsort(windows, kind="stable")
    return replace(
        units,
        vectors=tuple(vector[places] for vector in units.vectors),
        counts=tuple(count[places] for count in units.counts),
        windows=windows[places],
        window_ids=tuple(units.window_ids[place] for place in order.tolist()),
        strata=tuple(units.strata[place] for place in order.tolist()) if units.strata else (),
    )


def _including(case: Case, operand: Operand, windows: Sequence[str]) -> FloatArray | None:
    arm = case.bundle.arm(operand) if isinstance(operand, str) else None
    if arm is None:
        return None
    scores = {window.window: window.including_prefill for window in arm.windows}
    found = [scores.get(window) for window in windows]
    numbers = [number for number in found if number is not None]
    return np.array(numbers, dtype=np.float64) if len(numbers) == len(found) else None
