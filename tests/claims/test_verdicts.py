"""One printed number against what its source gave."""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.printed import binding, found, numeral
from verifier.claims.printing import printed_like
from verifier.claims.verdicts import judge, judge_identity
from verifier.model.claim import Found, Relation, Verdict

TRUE_MINUS = "\u2212"


def judged(
    text: str,
    value: str | float,
    *,
    n: str | None = None,
    bound: dict[str, Any] | None = None,
    source: dict[str, Any] | None = None,
    **changes: Any,
) -> Verdict:
    """The verdict on a text; ``bound`` changes the binding, ``source`` what was found."""
    whole = None if n is None else Decimal(n)
    given = found(value, **(source or {}))
    return judge(numeral(text, **changes), given, binding(**(bound or {})), n=whole)


def status(text: str, value: str | float, **changes: Any) -> str:
    return judged(text, value, **changes).status


# ---------------------------------------------------------------------------------------- rounding


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.0318", "0.03180776125099182"),
        ("0.0318", 0.03180776125099182),
        ("0.12", "0.125"),
        ("0.13", "0.125"),
        ("-0.12", "-0.125"),
        ("-0.13", "-0.125"),
        ("0.14", "0.135"),
        ("2.67", 2.675),
        ("0", "0.5"),
        ("1", "0.5"),
        ("0.000", "0.0002"),
        ("1,234.5", "1234.54"),
        (f"{TRUE_MINUS}0.0040", "-0.003950341606200488"),
        ("1.2e-5", "0.0000124"),
        ("3", "3.0000"),
        ("0e9", "0"),
        ("10", "10.49999999999999999999999999999999999999999"),
    ],
)
def test_a_value_that_rounds_to_the_printed_digits_supports_them(
    text: str, value: str | float
) -> None:
    assert judged(text, value) == Verdict(status="SUPPORTED")


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("0.0319", "0.03180776", "0.0318"),
        ("0.13", "0.1249999999999999999999999999999999999999999999", "0.12"),
        ("0.14", "0.1349", "0.13"),
        ("2.68", 2.675, "2.67"),
        ("1,235.5", "1234.54", "1,234.5"),
        ("4", "5.5", "6"),
        ("1.3e-5", "0.0000124", "1.2e-5"),
        ("0e9", "300000", "3e5"),
    ],
)
def test_a_value_that_rounds_to_other_digits_contradicts_with_the_right_ones(
    text: str, value: str | float, expected: str
) -> None:
    verdict = judged(text, value)
    assert (verdict.status, verdict.expected) == ("CONTRADICTED", expected)


def test_the_reason_names_what_the_source_gives() -> None:
    verdict = judged("0.0319", 0.03180776125099182)
    assert verdict.reason == "The source gives 0.0318077612509918."
    assert judged("5", "1e40").reason == "The source gives 1E+40."
    assert judged("5 ", "7", unit="ms").reason == "The source gives 7 ms."


def test_a_value_within_the_slack_of_a_tie_may_round_either_way() -> None:
    slack = {"slack": Decimal("1e-12")}
    assert status("0.13", "0.1249999999999999", source=slack) == "SUPPORTED"
    assert status("0.12", "0.1250000000000001", source=slack) == "SUPPORTED"
    assert status("0.14", "0.135", source=slack) == "SUPPORTED"
    assert status("0.13", "0.135", source=slack) == "SUPPORTED"
    assert status("0.13", "0.12499", source=slack) == "CONTRADICTED"
    assert status("0.13", "0.1249999999999999") == "CONTRADICTED"


def test_more_digits_than_the_value_has_are_equal_within_the_slack() -> None:
    slack = {"slack": Decimal("1e-15")}
    assert status("0.03180776125099182000001", 0.03180776125099182, source=slack) == "SUPPORTED"
    assert status("0.03180776125099182000001", 0.03180776125099182) == "CONTRADICTED"
    assert status("0.03180776125109182000001", 0.03180776125099182, source=slack) == "CONTRADICTED"


@pytest.mark.parametrize("slack", ["nan", "inf"])
def test_a_slack_that_is_not_finite_excuses_nothing(slack: str) -> None:
    assert status("5", "7", source={"slack": Decimal(slack)}) == "CONTRADICTED"


