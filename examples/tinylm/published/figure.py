"""A figure: an id, the value that the analysis computed, and the measure that says what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from examples.tinylm.resample import Estimator, Generator, Strata, Unit, interval

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from examples.tinylm.analysis import Rows

F64: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One entry of figures.json.

    Attributes:
        id: Its name.
        published: A number with all its digits, a text with the digits that are claimed, or the
            word of a decision.
        measure: What it is, as docs/format.md, section 9, writes it.
        interval: Recipe and end, for an end point.
        decide: The rule, for a decision.
    """

    id: str
    published: float | str | bool
    measure: Mapping[str, Any]
    interval: Mapping[str, str] | None = None
    decide: Mapping[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        """The entry."""
        entry = {"id": self.id, "published": self.published, "measure": dict(self.measure)}
        if self.interval is not None:
            entry["interval"] = dict(self.interval)
        if self.decide is not None:
            entry["decide"] = dict(self.decide)
        return entry


def number(name: str, published: float | str, statistic: str, **stages: Any) -> Figure:
    """A figure that is the value of a measure; whole numbers are published as such."""
    if isinstance(published, float) and published.is_integer():
        published = int(published)
    return Figure(id=name, published=published, measure={"statistic": statistic, **stages})


def ends(
    name: str, found: tuple[float, float], recipe: str, measure: Mapping[str, Any]
) -> Iterator[Figure]:
    """Both ends of an interval."""
    for end, value in zip(("low", "high"), found, strict=True):
        yield Figure(
            id=f"{name}/{recipe}/{end}",
            published=value,
            measure=measure,
            interval={"recipe": recipe, "end": end},
        )


def drawn(
    rows: Rows,
    strata: Strata,
    estimator: Estimator,
    recipe: str,
    stream: Generator | None = None,
) -> tuple[float, float]:
    """The interval of units under a named recipe."""
    return interval(strata, estimator, rows.recipes[recipe], stream)


def windows_of(*operands: F64) -> list[list[Unit]]:
    """One unit per window, in one stratum."""
    return [[tuple(np.array([value]) for value in unit) for unit in zip(*operands, strict=True)]]


def stratified(values: F64, labels: Sequence[str]) -> list[list[Unit]]:
    """One unit per window, in the strata of their labels, sorted by label."""
    return [
        [(np.array([value]),) for value, own in zip(values, labels, strict=True) if own == label]
        for label in sorted(set(labels))
    ]


def mean_of(values: F64) -> F64:
    """The mean along the last axis, as a bootstrap takes it of every replicate."""
    return np.asarray(values.mean(axis=-1))


def ratio_of(above: F64, below: F64) -> F64:
    """The ratio of two means."""
    return mean_of(above) / mean_of(below)


def relative_of(changed: F64, comparator: F64) -> F64:
    """The difference of two means relative to the second."""
    base = mean_of(comparator)
    return (mean_of(changed) - base) / base


def gap_share_of(baseline: F64, improved: F64, target: F64) -> F64:
    """The share of the gap between the first and the third mean that the second closes."""
    start = mean_of(baseline)
    return (start - mean_of(improved)) / (start - mean_of(target))
