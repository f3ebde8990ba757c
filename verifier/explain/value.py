"""What else would have given a published value or count."""

from collections.abc import Iterator

from verifier.explain import units as altered
from verifier.explain.around import figure_of, surroundings
from verifier.explain.budget import Budget
from verifier.explain.claims import ValueClaim
from verifier.explain.forms import OPPOSITE, PLAIN, SCALED
from verifier.explain.measures import variations
from verifier.explain.spending import rows
from verifier.explain.wording import NONE, found
from verifier.model.comparison import Aggregate, Exact
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing

MOST_ROWS = 2**25
"""Most rows, or windows, that one explanation reduces: about a second."""


def explain(case: Case, figure_id: str) -> str:
    """Which of the usual alternatives gives the published number, if one does."""
    figure = figure_of(case.bundle, figure_id)
    if figure.measure is None:
        return ""
    claim = ValueClaim(
        published=figure.published,
        rule=Exact() if figure.kind == "count" else Aggregate(),
        tolerance=case.policy.tolerance,
    )
    if not claim.explainable:
        return NONE
    budget = Budget(MOST_ROWS)
    for words, number in _alternatives(case, figure.measure, budget):
        if claim.given_by(number):
            return found(f"the same measure {words}", claim.texts)
    return budget.nothing_found()


def _alternatives(case: Case, measure: Measure, budget: Budget) -> Iterator[tuple[str, float]]:
    own = case.measures.value(measure)
    if not isinstance(own, Missing):
        budget.take(0)
        yield from ((form.words, form.number(own.number)) for form in PLAIN)
    kept: list[tuple[str, float]] = []
    for words, number in _varied(case, measure, budget):
        kept.append((words, number))
        yield words, number
    if not isinstance(own, Missing):
        yield OPPOSITE.words, OPPOSITE.number(own.number)
    for words, number in kept:
        yield from ((f"{words} and {form.words}", form.number(number)) for form in SCALED)


def _varied(case: Case, measure: Measure, budget: Budget) -> Iterator[tuple[str, float]]:
    units = case.measures.units(measure)
    if not isinstance(units, Missing) and budget.take(units.values.size):
        for words, other in (
            *altered.with_prefill(case, measure, units),
            *altered.rounded(units),
            *altered.float32_mean(measure, units),
        ):
            value = case.measures.value_of(measure, other)
            if not isinstance(value, Missing):
                yield words, value.number
    for variation in variations(measure, surroundings(case, units)):
        if budget.take(rows(case, variation.measure)):
            value = case.measures.value(variation.measure)
            if not isinstance(value, Missing):
                yield variation.words, value.number
