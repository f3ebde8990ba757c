"""Every rule that says "close enough", and each of its boundaries."""

import math
from typing import Any

import pytest

from verifier.judge import Judgement, judge, same
from verifier.model.basis import Basis
from verifier.model.comparison import Aggregate, Comparison, EndPoint, Exact, Rule, Value
from verifier.model.policy import Tolerance
from verifier.policy import REVIEW

DIFFERENT = Judgement(how="different")
NO_TOLERANCE = Tolerance(
    mean_relative=0.0, mean_ulp=0, interval_standard_errors=0.0, interval_relative=0.0
)
ONLY_ULPS = Tolerance(
    mean_relative=0.0, mean_ulp=4, interval_standard_errors=0.0, interval_relative=0.0
)
RULES: list[Rule] = [Exact(), Aggregate(), EndPoint(standard_error=1.0)]


def judged(
    expected: Value,
    actual: Value,
    rule: Rule,
    *,
    printed: str = "",
    tolerance: Tolerance = REVIEW.tolerance,
) -> Judgement:
    fact = Comparison(
        location="x",
        expected=expected,
        actual=actual,
        basis=Basis.RECOMPUTED,
        rule=rule,
        printed=printed,
    )
    return judge(fact, tolerance)


def steps(number: float, count: int) -> float:
    """The FP64 number ``count`` steps above."""
    for _ in range(count):
        number = math.nextafter(number, math.inf)
    return number


@pytest.mark.parametrize(
    ("expected", "actual"),
    [(22, 22), (22, 22.0), ("abc", "abc"), (True, True), (None, None), (0.0, -0.0)],
)
def test_equal_values_are_exact(expected: Value, actual: Value) -> None:
    assert judged(expected, actual, Exact()) == Judgement(how="exact")
    assert judged(expected, actual, Exact()).agrees


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param(22, 23, id="off by one"),
        pytest.param(1, True, id="true is not 1"),
        pytest.param(False, 0, id="0 is not false"),
        pytest.param("1", 1, id="a text is not a number"),
        pytest.param(None, 0, id="absent is not 0"),
        pytest.param(None, False, id="absent is not false"),
        pytest.param(None, "", id="absent is not empty"),
        pytest.param("ABC", "abc", id="case"),
        pytest.param(math.nan, math.nan, id="NaN"),
        pytest.param(1.0, 1.0 + 2**-52, id="one step"),
        pytest.param(2**53 + 1, float(2**53), id="an integer beyond FP64"),
    ],
)
def test_exact_means_exact(expected: Value, actual: Value) -> None:
    assert judged(expected, actual, Exact()) == DIFFERENT
    assert not judged(expected, actual, Exact()).agrees
    assert same(actual, expected) is False


def test_printed_digits_do_not_soften_an_exact_comparison() -> None:
    assert judged(0.12, 0.125, Exact(), printed="0.12") == DIFFERENT


@pytest.mark.parametrize("rule", RULES[1:], ids=["aggregate", "end point"])
@pytest.mark.parametrize(
    ("expected", "actual"),
    [(None, 1.0), (1.0, None), ("1.0", 1.0), (1.0, "no single value"), (True, 1.0), (1.0, True)],
)
def test_only_numbers_are_close(rule: Rule, expected: Value, actual: Value) -> None:
    assert judged(expected, actual, rule, printed="1.0") == DIFFERENT


@pytest.mark.parametrize("rule", RULES, ids=["exact", "aggregate", "end point"])
@pytest.mark.parametrize(
    ("expected", "actual"),
    [(math.nan, 1.0), (1.0, math.nan), (math.nan, math.nan), (math.inf, 1.0), (1.0, -math.inf)],
)
def test_nan_and_infinity_agree_with_nothing(rule: Rule, expected: float, actual: float) -> None:
    assert judged(expected, actual, rule) == DIFFERENT


@pytest.mark.parametrize("rule", RULES[1:], ids=["aggregate", "end point"])
def test_infinity_does_not_agree_with_itself(rule: Rule) -> None:
    assert judged(math.inf, math.inf, rule) == DIFFERENT


