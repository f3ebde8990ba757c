"""Reading the numbers of prose and tables."""

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.prose import numbers, one_block
from verifier.claims.numerals import numerals
from verifier.model.document import Document, Mark


def literals(text: str) -> list[tuple[str, str, int]]:
    return [(number.text, number.literal, number.place) for number in numbers(text)]


@pytest.mark.parametrize(
    ("text", "literal", "place"),
    [
        ("\u22121.50", "-1.50", -2),
        ("-0.0", "-0.0", -1),
        ("+2", "2", 0),
        (".5", "0.5", -1),
        ("-.5", "-0.5", -1),
        ("1,234,567.8", "1234567.8", -1),
        ("12\u2009345", "12345", 0),
        ("12\u202f345\u202f678", "12345678", 0),
        ("12\u00a0345", "12345", 0),
        ("1.2e-5", "1.2e-5", -6),
        ("1.2E-05", "1.2e-5", -6),
        ("1.2e\u22125", "1.2e-5", -6),
        ("2e5", "2e5", 5),
        ("1.2e+5", "1.2e5", 4),
        ("1.2 x 10^-5", "1.2e-5", -6),
        ("1.2 \u00d7 10\u207b\u2075", "1.2e-5", -6),
        ("-1.2\u00d710\u2075", "-1.2e5", 4),
        ("1.2 \u00d7 10^{-5}", "1.2e-5", -6),
        ("1.2 * 10**-5", "1.2e-5", -6),
        ("3 \u00d7 10\u22124", "3e-4", -4),
        ("10^-7", "1e-7", -7),
        ("10\u207b\u2077", "1e-7", -7),
        ("1e0", "1e0", 0),
    ],
)
def test_a_number_is_read_as_one_whatever_its_form(text: str, literal: str, place: int) -> None:
    assert literals(text) == [(text, literal, place)]
    assert numbers(f"it is {text} in all")[0].value == Decimal(literal)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("1, 2", ["1", "2"]),
        ("12 345", ["12", "345"]),
        ("1,23", ["1", "23"]),
        ("1234,567", ["1234", "567"]),
        ("0,123", ["0", "123"]),
        ("3 x 10 windows", ["3", "10"]),
        ("2 \u00d7 3", ["2", "3"]),
        ("5 and.5", ["5", "5"]),
        ("ends.5", ["5"]),
        ("0..5", ["0", "5"]),
        ("1.5e", ["1.5"]),
        ("110^2", ["110", "2"]),
        ("5. Then 6.", ["5", "6"]),
    ],
)
def test_what_only_looks_like_one_number_is_read_as_several(text: str, printed: list[str]) -> None:
    assert [number.text for number in numbers(text)] == printed


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("is -5", ["-5"]),
        ("(-5)", ["-5"]),
        ("=-5", ["-5"]),
        ("FP8-0.5", ["8", "0.5"]),
        ("a-0.5", ["0.5"]),
        ("8-16", ["8", "16"]),
        ("5%-10%", ["5", "10"]),
        ("--5", ["5"]),
        ("+/-5", ["5"]),
        ("1/-5", ["1", "-5"]),
        ("\u00b1-5", ["5"]),
        ("- 5", ["5"]),
        ("\u6587-0.5", ["-0.5"]),
        ("-7.3\u2013-1.8", ["-7.3", "-1.8"]),
    ],
)
def test_a_minus_is_a_sign_only_with_no_digit_or_word_before_it(
    text: str, printed: list[str]
) -> None:
    assert [number.text for number in numbers(text)] == printed


def test_a_place_in_the_block_is_that_of_sign_digits_and_exponent() -> None:
    text = "a mean of \u22121.5e-3 nats"
    (number,) = numbers(text)
    assert text[number.start : number.end] == number.text == "\u22121.5e-3"
    assert number.unit == "nat"


