"""Published decisions are what their rules make of the retained scores.

Compared: the word of every published decision (improvement, harm, no detectable change; true or
false) with the word that its rule makes of the value recomputed, or of the interval drawn again;
and, where a recipe is declared, that the policy permits it. The rules are: where an interval lies
(`reading`), whether it includes 0, whether it lies within a margin (`equivalent`), and whether a
value or an end passes a threshold (`gate`). The report names the rule, its strictness and the
margin: how far the number that decides is from another word, in the unit of the measure and in
standard errors.

Basis: RECOMPUTED for words, POLICY for the recipe. Words are compared exactly. A word that could
change within the policy's numeric tolerance is a gap, "the decision depends on rounding", and never
a pass; counts, such as 22 of 32 windows, know no rounding. Constant data decide nothing: a gap.

Why it matters: the decision is what readers take away. "No detectable change" never means equal: a
wide interval around 0 says that little was measured. Margin and threshold are the author's own, and
nothing here shows that they were fixed before the measurement.

A mismatch means that the word does not follow from the retained scores under the rule beside it.
Look for a reversed direction (lower or higher is better), arms in the other order, an interval of
another level, or a margin in another unit (a fraction where percent was meant).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifier.checks._permitted import permitted
from verifier.decisions import Decided, decide, label, needs_interval, rounding
from verifier.figures import gap
from verifier.intervals import Drawings
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, Fact
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Check, Missing, Value
from verifier.model.recipe import Interval
from verifier.stats import count, size

_COUNTS = frozenset({count.STATISTIC.id, size.STATISTIC.id})
# What these make of several whole numbers is one again.
_WHOLE_OVER_RUNS = frozenset({None, "maximum", "minimum", "range", "sum"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What a rule looks at; no interval where none is declared, or none is needed and drawn."""

    value: Value
    interval: Interval | None


def _applies(case: Case) -> str:
    if any(figure.kind == "decision" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no decision"


def _run(case: Case) -> Iterable[Fact]:
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    for figure in case.bundle.figures:
        if figure.kind == "decision":
            yield from _decision(case, drawings, figure)


def _decision(case: Case, drawings: Drawings, figure: Figure) -> Iterator[Fact]:
    measure, decision = figure.measure, figure.decision
    if measure is None or decision is None:
        yield gap(figure, figure.missing or "no rule says how this word is decided")
        return
    evidence = _evidence(case, drawings, figure, measure, decision)
    if isinstance(evidence, Missing):
        yield gap(figure, evidence.reason)
        return
    if figure.recipe is not None:
        yield from permitted(case.policy.intervals, figure.recipe, figure.location)
    decided = _decided(case, measure, decision, evidence)
    if isinstance(decided, Missing):
        yield gap(figure, decided.reason)
        return
    yield _word(figure, decision, decided, evidence)


def _evidence(
    case: Case, drawings: Drawings, figure: Figure, measure: Measure, decision: Decision
) -> _Evidence | Missing:
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return value
    interval = None if figure.recipe is None else drawings.draw(measure, figure.recipe)
    if isinstance(interval, Missing):
        if needs_interval(decision):
            return interval
        # A gate on the value takes nothing from an interval but a scale for its margin.
        interval = None
    return _Evidence(value=value, interval=interval)


def _decided(
    case: Case, measure: Measure, decision: Decision, evidence: _Evidence
) -> Decided | Missing:
    """The word, unless rounding alone could change it."""
    number, interval = evidence.value.number, evidence.interval
    decided = decide(decision, number, interval)
    if isinstance(decided, Missing) or _is_count(measure, decision):
        return decided
    words = rounding(decision, number, interval, case.policy.tolerance)
    if not words:
        return decided
    return Missing(
        reason=f"the decision depends on rounding: {decided.how}; within the tolerance lie {words}"
    )


def _is_count(measure: Measure, decision: Decision) -> bool:
    """Whether the rule looks at a number of things, which nothing rounds."""
    reduced = measure.scale or measure.relative_to or measure.weights != "equal-window"
    counts = measure.statistic in _COUNTS and measure.over in _WHOLE_OVER_RUNS
    return counts and not reduced and not needs_interval(decision)


def _word(figure: Figure, decision: Decision, decided: Decided, evidence: _Evidence) -> Comparison:
    value, interval = evidence.value, evidence.interval
    errors = decided.standard_errors
    scaled = "" if errors is None else f" ({errors:.3g} standard errors)"
    recipe = [f"{figure.recipe.label} (declared)"] if figure.recipe and interval else []
    return Comparison(
        location=figure.location,
        expected=figure.published.text,
        actual=decided.word,
        basis=Basis.RECOMPUTED,
        figure=figure.id,
        how="; ".join((label(decision), *recipe, decided.how)),
        level=value.level,
        n=interval.units if interval is not None and needs_interval(decision) else value.n,
        message=(
            f'The retained scores give "{decided.word}", '
            f"{decided.margin:.6g}{scaled} from another word."
        ),
    )


CHECK = Check(
    id="published-decisions",
    title="Published decisions are what their rules make of the retained scores",
    applies=_applies,
    run=_run,
)
