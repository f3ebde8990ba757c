"""Digests, commits and file names in documents: known, nearly known, or named by nothing here."""

import hashlib
import json
from collections.abc import Mapping
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.memory_files import MemoryFiles, data_files
from verifier.claims import known
from verifier.claims.data import DataFiles
from verifier.claims.known import Judged, KnownIdentities, known_identities
from verifier.model.claim import Identity

Kind = Literal["sha256", "commit", "file"]

IMAGE = hashlib.sha256(b"image").hexdigest()
SCORE = hashlib.sha256(b"score").hexdigest()
COMMIT = hashlib.sha1(b"commit", usedforsecurity=False).hexdigest()
OTHER = hashlib.sha1(b"other", usedforsecurity=False).hexdigest()
RECORD = json.dumps(
    {
        "image": f"registry.example/serve@sha256:{IMAGE}",
        "arms": [{"name": "fp8", "score": SCORE.upper()}],
        "commits": {COMMIT: "deployed"},
        "short": "c0ffee123",
    },
    indent=1,
)
FILES: Mapping[str, str | bytes] = {
    "comparison.json": RECORD,
    "serve.log": f"started\nat {OTHER}\n",
    "arms/fp8/scores.npz": b"\0",
    "arms/nvfp4/scores.npz": b"\1",
    "historical-fp8-audit.json": "{}",
}


def identity(kind: Kind, text: str) -> Identity:
    return Identity(block=0, start=0, end=len(text), kind=kind, text=text)


def bundle(files: Mapping[str, str | bytes] = FILES, **digests: str) -> KnownIdentities:
    return known_identities(data_files(files), digests, files.keys())


def flipped(text: str, *places: int) -> str:
    """The text with other hex digits at some places."""
    digits = list(text)
    for place in places:
        digits[place] = "0" if digits[place] != "0" else "1"
    return "".join(digits)


KNOWN = bundle()


def judged(kind: Kind, text: str) -> Judged:
    return KNOWN.judged(identity(kind, text))


@pytest.mark.parametrize(
    ("kind", "text", "origin"),
    [
        ("sha256", IMAGE, "comparison.json#/image"),
        ("sha256", IMAGE.upper(), "comparison.json#/image"),
        ("sha256", SCORE, "comparison.json#/arms/0/score"),
        ("commit", COMMIT, f"comparison.json#/commits/{COMMIT}"),
        ("commit", OTHER, "serve.log:2"),
        ("sha256", hashlib.sha256(RECORD.encode()).hexdigest(), "SHA-256 of comparison.json"),
        ("commit", COMMIT[:7], f"comparison.json#/commits/{COMMIT}"),
        ("commit", COMMIT[:39], f"comparison.json#/commits/{COMMIT}"),
        ("commit", IMAGE[:12], "comparison.json#/image"),
        ("sha256", IMAGE[:12], "comparison.json#/image"),
        ("commit", "c0ffee123", "comparison.json#/short"),
        ("commit", "c0ffee1", "comparison.json#/short"),
        ("file", "comparison.json", "comparison.json"),
        ("file", "./comparison.json", "comparison.json"),
        ("file", "scores.npz", "arms/fp8/scores.npz"),
        ("file", "nvfp4/scores.npz", "arms/nvfp4/scores.npz"),
        ("file", "arms/nvfp4/scores.npz", "arms/nvfp4/scores.npz"),
    ],
)
def test_what_the_bundle_names_is_supported_and_its_place_is_told(
    kind: Kind, text: str, origin: str
) -> None:
    assert judged(kind, text) == ("SUPPORTED", "", "", origin)


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("sha256", "ab" * 32, "Nothing here names this SHA-256."),
        ("commit", "ab" * 20, "Nothing here names this commit id."),
        ("commit", "abababa", "Nothing here names this commit id."),
        ("commit", COMMIT[:6], "Nothing here names this commit id."),
        ("commit", COMMIT + "0", "Nothing here names this commit id."),
        ("sha256", "0" * 65, "Nothing here names this SHA-256."),
        ("sha256", flipped(IMAGE, 0, 13, 26, 39, 52), "Nothing here names this SHA-256."),
        ("commit", flipped(COMMIT, 0, 14, 27), "Nothing here names this commit id."),
        ("commit", flipped(COMMIT[:12], 3, 9), "Nothing here names this commit id."),
        ("file", "dynamic.py", "No file here has this name."),
        ("file", "x" * 300 + ".json", "No file here has this name."),
        (
            "file",
            "tr3/comparison.json",
            "No file here has this name, though 'comparison.json' ends like it.",
        ),
    ],
)
def test_what_nothing_names_is_unbound(kind: Kind, text: str, reason: str) -> None:
    assert judged(kind, text) == ("UNBOUND", "", reason, "")


