"""Sources as text."""

import pytest

from verifier.catalog import SCHEMAS
from verifier.claims.sources_text import (
    CLAIM_ID,
    LONGEST_ID,
    LONGEST_SOURCE,
    SOURCE,
    Unreadable,
    brief,
    is_claim_id,
    source_of,
)
from verifier.model.claim import Displayed, FigureValue, FileDigest, Pointer, Source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("comparison.json#/arms/fp8/kld", Pointer(file="comparison.json", pointer="/arms/fp8/kld")),
        ("a/b c.csv#/0/x", Pointer(file="a/b c.csv", pointer="/0/x")),
        ("a.json#", Pointer(file="a.json", pointer="")),
        ("a.json#/", Pointer(file="a.json", pointer="/")),
        ("a.json#/x~1y/~0/*", Pointer(file="a.json", pointer="/x~1y/~0/*")),
        ("a.json#/../#/", Pointer(file="a.json", pointer="/../#/")),
        (".hidden/..a/a..json#/x", Pointer(file=".hidden/..a/a..json", pointer="/x")),
        ("figures/a:b.json#/x", Pointer(file="figures/a:b.json", pointer="/x")),
        ("figure:fp8/kld", FigureValue(id="fp8/kld")),
        ("figure:comparison.json#/arms/fp8", FigureValue(id="comparison.json#/arms/fp8")),
        ("claim:total-before", Displayed(claim="total-before")),
        ("sha256:arms/fp8/windows.json", FileDigest(file="arms/fp8/windows.json")),
    ],
)
def test_a_text_names_its_source(text: str, expected: Source) -> None:
    assert source_of(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "'' is no source: expected FILE#/pointer, figure:ID, claim:ID or sha256:FILE"),
        ("comparison.json", "'comparison.json' is no source: expected FILE#/pointer, figure:ID"),
        ("figure:", "'figure:' is no source"),
        ("figure:a\nb", r"'figure:a\nb' is no source"),
        ("figure:a\u202eb", r"'figure:a\u202eb' is no source"),
        ("claim:", "'' is no id of a claim: expected letters"),
        ("claim:two words", "'two words' is no id of a claim"),
        ("claim:a#/b", "'a#/b' is no id of a claim"),
        ("claim:a\n", r"'a\n' is no id of a claim"),
        ("sha256:", "'sha256:' does not name a file"),
        ("sha256:/etc/passwd", "'sha256:/etc/passwd' does not name a file"),
        ("sha256:a#/b", "'sha256:a#/b' is no source"),
        ("/etc/passwd#/x", "'/etc/passwd#/x' does not name a file: expected a relative path"),
        ("../a.json#/x", "'../a.json#/x' does not name a file"),
        ("a/../b.json#/x", "'a/../b.json#/x' does not name a file"),
        ("./a.json#/x", "'./a.json#/x' does not name a file"),
        ("a//b.json#/x", "'a//b.json#/x' does not name a file"),
        ("a/#/x", "'a/#/x' does not name a file"),
        ("..#/x", "'..#/x' does not name a file"),
        ("#/x", "'#/x' does not name a file"),
        ("a\\b.json#/x", r"'a\\b.json#/x' does not name a file"),
        ("a.json#x", "'x' is no JSON pointer: expected it empty or /key/key"),
        ("a.json#/x~", "'/x~' is no JSON pointer"),
        ("a.json#/x~2", "'/x~2' is no JSON pointer"),
        ("a.json#/x\n", r"'/x\n' is no JSON pointer"),
        ("a\0.json#/x", r"'/x' is no JSON pointer"),
    ],
)
def test_what_is_no_source_says_what_was_expected(text: str, expected: str) -> None:
    found = source_of(text)
    assert isinstance(found, Unreadable)
    assert found.reason.startswith(expected)


def test_an_endless_source_is_cut_in_its_message() -> None:
    found = source_of("a.json#/" + "x" * LONGEST_SOURCE)
    assert isinstance(found, Unreadable)
    assert found.reason == (
        f"a source has at most 4096 characters, 'a.json#/{'x' * 72}...' has {8 + LONGEST_SOURCE}"
    )
    longest = "a.json#/" + "x" * (LONGEST_SOURCE - 8)
    assert source_of(longest) == Pointer(file="a.json", pointer=longest[7:])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("kld", True),
        ("9.a_b+c/d-e", True),
        ("", False),
        ("-a", False),
        ("a b", False),
        ("a\n", False),
        ("é", False),
        ("a" * LONGEST_ID, True),
        ("a" * (LONGEST_ID + 1), False),
    ],
)
def test_an_id_of_a_claim_is_a_plain_word(text: str, *, expected: bool) -> None:
    assert is_claim_id(text) is expected


def test_the_schema_has_the_same_grammar() -> None:
    definitions = SCHEMAS.get("claims-1")["$defs"]
    assert definitions["source"]["pattern"] == SOURCE
    assert definitions["source"]["maxLength"] == LONGEST_SOURCE
    assert definitions["claim_id"]["pattern"] == CLAIM_ID
    assert definitions["claim_id"]["maxLength"] == LONGEST_ID


def test_a_hostile_text_is_shown_on_one_short_line() -> None:
    assert brief("a\n\x1b[31m\u202e") == r"'a\n\x1b[31m\u202e'"
    assert brief("x" * 81) == f"'{'x' * 80}...'"
