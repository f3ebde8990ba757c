"""Evaluate measures over one bundle and, when given, its reference. Nothing here judges.

Values come from the deepest evidence that every window of an arm retains: from the row arrays when
they are there, else from the per-window scores.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

import numpy as np

from verifier.measures.arguments import arguments, known_statistic
from verifier.measures.lacking import LackingError, lacking
from verifier.measures.operands import Operands, Run, Side
from verifier.measures.resampled import Resampler, positions
from verifier.measures.shared import SharedDraws
from verifier.measures.units import UnitBuilder
from verifier.measures.work import WINDOW_STEPS, Work
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle
from verifier.model.measure import Measure
from verifier.model.plugin import (
    FloatArray,
    Missing,
    Rows,
    Spent,
    Statistic,
    Units,
    Value,
)
from verifier.model.recipe import Interval, Recipe
from verifier.numerics import resampling
from verifier.numerics.resampling import Sample
from verifier.numerics.vector import fsum_mean

T = TypeVar("T")


class Evaluator:
    """Evaluates measures; what many figures share is computed once."""

    def __init__(
        self,
        *,
        bundle: Bundle,
        rows: Rows,
        statistics: Mapping[str, Statistic],
        reference: Bundle | None = None,
        reference_rows: Rows | None = None,
    ) -> None:
        other = None
        if reference is not None and reference_rows is not None:
            other = Side.of(reference, reference_rows)
        self._own = Side.of(bundle, rows)
        work = Work()
        self._operands = Operands(self._own, other, work)
        self._units = UnitBuilder(self._operands, statistics, work)
        self._resampler = Resampler(work)
        self._work = work
        self._statistics = statistics
        self._values: dict[Measure, Value | Missing] = {}
        self._intervals: dict[tuple[Measure, Recipe, Spent], Interval | Missing] = {}

    def value(self, measure: Measure) -> Value | Missing:
        """The number a measure gives, or what is missing for it."""
        if measure not in self._values:
            self._values[measure] = _guarded(lambda: self._value(measure))
        return self._values[measure]

    def units(self, measure: Measure) -> Units | Missing:
        """The vectors that the measure's statistic reduces, in the order of the first arm."""
        return _guarded(lambda: self._built(measure)[1])

    def interval(self, measure: Measure, recipe: Recipe, before: Spent = ()) -> Interval | Missing:
        """The measure's interval under a recipe, or why there is none.

        A scale moves the end points: they are divided by the number that the measure is relative
        to, not drawn again.
        """
        key = (measure, recipe, before)
        if key not in self._intervals:
            self._intervals[key] = _guarded(lambda: self._interval(measure, recipe, before))
        return self._intervals[key]

    def spent(self, measure: Measure, recipe: Recipe) -> Spent | Missing:
        """What drawing the interval takes from the stream."""
        return _guarded(lambda: resampling.spent(self._sample(measure, recipe), recipe))

    def value_of(self, measure: Measure, units: Units) -> Value | Missing:
        """The number a measure would give if these were its units."""
        return _guarded(lambda: self._value_of(measure, units))

    def intervals_of(
        self, measure: Measure, recipes: Sequence[Recipe], units: Units, before: Spent = ()
    ) -> tuple[Interval | Missing, ...]:
        """The measure's interval under each recipe, if these were its units.

        Recipes that draw alike share their replicates.
        """
        drawn = SharedDraws()
        found: dict[Recipe, Interval | Missing] = {}
        # Fewer resamples are the first of more: the most are drawn first.
        for recipe in sorted(recipes, key=lambda recipe: recipe.resamples, reverse=True):
            found[recipe] = _guarded(
                partial(self._interval_of, measure, recipe, units, before, drawn)
            )
        return tuple(found[recipe] for recipe in recipes)

    def window_values(self, arm: Arm, column: str) -> Mapping[str, float] | Missing:
        """Mean of a column over the scored rows, by window id, where row arrays are retained.

        One lost row file must not spare the other windows from being held against theirs.
        """
        kept = tuple(window.window for window in arm.windows if window.rows_path is not None)
        return _guarded(lambda: self._units.row_means(arm.id, column, kept))

    def _built(self, measure: Measure) -> tuple[Statistic, Units]:
        statistic = known_statistic(self._statistics, measure.statistic)
        if (measure.weights == "equal-group") != (measure.stratum is not None):
            message = "weights equal-group and a stratum go together"
            raise lacking(message)
        if not measure.arms:
            return statistic, self._panel(measure)
        return statistic, self._units.units(measure, statistic)

    def _panel(self, measure: Measure) -> Units:
        """The windows of the panel, each 1: there is nothing but their number to ask for."""
        if measure.statistic != "size":
            message = f"the measure names no arm to take the {measure.statistic} of"
            raise lacking(message)
        plain = Measure(statistic="size", windows=measure.windows)
        if replace(measure, parameters=(), relative_to=None, scale=None) != plain:
            message = "without an arm, windows of the panel are counted and nothing else is chosen"
            raise lacking(message)
        windows = self._own.arms.panel(measure.windows)
        self._work.spend(WINDOW_STEPS * (len(windows) + len(measure.windows.omit)))
        if not windows:
            message = "the measure selects no window"
            raise lacking(message)
        return Units(
            vectors=(np.ones(len(windows)),),
            windows=np.arange(len(windows)),
            window_ids=windows,
            level=Level.WINDOW_SCORES,
        )

    def _value(self, measure: Measure) -> Value:
        if measure.over is not None:
            value = self._over(measure, measure.over)
        else:
            value = self._across(measure)
        return self._finished(measure, value)

    def _value_of(self, measure: Measure, units: Units) -> Value:
        if measure.over is not None:
            message = "a number over several runs has no units of its own"
            raise lacking(message)
        statistic = known_statistic(self._statistics, measure.statistic)
        self._work.spend(units.values.size * len(units.vectors))
        return self._finished(measure, _reduced(measure, statistic, units))

    def _finished(self, measure: Measure, value: Value) -> Value:
        level, number, scale = value.level, value.number, value.scale
        if measure.relative_to is not None:
            base = self._base(measure.relative_to)
            number, level = number / base.number, min(level, base.level)
            scale /= abs(base.number)
        scaled = _scaled(number, measure)
        if measure.scale == "exp" and scale:
            scale *= scaled
        elif measure.scale == "percent":
            scale *= _PERCENT
        return Value(number=scaled, level=level, n=value.n, scale=scale)

    def _across(self, measure: Measure) -> Value:
        statistic, units = self._built(measure)
        self._work.spend(units.values.size * len(units.vectors))
        return _reduced(measure, statistic, units)

    def _over(self, measure: Measure, over: str) -> Value:
        reducer = known_statistic(self._statistics, over)
        if measure.pair is not None or reducer.arms > 1:
            message = "a number over several runs takes one arm at a time, without a pair"
            raise lacking(message)
        if measure.rows.trim is not None or measure.rows.ranked is not None:
            message = "rows of several runs are trimmed or ranked together only under a pair"
            raise lacking(message)
        if len(set(measure.arms)) < len(measure.arms):
            message = "an arm that is named twice would count twice"
            raise lacking(message)
        given = arguments(reducer, measure.over_parameters)
        values = [
            self._across(replace(measure, arms=(operand,), over=None, over_parameters=()))
            for operand in measure.arms
        ]
        if not values:
            message = "the measure names no arm"
            raise lacking(message)
        number = reducer.estimate(np.array([value.number for value in values]), **given)
        return Value(
            number=number,
            level=min(value.level for value in values),
            n=len(values),
            scale=max(abs(value.number) for value in values),
        )

    def _base(self, measure: Measure) -> Value:
        base = self.value(measure)
        if isinstance(base, Missing):
            message = f"what the figure is relative to: {base.reason}"
            raise lacking(message)
        if base.number == 0 or not math.isfinite(base.number):
            message = f"what the figure is relative to is {base.number:g}"
            raise lacking(message)
        return base

    def _sample(self, measure: Measure, recipe: Recipe) -> Sample:
        _require_interval(measure)
        statistic, units = self._built(measure)
        return self._sample_of(measure, statistic, units, recipe)

    def _sample_of(
        self, measure: Measure, statistic: Statistic, units: Units, recipe: Recipe
    ) -> Sample:
        _require_interval(measure)
        if len(set(units.window_ids)) < len(units.window_ids):
            message = (
                "an interval over arms that are taken one after the other would draw each window "
                "as several; pair the arms, or take the mean of runs"
            )
            raise lacking(message)
        return self._resampler.sample(measure, statistic, units, recipe, self._first(measure))

    def _first(self, measure: Measure) -> Run:
        return self._operands.runs(measure.arms[0])[0]

    def _interval(self, measure: Measure, recipe: Recipe, before: Spent) -> Interval:
        sample = self._sample(measure, recipe)
        return self._rescaled(measure, resampling.interval_of(sample, recipe, before))

    def _interval_of(
        self, measure: Measure, recipe: Recipe, units: Units, before: Spent, draw: SharedDraws
    ) -> Interval:
        statistic = known_statistic(self._statistics, measure.statistic)
        sample = self._sample_of(measure, statistic, units, recipe)
        return self._rescaled(measure, resampling.interval_of(sample, recipe, before, draw))

    def _rescaled(self, measure: Measure, drawn: Interval) -> Interval:
        ends = [drawn.low, drawn.high]
        error = drawn.standard_error
        if measure.relative_to is not None:
            base = self._base(measure.relative_to).number
            ends = sorted(end / base for end in ends)
            error = error / abs(base)
        middle = sum(ends) / len(ends)
        low, high = (_scaled(end, measure) for end in ends)
        if measure.scale == "exp" and error:
            # The delta method: an end point's tolerance follows the slope of the scale.
            error *= _scaled(middle, measure)
        elif measure.scale == "percent":
            error *= _PERCENT
        return replace(drawn, low=low, high=high, standard_error=error)


