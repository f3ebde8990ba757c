"""A figure is a published number, or word, together with the measure that produces it."""

from dataclasses import dataclass
from typing import Literal

from verifier.model.measure import Measure
from verifier.model.number import Published
from verifier.model.recipe import Recipe

Kind = Literal["aggregate", "count", "interval", "decision"]
End = Literal["low", "high"]
Better = Literal["lower", "higher"]
DecisionRule = Literal["reading", "includes-zero", "equivalent", "gate"]
Operator = Literal["<", "<=", ">", ">="]
GateOf = Literal["value", "low", "high"]

READINGS = ("improvement", "harm", "no detectable change")
"""Words of the rule ``reading``; the last never means equal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A rule on a measure's value and interval (docs/format.md, section 9, decide).

    Attributes:
        rule: ``reading``: improvement, harm or no detectable change, by where the interval lies;
            ``includes-zero``: whether the interval holds 0; ``equivalent``: whether the interval
            lies within plus or minus ``margin``; ``gate``: value or end against a threshold.
        better: which direction improves, for ``reading``.
        margin: half width of the equivalence zone, in the unit of the measure.
        strict: whether an end on the margin is outside, for ``equivalent``.
        operator: for ``gate``: value operator threshold.
        threshold: for ``gate``, in the unit of the measure.
        of: what the gate looks at.
    """

    rule: DecisionRule
    better: Better = "lower"
    margin: float = 0.0
    strict: bool = True
    operator: Operator = "<="
    threshold: float = 0.0
    of: GateOf = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published number, or the word of a decision.

    Attributes:
        id: stable id; for a published record the file and JSON pointer.
        location: where it stands: ``file#/json/pointer``.
        published: the number as printed.
        kind: which check answers for it.
        measure: what produces it; None when nothing known does.
        end: which end of an interval, when it is one.
        interval: id shared by the two ends of one interval, "" otherwise.
        recipe: the declared interval recipe; None when it has to be found.
        hints: seeds and resample counts that the record itself names, for the search.
        missing: what would be needed to recompute it, when ``measure`` is None.
        decision: the rule that makes a word of the measure; its interval is drawn by ``recipe``.
    """

    id: str
    location: str
    published: Published
    kind: Kind
    measure: Measure | None
    end: End | None = None
    interval: str = ""
    recipe: Recipe | None = None
    hints: tuple[int, ...] = ()
    missing: str = ""
    decision: Decision | None = None
