"""Recomputed figures of a bundle as sources of claims, with the slack of the policy."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from verifier.errors import UsageError
from verifier.figures import plain
from verifier.intervals import Drawings, answer
from verifier.judge import end_slack, mean_slack
from verifier.model.claim import Absent, Found
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Missing
from verifier.model.wording import described
from verifier.recipes import ends
from verifier.rulings import evidence, ruling

Query = Callable[[str], tuple[Figure, ...]]
"""JSON of a typed measure to the figures that it asks for."""


class BundleFigures:
    """Implements ``verifier.claims.resolve.Figures`` on a bundle; each figure is computed once.

    What is told is what the retained scores give, never what was published.

    Args:
        case: the bundle and its evidence.
        query: reads a typed measure.
    """

    def __init__(self, case: Case, query: Query) -> None:
        self._case = case
        self._query = query
        self._figures = {figure.id: figure for figure in case.bundle.figures}
        self._drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
        self._pairs = {
            figure.id: pair for pair in ends(case.bundle.figures) for figure in pair.values()
        }
        self._told: dict[str, Found | Absent] = {}

    def figure(self, figure_id: str) -> Found | Absent:
        """What a figure of the bundle comes to."""
        if figure_id not in self._told:
            figure = self._figures.get(figure_id)
            if figure is None:
                reason = f"the bundle publishes no figure {figure_id!r}"
                self._told[figure_id] = Absent(reason=reason)
            else:
                self._told[figure_id] = self._tell(figure, self._pairs.get(figure_id, {}))
        return self._told[figure_id]

    def measure(self, measure: Mapping[str, Any]) -> Found | Absent:
        """What a typed measure comes to; of an interval, both ends."""
        try:
            asked = self._query(json.dumps(measure))
        except UsageError as error:
            return Absent(reason=error.message, broken=True)
        pairs = {figure.id: pair for pair in ends(asked) for figure in pair.values()}
        told = [self._tell(figure, pairs.get(figure.id, {})) for figure in asked]
        for one in told:
            if isinstance(one, Absent):
                return one
        first, *rest = (one for one in told if isinstance(one, Found))
        if not rest:
            return first
        return first._replace(values=tuple(one.value for one in (first, *rest)))

    def _tell(self, figure: Figure, pair: Mapping[str, Figure]) -> Found | Absent:
        if figure.kind == "decision":
            return self._word(figure)
        if figure.measure is None:
            return Absent(reason=figure.missing)
        if figure.kind == "interval":
            return self._end(figure, pair)
        return self._number(figure, figure.measure)

    def _number(self, figure: Figure, measure: Measure) -> Found | Absent:
        value = self._case.measures.value(measure)
        if isinstance(value, Missing):
            return Absent(reason=value.reason)
        number = plain(value.number, whole=figure.kind == "count")
        if isinstance(number, Missing):
            return Absent(reason=number.reason)
        slack = mean_slack(float(number), value.scale, self._case.policy.tolerance)
        return _found(figure, number, 0.0 if isinstance(number, int) else slack)

    def _end(self, figure: Figure, pair: Mapping[str, Figure]) -> Found | Absent:
        drawn = answer(self._case, self._drawings, pair)
        if isinstance(drawn, Missing):
            return Absent(reason=drawn.reason)
        interval = drawn.interval
        end = interval.low if figure.end == "low" else interval.high
        tolerance = self._case.policy.tolerance
        return _found(figure, end, end_slack(end, interval.standard_error, tolerance))

    def _word(self, figure: Figure) -> Found | Absent:
        held = evidence(self._case, self._drawings, figure)
        decided = held if isinstance(held, Missing) else ruling(self._case, held)
        if isinstance(decided, Missing):
            return Absent(reason=decided.reason)
        return Found(value=decided.word, origin=described(figure))


def _found(figure: Figure, number: float, slack: float) -> Found | Absent:
    if not math.isfinite(number):
        return Absent(reason=f"{figure.id} has no finite value")
    value, spare = Decimal(number), Decimal(slack)
    published = _literal(figure.published.text)
    if published is not None and abs(published - value) <= spare:
        # Once it is reproduced in full, a document has to carry its very digits.
        value, spare = published, Decimal(0)
    percent = figure.measure is not None and figure.measure.scale == "percent"
    return Found(
        value=value,
        slack=spare,
        unit="percent" if percent else "",
        origin=f"recomputed: {described(figure)}",
    )


def _literal(text: str) -> Decimal | None:
    """Printed digits as a number; None for a word or nothing."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
