"""Values without a judgement: what the retained scores give for figures or for a typed measure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from verifier.decisions import decide
from verifier.intervals import Drawings
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing
from verifier.model.recipe import Recipe
from verifier.model.wording import described
from verifier.recipes import candidates, ends, nearest, published_ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """What a figure's measure gives.

    Attributes:
        id: of the figure.
        measure: in words, "" when nothing is known to give the figure.
        published: as printed, "" for a typed measure.
        value: as printed by Python, or the word of a decision; None when it is missing.
        n: number of units that were reduced.
        level: evidence it was computed from.
        how: recipe or margin, or what is missing.
    """

    id: str
    measure: str
    published: str
    value: str | None
    n: int | None
    level: str | None
    how: str


def recompute(case: Case, figures: Iterable[Figure], *, typed: bool = False) -> list[Recomputed]:
    """Evaluate each figure's measure, interval end or decision.

    Args:
        case: the bundle and its evidence.
        figures: of the bundle, or of a query.
        typed: whether the figures are a query, which published nothing.
    """
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    return [_recomputed(case, drawings, figure, typed=typed) for figure in figures]


def _recomputed(case: Case, drawings: Drawings, figure: Figure, *, typed: bool) -> Recomputed:
    blank = Recomputed(
        id=figure.id,
        measure=described(figure),
        published="" if typed else figure.published.text,
        value=None,
        n=None,
        level=None,
        how="",
    )
    measure = figure.measure
    if measure is None:
        return replace(blank, how=figure.missing)
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return replace(blank, how=value.reason)
    known = replace(blank, n=value.n, level=value.level.label)
    whole = figure.kind == "count" and value.number.is_integer()
    known = replace(known, value=str(int(value.number) if whole else value.number))
    if figure.kind in {"aggregate", "count"}:
        return known
    return _from_interval(case, drawings, figure, known)


def _from_interval(case: Case, drawings: Drawings, figure: Figure, known: Recomputed) -> Recomputed:
    """An end of the measure's interval, or the decision on value and interval."""
    if figure.measure is None:
        return known
    recipe = _recipe(case, drawings, figure, figure.measure)
    interval = None if recipe is None else drawings.draw(figure.measure, recipe)
    unknown = replace(known, value=None, n=None, level=None)
    if isinstance(interval, Missing):
        return replace(unknown, how=interval.reason)
    if figure.decision is not None:
        decided = decide(figure.decision, float(known.value or "nan"), interval)
        if isinstance(decided, Missing):
            return replace(unknown, how=decided.reason)
        return replace(known, value=decided.word, how=decided.how)
    if interval is None or recipe is None:
        return replace(unknown, how="no known recipe gives an interval")
    end = interval.low if figure.end == "low" else interval.high
    return replace(known, value=str(end), n=interval.units, how=recipe.label)


def _recipe(case: Case, drawings: Drawings, figure: Figure, measure: Measure) -> Recipe | None:
    """The declared recipe; for an interval without one, the known one that lies nearest."""
    if figure.recipe is not None or figure.kind == "decision":
        return figure.recipe
    pair = next(group for group in ends(case.bundle.figures) if figure in group.values())
    found = nearest(
        lambda recipe: drawings.draw(measure, recipe),
        published_ends(pair),
        candidates(case.policy.intervals, figure.hints),
    )
    return found[0] if found is not None else None
