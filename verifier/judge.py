"""Judge one comparison under the policy's tolerance; the only place that says "close enough"."""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeGuard, assert_never

from verifier.model.comparison import Aggregate, Comparison, EndPoint, Exact, Value
from verifier.model.policy import Tolerance
from verifier.numerics.agreement import rounds_to

How = Literal["exact", "tolerance", "printed", "degenerate", "different"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether two values agree, by which rule, and how far apart they are.

    ``difference`` is None where one of the two is no finite number.
    """

    how: How
    difference: float | None = None

    @property
    def agrees(self) -> bool:
        """Whether any rule accepted the values."""
        return self.how != "different"


# Nearly all comparisons of a large bundle are of values that are simply equal.
_EQUAL, _UNEQUAL = Judgement(how="exact"), Judgement(how="different")


def judge(comparison: Comparison, tolerance: Tolerance) -> Judgement:
    """Judge by the comparison's rule, the strictest rule that accepts first.

    The rules are those of docs/adr/0002-tolerance-rule.md: equal; within the tolerance; the
    recomputed value rounds to the printed digits. NaN and infinities agree with nothing.
    """
    expected, actual, rule = comparison.expected, comparison.actual, comparison.rule
    if isinstance(rule, Exact):
        return _EQUAL if same(expected, actual) else _UNEQUAL
    if not _is_number(expected) or not _is_number(actual):
        return Judgement(how="different")
    degenerate = isinstance(rule, EndPoint) and rule.degenerate
    if degenerate and math.isnan(expected):
        # A published null: no end point is claimed, and constant data have none to give.
        return Judgement(how="degenerate")
    if not (math.isfinite(expected) and math.isfinite(actual)):
        return Judgement(how="different")
    expected, actual = float(expected), float(actual)
    if isinstance(rule, Aggregate):
        slack = mean_slack(expected, rule.scale, tolerance)
    elif degenerate:
        slack = mean_slack(expected, 0.0, tolerance)
    elif isinstance(rule, EndPoint):
        slack = end_slack(expected, rule.standard_error, tolerance)
    else:
        assert_never(rule)
    found = _numeric(expected, actual, slack=slack, printed=comparison.printed)
    return replace(found, how="degenerate") if degenerate and found.agrees else found


def same(expected: Value, actual: Value) -> bool:
    """Equality that does not take True for 1; 22 and 22.0 are one number, "22" is none."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return expected == actual


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numeric(expected: float, actual: float, *, slack: float, printed: str) -> Judgement:
    difference = actual - expected
    if actual == expected:
        return Judgement(how="exact", difference=0.0)
    if abs(difference) <= slack:
        return Judgement(how="tolerance", difference=difference)
    # What lies within the tolerance of a tie may round either way, as the tie itself may.
    near = (actual, actual - slack, actual + slack)
    if _claims_digits(printed) and any(rounds_to(number, printed) for number in near):
        return Judgement(how="printed", difference=difference)
    return Judgement(how="different", difference=difference)


def _claims_digits(printed: str) -> bool:
    """Whether a printed number holds a significant digit.

    A bare "0.0" would be matched by every small number, so only an exact or tolerated zero is one.
    """
    mantissa = printed.lower().partition("e")[0]
    return any(digit in mantissa for digit in "123456789")


def mean_slack(expected: float, scale: float, tolerance: Tolerance) -> float:
    """How far an aggregate may lie from a number: relative to it, or in units in the last place.

    Args:
        expected: the number.
        scale: magnitude of the numbers that were subtracted to get it, 0 where none were.
        tolerance: of the policy.
    """
    magnitude = max(abs(expected), scale)
    return max(tolerance.mean_relative * abs(expected), tolerance.mean_ulp * math.ulp(magnitude))


def end_slack(expected: float, standard_error: float, tolerance: Tolerance) -> float:
    """How far an interval's end may lie from a number: in standard errors, or relative to it.

    Args:
        expected: the number.
        standard_error: bootstrap standard error of the interval.
        tolerance: of the policy.
    """
    return max(
        tolerance.interval_standard_errors * standard_error,
        tolerance.interval_relative * abs(expected),
    )
