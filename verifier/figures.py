"""Turn a figure and its measure into a comparison or a gap; shared by the published-* checks."""

import math

from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, Exact, Fact, Gap, Rule
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Missing


def recompute(case: Case, figure: Figure, rule: Rule) -> Fact:
    """Compare a figure with the value of its measure.

    A figure that nothing retained can give becomes a gap that says what is missing.
    """
    if figure.measure is None:
        return gap(figure, figure.missing)
    value = case.measures.value(figure.measure)
    if isinstance(value, Missing):
        return gap(figure, value.reason)
    return Comparison(
        location=figure.location,
        expected=figure.published.value,
        actual=_shown(value.number, rule),
        printed=figure.published.text,
        basis=Basis.RECOMPUTED,
        rule=rule,
        figure=figure.id,
        level=value.level,
        n=value.n,
        message="The retained scores do not give this number.",
    )


def gap(figure: Figure, reason: str) -> Gap:
    """The gap of a figure that could not be recomputed."""
    return Gap(
        location=figure.location, reason=reason, concern="not-recomputable", figure=figure.id
    )


def _shown(number: float, rule: Rule) -> str | int | float:
    """A count as an integer, so that reports say 22 and not 22.0; NaN in words."""
    if math.isnan(number):
        return "no single value"
    return int(number) if isinstance(rule, Exact) and number.is_integer() else number
