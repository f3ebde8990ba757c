"""The word that answers for a published decision: evidence, rule, and whether rounding turns it."""

from dataclasses import dataclass

from verifier.decisions import Decided, decide, label, needs_interval, rounding
from verifier.exactness import counts_things
from verifier.intervals import Drawings
from verifier.model.basis import Level
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing, Value
from verifier.model.recipe import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the rule of a decision looks at.

    Attributes:
        figure: the decision.
        measure: what it is about.
        decision: its rule.
        value: of the measure.
        interval: around it; None where no recipe is declared, and where a gate on the value has
            none to take the scale of its margin from.
    """

    figure: Figure
    measure: Measure
    decision: Decision
    value: Value
    interval: Interval | None

    @property
    def n(self) -> int:
        """Number of units behind what the rule looks at."""
        if self.interval is not None and needs_interval(self.decision):
            return self.interval.units
        return self.value.n

    @property
    def level(self) -> Level:
        """How deep the evidence goes."""
        return self.value.level

    def account(self, decided: Decided) -> str:
        """Rule, recipe and margin, joined by semicolons."""
        recipe = self.figure.recipe
        drawn = [f"{recipe.label} (declared)"] if recipe and self.interval else []
        return "; ".join((label(self.decision), *drawn, decided.how))


def evidence(case: Case, drawings: Drawings, figure: Figure) -> Evidence | Missing:
    """Evaluate the measure of a decision and draw its interval."""
    measure, decision = figure.measure, figure.decision
    if measure is None or decision is None:
        return Missing(reason=figure.missing or "no rule says how this word is decided")
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return value
    interval = None if figure.recipe is None else drawings.draw(measure, figure.recipe)
    if isinstance(interval, Missing):
        if needs_interval(decision):
            return interval
        # A gate on the value takes nothing from an interval but a scale for its margin.
        interval = None
    return Evidence(
        figure=figure, measure=measure, decision=decision, value=value, interval=interval
    )


def ruling(case: Case, held: Evidence) -> Decided | Missing:
    """The word that the rule makes of the evidence, unless rounding alone could turn it."""
    decision, number, interval = held.decision, held.value.number, held.interval
    decided = decide(decision, number, interval)
    if isinstance(decided, Missing):
        return decided
    if counts_things(held.measure) and not needs_interval(decision):
        return decided
    words = rounding(decision, number, interval, case.policy.tolerance, scale=held.value.scale)
    if not words:
        return decided
    return Missing(
        reason=f"the decision depends on rounding: {decided.how}; within the tolerance lie {words}"
    )
