from dataclasses import replace

import pytest

from tests.support.identities import bundle, case, hex_of, look, member, record
from verifier.checks.source_identities import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, ReferenceName, SourceClaim, SourceKind
from verifier.model.files import Member

COMMIT = "ab" * 20
CODE = hex_of("code")


def source(
    kind: SourceKind, value: str, *, subject: str = "engine", path: str | None = None, at: str = "0"
) -> SourceClaim:
    return SourceClaim(
        location=f"bundle.json#/sources/{at}", subject=subject, kind=kind, value=value, path=path
    )


def naming(*claims: SourceClaim, members: tuple[Member, ...] = ()) -> Bundle:
    return bundle(members, sources=claims)


@pytest.mark.parametrize(
    ("kind", "value"), [("git", COMMIT), ("git", CODE), ("hf", COMMIT), ("file", CODE)]
)
def test_a_full_lower_case_hash_matches(kind: SourceKind, value: str) -> None:
    found = look(CHECK, case(naming(source(kind, value))))

    assert found.mismatches == []
    assert len(found.comparisons) == 1
    assert found.bases == {Basis.SPEC}


@pytest.mark.parametrize(
    ("kind", "value", "rule", "reason"),
    [
        ("git", "main", "40 or 64", "a character that is no hex digit"),
        ("git", COMMIT[:7], "40 or 64", "7 hex digits instead of 40 or 64"),
        ("git", COMMIT.upper(), "40 or 64", "upper-case hex digits"),
        ("git", f"{COMMIT}\n", "40 or 64", "a character that is no hex digit"),
        ("hf", CODE, "40", "64 hex digits instead of 40"),
        ("hf", "", "40", "0 hex digits instead of 40"),
        ("file", COMMIT, "64", "40 hex digits instead of 64"),
        ("file", f"sha256:{CODE}", "64", "a character that is no hex digit"),
        ("file", "٣" * 64, "64", "a character that is no hex digit"),
        ("hf", "40 lower-case hex digits", "40", "a character that is no hex digit"),
    ],
)
def test_an_identity_that_pins_nothing(
    kind: SourceKind, value: str, rule: str, reason: str
) -> None:
    found = look(CHECK, case(naming(source(kind, value))))

    assert found.mismatches == [
        ("bundle.json#/sources/0", f"{rule} lower-case hex digits", repr(value))
    ]
    assert found.messages == [f"This pins nothing: {reason}."]


def test_one_source_with_two_identities_points_at_the_later_place() -> None:
    other = "cd" * 20

    found = look(
        CHECK,
        case(naming(source("git", COMMIT), source("git", other, at="1"), source("hf", other))),
    )

    assert found.mismatches == [("bundle.json#/sources/1", COMMIT, other)]
    assert found.messages == ["bundle.json#/sources/0 names another identity of 'engine'."]
    assert found.wrong[0].basis is Basis.SEALED


def test_the_same_identity_in_two_places_is_compared_and_matches() -> None:
    found = look(CHECK, case(naming(source("git", COMMIT), source("git", COMMIT, at="1"))))

    assert found.mismatches == []
    assert found.bases == {Basis.SPEC, Basis.SEALED}


def test_an_identity_that_breaks_the_grammar_leads_no_other() -> None:
    found = look(CHECK, case(naming(source("git", "main"), source("git", COMMIT, at="1"))))

    assert [fact.location for fact in found.wrong] == ["bundle.json#/sources/0"]


def test_a_retained_file_is_the_one_that_was_named() -> None:
    claim = source("file", CODE, subject="hook.py", path="sources/hook.py")

    found = look(CHECK, case(naming(claim, members=(member("sources/hook.py", "code"),))))

    assert found.mismatches == []
    assert found.bases == {Basis.SPEC, Basis.SEALED}


def test_a_retained_file_with_one_changed_byte() -> None:
    claim = source("file", CODE, subject="hook.py", path="sources/hook.py")

    found = look(CHECK, case(naming(claim, members=(member("sources/hook.py", "c0de"),))))

    assert found.mismatches == [("bundle.json#/sources/0", CODE, hex_of("c0de"))]
    assert found.messages == ["sources/hook.py is not the file that was named as 'hook.py'."]


def test_a_symlink_in_the_place_of_a_named_file() -> None:
    claim = source("file", CODE, path="sources/hook.py")
    link = member("sources/hook.py", "", "symlink")

    found = look(CHECK, case(naming(claim, members=(link,))))

    assert found.mismatches == [("bundle.json#/sources/0", CODE, "a symlink")]