@pytest.mark.parametrize("right", [IMAGE, SCORE])
@pytest.mark.parametrize("places", [(0,), (63,), (5, 40), (0, 20, 40), (0, 13, 26, 39)])
def test_up_to_four_wrong_digits_of_a_digest_are_contradicted(
    right: str, places: tuple[int, ...]
) -> None:
    status, expected, reason, origin = judged("sha256", flipped(right, *places))
    assert (status, expected) == ("CONTRADICTED", right)
    assert reason == (
        f"It differs in {len(places)} of 64 digits from the SHA-256 that is named here."
    )
    assert origin == (
        "comparison.json#/image" if right == IMAGE else "comparison.json#/arms/0/score"
    )


@given(st.sets(st.integers(0, 63), min_size=1, max_size=4))
def test_wherever_the_wrong_digits_stand(places: set[int]) -> None:
    assert judged("sha256", flipped(IMAGE, *places))[:2] == ("CONTRADICTED", IMAGE)


@pytest.mark.parametrize("text", [IMAGE[:12] + "a" * 52, "a" * 52 + IMAGE[-12:]])
def test_a_digest_whose_ends_are_right_is_contradicted(text: str) -> None:
    assert judged("sha256", text)[:2] == ("CONTRADICTED", IMAGE)


def test_eleven_right_digits_say_nothing() -> None:
    assert judged("sha256", IMAGE[:11] + flipped(IMAGE[11:], *range(53))).status == "UNBOUND"
    assert judged("sha256", flipped(IMAGE[:53], *range(53)) + IMAGE[53:]).status == "UNBOUND"
    assert judged("commit", COMMIT[:9] + flipped(COMMIT[9:], *range(31))).status == "UNBOUND"


@pytest.mark.parametrize("places", [(0,), (39,), (0, 20), (20, 39), range(10, 40)])
def test_up_to_two_wrong_digits_of_a_commit_or_a_wrong_end_are_contradicted(
    places: tuple[int, ...],
) -> None:
    assert judged("commit", flipped(COMMIT, *places))[:2] == ("CONTRADICTED", COMMIT)


@pytest.mark.parametrize("length", [7, 8, 12, 39])
@pytest.mark.parametrize("place", [0, 3, 6])
def test_one_wrong_digit_of_an_abbreviation_is_contradicted_by_one_of_its_length(
    length: int, place: int
) -> None:
    for right, origin in ((COMMIT, f"/commits/{COMMIT}"), (IMAGE, "/image")):
        short = right[:length]
        assert judged("commit", flipped(short, place)) == (
            "CONTRADICTED",
            short,
            f"It differs in 1 of {length} digits from the commit id that is named here.",
            f"comparison.json#{origin}",
        )


def test_an_abbreviation_of_two_commits_names_neither() -> None:
    one, two, three = (f"abcdef12{digit * 32}" for digit in "012")
    found = bundle({"a.log": f"{three} {one} {two}"}).judged(identity("commit", "abcdef1"))
    assert found == (
        "UNBOUND",
        "",
        f"It is the beginning of more than one commit id that is named here: {one} and {two}.",
        "",
    )


def test_an_abbreviation_and_what_it_abbreviates_are_one_commit() -> None:
    one = "abcdef12" + "0" * 32
    names = bundle({"a.json": json.dumps([one[:9], one[:12], one])})
    assert names.judged(identity("commit", one[:8])) == ("SUPPORTED", "", "", "a.json#/2")
    assert names.judged(identity("commit", one[:9])) == ("SUPPORTED", "", "", "a.json#/0")


def test_a_digest_as_near_to_two_others_is_contradicted_without_a_correction() -> None:
    first, second = "0" * 64, "0" * 62 + "22"
    names = bundle({"a.txt": f"{first}\n{second}"})
    assert names.judged(identity("sha256", "0" * 62 + "02")) == (
        "CONTRADICTED",
        "",
        "It differs in 1 digits from each of 2 that are named here.",
        "a.txt:1",
    )