@pytest.mark.parametrize("rule", RULES[1:], ids=["aggregate", "end point"])
def test_a_published_null_for_a_number_is_a_mismatch_and_no_crash(rule: Rule) -> None:
    assert judged(math.nan, 0.5, rule, printed="null") == DIFFERENT


@pytest.mark.parametrize("rule", RULES[1:], ids=["aggregate", "end point"])
def test_equal_numbers_are_exact_before_anything_else(rule: Rule) -> None:
    assert judged(0.25, 0.25, rule, printed="0.25") == Judgement(how="exact", difference=0.0)
    assert judged(0, 0.0, rule) == Judgement(how="exact", difference=0.0)


def test_an_aggregate_within_1e_12_relative_is_within_tolerance() -> None:
    # 4096 ulp of 1.0 are 9.1e-13, so the relative rule alone decides here.
    actual = 1.0 + 4096 * 2**-52
    assert judged(1.0, actual, Aggregate()) == Judgement(how="tolerance", difference=4096 * 2**-52)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_relative_tolerance_ends_at_1e_12(sign: float) -> None:
    # A unit in the last place of 2**40 is 2**-12, and 1e-12 relative are 4503.6 of them.
    expected = sign * 2.0**40
    inside, outside = sign * 4503 * 2.0**-12, sign * 4504 * 2.0**-12
    assert judged(expected, expected + inside, Aggregate()).how == "tolerance"
    assert judged(expected, expected + outside, Aggregate()).how == "different"


@pytest.mark.parametrize("start", [1.0, 0.031945, 0.0, -3.5, 1e-320])
def test_four_units_in_the_last_place_are_close_and_five_are_not(start: float) -> None:
    assert judged(start, steps(start, 4), Aggregate(), tolerance=ONLY_ULPS).how == "tolerance"
    assert judged(start, steps(start, 5), Aggregate(), tolerance=ONLY_ULPS).how == "different"


def test_no_tolerance_leaves_equality_alone() -> None:
    assert judged(1.0, steps(1.0, 1), Aggregate(), tolerance=NO_TOLERANCE).how == "different"
    end = EndPoint(standard_error=1e9)
    assert judged(1.0, steps(1.0, 1), end, tolerance=NO_TOLERANCE).how == "different"


def test_a_relative_change_of_1e_9_in_an_aggregate_is_different() -> None:
    found = judged(0.0319451732, 0.0319451732 * (1 + 1e-9), Aggregate())
    assert found.how == "different"
    assert found.difference == pytest.approx(0.0319451732e-9, rel=1e-6)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_an_end_point_may_be_1e_9_standard_errors_away(direction: float) -> None:
    rule = EndPoint(standard_error=2.0**-8)
    inside, outside = 0.99e-9 * 2.0**-8, 1.01e-9 * 2.0**-8
    assert judged(0.03, 0.03 + direction * inside, rule).how == "tolerance"
    assert judged(0.03, 0.03 + direction * outside, rule).how == "different"


def test_an_end_point_may_be_1e_12_relative_away_when_the_standard_error_is_tiny() -> None:
    rule = EndPoint(standard_error=0.0)
    assert judged(1.0, 1.0 + 4096 * 2**-52, rule).how == "tolerance"
    assert judged(1.0, 1.0 + 5000 * 2**-52, rule).how == "different"


def test_a_difference_is_no_more_exact_than_what_was_subtracted() -> None:
    rule = Aggregate(scale=0.03)
    apart = 4 * math.ulp(0.03)
    assert judged(1e-9, 1e-9 + 0.99 * apart, rule).how == "tolerance"
    assert judged(1e-9, 1e-9 + 1.01 * apart, rule).how == "different"
    assert judged(1e-9, 1e-9 + 0.99 * apart, Aggregate()).how == "different"


def test_a_standard_error_that_is_no_number_widens_nothing() -> None:
    assert judged(1.0, 1.1, EndPoint(standard_error=math.nan)).how == "different"


