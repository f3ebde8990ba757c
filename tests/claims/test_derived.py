"""Derived forms: exact in value, unit and slack, and refused where they make no sense."""

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.claims.derived import PERCENT, derive, described
from verifier.model.claim import Absent, Form, Found

REDUCING: tuple[Form, ...] = ("sum", "mean", "min", "max")
PAIRS: tuple[Form, ...] = ("difference", "ratio", "relative-change", "percent-of")
BEYOND = Decimal(10) ** -45


def number(text: str, *, slack: str = "0", unit: str = "", origin: str = "o") -> Found:
    return Found(value=Decimal(text), slack=Decimal(slack), unit=unit, origin=origin)


def several(*texts: str, unit: str = "", slack: str = "0") -> Found:
    values = tuple(map(Decimal, texts))
    return Found(value=values[0], values=values, unit=unit, slack=Decimal(slack), origin="l")


def derived(form: Form, *operands: Found) -> Found:
    found = derive(form, operands)
    assert isinstance(found, Found)
    return found


def refused(form: Form, *operands: Found) -> str:
    absent = derive(form, operands)
    assert isinstance(absent, Absent)
    assert absent.broken
    assert absent.reason.startswith(f"no {form} can be computed: ")
    return absent.reason.removeprefix(f"no {form} can be computed: ")


def test_every_form_is_tested_here() -> None:
    assert {*REDUCING, *PAIRS, "count"} == {*get_args(Form)}


@pytest.mark.parametrize(
    ("form", "operands", "value", "unit"),
    [
        ("difference", ("0.0319451732", "0.0354562238"), "-0.0035110506", "nat"),
        ("ratio", ("3", "8"), "0.375", ""),
        ("relative-change", ("8", "5"), "-0.375", ""),
        ("relative-change", ("-8", "-5"), "-0.375", ""),
        ("percent-of", ("5", "8"), "62.5", PERCENT),
        ("sum", ("0.1", "0.2", "0.3"), "0.6", "nat"),
        ("mean", ("0.1", "0.2", "0.6"), "0.3", "nat"),
        ("min", ("3", "-1", "2"), "-1", "nat"),
        ("max", ("3", "-1", "2"), "3", "nat"),
        ("count", ("3", "-1", "2"), "3", ""),
    ],
)
def test_a_form_gives_the_exact_value_in_its_unit(
    form: Form, operands: tuple[str, ...], value: str, unit: str
) -> None:
    found = derived(form, *(number(text, unit="nat") for text in operands))
    assert found.value == Decimal(value)
    assert found.unit == unit
    assert found.values == ()
    assert found.slack == 0


@pytest.mark.parametrize(
    ("form", "value"), [("sum", "10"), ("mean", "2.5"), ("min", "1"), ("max", "4"), ("count", "4")]
)
def test_lists_are_opened_beside_single_numbers(form: Form, value: str) -> None:
    assert derived(form, several("1", "2", "3"), number("4")).value == Decimal(value)


def test_a_reduction_of_displayed_totals_is_exact_in_the_digits_that_are_displayed() -> None:
    found = derived("relative-change", number("3474.1", unit="M"), number("2375.4", unit="M"))
    assert isinstance(found.value, Decimal)
    assert found.unit == ""
    with localcontext(prec=50):
        assert found.value == Decimal("-1098.7") / Decimal("3474.1")


def test_texts_count_and_do_nothing_else() -> None:
    names = Found(value="a", values=("a", "b"), origin="a.json#/names")
    assert derived("count", names, number("1")).value == 3
    reason = "a.json#/names holds the text 'a'"
    for form in (*REDUCING, *PAIRS):
        assert refused(form, number("1"), names) == reason


@pytest.mark.parametrize("form", ["ratio", "percent-of"])
@pytest.mark.parametrize("above", ["1", "0"])
def test_a_division_by_zero_is_refused(form: Form, above: str) -> None:
    assert refused(form, number(above), number("0")) == "it divides by zero"


def test_a_change_from_zero_is_refused() -> None:
    assert refused("relative-change", number("0.00"), number("1")) == "it divides by zero"
    assert refused("relative-change", number("0"), number("-0")) == "it divides by zero"


@pytest.mark.parametrize("form", REDUCING)
def test_nothing_cannot_be_reduced(form: Form) -> None:
    assert refused(form) == "there is nothing to reduce"


def test_nothing_counts_zero() -> None:
    assert derived("count").value == 0


@pytest.mark.parametrize("form", PAIRS)
@pytest.mark.parametrize(
    ("operands", "counts"),
    [
        ((), "0 in 0 operands"),
        ((number("1"),), "1 in 1 operands"),
        ((number("1"), number("2"), number("3")), "3 in 3 operands"),
        ((several("1", "2"),), "2 in 1 operands"),
        ((number("1"), several("2", "3")), "3 in 2 operands"),
    ],
)
def test_a_pair_takes_two_single_numbers(
    form: Form, operands: tuple[Found, ...], counts: str
) -> None:
    expected = f"it takes two single numbers, and there are {counts}"
    assert refused(form, *operands) == expected


