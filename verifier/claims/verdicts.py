"""One printed number against what its source gave: the printed digits decide."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from verifier.claims import _wording as wording
from verifier.claims._conversion import Mistake, conversion, mistakes
from verifier.claims._counts import impossible_count, impossible_percentage, in_things
from verifier.claims._identity_verdict import judge_identity
from verifier.claims._rounding import (
    EXACT,
    ZERO,
    cut_off,
    decisive_place,
    power,
    rounds_to,
    significant_digits,
    within_a_unit,
    workable,
)
from verifier.claims.printing import printed_like
from verifier.model.claim import Binding, Flaw, Found, Numeral, Verdict

__all__ = ["judge", "judge_identity"]

_SUPPORTED = Verdict(status="SUPPORTED")
_NEGATIVE_ZERO: Flaw = "negative-zero"
_IMPOSSIBLE_PERCENTAGE: Flaw = "impossible-percentage"
_COUNTS = frozenset({"part", "whole"})
_UPPER = frozenset({"<", "<="})
# Where the first digit of a share stands in the twentieth place, "0" is as good a correction.
_SMALLEST_SHARE = -20
_STRICT = frozenset({"<", ">"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A printed number and the value that it should be.

    Attributes:
        numeral: as printed.
        place: power of ten of the digit that decides.
        unit: what the number is in, be it printed or not; "" for nothing.
        converted: whether the source is in another unit.
        value: in that unit, with the sign that the binding gives it.
        slack: how far the value may lie off.
        things: the number of things behind a count or percentage.
    """

    numeral: Numeral
    place: int
    unit: str
    converted: bool
    value: Decimal
    slack: Decimal
    things: Decimal | None


def judge(numeral: Numeral, found: Found, binding: Binding, *, n: Decimal | None = None) -> Verdict:
    """Judge a printed number against the value that its source gave.

    The value, converted exactly into the number's unit, must round to the printed digits:
    half-even or half-up, so it lies within half a unit of the last place. What lies within the
    source's slack of a tie may round either way. An approximate number is rounded to its last
    digit that is not zero. A bound must hold for the value itself. Any finite or non-finite
    numbers of any length and exponent are judged in bounded time.

    Args:
        numeral: as printed. Without a unit it is in the one that the binding states.
        found: the source's value.
        binding: gives the unit of the source and the rule for the sign.
        n: number of things, whole and in no unit, behind a part, a whole or a percentage.

    Returns:
        SUPPORTED, perhaps with flaws; UNIT, where the value does not fit but a mix-up of units or
        signs explains the number, which is named; CONTRADICTED otherwise. ``expected`` is the
        value in the document's format without its unit, "" where none can be given.
    """
    value = found.value
    if isinstance(value, str):
        return _contradicted("", wording.no_number(value))
    for number in (value, numeral.value):
        if not workable(number):
            return _contradicted("", wording.unworkable(number))
    source = binding.unit or found.unit
    into = conversion(source, numeral.unit, stated=bool(binding.unit))
    if into is None:
        reason = wording.not_convertible(source, numeral.unit)
        return Verdict(status="UNIT", reason=reason)
    slack = found.slack if found.slack.is_finite() else ZERO
    if into.factor is not None:
        value = EXACT.multiply(value, into.factor)
        slack = EXACT.multiply(slack, into.factor)
        if into.error:
            slack = EXACT.fma(value.copy_abs(), into.error, slack)
    if binding.sign != "same":
        value = value.copy_abs() if binding.sign == "dropped" else value.copy_negate()
    return _verdict(
        _Case(
            numeral=numeral,
            place=decisive_place(numeral.value, numeral.place, approximate=numeral.approximate),
            unit=into.unit,
            converted=into.factor is not None,
            value=value,
            slack=slack,
            things=n,
        )
    )


def _verdict(case: _Case) -> Verdict:
    flaws = _own_flaws(case)
    if not _fits(case, case.value):
        return _misfit(case, flaws)
    if not flaws:
        return _SUPPORTED
    if case.things is not None and _IMPOSSIBLE_PERCENTAGE in flaws:
        # The source agrees, so it or the number of things is wrong: there is no value to offer.
        return _contradicted("", wording.no_such_share(case.numeral, case.things), flaws)
    expected = printed_like(ZERO, case.numeral) if _NEGATIVE_ZERO in flaws else ""
    return Verdict(status="SUPPORTED", expected=expected, flaws=flaws)


