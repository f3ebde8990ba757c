"""Values without a judgement: what the retained scores give for figures or for a typed measure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from verifier.figures import plain
from verifier.intervals import Drawings, answer
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Missing
from verifier.model.wording import described
from verifier.recipes import ends
from verifier.rulings import evidence, ruling


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """What a figure's measure gives.

    Attributes:
        id: of the figure.
        measure: in words, "" when nothing is known to give the figure.
        published: as printed, "" for a typed measure.
        value: as printed by Python, or the word of a decision; None when it is missing.
        n: number of units that were reduced or resampled.
        level: evidence it was computed from.
        how: the recipe of an end point, or rule, recipe and margin of a decision; or what is
            missing.
    """

    id: str
    measure: str
    published: str
    value: str | None
    n: int | None
    level: str | None
    how: str


def recompute(case: Case, figures: Iterable[Figure], *, typed: bool = False) -> list[Recomputed]:
    """Evaluate each figure's measure, interval end or decision, as the checks do.

    Args:
        case: the bundle and its evidence.
        figures: of the bundle, or of a query.
        typed: whether the figures are a query, which published nothing.
    """
    asked = tuple(figures)
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    # One end alone may be asked for; an undeclared recipe is found by both.
    pairs = {
        figure.id: pair
        for pair in ends(asked if typed else case.bundle.figures)
        for figure in pair.values()
    }
    return [_recomputed(case, drawings, figure, pairs, typed=typed) for figure in asked]


def _recomputed(
    case: Case,
    drawings: Drawings,
    figure: Figure,
    pairs: Mapping[str, Mapping[str, Figure]],
    *,
    typed: bool,
) -> Recomputed:
    blank = Recomputed(
        id=figure.id,
        measure=described(figure),
        published="" if typed else figure.published.text,
        value=None,
        n=None,
        level=None,
        how="",
    )
    if figure.kind == "decision":
        return _decided(case, drawings, figure, blank)
    if figure.kind == "interval":
        return _end(case, drawings, figure, pairs[figure.id], blank)
    return _number(case, figure, blank)


def _number(case: Case, figure: Figure, blank: Recomputed) -> Recomputed:
    if figure.measure is None:
        return replace(blank, how=figure.missing)
    value = case.measures.value(figure.measure)
    if isinstance(value, Missing):
        return replace(blank, how=value.reason)
    number = plain(value.number, whole=figure.kind == "count")
    if isinstance(number, Missing):
        return replace(blank, how=number.reason)
    return replace(blank, value=str(number), n=value.n, level=value.level.label)


def _end(
    case: Case,
    drawings: Drawings,
    figure: Figure,
    pair: Mapping[str, Figure],
    blank: Recomputed,
) -> Recomputed:
    drawn = answer(case, drawings, pair)
    if isinstance(drawn, Missing):
        return replace(blank, how=drawn.reason)
    interval = drawn.interval
    return replace(
        blank,
        value=str(interval.low if figure.end == "low" else interval.high),
        n=interval.units,
        level=drawn.level.label,
        how=drawn.how,
    )


def _decided(case: Case, drawings: Drawings, figure: Figure, blank: Recomputed) -> Recomputed:
    held = evidence(case, drawings, figure)
    if isinstance(held, Missing):
        return replace(blank, how=held.reason)
    decided = ruling(case, held)
    if isinstance(decided, Missing):
        return replace(blank, how=decided.reason)
    return replace(
        blank,
        value=decided.word,
        n=held.n,
        level=held.level.label,
        how=held.account(decided),
    )
