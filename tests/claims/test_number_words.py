from decimal import Decimal

import pytest

from tests.support.claim_documents import document, text
from tests.support.printed import numeral
from verifier.claims.number_words import spelled, word_like
from verifier.claims.numerals import numerals
from verifier.claims.printing import printed_like
from verifier.model.document import Block


def words(line: str) -> list[tuple[str, int]]:
    return [(line[word.start : word.end], word.value) for word in spelled(line)]


def test_zero_to_twenty_are_numbers() -> None:
    line = (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen, twenty"
    )

    assert [value for _, value in words(line)] == list(range(21))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Six of SEVEN", [("Six", 6), ("SEVEN", 7)]),
        ("(six)", [("six", 6)]),
        ("six.", [("six", 6)]),
        ("six\nseven", [("six", 6), ("seven", 7)]),
        ("three\u00a0arms", [("three", 3)]),
        ("this and six", [("six", 6)]),
        ("and six", [("six", 6)]),
        ("twenty windows", [("twenty", 20)]),
    ],
)
def test_a_word_is_found_whatever_stands_around_it(
    line: str, expected: list[tuple[str, int]]
) -> None:
    assert words(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "sixth",
        "someone",
        "twenty-six",
        "six-fold",
        "twenty six",
        "sixty six",
        "six hundred",
        "six thousand.",
        "a dozen",
        "one hundred and six",
        "two point five",
        "one_window",
        "one.json",
        "stone.one",
        "zweifünf",
        "onе",  # noqa: RUF001 - a Cyrillic letter
    ],
)
def test_what_is_no_number_from_zero_to_twenty_is_left_alone(line: str) -> None:
    assert words(line) == []


def test_words_stand_among_the_numbers_of_a_document_in_order() -> None:
    doc = document("Seven of 12 arms, at most three", text("4"))

    found = numerals(doc)

    assert [(item.text, item.literal, item.rule, item.relation) for item in found] == [
        ("Seven", "7", "word", "="),
        ("12", "12", "", "="),
        ("three", "3", "word", "<="),
        ("4", "4", "", "="),
    ]
    assert len({item.group for item in found}) == 4


def test_code_spells_no_numbers() -> None:
    code = Block(kind="code", text="for one in two: 3", offsets=range(17), line=1)

    assert [item.text for item in numerals(document(code))] == ["3"]


@pytest.mark.parametrize(
    ("value", "printed", "expected"),
    [
        ("7", "six", "seven"),
        ("7", "Six", "Seven"),
        ("7", "SIX", "SEVEN"),
        ("0", "one", "zero"),
        ("20", "one", "twenty"),
        ("21", "one", ""),
        ("-1", "one", ""),
        ("7", "6", ""),
        ("7", "sixth", ""),
    ],
)
def test_a_word_takes_the_place_of_a_word(value: str, printed: str, expected: str) -> None:
    assert word_like(Decimal(value), printed) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", "Seven"),
        ("6.6", "Seven"),
        ("27", "27"),
        ("-3", "-3"),
        ("1e999", "1.0000000000000000e+999"),
    ],
)
def test_a_value_is_printed_as_a_word_where_there_is_one(value: str, expected: str) -> None:
    six = numeral("6")._replace(text="Six")

    assert printed_like(Decimal(value), six) == expected


def test_a_word_with_a_finer_place_gives_way_to_digits() -> None:
    assert printed_like(Decimal("0.004"), numeral("0")._replace(text="zero", place=-3)) == "0.004"