def grouped(text: str, column: str | None = None) -> list[tuple[str, str, str, int]]:
    found = numerals(one_block(text, column=column))
    return [(number.text, number.role, number.unit, number.group) for number in found]


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("lower in 26/32 windows", ("26", "part"), ("32", "whole")),
        ("26 / 32", ("26", "part"), ("32", "whole")),
        ("lower in26/32\nwindows", ("26", "part"), ("32", "whole")),
        ("in 20 of 64 windows", ("20", "part"), ("64", "whole")),
        ("20 out of the 64", ("20", "part"), ("64", "whole")),
        ("20\nof 64", ("20", "part"), ("64", "whole")),
        ("1,000 of 2,000", ("1,000", "part"), ("2,000", "whole")),
        ("[-0.5, 0.5]", ("-0.5", "low"), ("0.5", "high")),
        ("[ 0.1,\n0.2 ]", ("0.1", "low"), ("0.2", "high")),
        ("[0.1; 0.2)", ("0.1", "low"), ("0.2", "high")),
        ("[1,234, 5,678]", ("1,234", "low"), ("5,678", "high")),
        ("the interval is (1, 2)", ("1", "low"), ("2", "high")),
        ("CI (1, 2)", ("1", "low"), ("2", "high")),
        ("BCa: (1, 2)", ("1", "low"), ("2", "high")),
        ("0.03 to 0.05", ("0.03", "low"), ("0.05", "high")),
        ("2,046-2,047 rows", ("2,046", "low"), ("2,047", "high")),
        ("0.567\u20130.609", ("0.567", "low"), ("0.609", "high")),
        ("0.03 \u2013 0.05", ("0.03", "low"), ("0.05", "high")),
        ("0 to 0.05", ("0", "low"), ("0.05", "high")),
        ("between 5 and 7", ("5", "low"), ("7", "high")),
        ("1.03 \u00b1 0.02", ("1.03", "value"), ("0.02", "margin")),
        ("1.03 +/- 0.02", ("1.03", "value"), ("0.02", "margin")),
        ("1.03+/-0.02", ("1.03", "value"), ("0.02", "margin")),
    ],
)
def test_numbers_that_belong_together_share_a_group(
    text: str, first: tuple[str, str], second: tuple[str, str]
) -> None:
    assert grouped(text) == [(*first, "", 0), (*second, "", 0)]


@pytest.mark.parametrize(
    "text",
    [
        "1/2/3",
        "1-2-3",
        "[1, 2, 3]",
        "(1, 2)",
        "see (CI) and f(1, 2)",
        "[1, 2",
        "1, 2]",
        "5 - 3",
        "0.5 to 20",
        "0.5/2",
        "-1/2",
        "5 % of 64",
        "5 and 7",
        "between 5 of them and 7",
        "20 windows of 64",
        "5 ms of 6",
    ],
)
def test_numbers_that_do_not_belong_together_stay_alone(text: str) -> None:
    found = numbers(text)
    assert {number.role for number in found} == {"value"}
    assert [number.group for number in found] == list(range(len(found)))


def test_an_interval_in_parentheses_may_follow_its_value() -> None:
    assert grouped("2.1 (1.9, 2.4)") == [
        ("2.1", "value", "", 0),
        ("1.9", "low", "", 1),
        ("2.4", "high", "", 1),
    ]
    assert [role for _, role, _, _ in grouped("2.1 (2.2, 2.4)")] == ["value"] * 3
    assert [role for _, role, _, _ in grouped("2.1 of (1.9, 2.4)")] == ["value"] * 3