@given(
    value=st.decimals(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12),
    place=st.integers(-8, 3),
    off=st.integers(-2, 2),
)
def test_the_verdict_is_that_of_exact_fractions(value: Decimal, place: int, off: int) -> None:
    wide = Context(prec=400)
    unit = Decimal((0, (1,), place))
    step = wide.divide(value, unit).to_integral_value()
    printed = wide.multiply(wide.add(step, Decimal(off)), unit)
    # A zero has no digit above the units.
    assume(printed != 0 or place <= 0)
    exact, claimed, half = Fraction(value), Fraction(printed), Fraction(10) ** place / 2
    distance = abs(exact - claimed)
    even = (claimed / Fraction(10) ** place) % 2 == 0
    right = distance < half or (distance == half and (even or abs(claimed) > abs(exact)))
    verdict = judge(numeral(str(printed), place=place), Found(value=value), binding())
    assert (verdict.status == "SUPPORTED") == right
    assert right == any(
        value.quantize(unit, rounding=rule, context=wide) == printed
        for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )


FORMS = [
    "1",
    "1.5",
    "0.0001",
    "1,234.567",
    "+2.00",
    f"{TRUE_MINUS}3.1415",
    ".5",
    "1.2e-5",
    "1.20E+05",
    "12.3e2",
    "1.2 \u00d7 10\u207b\u2075",
]
FINITE = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15),
    st.floats(allow_nan=False, allow_infinity=False, width=64).map(Decimal),
)


@given(value=FINITE, form=st.sampled_from(FORMS), approximate=st.booleans())
def test_a_value_printed_in_any_form_is_supported(
    value: Decimal,
    form: str,
    approximate: bool,  # noqa: FBT001 - hypothesis gives it by name
) -> None:
    text = printed_like(value, numeral(form, approximate=approximate))
    again = numeral(text, approximate=approximate)
    assert judge(again, Found(value=value), binding()) == Verdict(status="SUPPORTED")


@given(
    value=FINITE,
    form=st.sampled_from(FORMS),
    relation=st.sampled_from(["<", "<=", ">", ">="]),
)
def test_what_a_broken_bound_is_corrected_to_holds(
    value: Decimal, form: str, relation: Relation
) -> None:
    wide = Context(prec=1500)
    broken = wide.subtract(value, 1) if relation in {"<", "<="} else wide.add(value, 1)
    verdict = judge(
        numeral(printed_like(broken, numeral(form)), relation=relation),
        Found(value=value),
        binding(),
    )
    assume(verdict.expected != "")
    again = numeral(verdict.expected, relation=relation)
    assert judge(again, Found(value=value), binding()).status == "SUPPORTED"


@given(
    value=st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9, places=9
    ),
    form=st.sampled_from(FORMS),
    data=st.data(),
)
def test_changing_one_digit_of_a_right_number_is_noticed(
    value: Decimal, form: str, data: st.DataObject
) -> None:
    text = printed_like(value, numeral(form))
    right = numeral(text)
    mantissa = text.partition("e")[0].partition("E")[0].partition(" ")[0]
    digits = [index for index, mark in enumerate(mantissa) if mark in "0123456789"]
    index = data.draw(st.sampled_from(digits))
    digit = data.draw(st.sampled_from("0123456789"))
    wrong = numeral(text[:index] + digit + text[index + 1 :], place=right.place)
    assume(wrong.value != right.value)
    half = Fraction(10) ** right.place / 2
    # A tie may be rounded to either neighbour.
    assume(abs(Fraction(value) - Fraction(right.value)) != half)
    verdict = judge(wrong, Found(value=value), binding())
    assert verdict.status in {"CONTRADICTED", "UNIT"}
    corrected = judge(numeral(verdict.expected), Found(value=value), binding())
    assert corrected == Verdict(status="SUPPORTED")
    # A mantissa that begins with a zero has one digit less to be corrected in.
    shortened = "e" in wrong.literal.lower() and wrong.literal.lstrip("+-").startswith("0")
    assert shortened or verdict.expected == text


# ------------------------------------------------------------------------------------------- signs


def test_a_binding_says_which_sign_the_document_prints() -> None:
    assert status("3.1", "-3.1", bound={"sign": "flipped"}) == "SUPPORTED"
    assert status("-3.1", "-3.1", bound={"sign": "flipped"}) == "UNIT"
    assert status("3.1", "-3.1", bound={"sign": "dropped"}) == "SUPPORTED"
    assert status("3.1", "3.1", bound={"sign": "dropped"}) == "SUPPORTED"
    assert status("-3.1", "3.1", bound={"sign": "dropped"}) == "UNIT"


