"""Judge one comparison under the policy's tolerance; the only place that says "close enough"."""

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeGuard, assert_never

from verifier.model.comparison import Aggregate, Comparison, EndPoint, Exact, Value
from verifier.model.policy import Tolerance
from verifier.numerics.agreement import rounds_to, ulps_apart

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


def judge(comparison: Comparison, tolerance: Tolerance) -> Judgement:
    """Judge by the comparison's rule, the strictest rule that accepts first.

    The rules are those of docs/adr/0002-tolerance-rule.md: equal; within the tolerance; the
    recomputed value rounds to the printed digits. NaN and infinities agree with nothing.
    """
    expected, actual, rule = comparison.expected, comparison.actual, comparison.rule
    if isinstance(rule, Exact):
        return Judgement(how="exact" if same(expected, actual) else "different")
    if not _is_number(expected) or not _is_number(actual):
        return Judgement(how="different")
    degenerate = isinstance(rule, EndPoint) and rule.degenerate
    if degenerate and math.isnan(expected):
        # A published null: no end point is claimed, and constant data have none to give.
        return Judgement(how="degenerate")
    if not (math.isfinite(expected) and math.isfinite(actual)):
        return Judgement(how="different")
    if isinstance(rule, Aggregate) or degenerate:
        close = _mean_is_close(float(expected), float(actual), tolerance)
    elif isinstance(rule, EndPoint):
        close = _end_is_close(float(expected), float(actual), rule.standard_error, tolerance)
    else:
        assert_never(rule)
    found = _numeric(float(expected), float(actual), close=close, printed=comparison.printed)
    return replace(found, how="degenerate") if degenerate and found.agrees else found


def same(expected: Value, actual: Value) -> bool:
    """Equality that does not take True for 1; 22 and 22.0 are one number, "22" is none."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    return expected == actual


def _is_number(value: Value) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numeric(expected: float, actual: float, *, close: bool, printed: str) -> Judgement:
    difference = actual - expected
    if actual == expected:
        return Judgement(how="exact", difference=0.0)
    if close:
        return Judgement(how="tolerance", difference=difference)
    if _claims_digits(printed) and rounds_to(actual, printed):
        return Judgement(how="printed", difference=difference)
    return Judgement(how="different", difference=difference)


def _claims_digits(printed: str) -> bool:
    """Whether a printed number holds a significant digit.

    A bare "0.0" would be matched by every small number, so only an exact or tolerated zero is one.
    """
    mantissa = printed.lower().partition("e")[0]
    return any(digit in mantissa for digit in "123456789")


def _mean_is_close(expected: float, actual: float, tolerance: Tolerance) -> bool:
    if abs(actual - expected) <= tolerance.mean_relative * abs(expected):
        return True
    return ulps_apart(expected, actual) <= tolerance.mean_ulp


def _end_is_close(
    expected: float, actual: float, standard_error: float, tolerance: Tolerance
) -> bool:
    distance = abs(actual - expected)
    return distance <= max(
        tolerance.interval_standard_errors * standard_error,
        tolerance.interval_relative * abs(expected),
    )
