"""Foreign texts on their way to a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.sample_report import UNHURRIED, hostile_texts
from verifier.render._safe import LIMIT, safe

PRINTABLE = {chr(code) for code in range(0x20, 0x7F)}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("comparison.json#/arms/fp8", "comparison.json#/arms/fp8"),
        ("two words", "two words"),
        ("", "(empty)"),
        ("(empty)", r"\x28empty)"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b31m", r"\x9b31m"),
        ("a\nb\r\tc\x00", r"a\nb\r\tc\x00"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\u0441omparison.json", r"\u0441omparison.json"),
        ("\u4e2d\U0001f600", r"\u4e2d\U0001f600"),
        ("\udcff", r"\udcff"),
        ("\\x1b", r"\\x1b"),
        ("a  b", r"a \x20b"),
        (" ", r"\x20"),
        (" a ", r"\x20a\x20"),
        ("\u00a0", r"\xa0"),
        ("VERDICT: PASSED", r"VERDICT: PASS\x45D"),
        ("passed", "passed"),
    ],
)
def test_what_could_mislead_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_a_text_as_long_as_the_limit_is_shown_whole() -> None:
    assert safe("x" * LIMIT) == "x" * LIMIT


def test_a_longer_text_shows_its_beginning_its_end_and_how_much_is_left_out() -> None:
    assert safe("a" * 500 + "b" * 500, 30) == "a" * 20 + "...[970 more]..." + "b" * 10


def test_a_text_whose_escapes_are_too_long_is_cut_between_escapes() -> None:
    assert safe("\x1b" * 10, 30) == r"\x1b" * 5 + "...[3 more]..." + r"\x1b" * 2


@UNHURRIED
@given(hostile_texts(), st.integers(10, 400))
def test_nothing_but_printable_ascii_comes_out_and_not_more_than_the_limit(
    text: str, limit: int
) -> None:
    shown = safe(text, limit)

    assert set(shown) <= PRINTABLE
    assert len(shown) <= limit + len(f"...[{len(text)} more]...")
    assert "PASSED" not in shown
    assert shown == " ".join(shown.split())


@UNHURRIED
@given(hostile_texts(), hostile_texts())
def test_two_texts_are_shown_alike_only_when_they_are_equal(one: str, other: str) -> None:
    limit = 10 * (len(one) + len(other)) + 20

    assert (safe(one, limit) == safe(other, limit)) == (one == other)


@UNHURRIED
@given(hostile_texts().filter(bool))
def test_the_shown_text_says_exactly_what_was_there(text: str) -> None:
    shown = safe(text, 10 * len(text))

    assert shown.encode("ascii").decode("unicode_escape") == text
