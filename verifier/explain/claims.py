"""Whether an alternative gives what is printed, by the rules that judged the figure itself."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from verifier.judge import judge
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, EndPoint, Rule
from verifier.model.figure import Figure
from verifier.model.number import Published
from verifier.model.policy import Tolerance
from verifier.model.recipe import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueClaim:
    """One published number."""

    published: Published
    rule: Rule
    tolerance: Tolerance

    @property
    def texts(self) -> tuple[str, ...]:
        """The printed literals."""
        return (self.published.text,)

    @property
    def explainable(self) -> bool:
        """Whether there is a number to explain: a published null is none."""
        return math.isfinite(self.published.value)

    def given_by(self, number: float) -> bool:
        """Whether the number is the published one to every printed digit."""
        return _agrees(self.published, number, self.rule, self.tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalClaim:
    """The published ends of one interval, which stand or fall together.

    One end alone can agree by chance; where only one is published, it has to do.
    """

    ends: Mapping[str, Figure]
    tolerance: Tolerance

    @property
    def texts(self) -> tuple[str, ...]:
        """The printed literals."""
        return tuple(figure.published.text for figure in self.ends.values())

    @property
    def explainable(self) -> bool:
        """Whether every published end is a number."""
        return all(math.isfinite(figure.published.value) for figure in self.ends.values())

    def given_by(self, interval: Interval) -> bool:
        """Whether the interval has the published ends to every printed digit."""
        rule = EndPoint(standard_error=interval.standard_error, degenerate=interval.degenerate)
        points = {"low": interval.low, "high": interval.high}
        return all(
            _agrees(figure.published, points[end], rule, self.tolerance)
            for end, figure in self.ends.items()
        )


def _agrees(published: Published, number: float, rule: Rule, tolerance: Tolerance) -> bool:
    comparison = Comparison(
        location="",
        expected=published.value,
        actual=number,
        printed=published.text,
        basis=Basis.RECOMPUTED,
        rule=rule,
    )
    return judge(comparison, tolerance).agrees
