from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from tests.support.bundles import (
    case_of,
    comparisons,
    differences,
    digest,
    gaps,
    in_order,
    member,
    mismatches,
    sample,
)
from verifier.checks.sealed_members import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Record, SealEntry
from verifier.model.files import Member

NAME_RULE = "a relative path without empty, '.' or '..' parts"
ONE_ENTRY = "one entry per file"
HEX_RULE = "64 lower-case hex digits"


def sealed(bundle: Bundle, **changes: Any) -> Bundle:
    assert bundle.seal is not None
    return replace(bundle, seal=replace(bundle.seal, **changes))


def entries(bundle: Bundle) -> tuple[SealEntry, ...]:
    assert bundle.seal is not None
    return bundle.seal.entries


def with_members(bundle: Bundle, changes: Mapping[str, Member]) -> Bundle:
    return replace(bundle, members={**bundle.members, **changes})


def without(bundle: Bundle, path: str) -> Bundle:
    return replace(
        bundle, members={name: value for name, value in bundle.members.items() if name != path}
    )


def with_first_entry(bundle: Bundle, **changes: Any) -> Bundle:
    first, *rest = entries(bundle)
    return sealed(bundle, entries=(replace(first, **changes), *rest))


def test_an_untouched_bundle_has_no_mismatch_and_no_gap() -> None:
    case = case_of(sample())
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []


def test_it_looks_even_when_a_record_breaks_its_schema() -> None:
    assert CHECK.reads_records is False


def test_an_empty_bundle_has_nothing_to_seal() -> None:
    case = case_of(replace(sample(), members={}))
    assert CHECK.applies(case) == "the bundle holds no file"


def test_a_bundle_without_a_seal_gives_one_gap_and_nothing_else() -> None:
    case = case_of(replace(sample(), seal=None))
    assert gaps(CHECK, case) == [(".", "no-seal")]
    assert differences(CHECK, case) == []


def test_a_missing_file_can_be_asked_for_by_name() -> None:
    bundle = sample()
    [finding] = mismatches(CHECK, case_of(without(bundle, "bundle.json")))
    assert (finding.location, finding.expected, finding.actual) == (
        "bundle.json",
        sha256(b"{}").hexdigest(),
        None,
    )
    assert (finding.concern, finding.subject) == ("missing-member", "bundle.json")
    assert finding.basis is Basis.SEALED


def test_a_changed_file_of_the_same_size_differs_in_both_hashes() -> None:
    before, after = member("bundle.json", b"{}"), member("bundle.json", b"[]")
    case = case_of(with_members(sample(), {"bundle.json": after}))
    assert differences(CHECK, case) == in_order(
        ("bundle.json", before.sha256, after.sha256),
        ("bundle.json", before.blake3, after.blake3),
    )
    assert {finding.concern for finding in mismatches(CHECK, case)} == {""}


def test_a_longer_file_also_differs_in_size() -> None:
    before, after = member("bundle.json", b"{}"), member("bundle.json", b"{} ")
    case = case_of(with_members(sample(), {"bundle.json": after}))
    assert differences(CHECK, case) == in_order(
        ("bundle.json", 2, 3),
        ("bundle.json", before.sha256, after.sha256),
        ("bundle.json", before.blake3, after.blake3),
    )


def test_a_wrong_recorded_size_alone_is_a_mismatch() -> None:
    case = case_of(with_first_entry(sample(), size=7))
    assert differences(CHECK, case) == [("bundle.json", 7, 2)]


def test_a_list_of_plain_hashes_promises_neither_size_nor_blake3() -> None:
    bundle = sample()
    plain = tuple(replace(entry, size=None, blake3=None) for entry in entries(bundle))
    changed = member("bundle.json", b"{} ")
    case = case_of(with_members(sealed(bundle, entries=plain), {"bundle.json": changed}))
    assert differences(CHECK, case) == [("bundle.json", sha256(b"{}").hexdigest(), changed.sha256)]


def test_files_that_were_added_are_all_listed_with_their_hashes() -> None:
    added = {
        "a.txt": member("a.txt", b"a"),
        "link": member("link", kind="symlink"),
        "pipe": member("pipe", kind="fifo"),
    }
    case = case_of(with_members(sample(), added))
    assert differences(CHECK, case) == [
        ("a.txt", None, sha256(b"a").hexdigest()),
        ("link", None, "symlink"),
        ("pipe", None, "fifo"),
    ]


def test_the_signature_of_the_seal_may_be_there_but_not_as_a_link() -> None:
    regular = {"seal.dsse.json": member("seal.dsse.json", b"signature")}
    link = {"seal.dsse.json": member("seal.dsse.json", kind="symlink")}
    assert differences(CHECK, case_of(with_members(sample(), regular))) == []
    assert gaps(CHECK, case_of(with_members(sample(), regular))) == [
        ("seal.dsse.json", "declared-only")
    ]
    assert differences(CHECK, case_of(with_members(sample(), link))) == [
        ("seal.dsse.json", None, "symlink")
    ]


