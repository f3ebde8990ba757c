"""Hash lists: what a line promises, and that no list vanishes or lists itself."""

import hashlib

import pytest

from tests.support.published import encoded, failing, family, read, report
from verifier.formats import _published_seal
from verifier.formats._published_seal import from_text

HEX = "ab" * 32
COMPARISON = family()["comparison.json"]


def sums(files: dict[str, bytes], form: str = "{}  {}\n") -> bytes:
    return b"".join(
        form.format(hashlib.sha256(data).hexdigest(), path).encode() for path, data in files.items()
    )


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (f"{HEX}  a.json", "a.json"),
        (f"{HEX} *a.json", "a.json"),
        (f"{HEX}  a b.json", "a b.json"),
        (f"{HEX}   a.json", " a.json"),
        (f"{HEX}  ./a.json", "a.json"),
        (f"{HEX}  a.json\r", "a.json"),
        (f"\\{HEX}  a\\nb\\\\c\\rd", "a\nb\\c\rd"),
        (f"{HEX}  a\\nb", "a\\nb"),
        (f"{HEX}  a\u2028b\x0bc", "a\u2028b\x0bc"),
        (f"{HEX}  ../a.json", "../a.json"),
        (f"{HEX}  #a", "#a"),
    ],
)
def test_a_line_promises_one_name(line: str, name: str) -> None:
    entries, violations = from_text(f"# made today\n{line}\n".encode(), "SHA256SUMS")

    assert violations == ()
    assert [(e.path, e.sha256, e.location) for e in entries] == [(name, HEX, "SHA256SUMS:2")]


def test_a_name_that_is_not_utf8_is_kept_as_the_store_lists_it() -> None:
    entries, _ = from_text(HEX.encode() + b"  caf\xe9", "SHA256SUMS")

    assert [entry.path for entry in entries] == ["caf\udce9"]


@pytest.mark.parametrize(
    "line",
    [HEX, f"{HEX}  ", f"{HEX}a.json", f"g{HEX}  a", "", " ", f"SHA256 (a) = {HEX}", "\x1b[2J"],
)
def test_a_line_that_is_no_entry_is_a_violation_with_its_number(line: str) -> None:
    entries, violations = from_text(f"{HEX}  a\n{line}\n{HEX}  b\n".encode(), "SHA256SUMS")

    assert [entry.path for entry in entries] == ["a", "b"]
    assert [(flaw.location, flaw.actual) for flaw in violations] == [("SHA256SUMS:2", ascii(line))]


def test_a_long_line_is_cut_in_the_message() -> None:
    _, violations = from_text(b"x" * 10_000, "SHA256SUMS")

    assert violations[0].actual == repr("x" * 80)


@pytest.mark.parametrize("data", [b"", b"# nothing\n"])
def test_an_empty_list_promises_nothing(data: bytes) -> None:
    entries, violations = from_text(data, "SHA256SUMS")

    assert entries == ()
    assert [(flaw.location, flaw.expected) for flaw in violations] == [
        ("SHA256SUMS", "at least one entry")
    ]


@pytest.mark.parametrize("name", ["SHA256SUMS", "SHA256SUMS.txt", "sha256sums.txt"])
def test_sha256sum_output_is_a_seal(name: str) -> None:
    files = {"comparison.json": COMPARISON, "sub/notes.txt": b"x"}
    sealed = {**files, name: sums(files, "{} *./{}\r\n")}

    assert report(sealed).verdict == "WARNED"
    assert failing(report({**sealed, "comparison.json": COMPARISON + b"\n"})) == {"sealed-members"}
    assert failing(report({**sealed, "extra.txt": b""})) == {"sealed-members"}
    missing = {path: data for path, data in sealed.items() if path != "sub/notes.txt"}
    assert failing(report(missing)) == {"sealed-members"}


def test_two_lists_are_one_seal_and_need_not_list_each_other() -> None:
    first, second = {"comparison.json": COMPARISON}, {"notes.txt": b"x"}
    hashes = {path: hashlib.sha256(data).hexdigest() for path, data in first.items()}
    files = {**first, **second, "SHA256.json": encoded(hashes), "SHA256SUMS": sums(second)}

    seal = read(files).seal

    assert seal is not None
    assert (seal.path, seal.closed, seal.root) == ("SHA256.json", True, None)
    assert [(entry.path, entry.location) for entry in seal.entries] == [
        ("comparison.json", "SHA256.json#/comparison.json"),
        ("notes.txt", "SHA256SUMS:1"),
    ]
    assert report(files).verdict == "WARNED"
    assert failing(report({**files, "notes.txt": b"y"})) == {"sealed-members"}


def test_a_list_in_a_folder_below_is_no_seal_of_this_one() -> None:
    assert read({"comparison.json": COMPARISON, "old/SHA256.json": b"{}"}).seal is None


def test_a_broken_line_fails_and_the_others_still_seal() -> None:
    files = {"comparison.json": COMPARISON}
    found = report({**files, "SHA256SUMS": sums(files) + b"garbage\n"})

    assert failing(found) == {"record-schema"}
    sealed = next(item for item in found.outcomes if item.check == "sealed-members")
    assert (sealed.status, sealed.compared > 0) == ("PASSED", True)


def test_a_list_that_cannot_be_read_is_not_taken_for_none() -> None:
    found = report({"comparison.json": COMPARISON, "SHA256.json": b'{"comparison.json": 3}'})

    assert failing(found) == {"record-schema"}


def test_a_hash_list_of_endless_lines_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"comparison.json": COMPARISON}
    monkeypatch.setattr(_published_seal, "MAX_BYTES", 70)
    endless = {**files, "SHA256SUMS": sums(files)}

    [flaw] = [flaw for record in read(endless).records for flaw in record.violations]

    assert (flaw.location, flaw.expected) == ("SHA256SUMS", "a readable file")
    assert flaw.actual == "over the limit of 70 bytes for a hash list"