def test_a_flipped_sign_is_named() -> None:
    verdict = judged("3.1", "-3.14")
    assert verdict == Verdict(
        status="UNIT", expected="-3.1", reason="The source gives -3.14: the sign is flipped."
    )


# ------------------------------------------------------------------------------------------- units


@pytest.mark.parametrize(
    ("text", "unit", "value", "source"),
    [
        ("33.1", "percent", "0.3312", ""),
        ("33.1", "percent", "33.12", "percent"),
        ("0.331", "", "33.12", "percent"),
        ("1.5", "percentage-point", "0.0151", ""),
        ("1.5", "percentage-point", "1.51", "percent"),
        ("3474.1", "M", "3474060288", ""),
        ("16", "K", "16000", "token"),
        ("3474.1", "M", "3474060288", "B"),
        ("1.99", "ms", "0.00199", "s"),
        ("1.5", "x", "1.5", ""),
        ("0.0743", "nat", "0.0743", "nats"),
        ("0.0743", "nat", "0.0743", ""),
        ("0.0743", "", "0.0743", "nat"),
        ("512", "MiB", "536870912", "B"),
        ("2", "min", "90", "s"),
        ("0", "min", "30", "s"),
        ("0.0515", "nat", "0.07430", "bit"),
        ("1200", "token/s", "1.2", "K"),
    ],
)
def test_the_value_is_converted_into_the_printed_unit(
    text: str, unit: str, value: str, source: str
) -> None:
    assert judged(text, value, unit=unit, source={"unit": source}) == Verdict(status="SUPPORTED")
    assert judged(text, value, unit=unit, source={"unit": "h"}, bound={"unit": source or "x"}) == (
        judged(text, value, unit=unit, source={"unit": source or "x"})
        if unit or not source
        else judged(text, value, bound={"unit": source})
    )


def test_a_number_without_a_unit_is_in_the_one_that_the_binding_states() -> None:
    assert status("33.1", "33.12", bound={"unit": "percent"}) == "SUPPORTED"
    assert status("0.331", "33.12", bound={"unit": "percent"}) == "UNIT"
    assert status("12.5", "12.5", bound={"unit": "ms"}) == "SUPPORTED"


def test_units_of_different_kinds_are_named() -> None:
    verdict = judged("12.5", "12.5", unit="ms", source={"unit": "MB"})
    reason = "The source is in MB and the number in ms, which do not convert."
    assert verdict == Verdict(status="UNIT", reason=reason)


@pytest.mark.parametrize(
    ("text", "unit", "value", "source", "named"),
    [
        ("0.331", "percent", "0.3312", "", "by a factor of 100, a fraction printed as percent (if"),
        ("0.331", "percent", "33.12", "percent", "a factor of 100, a fraction printed as percent."),
        ("3312", "percent", "0.3312", "", "off by a factor of 100."),
        ("33.1", "", "0.3312", "", "off by a factor of 100, percent without a unit."),
        ("33.1", "", "33.12", "percent", "off by a factor of 100, percent without a unit."),
        ("0.0033", "", "0.3312", "", "off by a factor of 100."),
        ("12", "s", "12", "ms", "the number is the value in ms."),
        ("0.012", "ms", "12", "ms", "the number is the value in s."),
        ("0.012", "", "12", "ms", "the number is the value in s."),
        ("512", "MB", "536870912", "B", "the number is the value in MiB."),
        ("0.0743", "bit", "0.0743", "nat", "the number is the value in nat."),
        ("0.107", "nat", "0.0743", "nat", "the number is the value in bit."),
        ("3474.1", "", "3474060288", "", "off by a factor of 1000000, millions without a unit."),
        ("3.5", "", "3474", "", "off by a factor of 1000, thousands without a unit."),
        ("3474.1", "M", "3474.06", "", "a factor of 1000000, the source's value printed as M (if"),
        ("128", "K", "131072", "", "K counts in steps of 1024 there."),
        ("1228800", "", "1200", "", "off by a factor of 1024."),
        ("1.2", "x", "1200", "", "off by a factor of 1000."),
    ],
)
def test_a_unit_mix_up_is_named(text: str, unit: str, value: str, source: str, named: str) -> None:
    verdict = judged(text, value, unit=unit, source={"unit": source})
    assert verdict.status == "UNIT"
    assert named in verdict.reason
    assert verdict.flaws == ()
    assert verdict.expected != ""


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", "0.0312"), ("0.03", "3.12"), ("3", "-3.2"), ("4", "4100"), ("0.0", "7")],
)
def test_one_digit_that_fits_by_chance_is_no_mix_up(text: str, value: str) -> None:
    assert status(text, value) == "CONTRADICTED"


