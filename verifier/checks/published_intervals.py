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
from dataclasses import dataclass

from verifier.figures import gap
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, EndPoint, Fact
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Check, Missing, Units
from verifier.model.recipe import Interval, Recipe
from verifier.numerics.agreement import rounds_to
from verifier.recipes import candidates, distance_to, draw, ends, nearest, variations

# Another recipe explains a mismatch when its end points are the published ones to six digits of a
# standard error, or to the printed digits, which may be few.
_EXPLAINS = 1e-6


# A bundle names how many intervals of how many windows, resamples and seeds are drawn. This is a
# minute or two for all of them together, and seconds for what one mismatch is worth.
_MOST_STEPS = 2**34
_MOST_STEPS_EXPLAINED = 2**29
_TOO_MUCH = "the intervals of this bundle up to here take more draws than one audit spends on them"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is resampled, and the declared recipe or every recipe to try."""

    units: Units
    recipes: tuple[Recipe, ...]

    @property
    def steps(self) -> int:
        """Draws and jackknife steps that it may take."""
        n = self.units.values.size
        return sum(n * (recipe.resamples + n) for recipe in self.recipes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """The interval that answers for published end points, and what it was drawn from."""

    units: Units
    recipe: Recipe
    interval: Interval


def _applies(case: Case) -> str:
    if any(figure.kind == "interval" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no interval"


def _run(case: Case) -> Iterable[Fact]:
    left = _MOST_STEPS
    for pair in ends(case.bundle.figures):
        figures = tuple(pair.values())
        plan = _plan(case, figures[0])
        if isinstance(plan, _Plan):
            left -= plan.steps
        drawn = _drawn(plan, pair) if left >= 0 else Missing(reason=_TOO_MUCH)
        if isinstance(drawn, Missing):
            yield from (gap(figure, drawn.reason) for figure in figures)
            continue
        yield from _permitted(case, figures[0])
        how = f"{drawn.recipe.label} ({'declared' if figures[0].recipe else 'found by search'})"
        for figure in figures:
            yield _end_point(figure, drawn, how)


def _units(case: Case, figure: Figure) -> Units | Missing:
    """What is resampled; intervals are drawn for plain means alone."""
    measure = figure.measure
    if measure is None:
        return Missing(reason=figure.missing)
    if measure.statistic != "mean" or measure.scale is not None:
        name = " of the ".join(filter(None, (measure.scale, measure.statistic)))
        return Missing(reason=f"this version draws intervals of means, not of the {name}")
    units = case.measures.units(measure)
    if not isinstance(units, Missing) and units.values.size == 0:
        return Missing(reason="the measure selects no window")
    return units


def _plan(case: Case, figure: Figure) -> _Plan | Missing:
    units = _units(case, figure)
    if isinstance(units, Missing):
        return units
    if figure.recipe is not None:
        return _Plan(units=units, recipes=(figure.recipe,))
    return _Plan(units=units, recipes=candidates(case.policy.intervals, figure.hints))


def _drawn(plan: _Plan | Missing, pair: Mapping[str, Figure]) -> _Drawn | Missing:
    if isinstance(plan, Missing):
        return plan
    declared = next(iter(pair.values())).recipe
    if declared is not None:
        drawn = draw(plan.units.values, declared)
        if isinstance(drawn, Missing):
            return drawn
        return _Drawn(units=plan.units, recipe=declared, interval=drawn)
    found = nearest(plan.units.values, _published(pair), plan.recipes)
    if found is None:
        return Missing(reason=f"none of {len(plan.recipes)} known recipes gives an interval")
    return _Drawn(units=plan.units, recipe=found[0], interval=found[1])


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
        (recipe.level, recipe.level >= rules.min_level, f"a level of at least {rules.min_level:g}"),
    )
    for value, permitted, demand in demands:
        yield Comparison(
            location=figure.location,
            expected=value if permitted else demand,
            actual=value,
            basis=Basis.POLICY,
            message=message,
        )


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
        level=drawn.units.level,
        message="The retained window scores do not give this end point.",
    )


def _explain(case: Case, figure_id: str) -> str:
    """Which of the usual recipes gives the published end points, if one does."""
    figure = next(item for item in case.bundle.figures if item.id == figure_id)
    pair = next(group for group in ends(case.bundle.figures) if figure in group.values())
    plan = _plan(case, figure)
    if isinstance(plan, _Plan) and plan.steps > _MOST_STEPS_EXPLAINED:
        return "Other recipes were not tried: they would take too many draws."
    drawn = _drawn(plan, pair)
    if isinstance(drawn, Missing):
        return ""
    for recipe in variations(drawn.recipe):
        other = draw(drawn.units.values, recipe)
        if not isinstance(other, Missing) and _gives(other, pair):
            return f"These end points are what {recipe.label} gives."
    return "None of the usual recipes gives these end points from the retained window scores."


def _gives(drawn: Interval, pair: Mapping[str, Figure]) -> bool:
    """Whether an interval explains the published end points, to the digits that are printed."""
    if distance_to(drawn, _published(pair)) <= _EXPLAINS * drawn.standard_error:
        return True
    actual = {"low": drawn.low, "high": drawn.high}
    return all(
        math.isfinite(figure.published.value) and rounds_to(actual[end], figure.published.text)
        for end, figure in pair.items()
    )


CHECK = Check(
    id="published-intervals",
    title="Published interval end points equal the interval drawn again",
    applies=_applies,
    run=_run,
    explain=_explain,
)