_PERCENT = 100.0


def _require_interval(measure: Measure) -> None:
    if measure.over is not None:
        message = "no interval is drawn of a number over several runs"
        raise lacking(message)
    if not measure.arms:
        message = "no interval is drawn of the number of windows"
        raise lacking(message)


def _guarded(evaluate: Callable[[], T]) -> T | Missing:
    """What is missing, or has no number, is a statement about the bundle and never a crash."""
    try:
        return evaluate()
    except LackingError as error:
        return Missing(reason=error.message)
    except ValueError as error:
        return Missing(reason=str(error))


def _reduced(measure: Measure, statistic: Statistic, units: Units) -> Value:
    given = arguments(statistic, measure.parameters)
    if units.counts or (units.strata and statistic.of_means is not None):
        if statistic.of_means is None:
            message = f"windows that weigh as their rows have no {statistic.id}"
            raise lacking(message)
        number = resampling.estimate(_weighted(statistic, units))
    elif units.strata:
        number = fsum_mean(
            [statistic.estimate(*vectors, **given) for vectors in _by_stratum(units)]
        )
    else:
        number = statistic.estimate(*units.vectors, **given)
    scale = units.scale
    if statistic.scale is not None:
        scale = max(scale, statistic.scale(*units.vectors))
    return Value(number=number, level=units.level, n=units.values.size, scale=scale)


def _scaled(number: float, measure: Measure) -> float:
    """``exp`` is infinite beyond FP64, where no published number can agree."""
    if measure.scale == "percent":
        return number * _PERCENT
    if measure.scale is None:
        return number
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf


def _weighted(statistic: Statistic, units: Units) -> Sample:
    return Sample(
        vectors=units.vectors,
        counts=units.counts,
        strata=positions(units),
        of_means=statistic.of_means if statistic.arms > 1 else None,
    )


def _by_stratum(units: Units) -> list[tuple[FloatArray, ...]]:
    return [tuple(vector[places] for vector in units.vectors) for places in positions(units)]