@pytest.mark.parametrize(("text", "value"), [("3", "0.03"), ("0.03", "3"), ("3", "-3")])
def test_one_digit_that_fits_exactly_is_a_mix_up(text: str, value: str) -> None:
    assert status(text, value) == "UNIT"


def test_a_factor_near_one_needs_three_digits_or_an_exact_fit() -> None:
    assert status("41", "43", unit="MB", source={"unit": "MB"}) == "CONTRADICTED"
    assert status("41.0", "43.0", unit="MB", source={"unit": "MB"}) == "UNIT"


# ------------------------------------------------------------------------------- approximate, bound


def test_an_approximate_number_stands_for_what_rounds_to_its_last_digit_that_is_not_zero() -> None:
    assert status("2,000", "1501", approximate=True) == "SUPPORTED"
    assert status("2,000", "2499", approximate=True) == "SUPPORTED"
    assert status("2,000", "2501", approximate=True) == "CONTRADICTED"
    assert status("2,000", "1501") == "CONTRADICTED"
    assert status("2,000", "2500", approximate=True) == "SUPPORTED"
    assert status("3,000", "3500", approximate=True) == "CONTRADICTED"
    assert status("1.99", "1.9949", approximate=True) == "SUPPORTED"
    assert status("0.00", "0.04", approximate=True) == "CONTRADICTED"


def test_an_approximate_number_is_corrected_in_its_own_digits() -> None:
    assert judged("2,000", "3456", approximate=True).expected == "3,000"


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("1.04", "<=", "1.0343"),
        ("1.03", "<=", "1.03"),
        ("1.04", "<", "1.03"),
        ("1.03", ">=", "1.0343"),
        ("1.03", ">=", "1.03"),
        ("1.02", ">", "1.03"),
        ("100", "<=", "-5"),
    ],
)
def test_a_bound_that_holds_is_supported(text: str, relation: Relation, value: str) -> None:
    assert judged(text, value, relation=relation) == Verdict(status="SUPPORTED")


@pytest.mark.parametrize(
    ("text", "relation", "value", "expected", "way"),
    [
        ("1.03", "<=", "1.0343", "1.04", "up"),
        ("1.03", "<=", "1.0399", "1.04", "up"),
        ("1.03", "<", "1.03", "1.04", "up"),
        ("1.04", ">=", "1.0372", "1.03", "down"),
        ("1.03", ">", "1.03", "1.02", "down"),
        ("-1.03", ">=", "-1.0343", "-1.04", "down"),
    ],
)
def test_a_bound_rounded_the_wrong_way_is_a_flaw(
    text: str, relation: Relation, value: str, expected: str, way: str
) -> None:
    verdict = judged(text, value, relation=relation)
    assert verdict == Verdict(
        status="CONTRADICTED",
        expected=expected,
        reason=(
            f"The source gives {value}, which is not {relation} {text}: "
            f"this bound is to be rounded {way}."
        ),
        flaws=("wrong-bound",),
    )


def test_a_bound_that_is_plainly_broken_is_rounded_outwards_too() -> None:
    verdict = judged("1.03", "2.501", relation="<=")
    reason = "The source gives 2.501, which is not <= 1.03."
    assert verdict == Verdict(status="CONTRADICTED", expected="2.51", reason=reason)


def test_a_bound_holds_within_the_slack_of_the_value() -> None:
    slack = {"slack": Decimal("1e-12")}
    assert status("1.03", "1.0300000000000002", relation="<=", source=slack) == "SUPPORTED"
    assert status("1.03", "1.03", relation=">", source=slack) == "SUPPORTED"
    assert status("1.03", "1.0300000000000002", relation="<=") == "CONTRADICTED"


