"""What else would have given a published word; there are so few words that this shows little."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from verifier.decisions import needs_interval
from verifier.explain import operands, recipes, rules
from verifier.explain.around import figure_of
from verifier.explain.spending import Spending
from verifier.explain.stream import before
from verifier.explain.wording import WORD, found_word
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing, Value
from verifier.model.recipe import Interval, Recipe
from verifier.rulings import Evidence, ruling

_MOST_DECLARED = 12

Alternative = tuple[str, Evidence]
"""Words that complete "the same rule gives ...", and what the rule then looks at."""


def explain(case: Case, figure_id: str) -> str:
    """Which of the usual alternatives gives the published word, if one does."""
    figure = figure_of(case.bundle, figure_id)
    measure, decision = figure.measure, figure.decision
    if measure is None or decision is None:
        return ""
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return ""
    plain = Evidence(figure=figure, measure=measure, decision=decision, value=value, interval=None)
    search = _Search(case=case, plain=plain, spending=Spending(case=case))
    for words, held in search.alternatives():
        decided = ruling(case, held)
        if not isinstance(decided, Missing) and decided.word == figure.published.text:
            return found_word(words)
    return search.spending.budget.nothing_found(WORD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """One explanation; ``plain`` is the evidence without an interval."""

    case: Case
    plain: Evidence
    spending: Spending

    @property
    def _figures(self) -> tuple[Figure, ...]:
        return self.case.bundle.figures

    def alternatives(self) -> Iterator[Alternative]:
        """The likeliest first."""
        # Other rules on what is drawn already cost nothing.
        self.spending.budget.take(0)
        plain, recipe = self.plain, self.plain.figure.recipe
        own = None if recipe is None else self._own(recipe)
        for words, decision in rules.others(plain.decision, plain.measure):
            yield words, replace(plain, decision=decision, interval=own)
        yield from self._exchanged(recipe)
        if needs_interval(plain.decision):
            yield from self._of_the_value()
            yield from self._redrawn(recipe)

    def _own(self, recipe: Recipe) -> Interval | None:
        if not needs_interval(self.plain.decision):
            return self._interval(self.plain.measure, recipe)
        # The word rests on it, so it is drawn already.
        place = before(self.spending, self._figures, self.plain.measure, recipe)
        if isinstance(place, Missing):
            return None
        drawn = self.case.measures.interval(self.plain.measure, recipe, place)
        return None if isinstance(drawn, Missing) else drawn

    def _exchanged(self, recipe: Recipe | None) -> Iterator[Alternative]:
        for variation in operands.exchanged(self.plain.measure):
            value = self._value(variation.measure)
            if value is not None:
                drawn = None if recipe is None else self._interval(variation.measure, recipe)
                held = replace(self.plain, measure=variation.measure, value=value, interval=drawn)
                yield variation.words, held

    def _of_the_value(self) -> Iterator[Alternative]:
        if self.plain.decision.rule != "gate":
            number = self.plain.value.number
            point = Interval(low=number, high=number, standard_error=0.0, degenerate=False, units=1)
            yield "for the value alone, without an interval", replace(self.plain, interval=point)

    def _redrawn(self, recipe: Recipe | None) -> Iterator[Alternative]:
        """Under other recipes of the bundle, then under usual ones that draw alike."""
        declared = dict.fromkeys(self.case.bundle.protocol.intervals.values())
        others = [other for other in declared if other != recipe][:_MOST_DECLARED]
        groups = [[other] for other in others]
        groups += [] if recipe is None else [recipes.single(recipe)]
        for group in groups:
            drawn = self._intervals(self.plain.measure, group)
            for other, interval in zip(group, drawn, strict=False):
                if not isinstance(interval, Missing):
                    yield f"under {other.label}", replace(self.plain, interval=interval)

    def _value(self, measure: Measure) -> Value | None:
        if not self.spending.may_build([measure]):
            return None
        value = self.case.measures.value(measure)
        return None if isinstance(value, Missing) else value

    def _interval(self, measure: Measure, recipe: Recipe) -> Interval | None:
        for interval in self._intervals(measure, [recipe]):
            if not isinstance(interval, Missing):
                return interval
        return None

    def _intervals(
        self, measure: Measure, group: Sequence[Recipe]
    ) -> tuple[Interval | Missing, ...]:
        """The intervals under recipes of one stream; none where they would take too long."""
        place = before(self.spending, self._figures, self.plain.measure, group[0])
        if isinstance(place, Missing) or not self.spending.may_build([measure]):
            return ()
        units = self.case.measures.units(measure)
        if isinstance(units, Missing):
            return ()
        if not self.spending.may_draw(measure, group, units, place):
            return ()
        return self.case.measures.intervals_of(measure, group, units, place)
