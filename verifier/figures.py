"""Turn a figure and its measure into a comparison or a gap; shared by the published-* checks."""

import math
from dataclasses import replace

from verifier.model.basis import Basis
from verifier.model.comparison import Aggregate, Comparison, Exact, Fact, Gap, Rule
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
    if isinstance(rule, Aggregate):
        rule = replace(rule, scale=value.scale)
    number = plain(value.number, whole=isinstance(rule, Exact))
    return Comparison(
        location=figure.location,
        expected=figure.published.value,
        actual="no single value" if isinstance(number, Missing) else number,
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


def plain(number: float, *, whole: bool) -> int | float | Missing:
    """The number that a measure gave, as it is told.

    Args:
        number: in the unit of the measure; NaN is what ``common`` gives for units that differ.
        whole: whether it is one of things: such a number becomes an integer, so that 22 is told
            and not 22.0.
    """
    if math.isnan(number):
        return Missing(reason="the units share no single value")
    return int(number) if whole and number.is_integer() else number
