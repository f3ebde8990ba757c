"""The word that a rule makes of a value and an interval, and how near it is to another word.

docs/adr/0008-decision-rules.md says why the rules are these. Nothing here says that two arms are
equal: "no detectable change" is what an interval around 0 gives, however wide it is.
"""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

from verifier.model.figure import READINGS, Decision, Operator
from verifier.model.plugin import Missing
from verifier.model.policy import Tolerance
from verifier.model.recipe import Interval

_IMPROVEMENT, _HARM, _NO_CHANGE = READINGS
_OPERATORS: Mapping[Operator, Callable[[float, float], bool]] = MappingProxyType(
    {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
)
# Above this an FP64 number is no longer known to the unit.
_WHOLE = 2.0**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What a rule gives.

    Attributes:
        word: one of ``READINGS``, or ``true`` or ``false``.
        margin: distance to the nearest threshold at which the word changes, in the unit of the
            measure; 0 on a threshold.
        standard_errors: the margin in standard errors of the interval, None without one.
        how: the margin as a sentence, such as ``high end -0.0006 is 0.0006 (1.25 SE) from 0``.
    """

    word: str
    margin: float
    standard_errors: float | None
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A number that a rule looks at, and the threshold it holds it against."""

    name: str
    at: float
    threshold: float

    @property
    def distance(self) -> float:
        return abs(self.at - self.threshold)


def needs_interval(decision: Decision) -> bool:
    """Whether the rule looks at an interval; only a gate on the value does not."""
    return decision.rule != "gate" or decision.of != "value"


def decide(decision: Decision, value: float | None, interval: Interval | None) -> Decided | Missing:
    """The word of a decision, with its distance from another word.

    - ``reading``, lower is better: ``improvement`` if high < 0, ``harm`` if low > 0, else ``no
      detectable change``, also with an end exactly at 0; mirrored where higher is better.
    - ``includes-zero``: low <= 0 <= high.
    - ``equivalent``: -margin < low and high < margin if strict, else with <=.
    - ``gate``: the value or an end, operator, threshold.

    A word that rests on two ends changes with the nearer of them; where both ends break the
    equivalence zone the farther one decides, because both would have to move.

    Args:
        decision: the rule.
        value: the number of the measure, in its unit; None where it is not known.
        interval: in the same unit; None where none is drawn. A gate on the value takes it only
            for the standard error.

    Returns:
        Missing, "undefined: ...", for constant data, for numbers that are not finite and for a
        rule that lacks what it looks at. No word follows from those.

    Source: Schuirmann (1987), https://doi.org/10.1007/BF01068419, for the zone of equivalence;
    Piaggio et al. (2012), https://doi.org/10.1001/jama.2012.87802, for readings of an interval.
    """
    points = _points(decision, value, interval)
    if isinstance(points, str):
        return Missing(reason=f"undefined: {points}")
    word = _word(decision, _ats(points))
    nearest = _nearest(decision, points)
    errors = _in_standard_errors(nearest.distance, interval)
    scaled = "" if errors is None else f" ({errors:.3g} SE)"
    how = (
        f"{nearest.name} {_number(nearest.at)} is {_number(nearest.distance)}{scaled} "
        f"from {_number(nearest.threshold)}"
    )
    if word == _NO_CHANGE:
        how += "; this is no statement of equality"
    return Decided(word=word, margin=nearest.distance, standard_errors=errors, how=how)


def rounding(
    decision: Decision,
    value: float | None,
    interval: Interval | None,
    tolerance: Tolerance,
    *,
    scale: float = 0.0,
) -> str:
    """The words that rounding alone could give, joined by "and"; "" where there is only one.

    Each number may move by what the policy tolerates in it: an end by ``interval_standard_errors``
    standard errors or ``interval_relative`` of itself, whichever is more, a value by
    ``mean_relative`` of itself, or by ``mean_ulp`` units in the last place of what was subtracted
    to get it, unless it lies on a threshold, as runs without any difference do. A count knows no
    rounding: do not ask for one.

    Args:
        decision: the rule.
        value: as for ``decide``.
        interval: as for ``decide``.
        tolerance: of the policy, which alone says how close two numbers have to be.
        scale: magnitude of the numbers that were subtracted to get the value, 0 where none were.
    """
    points = _points(decision, value, interval)
    if isinstance(points, str):
        return ""
    # Runs without any difference lie on the threshold, and nothing was rounded there.
    subtracted = 0.0 if value == decision.threshold else scale
    slack = _slack(decision, interval, tolerance, subtracted)
    corners = product(*(_around(point.at, *slack) for point in points))
    words = {_word(decision, corner) for corner in corners}
    return " and ".join(sorted(words)) if len(words) > 1 else ""


def label(decision: Decision) -> str:
    """The rule in words, strictness included, for example ``gate: value <= 22``."""
    if decision.rule == "reading":
        return f"reading, {decision.better} is better"
    if decision.rule == "includes-zero":
        return "interval includes 0"
    if decision.rule == "equivalent":
        zone = f"equivalent within +/-{_number(decision.margin)}"
        return f"{zone}, an end on the margin is {'outside' if decision.strict else 'inside'}"
    looked_at = decision.of if decision.of == "value" else f"{decision.of} end"
    return f"gate: {looked_at} {decision.operator} {_number(decision.threshold)}"


def _points(
    decision: Decision, value: float | None, interval: Interval | None
) -> tuple[_Point, ...] | str:
    """What the rule looks at, or why there is nothing that it could."""
    if not needs_interval(decision):
        points = _value(value, decision.threshold)
    else:
        points = _ends(decision, interval)
    if isinstance(points, str):
        return points
    if not all(math.isfinite(number) for point in points for number in (point.at, point.threshold)):
        return "what the rule looks at is not finite"
    return points


def _value(value: float | None, threshold: float) -> tuple[_Point, ...] | str:
    if value is None:
        return "the rule looks at a value, and there is none"
    return (_Point(name="value", at=value, threshold=threshold),)


def _ends(decision: Decision, interval: Interval | None) -> tuple[_Point, ...] | str:
    if interval is None:
        return "the rule looks at an interval, and none is drawn"
    if interval.degenerate:
        return "constant data"
    if not math.isfinite(interval.standard_error):
        return "the standard error of the interval is not finite"
    lowest = highest = 0.0
    if decision.rule == "equivalent":
        if decision.margin <= 0:
            return "a margin of equivalence has to be above 0"
        lowest, highest = -decision.margin, decision.margin
    elif decision.rule == "gate":
        lowest = highest = decision.threshold
    low = _Point(name="low end", at=interval.low, threshold=lowest)
    high = _Point(name="high end", at=interval.high, threshold=highest)
    if decision.rule == "gate":
        return (low,) if decision.of == "low" else (high,)
    return low, high


def _ats(points: tuple[_Point, ...]) -> tuple[float, ...]:
    return tuple(point.at for point in points)


def _word(decision: Decision, numbers: tuple[float, ...]) -> str:
    if decision.rule == "gate":
        (number,) = numbers
        return _truth(holds=_OPERATORS[decision.operator](number, decision.threshold))
    low, high = numbers
    if decision.rule == "reading":
        return _reading(decision, low, high)
    if decision.rule == "includes-zero":
        return _truth(holds=low <= 0 <= high)
    inside = operator.lt if decision.strict else operator.le
    return _truth(holds=inside(-decision.margin, low) and inside(high, decision.margin))


def _reading(decision: Decision, low: float, high: float) -> str:
    below, above = (_IMPROVEMENT, _HARM) if decision.better == "lower" else (_HARM, _IMPROVEMENT)
    if high < 0:
        return below
    return above if low > 0 else _NO_CHANGE


def _truth(*, holds: bool) -> str:
    return "true" if holds else "false"


def _nearest(decision: Decision, points: tuple[_Point, ...]) -> _Point:
    """The number that has the shortest way to another word."""
    if decision.rule == "equivalent":
        low, high = points
        broken = [
            point
            for point, beyond in ((low, low.threshold - low.at), (high, high.at - high.threshold))
            if beyond > 0 or (beyond == 0 and decision.strict)
        ]
        if broken:
            return max(broken, key=_distance)
    return min(points, key=_distance)


def _distance(point: _Point) -> float:
    return point.distance


def _in_standard_errors(distance: float, interval: Interval | None) -> float | None:
    if interval is None or not 0 < interval.standard_error < math.inf:
        return None
    return distance / interval.standard_error


def _slack(
    decision: Decision, interval: Interval | None, tolerance: Tolerance, subtracted: float
) -> tuple[float, float]:
    """By how much a number may move: relative to itself, and absolutely."""
    if interval is None or not needs_interval(decision):
        last_places = tolerance.mean_ulp * math.ulp(subtracted) if subtracted else 0.0
        return tolerance.mean_relative, last_places
    absolute = tolerance.interval_standard_errors * interval.standard_error
    return tolerance.interval_relative, absolute


def _around(at: float, relative: float, absolute: float) -> tuple[float, float, float]:
    slack = max(relative * abs(at), absolute)
    return at - slack, at, at + slack


def _number(number: float) -> str:
    """A whole number as one, anything else to six digits; never a minus before a bare 0."""
    # An int is a float to the type checker, but has no is_integer before Python 3.12.
    if float(number).is_integer() and abs(number) < _WHOLE:
        return str(int(number))
    return f"{number:.6g}"
