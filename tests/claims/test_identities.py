"""Digests, commit ids and file names in documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.prose import code, link, named, one_block
from verifier.claims.identities import identities
from verifier.model.document import Document, Mark

SHA = "0123456789abcdef" * 4
COMMIT = SHA[:40]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"sha256:{SHA}", [("sha256", SHA)]),
        (f"image@sha256:{SHA},", [("sha256", SHA)]),
        (SHA.upper(), [("sha256", SHA.upper())]),
        ("sha256:0123456789ab\u2026", [("sha256", "0123456789ab")]),
        ("SHA-256: 0123456789ab", [("sha256", "0123456789ab")]),
        (f"at {COMMIT}.", [("commit", COMMIT)]),
        (f"repo@{COMMIT}", [("commit", COMMIT)]),
        ("from `c88fb8847`"[6:15], [("commit", "c88fb8847")]),
        ("recipe commit53d93df", [("commit", "53d93df")]),
        ("commit 12345e10", [("commit", "12345e10")]),
        ("@12345e10", [("commit", "12345e10")]),
        ("tree/53d93df", [("commit", "53d93df")]),
    ],
)
def test_a_digest_or_commit_id_is_found(text: str, found: list[tuple[str, str]]) -> None:
    assert named(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "1234567890123456",
        "0.1234567890123e-05",
        "1234567e-05",
        "12345e10",
        "defaced",
        "abcde1",
        "C88FB8847",
        "BCa20000",
        "gc88fb8847",
        "c88fb8847x",
        "a-c88fb8847",
        SHA * 2,
        SHA[:50],
        "550e8400-e29b-41d4-a716-446655440000",
        "1" * 64,
    ],
)
def test_what_only_resembles_an_id_is_none(text: str) -> None:
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("comparison.json", ["comparison.json"]),
        ("see comparison.json.", ["comparison.json"]),
        ("(a/b/r27-20260908.jsonl, x)", ["a/b/r27-20260908.jsonl"]),
        ("../q/top20.csv", ["../q/top20.csv"]),
        ("./a.toml and b.TSV", ["./a.toml", "b.TSV"]),
        ("rows.json.gz", ["rows.json.gz"]),
        ("a.json/b.json", ["a.json", "b.json"]),
        ("SHA256SUMS and r1/SHA256SUMS", ["SHA256SUMS", "r1/SHA256SUMS"]),
        ("SHA256SUMS.txt", ["SHA256SUMS.txt"]),
        ("z.txt, SHA512SUM", ["z.txt", "SHA512SUM"]),
        ("-a.json", ["a.json"]),
        ("d_.md", ["d_.md"]),
        ("rows/53d93df0.json", ["rows/53d93df0.json"]),
        ("out.log", ["out.log"]),
    ],
)
def test_a_file_name_is_found(text: str, found: list[str]) -> None:
    assert named(text) == [("file", name) for name in found]


@pytest.mark.parametrize(
    "text",
    [
        "np.log",
        "np.log(5)",
        "x.json(5)",
        "a.jsonx",
        "a.json5",
        "the .md files",
        "*.json",
        "arm-{name}.json",
        "dir/.json",
        "e.g. this",
        "kernel.cu",
        "SHA256",
        "my-SHA256SUMS",
    ],
)
def test_what_only_resembles_a_data_file_is_none(text: str) -> None:
    assert named(text) == []


def test_a_file_name_begins_where_its_code_mark_begins() -> None:
    text = "incomparison.json"
    assert named(text) == [("file", "incomparison.json")]
    assert named(text, code(text, "comparison.json")) == [("file", "comparison.json")]


def test_an_address_names_nothing_of_this_bundle() -> None:
    text = f"https://example.org/{COMMIT}/comparison.json and audit.json"
    assert named(text) == [("file", "audit.json")]


def test_a_block_of_code_names_digests_and_commits_but_no_files() -> None:
    text = f"check {SHA} {COMMIT} c88fb8847 > out.json"
    assert named(text, kind="code") == [("sha256", SHA), ("commit", COMMIT)]


@pytest.mark.parametrize(
    ("target", "found"),
    [
        ("results/rows.json", "results/rows.json"),
        ("rows.CSV#L5", "rows.CSV"),
        ("rows.csv?raw=1", "rows.csv"),
        ("SHA256SUMS", "SHA256SUMS"),
        ("https://example.org/rows.json", ""),
        ("//example.org/rows.json", ""),
        ("#rows.json", ""),
        ("page/", ""),
        ("kernel.cu", ""),
        (".json", ""),
    ],
)
def test_a_relative_link_to_a_data_file_names_it(target: str, found: str) -> None:
    text = "see the rows, a.json"
    names = [("file", found)] if found else []
    assert named(text, link(text, "the rows", target)) == [*names, ("file", "a.json")]


def test_the_target_of_a_link_wins_over_the_same_name_in_its_text() -> None:
    text = "x.json then rows.json and y.json"
    document = one_block(text, link(text, "rows.json", "r1/rows.json"))
    found = [(item.start, item.end, item.text) for item in identities(document)]
    assert found == [(0, 6, "x.json"), (12, 21, "r1/rows.json"), (26, 32, "y.json")]


def test_the_text_of_a_link_wins_over_another_name_in_its_target() -> None:
    text = "rows.json"
    assert named(text, link(text, text, "r1/other.json")) == [("file", "rows.json")]


def test_links_without_text_or_inside_links_name_nothing_more() -> None:
    marks = (
        Mark(kind="link", start=0, end=4, value="a.json"),
        Mark(kind="link", start=1, end=3, value="b.json"),
        Mark(kind="link", start=5, end=5, value="c.json"),
    )
    assert named("rows", *marks) == [("file", "a.json")]


def test_identities_say_where_they_stand() -> None:
    first, second = one_block("a.json").blocks[0], one_block(f"sha256:{SHA}").blocks[0]
    document = Document(name="d", format="plain", source="", blocks=(first, second))
    found = [(item.block, item.start, item.end, item.kind) for item in identities(document)]
    assert found == [(0, 0, 6, "file"), (1, 7, 71, "sha256")]


@given(st.text(alphabet="ab01ef./@-_ :SHA256UMjsonlgt", max_size=80))
def test_whatever_the_text_identities_never_overlap(text: str) -> None:
    reach = 0
    for item in identities(one_block(text)):
        assert reach <= item.start < item.end
        assert text[item.start : item.end] == item.text
        reach = item.end