@pytest.mark.parametrize(
    ("text", "right", "path"),
    [
        ("Comparison.JSON", "comparison.json", "comparison.json"),
        ("Scores.npz", "scores.npz", "arms/fp8/scores.npz"),
        ("historical-fp8-audits.json", "historical-fp8-audit.json", "historical-fp8-audit.json"),
        ("istorical-fp8-audit.json", "historical-fp8-audit.json", "historical-fp8-audit.json"),
        ("arms/nvpf4/scores.npz", "arms/nvfp4/scores.npz", "arms/nvfp4/scores.npz"),
    ],
)
def test_a_file_name_that_is_nearly_right_is_contradicted(text: str, right: str, path: str) -> None:
    reason = f"No file here has this name, but one is called '{right}'."
    assert judged("file", text) == ("CONTRADICTED", right, reason, path)


@pytest.mark.parametrize(
    "text", ["historical-fp8-audit.toml", "historical-bfloat16-audit.json", "audit.json"]
)
def test_a_file_name_of_another_file_is_unbound(text: str) -> None:
    assert judged("file", text).status == "UNBOUND"


def test_a_file_name_as_near_to_two_others_is_unbound() -> None:
    names = bundle({"conditional-fit-0056.tsv": "a", "conditional-fit-0058.tsv": "a"})
    assert names.judged(identity("file", "conditional-fit-0057.tsv")) == (
        "UNBOUND",
        "",
        (
            "No file here has this name; it is as near to 'conditional-fit-0056.tsv' "
            "as to 'conditional-fit-0058.tsv'."
        ),
        "",
    )


def test_names_of_endless_length_are_not_compared() -> None:
    names = bundle({"a" * 1000 + ".json": "1", "a" * 254: "1"})
    assert names.judged(identity("file", "a" * 240 + ".json")).status == "UNBOUND"
    assert names.judged(identity("file", "a" * 255)).status == "CONTRADICTED"
    assert names.judged(identity("file", "a" * 256)).status == "UNBOUND"


@pytest.mark.parametrize("name", ["README.md", "index.html", "notes.rst", "weights.bin", "run.py"])
def test_prose_and_binaries_vouch_for_nothing(name: str) -> None:
    found = bundle({name: f"the image sha256:{IMAGE}"}).judged(identity("sha256", IMAGE))
    assert found.status == "UNBOUND"


def test_a_document_does_not_vouch_for_itself() -> None:
    files = {"results.txt": f"sha256:{IMAGE}", "a.txt": ""}
    data = data_files(files)
    vouched = known_identities(data, {}, files).judged(identity("sha256", IMAGE))
    assert vouched == ("SUPPORTED", "", "", "results.txt:1")
    held = known_identities(data, {}, files, documents=["results.txt"])
    assert held.judged(identity("sha256", IMAGE)).status == "UNBOUND"
    assert held.judged(identity("file", "results.txt")).status == "SUPPORTED"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claims.json", '{"format": "claims/1", "claims": [{"quote": "%s"}]}'),
        ("claims.toml", "format = 'claims/1'\n[[claims]]\nquote = '%s'"),
    ],
)
def test_a_claims_file_that_quotes_the_document_does_not_vouch_for_it(name: str, text: str) -> None:
    found = bundle({name: text % IMAGE}).judged(identity("sha256", IMAGE))
    assert found.status == "UNBOUND"


@pytest.mark.parametrize(
    "text", [f"x{COMMIT}", f"{COMMIT}g", f"{COMMIT}0", f"0{IMAGE}", IMAGE[:63], f"{IMAGE}Z"]
)
def test_hex_digits_in_a_longer_word_are_no_identity(text: str) -> None:
    names = bundle({"a.log": text})
    assert names.judged(identity("commit", COMMIT)).status == "UNBOUND"
    assert names.judged(identity("sha256", IMAGE)).status == "UNBOUND"


@pytest.mark.parametrize(
    "text", [COMMIT, f"({COMMIT})", f"@{COMMIT}\n", f"é{COMMIT}_", f"a/{COMMIT}.b"]
)
def test_punctuation_around_hex_digits_is_none_of_them(text: str) -> None:
    names = bundle({"a.log": text})
    assert names.judged(identity("commit", COMMIT)) == ("SUPPORTED", "", "", "a.log:1")


@pytest.mark.parametrize("text", ["20260909", "deadbeef", "1e9", "C0FFEE123", "c0ffee12 3"])
def test_dates_words_and_numbers_in_data_are_no_abbreviations(text: str) -> None:
    names = bundle({"a.json": json.dumps([text])})
    assert names.judged(identity("commit", text.lower())).status == "UNBOUND"


