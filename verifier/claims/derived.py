"""Safe derived forms: what may be computed from several sources, and nothing else.

Results are rounded to 50 digits once per operation, far below half a unit of any printed place.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from functools import reduce
from types import MappingProxyType

from verifier.claims._near import quoted
from verifier.model.claim import Absent, Form, Found

_EXACT = Context(prec=50, traps=[InvalidOperation, DivisionByZero, Overflow])
_ZERO = Decimal(0)
_HUNDRED = Decimal(100)
_SHOWN = 3

PERCENT = "percent"

_Number = tuple[Decimal, Decimal]
"""Value and slack."""


def derive(form: Form, operands: Sequence[Found]) -> Found | Absent:
    """Compute a derived form.

    The slack of a sum or difference is the sum of the operands' slacks; of a quotient their
    relative slacks are added. An operand without a unit takes the unit of the others.

    Args:
        form: ``difference``, ``ratio``, ``relative-change`` and ``percent-of`` take two single
            numbers; ``sum``, ``mean``, ``min``, ``max`` and ``count`` one or more numbers or lists.
        operands: in the order of the source; texts only count.

    Returns:
        The result, in the unit of the operands; ``ratio``, ``relative-change`` and ``count`` have
        none, ``percent-of`` is in percent. Or a broken source: a text or list where a number is
        needed, nothing to reduce, units that differ, a division by zero, a result beyond Decimal.
    """
    if form == "count":
        total = sum(len(_values(operand)) for operand in operands)
        return Found(value=Decimal(total), origin=_origin(form, operands))
    units = dict.fromkeys(operand.unit for operand in operands if operand.unit)
    if len(units) > 1:
        return _broken(form, f"its operands have different units: {', '.join(units)}")
    numbers = _numbers(form, operands)
    if isinstance(numbers, Absent):
        return numbers
    try:
        value, slack = _pair(form, numbers) if form in _PAIRS else _reduced(form, numbers)
    except (DivisionByZero, InvalidOperation):
        return _broken(form, "it divides by zero")
    except Overflow:
        return _broken(form, "its result is beyond all measure")
    unit = _UNITS.get(form, next(iter(units), ""))
    return Found(value=value, slack=slack, unit=unit, origin=_origin(form, operands))


def described(form: Form, origins: Sequence[str]) -> str:
    """A derived form in words: ``difference(a.json#/x, a.json#/y)``."""
    shown = [*origins[:_SHOWN]]
    if len(origins) > _SHOWN:
        shown.append(f"and {len(origins) - _SHOWN} more")
    return f"{form}({', '.join(shown)})"


def _origin(form: Form, operands: Sequence[Found]) -> str:
    return described(form, [operand.origin for operand in operands])


def _broken(form: Form, why: str) -> Absent:
    return Absent(reason=f"no {form} can be computed: {why}", broken=True)


def _values(operand: Found) -> tuple[Decimal | str, ...]:
    return operand.values or (operand.value,)


def _numbers(form: Form, operands: Sequence[Found]) -> list[_Number] | Absent:
    """Every number with its slack; two for a form of two operands."""
    numbers: list[_Number] = []
    for operand in operands:
        for value in _values(operand):
            if isinstance(value, str):
                return _broken(form, f"{operand.origin} holds the text {quoted(value)}")
            if not value.is_finite():
                return _broken(form, f"{operand.origin} holds {value}")
            numbers.append((value, operand.slack))
    if form in _PAIRS and (len(operands) != len(numbers) or len(numbers) != 2):  # noqa: PLR2004 - a pair
        counts = f"{len(numbers)} in {len(operands)} operands"
        return _broken(form, f"it takes two single numbers, and there are {counts}")
    return numbers or _broken(form, "there is nothing to reduce")


def _pair(form: Form, numbers: list[_Number]) -> _Number:
    (first, first_slack), (second, second_slack) = numbers
    return _PAIRS[form](first, first_slack, second, second_slack)


def _difference(a: Decimal, a_slack: Decimal, b: Decimal, b_slack: Decimal) -> _Number:
    return _EXACT.subtract(a, b), _EXACT.add(a_slack, b_slack)


def _ratio(a: Decimal, a_slack: Decimal, b: Decimal, b_slack: Decimal) -> _Number:
    # The slack is |a/b| (a_slack/|a| + b_slack/|b|), in a form that a = 0 does not break.
    value = _EXACT.divide(a, b)
    slack = _EXACT.add(a_slack, _EXACT.multiply(value.copy_abs(), b_slack))
    return value, _EXACT.divide(slack, b.copy_abs())


def _relative_change(a: Decimal, a_slack: Decimal, b: Decimal, b_slack: Decimal) -> _Number:
    _, slack = _ratio(b, b_slack, a, a_slack)
    return _EXACT.divide(_EXACT.subtract(b, a), a), slack


def _percent_of(a: Decimal, a_slack: Decimal, b: Decimal, b_slack: Decimal) -> _Number:
    _, slack = _ratio(a, a_slack, b, b_slack)
    return _EXACT.divide(_EXACT.multiply(_HUNDRED, a), b), _EXACT.multiply(_HUNDRED, slack)


def _reduced(form: Form, numbers: list[_Number]) -> _Number:
    values = [value for value, _ in numbers]
    if form in _EXTREMES:
        return _EXTREMES[form](values), max(slack for _, slack in numbers)
    total = reduce(_EXACT.add, values)
    slack = reduce(_EXACT.add, (slack for _, slack in numbers), _ZERO)
    if form == "sum":
        return total, slack
    count = Decimal(len(values))
    return _EXACT.divide(total, count), _EXACT.divide(slack, count)


_PAIRS: Mapping[Form, Callable[[Decimal, Decimal, Decimal, Decimal], _Number]] = MappingProxyType(
    {
        "difference": _difference,
        "ratio": _ratio,
        "relative-change": _relative_change,
        "percent-of": _percent_of,
    }
)
_EXTREMES: Mapping[Form, Callable[[list[Decimal]], Decimal]] = MappingProxyType(
    {"min": min, "max": max}
)
_UNITS: Mapping[Form, str] = MappingProxyType(
    {"ratio": "", "relative-change": "", "percent-of": PERCENT}
)