def test_an_open_seal_lets_files_be_added_but_names_records_it_leaves_out() -> None:
    bundle = sealed(sample(), closed=False)
    extended = replace(
        with_members(bundle, {"note.txt": member("note.txt", b"n")}),
        records=(
            *bundle.records,
            Record(path="late.json", schema="published-comparison-1", published=True),
            Record(path="seal.json", schema="seal-1", published=False),
        ),
    )
    case = case_of(extended)
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == [("late.json", "no-seal")]


@pytest.mark.parametrize("kind", ["symlink", "fifo", "socket", "device"])
def test_a_sealed_file_replaced_by_something_else_is_never_opened(kind: Any) -> None:
    case = case_of(with_members(sample(), {"bundle.json": member("bundle.json", kind=kind)}))
    assert differences(CHECK, case) == [("bundle.json", "file", kind)]


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../bundle.json",
        "arms/../bundle.json",
        "./bundle.json",
        "arms/./x",
        "arms//x",
        "arms/",
        "",
        "arms\\x",
        "C:/x",
        "c:x",
        "a\0b",
        "a\nb",
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_and_not_reported_twice(name: str) -> None:
    bundle = sample()
    bad = SealEntry(path=name, sha256=digest("x"), location="seal.json#/files/99")
    case = case_of(sealed(bundle, entries=(*entries(bundle), bad)))
    assert differences(CHECK, case) == [("seal.json#/files/99", NAME_RULE, name)]


@pytest.mark.parametrize("name", ["..a/b..", ".hidden", "a b/ü", "ab:c"])
def test_an_unusual_name_inside_the_folder_is_no_violation(name: str) -> None:
    bundle = sample()
    entry = SealEntry(path=name, sha256=sha256(b"x").hexdigest(), location="seal.json#/files/99")
    extended = sealed(bundle, entries=(*entries(bundle), entry))
    case = case_of(with_members(extended, {entry.path: member(entry.path, b"x")}))
    assert differences(CHECK, case) == []


def test_a_file_with_a_refused_name_that_exists_is_still_held_against_its_hash() -> None:
    bundle = sample()
    bad = SealEntry(path="a\\b", sha256=digest("x"), location="seal.json#/files/99")
    changed = member("a\\b", b"y")
    extended = sealed(bundle, entries=(*entries(bundle), bad))
    case = case_of(with_members(extended, {"a\\b": changed}))
    assert differences(CHECK, case) == [
        ("a\\b", digest("x"), changed.sha256),
        ("seal.json#/files/99", NAME_RULE, "a\\b"),
    ]


def test_an_upper_case_hash_of_the_right_file_breaks_the_grammar_only() -> None:
    bundle = sample()
    upper = entries(bundle)[0].sha256.upper()
    case = case_of(with_first_entry(bundle, sha256=upper))
    assert differences(CHECK, case) == [("seal.json#/files/0", HEX_RULE, upper)]
    assert [finding.basis for finding in mismatches(CHECK, case)] == [Basis.SPEC]


def test_an_upper_case_hash_does_not_hide_a_changed_file() -> None:
    bundle = with_first_entry(sample(), sha256=digest("other").upper())
    case = case_of(bundle)
    assert differences(CHECK, case) == [
        ("bundle.json", digest("other"), sha256(b"{}").hexdigest()),
        ("seal.json#/files/0", HEX_RULE, digest("other").upper()),
    ]


def test_a_truncated_hash_breaks_the_grammar() -> None:
    short = sha256(b"{}").hexdigest()[:32]
    case = case_of(with_first_entry(sample(), sha256=short))
    assert differences(CHECK, case) == [("seal.json#/files/0", HEX_RULE, short)]


def test_a_malformed_blake3_breaks_the_grammar() -> None:
    case = case_of(with_first_entry(sample(), blake3="b3:00"))
    assert differences(CHECK, case) == [("seal.json#/files/0", HEX_RULE, "b3:00")]


def test_a_blake3_that_nobody_computed_is_a_gap_not_a_pass() -> None:
    bundle = sample()
    uncomputed = replace(bundle.members["bundle.json"], blake3="")
    case = case_of(with_members(bundle, {"bundle.json": uncomputed}))
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == [("bundle.json", "not-recomputable")]


def test_a_file_listed_twice_is_named_at_its_second_place() -> None:
    bundle = sample()
    again = replace(entries(bundle)[0], location="seal.json#/files/99")
    case = case_of(sealed(bundle, entries=(*entries(bundle), again)))
    assert differences(CHECK, case) == [("seal.json#/files/99", ONE_ENTRY, "bundle.json")]
    assert "seal.json#/files/0" in mismatches(CHECK, case)[0].message


def test_two_hash_lists_may_list_the_same_file_but_one_list_may_not() -> None:
    bundle = sample()
    content = sha256(b"{}").hexdigest()
    lists = (
        SealEntry(path="bundle.json", sha256=content, location="SHA256.json#/bundle.json"),
        SealEntry(path="bundle.json", sha256=content, location="SHA256SUMS:1"),
    )
    once = sealed(bundle, entries=lists, closed=False)
    twice = sealed(
        bundle, entries=(*lists, replace(lists[1], location="SHA256SUMS:2")), closed=False
    )
    assert differences(CHECK, case_of(once)) == []
    assert differences(CHECK, case_of(twice)) == [("SHA256SUMS:2", ONE_ENTRY, "bundle.json")]


