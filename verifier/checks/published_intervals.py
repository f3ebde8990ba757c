"""Published interval end points equal the bootstrap interval of the retained window scores.

Compared: both end points of every published interval with the interval drawn again from the
retained window values, in the record's window order, under the declared recipe; and, where a
recipe is declared, that the policy permits it. A published record that declares none is held
against the known recipes ({legacy RandomState, PCG64} x {BCa, percentile} x known seeds and
resample counts); the report names the one that reproduced it.

Basis: RECOMPUTED for end points, POLICY for the recipe. An end point matches when it is equal,
within 1e-9 bootstrap standard errors or 1e-12 relative, or when it rounds to the printed digits.
Constant window values make an interval DEGENERATE: null or the constant itself is accepted.

Why it matters: resamples, seed, stream, method and window order all move the end points, and an
author who may choose them freely may choose the ones that suit.

A mismatch means that the interval belongs to other values, another window order or another recipe;
the report names what else gives the published end points, if any of the usual alternatives does
(stream, method, conventions, window order, rows, units, float32, exchanged arms, seed). That shows
what gives the digits, not what was done; few printed digits show little.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verifier.checks._permitted import permitted
from verifier.explain.interval import explain
from verifier.figures import gap
from verifier.intervals import Drawings
from verifier.model.basis import Basis, Level
from verifier.model.comparison import Comparison, EndPoint, Fact
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Check, Missing
from verifier.model.recipe import Interval, Recipe
from verifier.recipes import candidates, ends, nearest, published_ends


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """The interval that answers for published end points, and what it was drawn from."""

    level: Level
    recipe: Recipe
    interval: Interval


def _applies(case: Case) -> str:
    if any(figure.kind == "interval" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no interval"


def _run(case: Case) -> Iterable[Fact]:
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    for pair in ends(case.bundle.figures):
        figures = tuple(pair.values())
        drawn = _drawn(case, drawings, pair)
        if isinstance(drawn, Missing):
            yield from (gap(figure, drawn.reason) for figure in figures)
            continue
        if figures[0].recipe is not None:
            yield from permitted(case.policy.intervals, figures[0].recipe, figures[0].location)
        how = f"{drawn.recipe.label} ({'declared' if figures[0].recipe else 'found by search'})"
        for figure in figures:
            yield _end_point(figure, drawn, how)


def _drawn(case: Case, drawings: Drawings, pair: Mapping[str, Figure]) -> _Drawn | Missing:
    figure = next(iter(pair.values()))
    measure = figure.measure
    if measure is None:
        return Missing(reason=figure.missing)
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return value
    if figure.recipe is not None:
        interval = drawings.draw(measure, figure.recipe)
        if isinstance(interval, Missing):
            return interval
        return _Drawn(level=value.level, recipe=figure.recipe, interval=interval)
    recipes = candidates(case.policy.intervals, figure.hints)
    found = nearest(lambda recipe: drawings.draw(measure, recipe), published_ends(pair), recipes)
    if found is None:
        return Missing(reason=f"none of {len(recipes)} known recipes gives an interval")
    return _Drawn(level=value.level, recipe=found[0], interval=found[1])


def _end_point(figure: Figure, drawn: _Drawn, how: str) -> Comparison:
    interval = drawn.interval
    return Comparison(
        location=figure.location,
        expected=figure.published.value,
        actual=interval.low if figure.end == "low" else interval.high,
        printed=figure.published.text,
        basis=Basis.RECOMPUTED,
        rule=EndPoint(standard_error=interval.standard_error, degenerate=interval.degenerate),
        figure=figure.id,
        how=how,
        n=interval.units,
        level=drawn.level,
        message="The retained window scores do not give this end point.",
    )


CHECK = Check(
    id="published-intervals",
    title="Published interval end points equal the interval drawn again",
    applies=_applies,
    run=_run,
    explain=explain,
)
