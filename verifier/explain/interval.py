"""What else would have given published end points."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from verifier.explain import recipes
from verifier.explain import units as altered
from verifier.explain.around import figure_of, surroundings
from verifier.explain.claims import IntervalClaim
from verifier.explain.forms import OPPOSITE, PERCENT, PLAIN, exchanged
from verifier.explain.measures import variations
from verifier.explain.spending import Spending
from verifier.explain.stream import before as drawn_before
from verifier.explain.wording import NONE, found
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing, Spent, Units
from verifier.model.recipe import Interval, Recipe
from verifier.recipes import candidates, ends

Alternative = tuple[Recipe | None, str, Interval]
"""The recipe where it is another one, what else is changed, and what this gives."""


def explain(case: Case, figure_id: str) -> str:
    """Which of the usual alternatives gives the published end points, if one does.

    Both ends of an interval are explained together.
    """
    figure = figure_of(case.bundle, figure_id)
    alike = (
        other
        for other in case.bundle.figures
        if other.interval == figure.interval
        and (other.measure, other.recipe) == (figure.measure, figure.recipe)
    )
    pair = next(group for group in ends(alike) if figure in group.values())
    known = candidates(case.policy.intervals, figure.hints)
    recipe = figure.recipe or next(iter(known), None)
    if figure.measure is None or recipe is None:
        return ""
    claim = IntervalClaim(ends=pair, tolerance=case.policy.tolerance)
    if not claim.explainable:
        return NONE
    search = _Search(
        case=case,
        figure=figure,
        measure=figure.measure,
        recipe=recipe,
        spending=Spending(case=case),
    )
    for other, words, interval in search.alternatives():
        if claim.given_by(interval):
            what = "the same interval" if other is None else other.label
            return found(f"{what} {words}".rstrip(), claim.texts)
    return search.spending.budget.nothing_found()


@dataclass(slots=True, kw_only=True)
class _Search:
    """One explanation: what was drawn already is not drawn again."""

    case: Case
    figure: Figure
    measure: Measure
    recipe: Recipe
    spending: Spending
    drawn: dict[Recipe, Interval] = field(default_factory=dict)

    def alternatives(self) -> Iterator[Alternative]:
        """The likeliest first: one other choice before several at once."""
        units = self._units(self.measure)
        if isinstance(units, Missing):
            return
        before = self._before(self.recipe, self.case.bundle.figures)
        if isinstance(before, Missing):
            return
        alike = [*recipes.single(self.recipe), *recipes.levels(self.recipe)]
        self._draw([*recipes.resampled(self.recipe), *alike], units, before)
        yield from self._printed_otherwise()
        yield from self._named(recipes.single(self.recipe))
        yield from self._streams(units, before)
        yield from self._measures(units, before)
        yield from self._elsewhere(units, before)
        # From here on, several choices differ at once.
        yield from self._named([*recipes.resampled(self.recipe), *alike])
        yield from self._combined(units, before)
        yield from self._in_other_forms()

    def _units(self, measure: Measure) -> Units | Missing:
        if not self.spending.may_build([measure]):
            return Missing(reason="its rows would take too long")
        return self.case.measures.units(measure)

    def _before(self, recipe: Recipe, figures: tuple[Figure, ...]) -> Spent | Missing:
        return drawn_before(self.spending, figures, self.measure, recipe)

    def _printed_otherwise(self) -> Iterator[Alternative]:
        own = self.drawn.get(self.recipe)
        if own is None:
            return
        for form in PLAIN:
            yield None, form.words, form.interval(own)
        yield None, "with its ends exchanged", exchanged(own)

    def _streams(self, units: Units, before: Spent) -> Iterator[Alternative]:
        for other in recipes.streams(self.recipe):
            self._draw(recipes.resampled(other), units, before)
            yield from self._named([other])

    def _measures(self, units: Units, before: Spent) -> Iterator[Alternative]:
        """The declared recipe on other units and other measures."""
        for words, other in (
            *altered.with_prefill(self.case, self.measure, units),
            *altered.orders(self.case, units),
            *altered.rounded(units),
        ):
            yield from self._same(words, self.measure, other, before)
        around = surroundings(self.case, units)
        for variation in variations(self.measure, around):
            other_units = self._units(variation.measure)
            if not isinstance(other_units, Missing):
                yield from self._same(variation.words, variation.measure, other_units, before)

    def _elsewhere(self, units: Units, before: Spent) -> Iterator[Alternative]:
        """Other resamples, seeds and places in the stream, and other resampled units."""
        yield from self._named(self._draw(recipes.fewer(self.recipe), units, before))
        yield from self._elsewhere_in_the_stream(units)
        for other in recipes.drawn_otherwise(self.recipe, self.case.bundle):
            yield from self._named(self._draw([other], units, before))
        for other in recipes.seeds(self.recipe, self.case.bundle, self.figure.hints):
            self._draw(recipes.methods(other), units, before)
            yield from self._named([other])

    def _elsewhere_in_the_stream(self, units: Units) -> Iterator[Alternative]:
        if not self.recipe.draws:
            return
        if self.recipe.start == "continue":
            yield from self._named(
                self._draw([replace(self.recipe, start="restart", name="")], units, ())
            )
            return
        continued = replace(self.recipe, start="continue")
        figures = tuple(
            replace(figure, recipe=continued)
            if figure.kind == "interval" and figure.recipe == self.figure.recipe
            else figure
            for figure in self.case.bundle.figures
        )
        before = self._before(continued, figures)
        if before and not isinstance(before, Missing):
            yield from self._named(self._draw([continued], units, before))

    def _combined(self, units: Units, before: Spent) -> Iterator[Alternative]:
        for stream in recipes.streams(self.recipe):
            yield from self._named(recipes.resampled(stream))
            for seed in recipes.seeds(stream, self.case.bundle, self.figure.hints):
                yield from self._named(self._draw(recipes.methods(seed), units, before))
        yield from self._named(list(self.drawn))

    def _in_other_forms(self) -> Iterator[Alternative]:
        for recipe, interval in self.drawn.items():
            for form in (OPPOSITE, *PERCENT):
                yield recipe, form.words, form.interval(interval)

    def _same(
        self, words: str, measure: Measure, units: Units, before: Spent
    ) -> Iterator[Alternative]:
        """The declared recipe on something else."""
        recipe = replace(self.recipe, strata=measure.stratum)
        for interval in self._intervals(measure, [recipe], units, before):
            if not isinstance(interval, Missing):
                yield None, words, interval

    def _named(self, wanted: Iterable[Recipe]) -> Iterator[Alternative]:
        """Those of the recipes that were drawn, by their label."""
        for recipe in wanted:
            if recipe in self.drawn and recipe != self.recipe:
                yield recipe, "", self.drawn[recipe]

    def _draw(self, wanted: Sequence[Recipe], units: Units, before: Spent) -> Sequence[Recipe]:
        """Draw what was not drawn yet, for all recipes together; the recipes themselves."""
        left = [recipe for recipe in dict.fromkeys(wanted) if recipe not in self.drawn]
        # What went before in a continued stream had as many resamples as what follows.
        counts = dict.fromkeys(recipe.resamples for recipe in left) if before else (None,)
        for count in counts if left else ():
            group = left if count is None else [item for item in left if item.resamples == count]
            earlier = before if count is None else _resized(before, count)
            intervals = self._intervals(self.measure, group, units, earlier)
            for recipe, interval in zip(group, intervals, strict=False):
                if not isinstance(interval, Missing):
                    self.drawn[recipe] = interval
        return wanted

    def _intervals(
        self, measure: Measure, wanted: Sequence[Recipe], units: Units, before: Spent
    ) -> tuple[Interval | Missing, ...]:
        if not self.spending.may_draw(measure, wanted, units, before):
            return ()
        return self.case.measures.intervals_of(measure, wanted, units, before)


def _resized(before: Spent, resamples: int) -> Spent:
    """What was drawn before, had the intervals before had so many resamples too."""
    return tuple((sizes, resamples) for sizes, _ in before)