def _own_flaws(case: _Case) -> tuple[Flaw, ...]:
    """What is wrong with the number whatever its source gives."""
    numeral, value = case.numeral, case.numeral.value
    flaws: tuple[Flaw, ...] = ()
    if not value and value.is_signed():
        flaws = (_NEGATIVE_ZERO,)
    if numeral.role in _COUNTS:
        things = in_things(numeral)
        if impossible_count(value if things is None else things, case.things):
            flaws = (*flaws, "impossible-count")
    elif (
        case.things is not None
        and case.unit == "percent"
        and numeral.relation == "="
        and impossible_percentage(value, case.place, case.things)
    ):
        flaws = (*flaws, _IMPOSSIBLE_PERCENTAGE)
    return flaws


def _fits(case: _Case, value: Decimal) -> bool:
    """Whether the printed number stands for the value."""
    numeral = case.numeral
    if numeral.relation != "=":
        return _holds(case, value)
    if _says_none(case):
        return value.copy_abs() <= case.slack
    return rounds_to(value, numeral.value, case.place, case.slack)


def _says_none(case: _Case) -> bool:
    """Whether the number is the whole 0 of a count: a few of many are not none."""
    numeral = case.numeral
    if numeral.value or numeral.place < 0 or numeral.relation != "=":
        return False
    return case.things is not None or numeral.role in _COUNTS


def _holds(case: _Case, value: Decimal) -> bool:
    """Whether the value keeps to the printed bound, give or take its slack."""
    bound, relation, room = case.numeral.value, case.numeral.relation, case.slack
    if case.numeral.approximate:
        room = EXACT.add(room, power(case.place - 1, 5))
    least, most = EXACT.subtract(value, room), EXACT.add(value, room)
    if relation in _UPPER:
        return least < bound or (relation == "<=" and least == bound)
    return most > bound or (relation == ">=" and most == bound)


def _misfit(case: _Case, flaws: tuple[Flaw, ...]) -> Verdict:
    """The verdict on a number that does not stand for its value."""
    numeral, value, unit = case.numeral, case.value, case.unit
    expected = _right(case)
    if _says_none(case) and rounds_to(value, ZERO, 0):
        return _contradicted(expected, wording.not_nothing(value, unit), flaws)
    if numeral.relation == "=":
        if cut_off(value, numeral.value, case.place):
            reason = wording.truncated(value, unit)
            return _contradicted(expected, reason, (*flaws, "truncated"))
    elif within_a_unit(value, numeral.value, case.place):
        reason = wording.bound_misrounded(value, numeral)
        return _contradicted(expected, reason, (*flaws, "wrong-bound"))
    mistake = _mistake(case)
    if mistake is not None:
        reason = wording.mixed_up(mistake.name, value, unit)
        return Verdict(status="UNIT", expected=expected, reason=reason, flaws=flaws)
    if numeral.relation == "=":
        return _contradicted(expected, wording.differs(value, unit), flaws)
    return _contradicted(expected, wording.bound_fails(value, numeral), flaws)


def _mistake(case: _Case) -> Mistake | None:
    """The mix-up that explains the number, exactly or in more digits than chance would."""
    printed = case.numeral.value
    digits = significant_digits(printed, case.place)
    # Some mix-up makes any bound hold, so it has to be the tightest one.
    rounded = EXACT.add(power(case.place), case.slack)
    for mistake in mistakes(case.unit, converted=case.converted):
        value = EXACT.multiply(case.value, mistake.factor)
        reach = rounded if digits >= mistake.digits else case.slack
        near = EXACT.subtract(value, printed).copy_abs() <= reach
        if near and _fits(case, value):
            return mistake
    return None


def _right(case: _Case) -> str:
    """The right number in the format of the document; a bound is rounded away from the value."""
    numeral, value = case.numeral, case.value
    if numeral.relation == "=":
        if _says_none(case) and rounds_to(value, ZERO, 0):
            numeral = numeral._replace(place=max(value.adjusted(), _SMALLEST_SHARE))
        return printed_like(value, numeral)
    if numeral.relation in _UPPER:
        beyond = EXACT.next_plus(value) if numeral.relation in _STRICT else value
        return printed_like(beyond, numeral, rounding=ROUND_CEILING)
    beyond = EXACT.next_minus(value) if numeral.relation in _STRICT else value
    return printed_like(beyond, numeral, rounding=ROUND_FLOOR)


def _contradicted(expected: str, reason: str, flaws: tuple[Flaw, ...] = ()) -> Verdict:
    return Verdict(status="CONTRADICTED", expected=expected, reason=reason, flaws=flaws)