def test_digests_that_the_bundle_computed_come_before_what_files_say() -> None:
    files: Mapping[str, str | bytes] = {
        "b.json": json.dumps({"score": SCORE}),
        "scores.npz": b"score",
    }
    given_digests = {"scores.npz": f"sha256:{SCORE}", "b.json": "0" * 64}
    names = known_identities(data_files(files), given_digests, files)
    assert names.judged(identity("sha256", SCORE)).origin == "SHA-256 of scores.npz"
    # The digest that was given stands; the file is not hashed again.
    own = hashlib.sha256(str(files["b.json"]).encode()).hexdigest()
    assert names.judged(identity("sha256", own)).status == "UNBOUND"


def test_a_file_that_is_named_by_its_digest_names_it() -> None:
    path = f"images/blobs/sha256/{IMAGE}"
    names = bundle({path: "{}"})
    assert names.judged(identity("sha256", IMAGE)).origin == f"name of {path}"


@pytest.mark.parametrize(
    ("name", "text", "origin"),
    [
        ("a.toml", f"[run]\ncommit = '{COMMIT}'", "a.toml#/run/commit"),
        ("a.csv", f"arm,commit\nfp8,{COMMIT}\n", "a.csv:2"),
        ("a.json", f'{{"commit": "{COMMIT}", }}', "a.json:1"),
        ("NOTES", f"1\n2\n{COMMIT}", "NOTES:3"),
    ],
)
def test_an_origin_is_a_pointer_where_there_is_one_and_else_a_line(
    name: str, text: str, origin: str
) -> None:
    assert bundle({name: text}).judged(identity("commit", COMMIT)).origin == origin


def test_nothing_is_read_before_a_digest_is_asked_for_and_nothing_twice() -> None:
    files = MemoryFiles({"a.json": b"[]", "b.npz": b"", "c.log": COMMIT.encode()})
    names = known_identities(DataFiles(files), {}, files.names())
    assert names.judged(identity("file", "a.json")).status == "SUPPORTED"
    assert files.reads == []
    for _ in range(2):
        assert names.judged(identity("commit", COMMIT)).status == "SUPPORTED"
        assert names.judged(identity("commit", OTHER)).status == "UNBOUND"
    assert files.reads == ["a.json", "c.log"]


def test_a_file_that_went_away_names_nothing() -> None:
    files = {"a.json": "[]"}
    names = known_identities(data_files({}), {}, files)
    assert names.judged(identity("sha256", IMAGE)).status == "UNBOUND"

    class Gone(MemoryFiles):
        def names(self) -> list[str]:
            return ["a.json", "b.json"]

    gone = known_identities(DataFiles(Gone({"b.json": IMAGE.encode()})), {}, files)
    assert gone.judged(identity("sha256", IMAGE)).origin == "b.json:1"


def test_beyond_the_limit_no_file_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "MOST_BYTES", 50)
    names = bundle({"a.log": COMMIT, "b.log": OTHER})
    assert names.judged(identity("commit", COMMIT)).status == "SUPPORTED"
    assert names.judged(identity("commit", OTHER)).status == "UNBOUND"


def test_thousands_of_names_and_digests_that_look_alike_are_looked_up_by_their_pieces() -> None:
    digests = [f"{'0' * 40}{number:024x}" for number in range(3000)]
    paths = [f"windows/conditional-fit-{number:05d}.npz" for number in range(3000)]
    names = known_identities(data_files({"a.log": "\n".join(digests)}), {}, paths)
    assert names.judged(identity("sha256", digests[1234])).origin == "a.log:1235"
    assert names.judged(identity("file", "conditional-fit-01234.npz")).status == "SUPPORTED"
    assert names.judged(identity("file", "konditional-fit-01234.npz"))[:2] == (
        "CONTRADICTED",
        "conditional-fit-01234.npz",
    )
    for number in range(500):
        unknown = names.judged(identity("sha256", f"{'0' * 40}{number:08x}{'f' * 16}"))
        assert (unknown.status, unknown.expected) == ("UNBOUND", "")


def test_a_long_line_of_hex_digits_is_no_identity() -> None:
    names = bundle({"a.log": "f" * 1_000_000 + '"' * 100_000 + '"f0' * 100_000})
    assert names.judged(identity("sha256", "f" * 64)).status == "UNBOUND"
