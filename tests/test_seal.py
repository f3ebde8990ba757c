"""The seal: deterministic, covering names, sizes and digests, and honest about what is gone."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace

import pytest
import rfc8785

from tests.support.memory import MemoryStore
from tests.support.own_bundle import SEALED_AT, documents, packed, read, sealed, sha256
from verifier import seal
from verifier.catalog import SCHEMAS
from verifier.errors import StoreError
from verifier.formats.measurement_bundle import READER
from verifier.model.bundle import Retired, Seal
from verifier.model.files import Member

FILES = {"b.json": b"b", "a/z.txt": b"zz", "a.json": b"", "é.txt": b"e"}
RETIRED = (
    Retired(path="raw/2", sha256="2" * 64, size=8, receipt="r2.json", location="r2.json#"),
    Retired(path="raw/1", sha256="1" * 64, size=4, receipt="r1.json", location="r1.json#"),
)


def _members(files: dict[str, bytes] | None = None) -> list[Member]:
    return list(MemoryStore(FILES if files is None else files).members.values())


def test_a_seal_lists_every_file_and_retired_file_in_order_of_their_paths() -> None:
    document = json.loads(seal.document(_members(), RETIRED, SEALED_AT))
    assert list(document) == [
        "format",
        "sealed_at",
        "files",
        "retired",
        "root",
        "document_sha256",
    ]
    assert document["sealed_at"] == SEALED_AT
    assert [entry["path"] for entry in document["files"]] == sorted(FILES)
    assert document["files"][1] == {
        "path": "a/z.txt",
        "size": 2,
        "sha256": hashlib.sha256(b"zz").hexdigest(),
        "blake3": MemoryStore(FILES).members["a/z.txt"].blake3,
    }
    assert document["retired"] == [
        {"path": "raw/1", "bytes": 4, "sha256": "1" * 64, "receipt": "r1.json"},
        {"path": "raw/2", "bytes": 8, "sha256": "2" * 64, "receipt": "r2.json"},
    ]


def test_the_root_is_the_hash_of_the_canonical_form_of_files_and_retired() -> None:
    document = json.loads(seal.document(_members(), RETIRED, SEALED_AT))
    covered = {"files": document["files"], "retired": document["retired"]}
    assert document["root"] == hashlib.sha256(rfc8785.dumps(covered)).hexdigest()


def test_the_order_in_which_members_come_does_not_matter() -> None:
    forward = seal.document(_members(), RETIRED, SEALED_AT)
    backward = seal.document(_members()[::-1], RETIRED[::-1], SEALED_AT)
    assert forward == backward
    assert forward.endswith(b"}\n")


@pytest.mark.parametrize(
    "change",
    [
        lambda member: replace(member, path="b2.json"),
        lambda member: replace(member, size=2),
        lambda member: replace(member, sha256="0" * 64),
        lambda member: replace(member, blake3="0" * 64),
    ],
    ids=["name", "size", "sha256", "blake3"],
)
def test_any_change_of_an_entry_changes_the_root(change: Callable[[Member], Member]) -> None:
    members = _members()
    changed = [change(members[0]), *members[1:]]
    roots = {json.loads(seal.document(m, (), SEALED_AT))["root"] for m in (members, changed)}
    assert len(roots) == 2


def test_a_forgotten_retired_file_changes_the_root() -> None:
    roots = {
        json.loads(seal.document(_members(), retired, SEALED_AT))["root"]
        for retired in (RETIRED, RETIRED[:1], ())
    }
    assert len(roots) == 3


def test_the_time_is_not_under_the_root() -> None:
    first, second = (
        json.loads(seal.document(_members(), (), time)) for time in (SEALED_AT, "2027-01-01Z")
    )
    assert first["root"] == second["root"]


def test_the_seal_and_its_signature_are_left_out() -> None:
    files = {**FILES, "seal.json": b"old", "seal.dsse.json": b"signature", "a/seal.json": b"kept"}
    document = json.loads(seal.document(_members(files), (), SEALED_AT))
    assert [entry["path"] for entry in document["files"]] == sorted([*FILES, "a/seal.json"])


def test_a_hash_that_was_not_computed_is_not_listed() -> None:
    members = [replace(member, blake3="") for member in _members()]
    document = json.loads(seal.document(members, (), SEALED_AT))
    assert all("blake3" not in entry for entry in document["files"])


def test_an_empty_folder_is_not_sealed() -> None:
    with pytest.raises(StoreError, match="there is no file to seal"):
        seal.document(_members({"seal.json": b"old"}), (), SEALED_AT)


def test_a_link_is_not_sealed() -> None:
    members = MemoryStore(FILES, others={"link": "symlink"}).members.values()
    with pytest.raises(StoreError, match="link: a symlink cannot be sealed"):
        seal.document(members, (), SEALED_AT)


def test_a_name_that_is_two_names_elsewhere_is_not_sealed() -> None:
    with pytest.raises(StoreError, match="backslash"):
        seal.document(_members({"a\\b": b""}), (), SEALED_AT)


def test_what_a_seal_says_is_what_the_reader_reads() -> None:
    bundle = read(documents())
    retired = seal.retired_from(bundle)
    files = sealed(packed(documents()), retired)
    found = READER.read(MemoryStore(files), SCHEMAS)
    assert found.seal is not None
    assert found.seal.root == found.seal.computed_root
    assert [
        (entry.path, entry.sha256, entry.size, entry.receipt) for entry in found.seal.retired
    ] == [(entry.path, entry.sha256, entry.size, entry.receipt) for entry in retired]
    assert found.seal.retired[0].location == "seal.json#/retired/0"


def test_retired_files_are_those_whose_receipts_say_so() -> None:
    files = documents()
    files["arms/fp8/receipts/w1.json"].update(raw=None, retired=None, scored_at=None)
    files["arms/nvfp4/receipts/w2.json"].update(retired=None)
    assert seal.retired_from(read(files)) == (
        Retired(
            path="arms/fp8/raw/w2",
            sha256=sha256("raw fp8 w2"),
            size=80,
            receipt="arms/fp8/receipts/w2.json",
            location="arms/fp8/receipts/w2.json#",
        ),
        Retired(
            path="arms/nvfp4/raw/w1",
            sha256=sha256("raw nvfp4 w1"),
            size=80,
            receipt="arms/nvfp4/receipts/w1.json",
            location="arms/nvfp4/receipts/w1.json#",
        ),
    )


def _read_seal(*, closed: bool) -> Seal:
    found = READER.read(MemoryStore(sealed(packed(documents()))), SCHEMAS).seal
    assert found is not None
    return replace(found, closed=closed)


def test_departures_are_changed_replaced_and_added_files_but_not_absent_ones() -> None:
    files = packed(documents())
    files["notes.txt"] = b"changed"
    files["added.txt"] = b"added"
    files["seal.dsse.json"] = b"signature"
    del files["arms/fp8/startup.log"], files["arms/nvfp4/startup.log"]
    members = MemoryStore(files, others={"arms/fp8/startup.log": "symlink"}).members
    changed = ("arms/fp8/startup.log", "notes.txt")
    assert seal.departures(members, _read_seal(closed=True)) == ("added.txt", *changed)
    assert seal.departures(members, _read_seal(closed=False)) == changed
    assert seal.absent(members, _read_seal(closed=True)) == {"arms/nvfp4/startup.log"}


def test_two_receipts_of_one_raw_file_are_not_sealed() -> None:
    twice = (RETIRED[0], RETIRED[1], replace(RETIRED[0], receipt="r3.json"))
    with pytest.raises(StoreError) as caught:
        seal.document(_members(), twice, SEALED_AT)
    assert caught.value.message == "two receipts speak of one retired file: raw/2"


def test_a_seal_is_one_entry_per_line_in_the_alphabet_of_its_names() -> None:
    lines = seal.document(_members(), RETIRED, SEALED_AT).decode().splitlines()
    assert lines[1] == ' "format": "measurement-seal/1",'
    assert '   "path": "é.txt",' in lines


@pytest.mark.parametrize("lost", ["raw", "raw_bytes"])
def test_a_retired_file_that_no_hash_or_no_size_names_is_not_remembered(lost: str) -> None:
    bundle = read(documents())
    (arm, *_) = bundle.arms
    (first, *_) = arm.receipts
    partial = replace(first, raw=None) if lost == "raw" else replace(first, raw_bytes=None)
    alone = replace(bundle, arms=(replace(arm, receipts=(partial,)),))
    assert seal.retired_from(alone) == ()
    whole = replace(bundle, arms=(replace(arm, receipts=(first,)),))
    assert [entry.path for entry in seal.retired_from(whole)] == ["arms/fp8/raw/w1"]


def test_a_link_is_a_departure_even_where_the_seal_promises_no_hash() -> None:
    files = packed(documents())
    del files["notes.txt"]
    members = MemoryStore(files, others={"notes.txt": "symlink"}).members
    promised = _read_seal(closed=True)
    entries = tuple(
        replace(entry, sha256="") if entry.path == "notes.txt" else entry
        for entry in promised.entries
    )
    assert seal.departures(members, replace(promised, entries=entries)) == ("notes.txt",)


@pytest.mark.parametrize(
    ("edit", "departed"),
    [
        pytest.param({}, (), id="as it was made"),
        pytest.param({"computed_root": "0" * 64}, ("seal.json",), id="another root"),
        pytest.param({"computed_root": None}, ("seal.json",), id="a root nobody computed"),
        pytest.param({"computed_own_sha256": "0" * 64}, ("seal.json",), id="another time"),
        pytest.param({"computed_own_sha256": None}, ("seal.json",), id="own hash not computed"),
        pytest.param({"root": None}, (), id="no root recorded"),
        pytest.param({"own_sha256": None}, (), id="no own hash recorded"),
    ],
)
def test_a_seal_that_does_not_bear_out_its_own_hashes_has_departed(
    edit: dict[str, str | None], departed: tuple[str, ...]
) -> None:
    members = MemoryStore(packed(documents())).members
    whole = _read_seal(closed=True)
    assert whole.root is not None
    assert whole.own_sha256 is not None
    assert seal.departures(members, replace(whole, **edit)) == departed  # type: ignore[arg-type] # hashes and None, as above


def test_without_a_seal_every_regular_file_has_to_be_named() -> None:
    members = MemoryStore({"a.json": b"a", "b.json": b"b"}, others={"link": "symlink"}).members
    assert seal.vouching(members, None) == {"a.json", "b.json"}


def test_a_rooted_seal_has_to_be_named_and_lists_without_a_root_each() -> None:
    files = {"seal.json": b"s", "seal.dsse.json": b"d", "notes.txt": b"n"}
    members = MemoryStore(files).members
    rooted = _read_seal(closed=True)
    assert rooted.unsealed == {"seal.json", "seal.dsse.json"}
    assert seal.vouching(members, rooted) == {"seal.json"}
    assert seal.vouching(members, replace(rooted, root=None)) == {"seal.json", "seal.dsse.json"}


def test_a_seal_that_is_gone_or_a_link_cannot_be_named() -> None:
    rooted = _read_seal(closed=True)
    members = MemoryStore({"notes.txt": b"n"}, others={"seal.json": "symlink"}).members
    assert seal.vouching(members, rooted) == frozenset()
    assert seal.vouching(MemoryStore({"notes.txt": b"n"}).members, rooted) == frozenset()


def test_a_retired_file_of_two_receipts_is_not_sealed() -> None:
    with pytest.raises(StoreError, match="two receipts speak of one retired file: raw/2"):
        seal.document(_members(), (RETIRED[0], RETIRED[1], RETIRED[0]), SEALED_AT)