def test_a_wrong_hash_of_a_retained_file_is_one_mismatch_not_two() -> None:
    right = source("file", CODE, path="sources/hook.py")
    wrong = source("file", hex_of("other"), path="sources/hook.py", at="1")

    found = look(CHECK, case(naming(right, wrong, members=(member("sources/hook.py", "code"),))))

    assert found.mismatches == [("bundle.json#/sources/1", hex_of("other"), CODE)]


def test_a_file_that_is_not_retained_is_held_against_the_other_places() -> None:
    first = source("file", CODE, path="sources/absent.py")
    second = source("file", hex_of("other"), at="1")

    found = look(CHECK, case(naming(first, second)))

    assert found.mismatches == [("bundle.json#/sources/1", CODE, hex_of("other"))]


NAMED = ReferenceName(
    location="comparison.json#/reference_comparison_sha256", sha256=hex_of("named record")
)
REFERRING = bundle(reference=NAMED)


def reference(content: str, *carries: str) -> Bundle:
    return bundle(
        (member("figures.json", content), member("bundle.json", "named record")),
        records=(record("figures.json"), record("bundle.json", published=False)),
        carries=carries,
    )


def test_the_named_record_matches_by_its_sha256() -> None:
    found = look(CHECK, case(REFERRING, reference=reference("named record")))

    assert found.mismatches == []
    assert found.missing == []
    assert found.bases == {Basis.SPEC, Basis.SEALED}


def test_another_file_that_declares_to_carry_the_figures_may_be_tolerated() -> None:
    found = look(CHECK, case(REFERRING, reference=reference("other", NAMED.sha256)))

    assert found.mismatches == [(NAMED.location, NAMED.sha256, hex_of("other"))]
    assert found.wrong[0].concern == "reference-identity"
    assert len(found.messages) == 1
    assert found.messages[0].endswith(
        "It declares that it carries the figures of that record; nothing kept proves it."
    )


def test_another_file_that_declares_nothing_is_said_to_declare_nothing() -> None:
    found = look(CHECK, case(REFERRING, reference=reference("other", hex_of("a third"))))

    assert found.mismatches == [(NAMED.location, NAMED.sha256, hex_of("other"))]
    assert len(found.messages) == 1
    assert found.messages[0].endswith(
        "It does not declare that it carries the figures of that record either."
    )


def test_a_reference_without_a_published_record_is_not_the_named_one() -> None:
    found = look(CHECK, case(REFERRING, reference=bundle()))

    assert found.mismatches == [(NAMED.location, NAMED.sha256, "no published record")]


def test_without_a_reference_the_gap_names_the_hash_and_the_option() -> None:
    found = look(CHECK, case(REFERRING))

    assert found.mismatches == []
    assert found.missing == [(NAMED.location, "not-recomputable")]
    assert found.gaps[0].reason == (
        f"needs the record with sha256 {NAMED.sha256}; name its bundle with --reference PATH"
    )


@pytest.mark.parametrize("given", [None, reference("named record")])
def test_a_reference_named_by_half_a_hash(given: Bundle | None) -> None:
    half = bundle(reference=replace(NAMED, sha256=NAMED.sha256[:32]))

    found = look(CHECK, case(half, reference=given))

    assert found.mismatches == [
        (NAMED.location, "64 lower-case hex digits", repr(NAMED.sha256[:32]))
    ]
    assert found.missing == []


def test_a_bundle_that_names_no_source_and_no_record() -> None:
    assert CHECK.applies(case(bundle())) == "the bundle names no source and no other record"


def test_an_identity_that_breaks_the_grammar_hides_no_later_one() -> None:
    claims = (source("git", "main"), source("hf", COMMIT[:7], at="1"))

    found = look(CHECK, case(naming(*claims)))

    assert [fact.location for fact in found.wrong] == [
        "bundle.json#/sources/0",
        "bundle.json#/sources/1",
    ]


def test_two_sources_of_one_kind_may_have_different_identities() -> None:
    claims = (source("git", COMMIT), source("git", "cd" * 20, subject="kernels", at="1"))

    assert look(CHECK, case(naming(*claims))).mismatches == []


def test_another_record_is_tolerated_for_the_hash_that_was_named_and_no_other() -> None:
    found = look(CHECK, case(REFERRING, reference=reference("other")))

    assert (found.wrong[0].concern, found.wrong[0].subject) == (
        "reference-identity",
        NAMED.sha256,
    )


def test_any_published_record_of_the_reference_may_be_the_named_one() -> None:
    two = bundle(
        (member("a.json", "another record"), member("b.json", "named record")),
        records=(record("a.json"), record("b.json"), record("absent.json")),
    )

    assert look(CHECK, case(REFERRING, reference=two)).mismatches == []