@pytest.mark.parametrize("rule", [Aggregate(), EndPoint(standard_error=1e-9)])
@pytest.mark.parametrize(
    ("printed", "actual", "how"),
    [
        pytest.param("0.0354562238", 0.03545622384, "printed", id="rounds down"),
        pytest.param("0.0354562238", 0.03545622376, "printed", id="rounds up"),
        pytest.param("0.12", 0.125, "printed", id="half even"),
        pytest.param("0.13", 0.125, "printed", id="half up"),
        pytest.param("-0.13", -0.125, "printed", id="half away from zero"),
        pytest.param("0.37", 0.375, "printed", id="a tie may have been a bit less"),
        pytest.param("29", 28.499999999999996, "printed", id="or a bit more"),
        pytest.param("0.37", 0.3750001, "different", id="half down is no rounding"),
        pytest.param("29", 28.4999999, "different", id="half up needs a half"),
        pytest.param("0.12", 0.129, "different", id="cut off"),
        pytest.param("0.12", 0.13, "different", id="a whole unit up"),
        pytest.param("0.12", 0.11, "different", id="a whole unit down"),
        pytest.param("0.120", 0.1206, "different", id="zeros are digits"),
        pytest.param("0.12", -0.12, "different", id="sign"),
    ],
)
def test_printed_digits_grant_half_a_unit_of_their_last_place(
    rule: Rule, printed: str, actual: float, how: Any
) -> None:
    found = judged(float(printed), actual, rule, printed=printed)
    assert found == Judgement(how=how, difference=actual - float(printed))


@pytest.mark.parametrize("printed", ["0.03", ""])
def test_degenerate_data_accept_null(printed: str) -> None:
    rule = EndPoint(standard_error=0.0, degenerate=True)
    found = judged(math.nan, 0.03, rule, printed=printed and "null")
    assert found == Judgement(how="degenerate")
    assert found.agrees


@pytest.mark.parametrize(
    ("expected", "printed", "actual"),
    [
        pytest.param(0.03, "0.03", 0.03, id="the constant"),
        pytest.param(0.03, "0.03", steps(0.03, 4), id="within four steps"),
        pytest.param(0.0319451732, "0.0319451732", 0.03194517322, id="as printed"),
    ],
)
def test_degenerate_data_accept_the_constant(expected: float, printed: str, actual: float) -> None:
    found = judged(expected, actual, EndPoint(standard_error=0.0, degenerate=True), printed=printed)
    assert found == Judgement(how="degenerate", difference=actual - expected)


@pytest.mark.parametrize(
    ("expected", "actual"), [(0.03, 0.0351), (math.inf, 0.03), (0.03, math.nan)]
)
def test_degenerate_data_accept_no_other_number(expected: float, actual: float) -> None:
    rule = EndPoint(standard_error=0.0, degenerate=True)
    found = judged(expected, actual, rule, printed=repr(expected) if expected < 1 else "1e400")
    assert found.how == "different"


def test_the_relative_tolerance_includes_its_own_end() -> None:
    half = Tolerance(
        mean_relative=0.5, mean_ulp=0, interval_standard_errors=0.0, interval_relative=0.0
    )
    assert judged(2.0, 3.0, Aggregate(), tolerance=half).how == "tolerance"
    assert judged(2.0, steps(3.0, 1), Aggregate(), tolerance=half).how == "different"


def test_the_tolerance_of_an_end_point_includes_its_own_end() -> None:
    half = Tolerance(
        mean_relative=0.0, mean_ulp=0, interval_standard_errors=0.5, interval_relative=0.0
    )
    end = EndPoint(standard_error=2.0)
    assert judged(2.0, 3.0, end, tolerance=half).how == "tolerance"
    assert judged(2.0, steps(3.0, 1), end, tolerance=half).how == "different"


def test_a_large_standard_error_does_not_widen_a_degenerate_end_point() -> None:
    rule = EndPoint(standard_error=1e9, degenerate=True)
    assert judged(0.03, 0.0301, rule) == Judgement(how="different", difference=0.0301 - 0.03)


@pytest.mark.parametrize("printed", ["0E5", "0.0E9", "-0E1"])
def test_an_exponent_in_capitals_does_not_lend_a_bare_zero_a_digit(printed: str) -> None:
    assert judged(0.0, 0.3, Aggregate(), printed=printed).how == "different"