def test_an_approximate_bound_may_be_rounded_either_way() -> None:
    assert status("2,000", "2300", relation="<=", approximate=True) == "SUPPORTED"
    assert status("2,000", "2600", relation="<=", approximate=True) == "CONTRADICTED"


def test_only_the_tightest_bound_is_taken_for_a_unit_mix_up() -> None:
    assert status("3.5", "0.0343", relation="<=") == "SUPPORTED"
    assert status("0.035", "3.43", relation="<=") == "UNIT"
    assert status("0.095", "3.43", relation="<=") == "CONTRADICTED"


# ------------------------------------------------------------------------------------------- flaws


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("3.56", "3.5678", "3.57"),
        ("-3.56", "-3.5678", "-3.57"),
        ("0.00", "0.0099", "0.01"),
        ("0", "0.7", "1"),
        ("1.9e-5", "0.0000199", "2.0e-5"),
    ],
)
def test_digits_that_are_cut_off_are_named(text: str, value: str, expected: str) -> None:
    verdict = judged(text, value)
    assert (verdict.status, verdict.expected) == ("CONTRADICTED", expected)
    assert verdict.flaws == ("truncated",)
    assert verdict.reason.endswith(": it is cut off, not rounded.")


@pytest.mark.parametrize(
    ("text", "value"), [("3.57", "3.5612"), ("-3.56", "3.5678"), ("3.56", "3.57")]
)
def test_other_wrong_digits_are_not_called_cut_off(text: str, value: str) -> None:
    assert judged(text, value).flaws == ()


@pytest.mark.parametrize("value", ["-0.02", "0.02", "0", "-0"])
def test_a_negative_zero_is_a_flaw_of_a_supported_number(value: str) -> None:
    expected = Verdict(status="SUPPORTED", expected="0.0", flaws=("negative-zero",))
    assert judged("-0.0", value) == expected
    assert judged(f"{TRUE_MINUS}0.0", value) == expected


def test_a_negative_zero_that_does_not_round_has_both_faults() -> None:
    verdict = judged("-0.00", "-0.0004", unit="percent", source={"unit": ""})
    assert (verdict.status, verdict.flaws) == ("CONTRADICTED", ("negative-zero",))
    assert verdict.expected == "-0.04"


def test_a_whole_zero_stands_for_no_thing_of_a_count() -> None:
    verdict = judged("0", "0.003", unit="percent", n="300")
    assert verdict == Verdict(
        status="CONTRADICTED",
        expected="0.3",
        reason="The source gives 0.3 percent, and a whole 0 says that there is none.",
    )
    assert status("0", "0", unit="percent", n="300") == "SUPPORTED"
    assert status("0.0", "0.0003", unit="percent", n="3000") == "SUPPORTED"
    assert status("0", "0.003", unit="percent") == "SUPPORTED"
    assert judged("0", "4", role="part", n="32").expected == "4"
    assert judged("0", "1e-40", role="part", n="32").expected == f"0.{'0' * 20}"
    assert status("0", "1e-15", role="part", n="32", source={"slack": Decimal("1e-12")}) == (
        "SUPPORTED"
    )


@pytest.mark.parametrize(
    ("text", "role", "n"),
    [
        ("33", "part", "32"),
        ("-1", "part", "32"),
        ("22.5", "part", "32"),
        ("-1", "whole", None),
        ("22.5", "whole", None),
        ("1.0005", "part", "32"),
    ],
)
def test_a_number_that_counts_nothing_is_a_flaw_whatever_the_source_says(
    text: str, role: str, n: str | None
) -> None:
    verdict = judged(text, text, role=role, n=n)
    assert verdict == Verdict(status="SUPPORTED", flaws=("impossible-count",))


@pytest.mark.parametrize(
    ("text", "role", "unit", "n"),
    [
        ("26", "part", "", "32"),
        ("32", "part", "", "32"),
        ("0", "part", "", "32"),
        ("32", "whole", "", None),
        ("26.0", "part", "", None),
        ("1.2", "part", "K", "3000"),
        ("26", "part", "", "nan"),
    ],
)
def test_a_number_of_things_is_no_flaw(text: str, role: str, unit: str, n: str | None) -> None:
    verdict = judged(text, text, n=n, role=role, unit=unit, source={"unit": unit})
    assert verdict == Verdict(status="SUPPORTED")