def test_the_header_of_a_column_of_intervals_makes_its_parentheses_intervals() -> None:
    assert grouped("(1, 2)", column="95 % CI") == [("1", "low", "", 0), ("2", "high", "", 0)]
    assert grouped("(1, 2)", column="shape") == [("1", "value", "", 0), ("2", "value", "", 1)]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("[-7.3 %, -1.8 %]", ["percent", "percent"]),
        ("[-7.3, -1.8 %]", ["percent", "percent"]),
        ("[0.1, 0.2] nats", ["nat", "nat"]),
        ("0.03 to 0.05 nats", ["nat", "nat"]),
        ("from 25 to 33.1 %", ["percent", "percent"]),
        ("between 25 and 33.1 %", ["percent", "percent"]),
        ("it took 25 to 33.1 %", ["", "percent"]),
        ("8-16K", ["K", "K"]),
        ("128-2K", ["", "K"]),
        ("8K to 16", ["K", ""]),
        ("64K-128K tokens", ["K", "K"]),
        ("5%-10%", ["percent", "percent"]),
        ("8 ms to 16 s", ["ms", "s"]),
        ("3 ms \u00b1 1", ["ms", "ms"]),
        ("3 \u00b1 1 ms", ["ms", "ms"]),
        ("1 ms, 2", ["ms", ""]),
    ],
)
def test_a_unit_holds_for_both_ends(text: str, units: list[str]) -> None:
    assert [number.unit for number in numbers(text)] == units


def test_groups_are_numbered_through_the_document() -> None:
    first, second = one_block("1 of 2, 3").blocks[0], one_block("[4, 5]").blocks[0]
    empty = one_block("no number").blocks[0]
    document = Document(name="d", format="plain", source="", blocks=(first, empty, second))
    found = numerals(document)
    assert [(number.block, number.group) for number in found] == [
        (0, 0),
        (0, 0),
        (0, 2),
        (2, 3),
        (2, 3),
    ]


@pytest.mark.parametrize(
    ("before", "relation"),
    [
        ("<= ", "<="),
        ("=< ", "<="),
        ("\u2264", "<="),
        ("p<", "<"),
        ("p > ", ">"),
        (">= ", ">="),
        ("\u2265 ", ">="),
        ("at most ", "<="),
        ("At most\n", "<="),
        ("at least ", ">="),
        ("(at least ", ">="),
        ("less than ", "<"),
        ("fewer than ", "<"),
        ("more than ", ">"),
        ("no more than ", "<="),
        ("not less than ", ">="),
        ("less than or equal to ", "<="),
        ("greater than or equal to ", ">="),
        ("under ", "<"),
        ("took over ", ">"),
        ("below ", "<"),
        ("rows above ", ">"),
        ("up to ", "<="),
        ("k = ", "="),
        ("-> ", "="),
        ("=> ", "="),
        ("rather than ", "="),
        ("than ", "="),
        ("equal to ", "="),
        ("or equal to ", "="),
        ("to ", "="),
        ("the mean over ", "="),
        ("Over ", "="),
        ("at most, ", "="),
        ("at most (", "="),
    ],
)
def test_a_bound_directly_before_a_number_is_its_relation(before: str, relation: str) -> None:
    (number,) = numbers(f"{before}64")
    assert number.relation == relation
    assert not number.approximate


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Over 5 % of them", ">"),
        ("rows over 0.5", ">"),
        ("averaged over 5 s", "="),
        ("averaged over 16K", "="),
    ],
)
def test_over_a_measured_number_is_a_bound_unless_it_says_what_a_mean_is_of(
    text: str, relation: str
) -> None:
    (number,) = numbers(text)
    assert number.relation == relation


def test_a_quotation_sign_at_the_start_of_a_line_is_no_bound() -> None:
    assert [number.relation for number in numbers("> 5 and\n> 6, >7\n>8")] == ["=", "=", ">", ">"]
    (number,) = numerals(one_block("> 5", column="p"))
    assert number.relation == ">"


@pytest.mark.parametrize(
    "before",
    ["~", "~ ", "\u2248 ", "about ", "About\n", "around ", "roughly ", "circa ", "(approximately "],
)
def test_a_sign_or_word_of_approximation_marks_a_number(before: str) -> None:
    (number,) = numbers(f"{before}2,000")
    assert number.approximate
    assert number.relation == "="


def test_a_bound_can_be_approximate() -> None:
    found = numbers("at most about 5 and ~<6")
    assert [(number.relation, number.approximate) for number in found] == [
        ("<=", True),
        ("<", True),
    ]