def test_a_list_of_one_is_a_single_number() -> None:
    assert derived("difference", several("5"), number("3")).value == 2


@pytest.mark.parametrize("form", [*REDUCING, *PAIRS])
def test_different_units_are_not_mixed(form: Form) -> None:
    reason = refused(form, number("1", unit="MB"), number("2", unit="GB"))
    assert reason == "its operands have different units: MB, GB"


def test_an_operand_without_a_unit_takes_the_unit_of_the_others() -> None:
    assert derived("sum", number("1"), number("2", unit="nat"), number("3")).unit == "nat"
    assert derived("difference", number("1"), number("2")).unit == ""
    assert derived("percent-of", number("1", unit="MB"), number("2")).unit == PERCENT


def test_units_do_not_matter_to_a_count() -> None:
    found = derived("count", number("1", unit="MB"), number("2", unit="GB", slack="1"))
    assert found == Found(value=Decimal(2), origin="count(o, o)")


@pytest.mark.parametrize(
    ("form", "slack"),
    [
        ("difference", "0.3"),
        ("sum", "0.3"),
        ("mean", "0.15"),
        ("min", "0.2"),
        ("max", "0.2"),
        # |10/4| (0.1/10 + 0.2/4), and for the change from 10 to 4 the same of 4/10.
        ("ratio", "0.15"),
        ("percent-of", "15"),
        ("relative-change", "0.024"),
    ],
)
@pytest.mark.parametrize("signs", [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_slack_adds_up_and_relative_slack_in_quotients(
    form: Form, slack: str, signs: tuple[int, int]
) -> None:
    first = number(str(10 * signs[0]), slack="0.1")
    second = number(str(4 * signs[1]), slack="0.2")
    assert derived(form, first, second).slack == Decimal(slack)


def test_a_quotient_of_zero_keeps_the_slack_of_its_numerator() -> None:
    assert derived("ratio", number("0", slack="0.1"), number("4", slack="0.2")).slack == Decimal(
        "0.025"
    )


def test_each_value_of_a_list_has_the_slack_of_the_list() -> None:
    assert derived("sum", several("1", "2", "3", slack="0.1")).slack == Decimal("0.3")


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "sNaN"])
@pytest.mark.parametrize("form", [*REDUCING, *PAIRS])
def test_what_is_not_finite_is_refused(form: Form, text: str) -> None:
    assert refused(form, number("1"), number(text)) == f"o holds {text}"


def test_a_result_beyond_all_measure_is_refused() -> None:
    assert refused("ratio", number("1e999999"), number("1e-9")) == (
        "its result is beyond all measure"
    )


def test_an_origin_names_the_form_and_its_first_operands() -> None:
    assert described("ratio", ["a", "b"]) == "ratio(a, b)"
    assert described("sum", ["a", "b", "c", "d", "e"]) == "sum(a, b, c, and 2 more)"
    assert derived("min", number("1", origin="x.json#/a")).origin == "min(x.json#/a)"


finite = st.decimals(
    min_value=-(10**6), max_value=10**6, allow_nan=False, allow_infinity=False, places=12
)


@given(finite, finite)
def test_pairs_agree_with_exact_fractions_to_fifty_digits(a: Decimal, b: Decimal) -> None:
    first, second = (Found(value=value, origin="o") for value in (a, b))
    one, two = Fraction(a), Fraction(b)
    wanted: dict[Form, Fraction] = {"difference": one - two}
    if two:
        wanted |= {"ratio": one / two, "percent-of": 100 * one / two}
    if one:
        wanted["relative-change"] = (two - one) / one
    for form, exact in wanted.items():
        value = derived(form, first, second).value
        assert isinstance(value, Decimal)
        assert abs(Fraction(value) - exact) <= abs(exact) * Fraction(BEYOND)


@given(st.lists(finite, min_size=1, max_size=30))
def test_reductions_agree_with_exact_fractions(values: list[Decimal]) -> None:
    operand = Found(value=values[0], values=tuple(values), origin="o")
    exact = list(map(Fraction, values))
    total, mean = derived("sum", operand).value, derived("mean", operand).value
    assert isinstance(total, Decimal)
    assert isinstance(mean, Decimal)
    assert Fraction(total) == sum(exact)
    assert abs(Fraction(mean) * len(exact) - Fraction(total)) <= Fraction(BEYOND) * 10**6
    assert derived("min", operand).value == min(values)
    assert derived("max", operand).value == max(values)
