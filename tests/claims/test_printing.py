"""A value in the format of the number that it replaces."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.printed import RAISED, numeral
from verifier.claims.printing import printed_like

TRUE_MINUS = "\u2212"
TIMES = "\u00d7"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("1.50", "2.3456", "2.35"),
        ("1.50", "2", "2.00"),
        ("7", "2.5", "2"),
        ("7", "3.5", "4"),
        ("0.0342", "0.031057476694042765", "0.0311"),
        ("9.99", "9.996", "10.00"),
        (".52", "0.123", ".12"),
        (".52", "1.2", "1.20"),
        ("0.52", "0.123", "0.12"),
    ],
)
def test_a_plain_number_keeps_its_digits_after_the_point(
    text: str, value: str, expected: str
) -> None:
    assert printed_like(Decimal(value), numeral(text)) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("-1.5", "-2", "-2.0"),
        (f"{TRUE_MINUS}1.5", "-2", f"{TRUE_MINUS}2.0"),
        (f"{TRUE_MINUS}1.5", "2", "2.0"),
        ("+1.5", "2", "+2.0"),
        ("+1.5", "-2", "-2.0"),
        ("+1.5", "0", "+0.0"),
        ("+1.5", "-0.01", "0.0"),
        ("1.5", "-2", "-2.0"),
        ("-1.5", "-0.04", "0.0"),
        ("-1.5", "-0", "0.0"),
        (f"1.5e{TRUE_MINUS}3", "-2", f"{TRUE_MINUS}2.0e0"),
    ],
)
def test_the_sign_is_the_documents_own_and_a_zero_has_no_minus(
    text: str, value: str, expected: str
) -> None:
    assert printed_like(Decimal(value), numeral(text)) == expected


@pytest.mark.parametrize("separator", [",", "\u2009", "\u202f", "\u00a0", "'"])
def test_thousands_keep_their_separator(separator: str) -> None:
    like = numeral(f"1{separator}234.5")
    assert printed_like(Decimal("9876543.21"), like) == f"9{separator}876{separator}543.2"
    assert printed_like(Decimal(999), like) == "999.0"


def test_a_number_without_separators_gets_none() -> None:
    assert printed_like(Decimal(123456), numeral("1234")) == "123456"


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("1.2e-5", "0.0000345", "3.4e-5"),
        ("1.2e-5", "9.96e-6", "1.0e-5"),
        ("1.2e-5", "345", "3.4e2"),
        ("1e-15", "0.00000347", "3e-6"),
        ("1.2E-05", "0.000345", "3.4E-04"),
        ("1.2E-05", "345", "3.4E+02"),
        ("1.2e+05", "0.000345", "3.4e-04"),
        ("1.2e+5", "345", "3.4e+2"),
        ("1.2e5", "0.00345", "3.4e-3"),
        ("1.20e-5", "-3.456e-7", "-3.46e-7"),
        ("12.3e-5", "0.00456", "45.6e-4"),
        ("0.12e-5", "0.00456", "0.46e-2"),
        ("0.0e5", "123", "1.2e2"),
        ("1.2e-5", "0", "0.0e-5"),
        ("1.2 x 10^-5", "0.0345", "3.4 x 10^-2"),
        ("1.2x10^-5", "345", "3.4x10^2"),
        (f"1.2 {TIMES} 10^{TRUE_MINUS}5", "0.0345", f"3.4 {TIMES} 10^{TRUE_MINUS}2"),
        (
            f"1.2 {TIMES} 10\u207b{RAISED[5]}",
            "3.45e-12",
            f"3.4 {TIMES} 10\u207b{RAISED[1]}{RAISED[2]}",
        ),
        (f"1.2 {TIMES} 10{RAISED[5]}", "3.45e-3", f"3.4 {TIMES} 10\u207b{RAISED[3]}"),
        (f"1.2 {TIMES} 10\u207a{RAISED[5]}", "3450", f"3.4 {TIMES} 10\u207a{RAISED[3]}"),
    ],
)
def test_an_exponent_keeps_its_style_and_the_mantissa_its_significant_digits(
    text: str, value: str, expected: str
) -> None:
    assert printed_like(Decimal(value), numeral(text)) == expected


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("2,000", "3456", "3,000"),
        ("2,000", "34567", "30,000"),
        ("2,000", "9600", "10,000"),
        ("2,000", "7.4", "7"),
        ("2,000", "0.3", "0"),
        ("2,000", "0", "0"),
        ("0", "34", "34"),
        ("0.30", "0.456", "0.50"),
        ("1.2e5", "34567", "3.5e4"),
    ],
)
def test_an_approximate_number_gives_as_many_significant_digits_as_it_has(
    text: str, value: str, expected: str
) -> None:
    assert printed_like(Decimal(value), numeral(text, approximate=True)) == expected


def test_a_bound_can_be_rounded_outwards() -> None:
    like = numeral("1.03")
    assert printed_like(Decimal("1.0301"), like, rounding=ROUND_CEILING) == "1.04"
    assert printed_like(Decimal("1.0399"), like, rounding=ROUND_FLOOR) == "1.03"
    assert printed_like(Decimal("1.04"), like, rounding=ROUND_CEILING) == "1.04"


@pytest.mark.parametrize("value", ["nan", "-nan", "snan", "inf", "-inf", "1e9999999999999999"])
def test_what_is_no_workable_number_gives_no_text(value: str) -> None:
    assert printed_like(Decimal(value), numeral("1.0")) == ""


def test_a_value_that_needs_hundreds_of_digits_more_is_printed_with_an_exponent() -> None:
    like = numeral("1.0")
    assert printed_like(Decimal("1e999999999"), like) == "1.0000000000000000e+999999999"
    assert printed_like(Decimal("-12e4000"), like) == "-1.2000000000000000e+4001"
    assert printed_like(Decimal("1e-999999999"), like) == "0.0"
    assert printed_like(Decimal("1e300"), like) == f"1{'0' * 300}.0"


def test_a_number_of_ten_thousand_digits_keeps_them_and_one_of_a_million_does_not() -> None:
    assert printed_like(Decimal("0.5"), numeral(f"0.{'3' * 10_000}")) == f"0.5{'0' * 9_999}"
    assert printed_like(Decimal("0.5"), numeral(f"0.{'3' * 1_000_000}")) == "5.0000000000000000e-1"
    long = numeral(f"1.{'3' * 1_000_000}e5")
    assert printed_like(Decimal("0.5"), long) == "5.0000000000000000e-1"
    assert printed_like(Decimal("0.5"), numeral(f"0.{'3' * 30_000}", approximate=True)) == (
        "5.0000000000000000e-1"
    )


def test_a_text_of_another_form_is_read_by_its_literal() -> None:
    like = numeral("1.50")._replace(text="one and a half")
    assert printed_like(Decimal("2.345"), like) == "2.34"
    neither = like._replace(literal="?")
    assert printed_like(Decimal("2.345"), neither) == "2.34"


@given(
    value=st.decimals(
        allow_nan=False, allow_infinity=False, places=6, min_value=-1e9, max_value=1e9
    ),
    like=st.sampled_from(["1", "1.5", "1,234.567", "+2.00", f"{TRUE_MINUS}3.1415", ".5"]),
)
def test_the_printed_digits_are_those_of_half_even_rounding(value: Decimal, like: str) -> None:
    text = printed_like(value, numeral(like))
    decimals = len(like.partition(".")[2])
    again = numeral(text)
    assert again.value == round(value, decimals) if decimals else again.value == round(value)
    assert again.place == -decimals
    assert ("," in text) == ("," in like and abs(again.value) >= 1000)