def test_a_run_of_too_many_digits_is_read_to_a_limit_and_claims_nothing() -> None:
    (whole,) = numbers("9" * 100_000)
    assert (len(whole.text), len(whole.literal), whole.rule) == (100_000, 400, "length")
    (fraction,) = numbers(f"it is 0.{'1' * 1000}")
    assert (fraction.place, fraction.rule) == (-400, "length")
    (exponent,) = numbers("1e-99999999999999999999")
    assert (exponent.value, exponent.rule) == (Decimal("1e-9999"), "length")


HOSTILE = (
    "1.",
    "1,234",
    "1/",
    "1-",
    "a1",
    "1e",
    "(1, 2)",
    "[3]",
    "10\u2075",
    "12:30",
    "~5",
    "v1.2.3",
)


@pytest.mark.parametrize("piece", [*HOSTILE, " ", "[", "-", "<", "\u207b", "http://", "SHA256SUMS"])
def test_a_long_line_of_one_piece_is_read_to_its_end(piece: str) -> None:
    text = piece * 2_000
    found = numbers(text)
    assert bool(found) == any(character in "0123456789" for character in text)
    assert all(before.end <= after.start for before, after in pairwise(found))


@given(
    st.from_regex(
        r"[\[(]?[-+\u2212]?[0-9]{1,4}(\.[0-9]{1,3})?( ?[,;/\u00b1-] ?|:|\.)"
        r"[-+\u2212]?[0-9]{1,4}(\.[0-9]{1,3})?( ms|%)?[\])]?",
        fullmatch=True,
    )
    | st.from_regex(r"[-+\u2212]?[0-9]{1,5}(\.[0-9]{1,3})?( ms|%|K)?", fullmatch=True)
)
def test_a_bare_cell_reads_the_same_when_its_surroundings_are_looked_at(text: str) -> None:
    comment = Mark(kind="comment", start=0, end=0, value="none")
    assert numerals(one_block(text, column="CI")) == numerals(one_block(text, comment, column="CI"))


def test_numbers_in_words_stand_among_those_in_digits() -> None:
    found = numbers("between 1.5 and seven or 8")
    assert [(number.text, number.rule) for number in found] == [
        ("1.5", ""),
        ("seven", "word"),
        ("8", ""),
    ]


@given(
    st.text(
        alphabet="0159.,-\u2212+eExX\u00d7^/%()[] \nabKMsv#_~<>=:\u00b1\u2075\u207bof", max_size=60
    )
)
def test_whatever_the_text_numbers_are_in_order_and_worth_their_literals(text: str) -> None:
    found = numbers(text)
    reach = 0
    for number in found:
        assert reach <= number.start < number.end
        assert number.text == text[number.start : number.end]
        assert number.value == Decimal(number.literal)
        exponent = number.value.as_tuple().exponent
        assert number.rule == "length" or exponent == number.place
        reach = number.end
    digits = sum(character in "0123456789" for character in text)
    assert digits == sum(c in "0123456789" for number in found for c in number.text)


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("It never falls below 0.97 there.", ">="),
        ("it does not rise above 1.5 nats", "<="),
        ("it doesn't go over 5 %", "<="),
        ("nothing lies below 0.97", "<"),
        ("it falls below 0.97", "<"),
    ],
)
def test_a_denied_bound_is_the_opposite_one(text: str, relation: str) -> None:
    (number,) = numbers(text)
    assert number.relation == relation


@pytest.mark.parametrize(
    ("text", "printed", "literal"),
    [
        ("is \uff10.\uff10\uff13", "\uff10.\uff10\uff13", "0.03"),
        ("is \uff0d\uff12\uff0e\uff15\uff05", "\uff0d\uff12\uff0e\uff15", "-2.5"),
        ("\u0661\u066c\u0663\u0664\u0665 ms", "\u0661\u066c\u0663\u0664\u0665", "1345"),
        ("\u0663", "\u0663", "3"),
    ],
)
def test_digits_of_another_script_do_not_vanish(text: str, printed: str, literal: str) -> None:
    assert [(item.text, item.literal) for item in numbers(text)] == [(printed, literal)]
