"""Bindings of digits that are only a part of what a reader sees."""

import pytest

from tests.support.claim_documents import binding
from tests.support.prose import one_block
from verifier.claims.locate import Located, located
from verifier.claims.numerals import numerals
from verifier.model.claim import Pointer, TableLocator

A, B = (Pointer(file="a.json", pointer=f"/{name}") for name in "ab")
HIDDEN = "\N{ZERO WIDTH SPACE}"
SOFT_HYPHEN = "\N{SOFT HYPHEN}"
REVERSED = "\N{RIGHT-TO-LEFT OVERRIDE}"
DASH, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"


def bound(text: str, quote: str = "is {}", *sources: Pointer) -> Located:
    doc = one_block(text)
    return located(doc, numerals(doc), (), [binding(quote, *(sources or (A,)))])


def in_cell(text: str) -> Located:
    doc = one_block(text, column="kld")
    at = TableLocator(table=None, row=1, column="kld")
    return located(doc, numerals(doc), (), [binding(at, A)])


@pytest.mark.parametrize(
    ("text", "part", "seen"),
    [
        (f"is 0.0{HIDDEN}35", "0.0", f"0.0{HIDDEN}35"),
        (f"is 0.0{SOFT_HYPHEN}35", "0.0", f"0.0{SOFT_HYPHEN}35"),
        (f"is 0.{REVERSED}530", "0", f"0.{REVERSED}530"),
        ("is 0,035 nat", "0", "0,035"),
        ("is 1.234,5", "1.234", "1.234,5"),
        ("is 1.234.567", "1.234", "1.234.567"),
        ("is 3\N{MIDDLE DOT}5", "3", "3\N{MIDDLE DOT}5"),
        ("is 3 000 rows", "3", "3 000"),
        ("is 3'500 rows", "3", "3'500"),
        ("is 3_500 rows", "3", "3_500"),
        ("is 3\N{VULGAR FRACTION ONE HALF}", "3", "3\N{VULGAR FRACTION ONE HALF}"),
        ("is 2\N{SUPERSCRIPT TWO}", "2", "2\N{SUPERSCRIPT TWO}"),
        ("is 3\N{CJK UNIFIED IDEOGRAPH-4E07}", "3", "3\N{CJK UNIFIED IDEOGRAPH-4E07}"),
        ("is 3 hundred", "3", "3 hundred"),
        ("is one and a half", "one", "one and a half"),
    ],
)
def test_digits_that_go_on_beside_a_number_cannot_be_left_out(
    text: str, part: str, seen: str
) -> None:
    found = bound(text)
    assert found.numbers == {}
    said = f"binds {part!r} in line 1, which is only a part of {seen!a}"
    assert [item.message for item in found.problems] == [f"claim kld {said}"]


@pytest.mark.parametrize("text", [f"is {DASH}3", f"is ({DASH}3)"])
def test_a_dash_for_a_minus_before_a_number_cannot_be_left_out(text: str) -> None:
    quote = text.replace("3", "{}")
    assert bound(text, quote).numbers == {}


@pytest.mark.parametrize("text", [f"{DASH}3", f"{DASH} 3", f"{MINUS} 3", "- 3"])
def test_a_dash_alone_before_the_number_of_a_cell_is_a_minus_to_a_reader(text: str) -> None:
    found = in_cell(text)
    assert found.numbers == {}
    assert "only a part of" in found.problems[0].message


def test_the_second_piece_of_a_number_is_a_part_as_well() -> None:
    assert "only a part of '0,35'" in bound("is 0,35 nat", "{} nat").problems[0].message


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("is 3, 5", "is {}"),
        ("is 0.1,0.2", "is {}"),
        ("is 0.5,1", "is {}"),
        ("is [3,5]", "is [{}"),
        ("is 3 500", "is {}"),
        ("is 3. 5 more", "is {}"),
        ("is 3/5", "is {}"),
        (f"is 3{DASH}5", f"is 3{DASH}{{}}"),
        (f"so{DASH}3 of them", f"so{DASH}{{}}"),
        ("is 0.5\N{SUPERSCRIPT TWO}", "is {}"),
        (f"is 3{HIDDEN} ms", "is {}"),
        ("is 3 hundredths", "is {}"),
        ("is - 3", "is - {}"),
        ("is 3\N{CJK UNIFIED IDEOGRAPH-884C}", "is {}"),
    ],
)
def test_what_stands_beside_a_number_without_being_of_it_is_let_alone(
    text: str, quote: str
) -> None:
    found = bound(text, quote)
    assert found.problems == ()
    assert list(found.numbers) == ["kld"]


def test_a_list_without_blanks_is_bound_where_one_entry_binds_all_of_it() -> None:
    found = bound("is 3,5", "is {},{}", A, B)
    assert found.problems == ()
    assert found.numbers == {"kld": (0, 1)}


def test_a_plain_number_of_a_cell_is_bound() -> None:
    assert in_cell("-3").numbers == {"kld": (0,)}
    assert in_cell("kv: 3").numbers == {"kld": (0,)}
