"""Closeness in the last place and in printed digits."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.numerics.agreement import rounds_to

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.035456223849, "0.0354562238"),
        (0.03545622375000001, "0.0354562238"),
        (0.125, "0.12"),
        (0.125, "0.13"),
        (-0.125, "-0.12"),
        (-0.125, "-0.13"),
        (0.375, "0.38"),
        (2.675, "2.67"),
        (0.5, "0"),
        (0.5, "1"),
        (1.5, "2"),
        (99.96, "100.0"),
        (1234.0, "1.234e3"),
        (1234.4, "1.234E+03"),
        (0.00012, "1.2e-4"),
        (1250.0, "12e2"),
        (1250.0, "13e2"),
        (1.0, "1."),
        (1.0, "+1.0"),
        (-0.001, "0.00"),
        (-0.001, "-0.00"),
        (0.0, "-0.0"),
        (0.0, "0e5"),
        (0.1, "0.1000000000000000055511151231257827021181583404541015625"),
        (1.7976931348623157e308, "1.8e308"),
        (5e-324, "4.9e-324"),
        (5e-324, "0.000"),
        (1e22, "10000000000000000000000"),
    ],
)
def test_what_a_value_may_be_printed_as(value: float, printed: str) -> None:
    assert rounds_to(value, printed)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        pytest.param(1.0, "0", id="a whole unit"),
        pytest.param(0.6, "0", id="more than half a unit"),
        pytest.param(0.375, "0.37", id="half down"),
        pytest.param(2.675, "2.68", id="the value lies below its literal"),
        pytest.param(0.129, "0.12", id="cut instead of rounded"),
        pytest.param(0.1, "0.10000000000000000", id="the 17th digit of 0.1 is a one"),
        pytest.param(0.1, "0.1" + 60 * "0", id="more digits than the value has"),
        pytest.param(0.125, "-0.13", id="wrong sign"),
        pytest.param(0.125, "0.1300", id="zeros are digits too"),
        pytest.param(3.0, "0e5", id="a zero that would stand for everything"),
        pytest.param(3.0, "0.0e9", id="a zero that would stand for everything, with a point"),
        pytest.param(3.0, "1e400", id="beyond FP64"),
        pytest.param(0.0, "1e-400", id="below FP64"),
        pytest.param(3.0, "3e-999999999", id="an exponent that must not cost memory"),
        pytest.param(3.0, "0e999999999", id="a zero with such an exponent"),
        pytest.param(3.0, "3e99999999999999999999999", id="an exponent beyond decimal"),
        pytest.param(0.5, "5e-99999999999999999999999", id="a tiny exponent beyond decimal"),
        pytest.param(math.nan, "0.1", id="NaN"),
        pytest.param(math.inf, "1e308", id="infinity"),
    ],
)
def test_what_a_value_may_not_be_printed_as(value: float, printed: str) -> None:
    assert not rounds_to(value, printed)


@pytest.mark.parametrize(
    "printed",
    [
        "",
        " 1",
        "1 ",
        "1\n",
        ".5",
        "1,5",
        "1_000",
        "0x1",
        "nan",
        "Infinity",
        "1e",
        "--1",
        "\u22121",
        "\u0661",
    ],
)
def test_what_is_no_literal_is_refused(printed: str) -> None:
    with pytest.raises(ValueError, match="expected a decimal literal such as"):
        rounds_to(1.0, printed)


@given(st.floats(-1e9, 1e9), st.integers(0, 30))
def test_what_python_prints_is_accepted(value: float, digits: int) -> None:
    assert rounds_to(value, f"{value:.{digits}f}")
    assert rounds_to(value, f"{value:.{digits}e}")


@given(FINITE, st.integers(0, 20))
def test_one_unit_of_the_last_printed_place_more_is_refused(value: float, digits: int) -> None:
    printed = Decimal(f"{value:.{digits}e}")
    exponent = int(printed.as_tuple().exponent)
    unit = Decimal((0, (1,), exponent))
    distance = abs(Fraction(value) - Fraction(printed)) / Fraction(unit)
    for neighbour in (printed + unit, printed - unit):
        # Exactly between two printed numbers both are right.
        assert rounds_to(value, f"{neighbour:e}") <= (distance == Fraction(1, 2))


@given(FINITE, st.integers(-400, 400), st.integers(-(10**6), 10**6))
def test_accepted_never_means_more_than_half_a_unit(
    value: float, exponent: int, digits: int
) -> None:
    printed = f"{digits}e{exponent}"
    if rounds_to(value, printed):
        unit = Fraction(10) ** exponent
        assert abs(Fraction(value) - digits * unit) <= unit / 2


@given(FINITE)
def test_the_shortest_round_trip_text_is_accepted_to_its_last_digit_or_the_value_is_longer(
    value: float,
) -> None:
    text = repr(value)
    assert rounds_to(value, text)
    assert np.float64(text) == value