def test_a_root_that_does_not_cover_the_list_is_a_mismatch() -> None:
    case = case_of(sealed(sample(), computed_root=digest("edited")))
    assert differences(CHECK, case) == [("seal.json#/root", digest("root"), digest("edited"))]


def test_a_root_that_was_never_recomputed_does_not_pass() -> None:
    case = case_of(sealed(sample(), computed_root=None))
    assert differences(CHECK, case) == [("seal.json#/root", digest("root"), None)]


def test_a_list_without_a_root_is_held_to_its_entries_alone() -> None:
    assert differences(CHECK, case_of(sealed(sample(), root=None, computed_root=None))) == []


def test_everything_that_is_wrong_is_listed_at_once() -> None:
    bundle = sample()
    missing = "arms/fp8/receipts/w1.json"
    changed = member("bundle.json", b"[]")
    case = case_of(
        with_members(
            without(bundle, missing),
            {"bundle.json": changed, "extra": member("extra", b"e")},
        )
    )
    assert {location for location, _, _ in differences(CHECK, case)} == {
        missing,
        "bundle.json",
        "extra",
    }


def basis_of(bundle: Bundle) -> dict[str, set[Basis]]:
    """The bases on which each place of a bundle is compared."""
    found: dict[str, set[Basis]] = {}
    for fact in comparisons(CHECK, case_of(bundle)):
        found.setdefault(fact.location, set()).add(fact.basis)
    return found


def test_content_and_root_rest_on_the_seal_and_names_on_the_format() -> None:
    bases = basis_of(sealed(sample(), own_sha256=digest("own"), computed_own_sha256=digest("own")))
    assert bases["bundle.json"] == {Basis.SPEC, Basis.SEALED}
    assert bases["seal.json#/files/0"] == {Basis.SPEC}
    assert bases["seal.json#/root"] == {Basis.SEALED}
    assert bases["seal.json#/document_sha256"] == {Basis.SEALED}


def test_each_difference_of_content_rests_on_the_seal() -> None:
    changed = member("bundle.json", b"{} ")
    bundle = with_members(sample(), {"bundle.json": changed, "late": member("late", b"")})
    assert [finding.basis for finding in mismatches(CHECK, case_of(bundle))] == [Basis.SEALED] * 4


def test_a_seal_document_that_was_edited_is_a_mismatch() -> None:
    bundle = sealed(sample(), own_sha256=digest("own"), computed_own_sha256=digest("edited"))
    assert differences(CHECK, case_of(bundle)) == [
        ("seal.json#/document_sha256", digest("own"), digest("edited"))
    ]


def test_a_seal_that_records_neither_root_nor_own_hash_has_neither_compared() -> None:
    bases = basis_of(sealed(sample(), root=None, computed_root=None))
    assert {"seal.json#/root", "seal.json#/document_sha256"} & bases.keys() == set()


def test_a_sha256_that_cannot_be_compared_does_not_shield_a_changed_file_from_its_blake3() -> None:
    before, after = member("bundle.json", b"{}"), member("bundle.json", b"[]")
    short = before.sha256[:32]
    bundle = with_members(with_first_entry(sample(), sha256=short), {"bundle.json": after})
    assert differences(CHECK, case_of(bundle)) == in_order(
        ("bundle.json", before.blake3, after.blake3), ("seal.json#/files/0", HEX_RULE, short)
    )


def test_a_sha256_that_nobody_computed_leaves_the_blake3_to_be_compared() -> None:
    before, after = member("bundle.json", b"{}"), member("bundle.json", b"[]")
    case = case_of(with_members(sample(), {"bundle.json": replace(after, sha256="")}))
    assert differences(CHECK, case) == [("bundle.json", before.blake3, after.blake3)]
    assert gaps(CHECK, case) == [("bundle.json", "not-recomputable")]


def test_two_lists_of_numbered_lines_may_list_the_same_file() -> None:
    content = sha256(b"{}").hexdigest()
    lists = tuple(
        SealEntry(path="bundle.json", sha256=content, location=f"{name}:1")
        for name in ("SHA256SUMS", "sums.txt")
    )
    bundle = sealed(sample(), entries=lists, closed=False)
    assert differences(CHECK, case_of(bundle)) == []


def test_an_added_file_cannot_hide_behind_the_seal_and_its_signature() -> None:
    added = {
        name: member(name, name.encode())
        for name in ("seal.dsse.json", "seal.json", "seal.json.bak", "zz.txt", "é.txt")
    }
    case = case_of(with_members(sample(), added))
    assert differences(CHECK, case) == [
        (name, None, sha256(name.encode()).hexdigest())
        for name in ("seal.json.bak", "zz.txt", "é.txt")
    ]
