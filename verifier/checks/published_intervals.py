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
the report says which of the usual recipes would have given the published end points, if any does.
"""

import math
from collections.abc import Iterable, Iterator, Mapping

from verifier.figures import gap
from verifier.model.basis import Basis, Level
from verifier.model.comparison import Comparison, EndPoint, Fact
from verifier.model.figure import Figure, Measure
from verifier.model.plugin import Case, Check, FloatArray, Missing
from verifier.model.recipe import Interval, Recipe
from verifier.recipes import candidates, distance_to, draw, ends, nearest, variations

# Another recipe explains a mismatch when its end points are the published ones to six digits of a
# standard error: far coarser than a match, because published digits may be few.
_EXPLAINS = 1e-6


def _applies(case: Case) -> str:
    if any(figure.kind == "interval" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no interval"


def _run(case: Case) -> Iterable[Fact]:
    for pair in ends(case.bundle.figures).values():
        figures = tuple(pair.values())
        measure = figures[0].measure
        if measure is None:
            continue
        values = _values(case, measure)
        if isinstance(values, Missing):
            yield from (gap(figure, values.reason) for figure in figures)
            continue
        yield from _permitted(case, figures[0])
        found = _drawn(case, pair, values[0])
        if isinstance(found, Missing):
            yield from (gap(figure, found.reason) for figure in figures)
            continue
        recipe, drawn = found
        how = f"{recipe.label} ({'declared' if figures[0].recipe else 'found by search'})"
        for figure in figures:
            yield _end_point(figure, drawn, how, values[1])


def _values(case: Case, measure: Measure) -> tuple[FloatArray, Level] | Missing:
    units = case.measures.units(measure)
    if isinstance(units, Missing):
        return units
    if units.values.size == 0:
        return Missing(reason="the measure selects no window")
    return units.values, units.level


def _drawn(
    case: Case, pair: Mapping[str, Figure], values: FloatArray
) -> tuple[Recipe, Interval] | Missing:
    figure = next(iter(pair.values()))
    if figure.recipe is not None:
        drawn = draw(values, figure.recipe)
        return drawn if isinstance(drawn, Missing) else (figure.recipe, drawn)
    tried = candidates(case.policy.intervals, figure.hints)
    found = nearest(values, _published(pair), tried)
    return found or Missing(reason=f"none of {len(tried)} known recipes gives an interval")


def _published(pair: Mapping[str, Figure]) -> tuple[float, float]:
    """Low and high end as printed, NaN where one is not published."""
    low, high = (
        float(pair[end].published.value) if end in pair else math.nan for end in ("low", "high")
    )
    return low, high


def _permitted(case: Case, figure: Figure) -> Iterator[Fact]:
    recipe, rules = figure.recipe, case.policy.intervals
    if recipe is None:
        return
    message = "The policy does not permit this interval recipe, so it proves nothing."
    demands = (
        (recipe.method, recipe.method in rules.methods, f"one of {', '.join(rules.methods)}"),
        (recipe.stream, recipe.stream in rules.streams, f"one of {', '.join(rules.streams)}"),
        (
            recipe.resamples,
            recipe.resamples >= rules.min_resamples,
            f"at least {rules.min_resamples} resamples",
        ),
    )
    for value, permitted, demand in demands:
        yield Comparison(
            location=figure.location,
            expected=value if permitted else demand,
            actual=value,
            basis=Basis.POLICY,
            message=message,
        )


def _end_point(figure: Figure, drawn: Interval, how: str, level: Level) -> Comparison:
    return Comparison(
        location=figure.location,
        expected=figure.published.value,
        actual=drawn.low if figure.end == "low" else drawn.high,
        printed=figure.published.text,
        basis=Basis.RECOMPUTED,
        rule=EndPoint(standard_error=drawn.standard_error, degenerate=drawn.degenerate),
        figure=figure.id,
        how=how,
        level=level,
        message="The retained window scores do not give this end point.",
    )


def _explain(case: Case, figure_id: str) -> str:
    """Which of the usual recipes gives the published end points, if one does."""
    figure = next(item for item in case.bundle.figures if item.id == figure_id)
    pair = ends(case.bundle.figures)[figure.interval]
    values = _values(case, figure.measure) if figure.measure else Missing(reason="")
    if isinstance(values, Missing):
        return ""
    drawn = _drawn(case, pair, values[0])
    if isinstance(drawn, Missing):
        return ""
    published = _published(pair)
    other = nearest(values[0], published, variations(drawn[0]))
    if other and distance_to(other[1], published) <= _EXPLAINS * other[1].standard_error:
        return f"These end points are what {other[0].label} gives."
    return "None of the usual recipes gives these end points from the retained window scores."


CHECK = Check(
    id="published-intervals",
    title="Published interval end points equal the interval drawn again",
    applies=_applies,
    run=_run,
    explain=_explain,
)