def test_a_wrong_count_that_is_impossible_has_both_faults() -> None:
    verdict = judged("33", "26", role="part", n="32")
    assert (verdict.status, verdict.expected) == ("CONTRADICTED", "26")
    assert verdict.flaws == ("impossible-count",)


def test_a_percentage_that_no_count_gives_is_contradicted_though_the_source_agrees() -> None:
    verdict = judged("34.5", "0.345", unit="percent", n="32")
    assert verdict == Verdict(
        status="CONTRADICTED",
        reason="No whole number out of 32 makes 34.5 %.",
        flaws=("impossible-percentage",),
    )
    wrong = judged("34.5", "0.34375", unit="percent", n="32")
    assert (wrong.expected, wrong.flaws) == ("34.4", ("impossible-percentage",))
    unprinted = judged("34.5", "34.5", bound={"unit": "percent"}, n="32")
    assert unprinted.flaws == ("impossible-percentage",)


@pytest.mark.parametrize("n", ["0", "-5", "2.5", "nan", "inf", "1e99999999999999999"])
def test_what_is_no_number_of_things_makes_no_percentage_impossible(n: str) -> None:
    assert status("34.5", "0.345", unit="percent", n=n) == "SUPPORTED"


def test_only_percentages_of_a_count_are_held_to_it() -> None:
    assert status("34.5", "0.345", unit="percent") == "SUPPORTED"
    assert status("34.5", "34.5", n="32") == "SUPPORTED"
    assert status("34.5", "0.345", unit="percent", n="32", relation="<=") == "SUPPORTED"


@pytest.mark.parametrize(
    ("text", "flaws"),
    [
        ("100.0", ()),
        ("100.1", ("impossible-percentage",)),
        ("-3.1", ("impossible-percentage",)),
        ("0.0", ()),
    ],
)
def test_a_share_lies_between_nothing_and_all(text: str, flaws: tuple[str, ...]) -> None:
    verdict = judged(text, text, unit="percent", source={"unit": "percent"}, n="32")
    assert verdict.flaws == flaws


@pytest.mark.parametrize(
    ("text", "possible"), [("12", True), ("13", True), ("38", True), ("37", False)]
)
def test_a_share_on_a_tie_may_be_rounded_as_values_are(text: str, *, possible: bool) -> None:
    flaws = judged(text, text, bound={"unit": "percent"}, n="8").flaws
    assert ("impossible-percentage" not in flaws) == possible


@given(n=st.integers(1, 400), tenths=st.integers(-20, 1020), decimals=st.integers(0, 2))
def test_a_percentage_is_possible_when_some_count_gives_it(
    n: int, tenths: int, decimals: int
) -> None:
    text = str(Decimal(tenths).scaleb(-decimals))
    text = format(Decimal(text), "f")
    claimed, half = Fraction(text), Fraction(1, 2 * 10**decimals)
    even = tenths % 2 == 0
    possible = any(
        (distance := abs(Fraction(100 * k, n) - claimed)) < half
        or (distance == half and (even or claimed > Fraction(100 * k, n)))
        for k in range(n + 1)
    )
    flaws = judged(text, text, unit="percent", source={"unit": "percent"}, n=str(n)).flaws
    assert ("impossible-percentage" not in flaws) == possible


# ----------------------------------------------------------------------------------------- hostile


@pytest.mark.parametrize("number", ["nan", "snan", "inf", "-inf", "1e9999999999999999"])
def test_what_is_no_workable_number_is_contradicted_by_name(number: str) -> None:
    reason = f"{str(Decimal(number))!r} is no number that can be compared."
    assert judged("5", number) == Verdict(status="CONTRADICTED", reason=reason)
    odd = numeral("5", value=Decimal(number))
    assert judge(odd, found("5"), binding()) == Verdict(status="CONTRADICTED", reason=reason)


