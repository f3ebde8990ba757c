from dataclasses import replace

from tests.support.identities import bundle, case, look, record
from verifier.checks.record_schema import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Flag, Violation

PASSED = Flag(
    location="audit.json#/status", topic="record-schema", statement="status passed", value=True
)


def violation(pointer: str, expected: str, actual: str) -> Violation:
    return Violation(
        location=f"bundle.json#{pointer}", expected=expected, actual=actual, message="Mend it."
    )


def test_valid_records_match_once_each() -> None:
    two = (record(), record("figures.json"))

    found = look(CHECK, case(bundle(records=two)))

    assert found.mismatches == []
    assert [fact.location for fact in found.comparisons] == ["bundle.json", "figures.json"]
    assert found.bases == {Basis.SPEC}


def test_every_violation_is_one_mismatch_at_its_own_place() -> None:
    broken = replace(
        record(),
        violations=(violation("/id", "string", "3"), violation("/arms", "at least 1 item", "[]")),
    )

    found = look(CHECK, case(bundle(records=(broken, record("figures.json")))))

    assert found.mismatches == [
        ("bundle.json#/id", "string", "3"),
        ("bundle.json#/arms", "at least 1 item", "[]"),
    ]
    assert found.messages == ["Mend it.", "Mend it."]
    assert len(found.comparisons) == 3


def test_a_value_that_imitates_what_was_expected_is_still_a_mismatch() -> None:
    broken = replace(record(), violations=(violation("/id", "string", "string"),))

    found = look(CHECK, case(bundle(records=(broken,))))

    assert found.mismatches == [("bundle.json#/id", "string", "string (which breaks the rule)")]


def test_a_field_that_no_schema_knows_is_named_as_not_verified() -> None:
    odd = replace(record("comparison.json"), unknown=("/extra", "/arms/fp8/note"))

    found = look(CHECK, case(bundle(records=(odd,))))

    assert found.mismatches == []
    assert found.missing == [
        ("comparison.json#/extra", "unknown-field"),
        ("comparison.json#/arms/fp8/note", "unknown-field"),
    ]
    assert {gap.reason for gap in found.gaps} == {"not verified: no schema knows this field"}


def test_an_audit_that_says_it_passed_is_only_declared() -> None:
    found = look(CHECK, case(bundle(records=(), flags=(PASSED,))))

    assert found.mismatches == []
    assert found.bases == {Basis.DECLARED}


def test_an_audit_that_says_it_failed_is_a_mismatch_no_policy_tolerates() -> None:
    other = replace(PASSED, topic="receipt-hashes")

    found = look(CHECK, case(bundle(flags=(replace(PASSED, value=False), other))))

    assert found.mismatches == [("audit.json#/status", True, False)]
    assert found.messages == ["The record itself denies it: status passed."]
    assert found.wrong[0].concern == ""


def test_it_looks_at_records_that_break_their_schema() -> None:
    assert CHECK.reads_records is False


def test_a_bundle_without_records_has_nothing_to_hold_against_a_schema() -> None:
    assert CHECK.applies(case(bundle(records=()))) == "the bundle holds no record"


def test_a_violation_rests_on_the_format() -> None:
    broken = replace(record(), violations=(violation("/id", "string", "3"),))

    found = look(CHECK, case(bundle(records=(broken,))))

    assert [fact.basis for fact in found.wrong] == [Basis.SPEC]
