"""Words of decision rules, their margins, and the words that rounding alone could change."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.decisions import Decided, decide, label, needs_interval, rounding
from verifier.model.figure import Better, Decision, GateOf, Operator
from verifier.model.plugin import Missing
from verifier.model.policy import Tolerance
from verifier.model.recipe import Interval

LOWER = Decision(rule="reading", better="lower")
HIGHER = Decision(rule="reading", better="higher")
ZERO = Decision(rule="includes-zero")
ZONE = Decision(rule="equivalent", margin=0.2)
CLOSED = replace(ZONE, strict=False)
INTERVAL_RULES = (LOWER, HIGHER, ZERO, ZONE, CLOSED, Decision(rule="gate", of="low"))

TOLERANCE = Tolerance(
    mean_relative=1e-12, mean_ulp=4, interval_standard_errors=1e-9, interval_relative=1e-12
)


def drawn(low: float, high: float, *, error: float = 0.5) -> Interval:
    return Interval(low=low, high=high, standard_error=error, degenerate=False, units=8)


def gate(operator: Operator, threshold: float, of: GateOf = "value") -> Decision:
    return Decision(rule="gate", operator=operator, threshold=threshold, of=of)


def decided(decision: Decision, interval: Interval | None, value: float | None = None) -> Decided:
    found = decide(decision, value, interval)
    assert isinstance(found, Decided)
    return found


def word(decision: Decision, low: float, high: float) -> str:
    return decided(decision, drawn(low, high)).word


def reason(decision: Decision, interval: Interval | None, value: float | None = None) -> str:
    found = decide(decision, value, interval)
    assert isinstance(found, Missing)
    return found.reason


@pytest.mark.parametrize(
    ("low", "high", "lower", "higher", "zero"),
    [
        (-3.0, -1.0, "improvement", "harm", "false"),
        (1.0, 3.0, "harm", "improvement", "false"),
        (-1.0, 3.0, "no detectable change", "no detectable change", "true"),
        pytest.param(
            *(-3.0, 0.0, "no detectable change", "no detectable change", "true"), id="high at 0"
        ),
        pytest.param(
            *(0.0, 3.0, "no detectable change", "no detectable change", "true"), id="low at 0"
        ),
        pytest.param(
            *(-3.0, -0.0, "no detectable change", "no detectable change", "true"), id="minus 0"
        ),
        (-3.0, -5e-324, "improvement", "harm", "false"),
        (5e-324, 3.0, "harm", "improvement", "false"),
    ],
)
def test_a_reading_follows_the_side_of_zero_and_the_direction(
    low: float, high: float, lower: str, higher: str, zero: str
) -> None:
    assert word(LOWER, low, high) == lower
    assert word(HIGHER, low, high) == higher
    assert word(ZERO, low, high) == zero


@pytest.mark.parametrize(
    ("low", "high", "equivalent", "reading"),
    [
        # The four intervals in which the named rules of effectsize (classic, cet, bayes) differ.
        # Here both answers are published side by side, and no order between them is needed.
        (0.01, 0.19, "true", "harm"),
        (-0.28, -0.02, "false", "improvement"),
        (-0.12, 0.19, "true", "no detectable change"),
        (-0.23, 0.11, "false", "no detectable change"),
        # Wholly beyond the zone, on either side, and around all of it.
        (0.21, 0.5, "false", "harm"),
        (-0.5, -0.21, "false", "improvement"),
        (-0.5, 0.5, "false", "no detectable change"),
    ],
)
def test_equivalence_and_reading_are_two_answers_to_one_interval(
    low: float, high: float, equivalent: str, reading: str
) -> None:
    assert word(ZONE, low, high) == equivalent
    assert word(CLOSED, low, high) == equivalent
    assert word(LOWER, low, high) == reading


@pytest.mark.parametrize(("low", "high"), [(-0.2, 0.1), (-0.1, 0.2), (-0.2, 0.2)])
def test_an_end_on_the_margin_is_outside_only_where_the_rule_is_strict(
    low: float, high: float
) -> None:
    assert word(ZONE, low, high) == "false"
    assert word(CLOSED, low, high) == "true"
    assert decided(ZONE, drawn(low, high)).margin == 0
    assert decided(CLOSED, drawn(low, high)).margin == 0


@pytest.mark.parametrize(
    ("operator", "words"),
    [
        ("<", ("true", "false", "false")),
        ("<=", ("true", "true", "false")),
        (">", ("false", "false", "true")),
        (">=", ("false", "true", "true")),
    ],
)
def test_a_gate_is_its_operator_whatever_it_looks_at(
    operator: Operator, words: tuple[str, str, str]
) -> None:
    numbers = (21.0, 22.0, 23.0)
    assert tuple(decided(gate(operator, 22), None, x).word for x in numbers) == words
    low = tuple(decided(gate(operator, 22, "low"), drawn(x, 99)).word for x in numbers)
    high = tuple(decided(gate(operator, 22, "high"), drawn(-99, x)).word for x in numbers)
    assert low == high == words


@pytest.mark.parametrize(
    ("decision", "low", "high", "expected"),
    [
        # Intervals published for rp2 - control, rp2 - tr3 and control - tr3 over 128 windows.
        (LOWER, -0.0024956284805871835, -0.0006026979839882961, "improvement"),
        (LOWER, 0.0005985161302741306, 0.004364100955470181, "harm"),
        (ZERO, -0.0024956284805871835, -0.0006026979839882961, "false"),
        (ZERO, -0.003976161155255524, 0.0006546899930881461, "true"),
        (replace(ZONE, margin=0.05), -0.07279579389830369, -0.017580292325808163, "false"),
        (replace(ZONE, margin=0.1), -0.07279579389830369, -0.017580292325808163, "true"),
        (replace(ZONE, margin=0.05), 0.01988429318672147, 0.14498700787775765, "false"),
        (replace(ZONE, margin=0.1), 0.01988429318672147, 0.14498700787775765, "false"),
        (replace(ZONE, margin=0.1), 0.06996490539911067, 0.2038809979452478, "false"),
    ],
)
def test_published_words_follow_from_published_intervals(
    decision: Decision, low: float, high: float, expected: str
) -> None:
    assert word(decision, low, high) == expected


@pytest.mark.parametrize(
    ("decision", "interval", "margin", "errors", "how"),
    [
        (
            LOWER,
            drawn(-0.0024956284805871835, -0.000603, error=0.0004824),
            0.000603,
            1.25,
            "high end -0.000603 is 0.000603 (1.25 SE) from 0",
        ),
        (HIGHER, drawn(0.25, 3.0), 0.25, 0.5, "low end 0.25 is 0.25 (0.5 SE) from 0"),
        (
            LOWER,
            drawn(-0.25, 3.0),
            0.25,
            0.5,
            "low end -0.25 is 0.25 (0.5 SE) from 0; this is no statement of equality",
        ),
        (ZERO, drawn(-3.0, 1.0), 1.0, 2.0, "high end 1 is 1 (2 SE) from 0"),
        (ZERO, drawn(-3.0, -0.0), 0.0, 0.0, "high end 0 is 0 (0 SE) from 0"),
        pytest.param(
            replace(ZONE, margin=1),
            drawn(-0.75, 0.5),
            0.25,
            0.5,
            "low end -0.75 is 0.25 (0.5 SE) from -1",
            id="inside: the nearer end",
        ),
        pytest.param(
            replace(ZONE, margin=1),
            drawn(-0.875, 1.5),
            0.5,
            1.0,
            "high end 1.5 is 0.5 (1 SE) from 1",
            id="one end outside: that end, though the other is nearer to its threshold",
        ),
        pytest.param(
            replace(ZONE, margin=1),
            drawn(-1.25, 1.5),
            0.5,
            1.0,
            "high end 1.5 is 0.5 (1 SE) from 1",
            id="both ends outside: the farther one",
        ),
        pytest.param(
            replace(ZONE, margin=1),
            drawn(-3.0, -2.0),
            2.0,
            4.0,
            "low end -3 is 2 (4 SE) from -1",
            id="wholly beyond the zone: the end that breaks it",
        ),
        (gate("<=", 4, "high"), drawn(-9.0, 3.0), 1.0, 2.0, "high end 3 is 1 (2 SE) from 4"),
        (gate(">", 0.5, "low"), drawn(1.0, 3.0), 0.5, 1.0, "low end 1 is 0.5 (1 SE) from 0.5"),
    ],
)
def test_the_margin_is_the_way_to_another_word(
    decision: Decision, interval: Interval, margin: float, errors: float, how: str
) -> None:
    found = decided(decision, interval)
    assert found.margin == margin
    assert found.standard_errors == pytest.approx(errors, rel=1e-12)
    assert found.how == how


def test_a_value_has_a_margin_in_standard_errors_only_where_an_interval_gives_one() -> None:
    assert decided(gate(">=", 100), None, 105.0) == Decided(
        word="true", margin=5.0, standard_errors=None, how="value 105 is 5 from 100"
    )
    assert decided(gate(">=", 100), drawn(90, 120, error=2.5), 105.0) == Decided(
        word="true", margin=5.0, standard_errors=2.0, how="value 105 is 5 (2 SE) from 100"
    )
    for error in (0.0, -1.0, math.nan, math.inf):
        found = decided(gate(">=", 100), drawn(90, 120, error=error), 105.0)
        assert found.standard_errors is None
    constant = Interval(low=105.0, high=105.0, standard_error=0.0, degenerate=True)
    assert decided(gate(">=", 100), constant, 105.0).word == "true"


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (-0.0, "0"),
        (261888.0, "261888"),
        (9007199254740991.0, "9007199254740991"),
        (9007199254740992.0, "9.0072e+15"),
        (-1.23456789e-7, "-1.23457e-07"),
        (1e300, "1e+300"),
    ],
)
def test_whole_numbers_are_written_whole_and_others_to_six_digits(
    number: float, shown: str
) -> None:
    assert decided(gate("<=", number), None, number).how == f"value {shown} is 0 from {shown}"


@pytest.mark.parametrize("decision", INTERVAL_RULES, ids=label)
def test_constant_data_decide_nothing(decision: Decision) -> None:
    constant = Interval(low=-1.0, high=-1.0, standard_error=0.0, degenerate=True)
    assert reason(decision, constant, -1.0) == "undefined: constant data"


@pytest.mark.parametrize("decision", INTERVAL_RULES, ids=label)
def test_a_rule_on_an_interval_does_not_decide_without_one(decision: Decision) -> None:
    assert needs_interval(decision)
    assert reason(decision, None, -1.0) == (
        "undefined: the rule looks at an interval, and none is drawn"
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_decide_nothing(bad: float) -> None:
    undefined = "undefined: what the rule looks at is not finite"
    for decision in (LOWER, ZERO, ZONE):
        assert reason(decision, drawn(bad, 1.0)) == undefined
        assert reason(decision, drawn(-1.0, bad)) == undefined
    assert reason(gate("<=", 1.0), None, bad) == undefined
    assert reason(gate("<=", bad), None, 1.0) == undefined
    assert reason(gate("<=", 1.0, "low"), drawn(bad, 1.0)) == undefined
    assert reason(LOWER, drawn(-2.0, -1.0, error=bad)) == (
        "undefined: the standard error of the interval is not finite"
    )


def test_an_end_that_a_gate_does_not_look_at_does_not_matter_to_it() -> None:
    assert decided(gate("<=", 1.0, "high"), drawn(-math.inf, 0.5)).word == "true"


def test_a_gate_on_the_value_does_not_decide_without_one() -> None:
    assert not needs_interval(gate("<=", 1.0))
    assert reason(gate("<=", 1.0), drawn(0.0, 0.5)) == (
        "undefined: the rule looks at a value, and there is none"
    )


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        (0.0, "a margin of equivalence has to be above 0"),
        (-0.1, "a margin of equivalence has to be above 0"),
        (math.inf, "what the rule looks at is not finite"),
        (math.nan, "what the rule looks at is not finite"),
    ],
)
def test_a_zone_without_a_width_decides_nothing(margin: float, said: str) -> None:
    found = reason(Decision(rule="equivalent", margin=margin), drawn(-0.1, 0.1))
    assert found == f"undefined: {said}"


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (LOWER, "reading, lower is better"),
        (HIGHER, "reading, higher is better"),
        (ZERO, "interval includes 0"),
        (ZONE, "equivalent within +/-0.2, an end on the margin is outside"),
        (CLOSED, "equivalent within +/-0.2, an end on the margin is inside"),
        (gate("<=", 22), "gate: value <= 22"),
        (gate(">", -0.05, "low"), "gate: low end > -0.05"),
        (gate("<", 0.05, "high"), "gate: high end < 0.05"),
    ],
)
def test_a_rule_says_all_that_it_depends_on(decision: Decision, said: str) -> None:
    assert label(decision) == said


@pytest.mark.parametrize(
    ("decision", "low", "high", "words"),
    [
        # Half a standard error each; the tolerance is 1e-9 of it, 5e-10.
        (LOWER, -1.0, -6e-10, ""),
        (LOWER, -1.0, -4e-10, "improvement and no detectable change"),
        (LOWER, -1.0, 0.0, "improvement and no detectable change"),
        (LOWER, 4e-10, 1.0, "harm and no detectable change"),
        (HIGHER, 4e-10, 1.0, "improvement and no detectable change"),
        (LOWER, -2e-10, 2e-10, "harm and improvement and no detectable change"),
        (LOWER, -1.0, 6e-10, ""),
        (ZERO, -1.0, -4e-10, "false and true"),
        (ZERO, -1.0, -6e-10, ""),
        (ZERO, -4e-10, 1.0, "false and true"),
        (ZONE, -0.1, 0.2 - 4e-10, "false and true"),
        (ZONE, -0.1, 0.2 - 6e-10, ""),
        (ZONE, -0.1, 0.2, "false and true"),
        (CLOSED, -0.1, 0.2, "false and true"),
        (CLOSED, -0.2 - 4e-10, 0.1, "false and true"),
        pytest.param(ZONE, -0.2 - 4e-10, 0.5, "", id="the other end breaks the zone anyhow"),
        (gate("<", 1.0, "high"), 0.0, 1.0, "false and true"),
        (gate("<", 1.0, "high"), 1.0, 2.0, ""),
        (gate(">=", 1.0, "low"), 1.0 + 6e-10, 2.0, ""),
    ],
)
def test_words_within_a_billionth_of_a_standard_error_depend_on_rounding(
    decision: Decision, low: float, high: float, words: str
) -> None:
    assert rounding(decision, None, drawn(low, high), TOLERANCE) == words


def test_an_end_may_move_by_the_larger_of_both_tolerances() -> None:
    # 1e-12 of 1e6 is 1e-6, far above 1e-9 of a standard error of 1.
    at_gate = gate("<", 1e6, "high")
    close, clear = drawn(0.0, 1e6 - 5e-7, error=1.0), drawn(0.0, 1e6 - 2e-6, error=1.0)
    assert rounding(at_gate, None, close, TOLERANCE) == "false and true"
    assert rounding(at_gate, None, clear, TOLERANCE) == ""
    wider = replace(TOLERANCE, interval_relative=1e-11)
    assert rounding(at_gate, None, clear, wider) == "false and true"
    errors = replace(TOLERANCE, interval_relative=0.0, interval_standard_errors=1e-5)
    assert rounding(at_gate, None, clear, errors) == "false and true"


@pytest.mark.parametrize(
    ("operator", "threshold", "value", "words"),
    [
        ("<=", 0.5, 0.5, "false and true"),
        ("<=", 0.5, 0.5 - 4e-13, "false and true"),
        ("<=", 0.5, 0.5 - 6e-13, ""),
        (">", 0.5, 0.5 + 4e-13, "false and true"),
        (">", 0.5, 0.5 + 6e-13, ""),
        pytest.param("<=", 0.0, 0.0, "", id="an exact 0 has nothing to round"),
    ],
)
@pytest.mark.parametrize("interval", [None, drawn(0.0, 1.0, error=1e6)], ids=["none", "wide"])
def test_a_value_moves_relative_to_itself_and_never_by_a_standard_error(
    operator: Operator, threshold: float, value: float, words: str, interval: Interval | None
) -> None:
    assert rounding(gate(operator, threshold), value, interval, TOLERANCE) == words


def test_what_decides_nothing_does_not_depend_on_rounding() -> None:
    assert rounding(LOWER, None, None, TOLERANCE) == ""
    constant = Interval(low=0.0, high=0.0, standard_error=0.0, degenerate=True)
    assert rounding(LOWER, 0.0, constant, TOLERANCE) == ""


def test_without_a_tolerance_nothing_depends_on_rounding() -> None:
    none = Tolerance(
        mean_relative=0.0, mean_ulp=0, interval_standard_errors=0.0, interval_relative=0.0
    )
    assert rounding(LOWER, None, drawn(-1.0, 0.0), none) == ""


EIGHTHS = st.integers(-40, 40).map(lambda count: count / 8)
INTERVALS = st.tuples(EIGHTHS, EIGHTHS).map(sorted).map(tuple)
DIRECTIONS: st.SearchStrategy[Better] = st.sampled_from(("lower", "higher"))
RULES: st.SearchStrategy[Decision] = st.one_of(
    DIRECTIONS.map(lambda better: Decision(rule="reading", better=better)),
    st.just(ZERO),
    st.builds(
        lambda margin, strict: Decision(rule="equivalent", margin=margin, strict=strict),
        st.integers(1, 40).map(lambda count: count / 8),
        st.booleans(),
    ),
    st.builds(
        gate,
        st.sampled_from(("<", "<=", ">", ">=")),
        EIGHTHS,
        st.sampled_from(("low", "high")),
    ),
)


def by_sets(decision: Decision, low: Fraction, high: Fraction) -> str:
    """The rules once more, by which numbers the closed interval shares with others."""
    if decision.rule == "gate":
        number, threshold = low if decision.of == "low" else high, Fraction(decision.threshold)
        order = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}}[decision.operator]
        return str((number > threshold) - (number < threshold) in order).lower()
    if decision.rule == "equivalent":
        margin = Fraction(decision.margin)
        largest = max(abs(low), abs(high))
        return str(largest < margin or (largest == margin and not decision.strict)).lower()
    holds_zero = low * high <= 0
    if decision.rule == "includes-zero":
        return str(holds_zero).lower()
    if holds_zero:
        return "no detectable change"
    return "improvement" if (low + high < 0) == (decision.better == "lower") else "harm"


def within(decision: Decision, low: float, high: float, reach: Fraction) -> set[str]:
    """The words of intervals whose ends move by at most so much, met ends among them."""
    first, second = Fraction(low), Fraction(high)
    lows = (first - reach, first, first + reach, second - reach)
    highs = (second - reach, second, second + reach, first + reach)
    return {
        by_sets(decision, left, right)
        for left, right in itertools.product(lows, highs)
        if left <= right and abs(left - first) <= reach and abs(right - second) <= reach
    }


@given(RULES, INTERVALS)
def test_a_second_implementation_gives_the_same_words(
    decision: Decision, ends: tuple[float, float]
) -> None:
    assert word(decision, *ends) == by_sets(decision, *map(Fraction, ends))


@given(RULES, INTERVALS)
def test_no_smaller_step_than_the_margin_changes_the_word_and_a_larger_one_does(
    decision: Decision, ends: tuple[float, float]
) -> None:
    found = decided(decision, drawn(*ends))
    margin, little = Fraction(found.margin), Fraction(1, 1000)
    if margin:
        assert within(decision, *ends, margin - little) == {found.word}
    assert within(decision, *ends, margin + little) > {found.word}


@given(DIRECTIONS, INTERVALS)
def test_swapped_arms_and_the_other_direction_give_the_same_reading(
    better: Better, ends: tuple[float, float]
) -> None:
    low, high = ends
    other: Better = "higher" if better == "lower" else "lower"
    mirrored = word(Decision(rule="reading", better=other), -high, -low)
    assert word(Decision(rule="reading", better=better), low, high) == mirrored
    assert (mirrored == "no detectable change") == (word(ZERO, low, high) == "true")