def test_a_text_is_no_number() -> None:
    verdict = judge(numeral("5"), Found(value="a" * 100 + "\n"), binding())
    reason = f"The source gives the text '{'a' * 40}...', where a number is needed."
    assert verdict == Verdict(status="CONTRADICTED", reason=reason)
    assert "'\\n'" in judge(numeral("5"), Found(value="\n"), binding()).reason


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "5", "0", "9" * 10_000])
@pytest.mark.parametrize(
    "value", ["1e999999999", "-1e999999999", "1e-999999999", "0." + "7" * 10_000]
)
@pytest.mark.parametrize("relation", ["=", "<", ">="])
def test_huge_exponents_and_long_literals_get_a_verdict(
    text: str, value: str, relation: Relation
) -> None:
    for changes in ({}, {"approximate": True}, {"unit": "percent"}, {"role": "part"}):
        verdict = judged(text, value, n="7", relation=relation, **changes)
        assert len(verdict.expected) <= 20_000
        assert len(verdict.reason) < 300


def test_ten_thousand_digits_are_compared_to_the_last() -> None:
    digits = "123456789" * 1_200
    assert status(f"0.{digits}", f"0.{digits}4") == "SUPPORTED"
    assert status(f"0.{digits}", f"0.{digits}6") == "CONTRADICTED"
    assert status(f"{digits}.0", f"{digits}.06") == "CONTRADICTED"
    percent = f"{digits[:2]}.{digits[2:]}"
    assert status(percent, f"0.{digits}4", unit="percent") == "SUPPORTED"
    assert status(percent, f"0.{digits}6", unit="percent") == "CONTRADICTED"


def test_a_long_literal_is_clipped_in_a_reason() -> None:
    reason = judged("1" * 1_000, "1e1000", relation="<").reason
    assert reason.startswith("The source gives 1E+1000, which is not < 1111")
    assert len(reason) < 100


def test_a_tie_that_lies_behind_a_million_digits_is_no_tie() -> None:
    assert status("0.1", f"0.15{'0' * 30_000}1") == "CONTRADICTED"
    assert status("0.2", f"0.25{'0' * 30_000}1") == "CONTRADICTED"
    assert status("0.2", "0.25") == "SUPPORTED"


# -------------------------------------------------------------------------------------- identities

DIGEST = "0123456789abcdef" * 4
COMMIT = "c88fb8847dc8bc18bca56640759f137198750085"


@pytest.mark.parametrize(
    ("text", "given_"),
    [
        (DIGEST, DIGEST),
        (DIGEST, f"sha256:{DIGEST}"),
        (DIGEST.upper(), f"sha256:{DIGEST}"),
        (DIGEST, f"example.org:5000/serving/image:r1@sha256:{DIGEST}"),
        (DIGEST[:12], DIGEST),
        (COMMIT, COMMIT),
        ("c88fb88", COMMIT),
        ("c88fb88", "c88fb88"),
        ("comparison.json", "comparison.json"),
        ("comparison.json", "r1/comparison.json"),
        ("r1/comparison.json", "comparison.json"),
    ],
)
def test_an_identity_equals_its_source(text: str, given_: str) -> None:
    assert judge_identity(text, Found(value=given_)) == Verdict(status="SUPPORTED")


@pytest.mark.parametrize(
    ("text", "given_", "expected"),
    [
        ("f" * 64, f"sha256:{DIGEST}", DIGEST),
        ("F" * 64, f"sha256:{DIGEST}", DIGEST.upper()),
        ("f" * 64, f"serving/image@sha256:{DIGEST}", DIGEST),
        ("c88fb89", COMMIT, "c88fb88"),
        (COMMIT, "c88fb88", "c88fb88"),
        ("c88fb8", COMMIT, COMMIT),
        ("son.json", "comparison.json", "comparison.json"),
        ("Comparison.json", "comparison.json", "comparison.json"),
        ("", "comparison.json", "comparison.json"),
    ],
)
def test_another_identity_is_corrected_in_its_own_length_and_case(
    text: str, given_: str, expected: str
) -> None:
    verdict = judge_identity(text, Found(value=given_))
    assert (verdict.status, verdict.expected) == ("CONTRADICTED", expected)
    assert verdict.reason.startswith("The source gives '")


def test_a_commit_whose_digits_are_a_number_in_the_data_is_still_one() -> None:
    assert judge_identity("1234567", found("1234567")).status == "SUPPORTED"
    assert judge_identity("12e4567", found("12e4567")).status == "SUPPORTED"
    assert judge_identity("1234568", found("1234567")).status == "CONTRADICTED"
    assert judge_identity("a.json", found("1234567")).expected == ""
    assert judge_identity("9e9999999999999999", found("5")).status == "CONTRADICTED"
