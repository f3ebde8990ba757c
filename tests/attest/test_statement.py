import json
from dataclasses import replace
from typing import Any

import pytest

from tests.support import reports
from verifier.attest import statement
from verifier.errors import AttestationError
from verifier.model.report import Report, Status, Subject


def _predicate(report: Report) -> dict[str, Any]:
    predicate: dict[str, Any] = statement.build(report, reports.NOW)["predicate"]
    return predicate


def _extension(report: Report) -> dict[str, Any]:
    extension: dict[str, Any] = _predicate(report)["measurementVerification"]
    return extension


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in _leaves(item)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in _leaves(item)]
    return [value]


def test_subjects_are_the_published_records_and_the_seal_root() -> None:
    built = statement.build(reports.report(), reports.NOW)

    assert built["subject"] == [
        {"name": "figures.json", "digest": {"sha256": reports.FILES["figures.json"]}},
        {"name": "bundle.json", "digest": {"sha256": reports.FILES["bundle.json"]}},
        {"name": "seal-root", "digest": {"sha256": reports.ROOT}},
    ]


def test_a_bundle_without_a_root_has_no_root_subject() -> None:
    built = statement.build(reports.report(identity=reports.bundle(root=None)), reports.NOW)

    assert [subject["name"] for subject in built["subject"]] == ["figures.json", "bundle.json"]


def test_types_are_those_of_the_formats_and_nothing_else_stands_beside_the_predicate() -> None:
    built = statement.build(reports.report(), reports.NOW)

    assert set(built) == {"_type", "subject", "predicateType", "predicate"}
    assert built["_type"] == "https://in-toto.io/Statement/v1"
    assert built["predicateType"] == "https://in-toto.io/attestation/test-result/v0.1"


def test_a_bundle_without_subjects_is_not_stated() -> None:
    report = reports.report(identity=reports.bundle(root=None, subjects=()))

    with pytest.raises(AttestationError, match="no published record and no seal root"):
        statement.build(report, reports.NOW)


@pytest.mark.parametrize("name", ["seal-root", "figures.json"])
def test_two_subjects_of_one_name_are_not_stated(name: str) -> None:
    subjects = (Subject(name=name, sha256="a" * 64), reports.subject("figures.json"))
    report = reports.report(identity=reports.bundle(subjects=subjects))

    with pytest.raises(AttestationError, match=f"would be named '{name}'"):
        statement.build(report, reports.NOW)


@pytest.mark.parametrize(
    ("statuses", "result"),
    [
        (("PASSED", "PASSED"), "PASSED"),
        (("PASSED", "WARNED"), "WARNED"),
        (("WARNED", "FAILED"), "FAILED"),
        (("PASSED", "ERROR"), "FAILED"),
    ],
)
def test_the_result_is_the_verdict(statuses: tuple[Status, ...], result: str) -> None:
    assert _predicate(reports.report(*statuses))["result"] == result


def test_each_check_is_listed_under_what_became_of_it() -> None:
    report = reports.report("PASSED", "WARNED", "FAILED", "ERROR", "NOT_APPLICABLE", "PASSED")
    predicate = _predicate(report)

    assert predicate["passedTests"] == ["check-0", "check-5"]
    assert predicate["warnedTests"] == ["check-1"]
    assert predicate["failedTests"] == ["check-2", "check-3"]
    assert predicate["measurementVerification"]["notApplicable"] == ["check-4"]
    assert predicate["measurementVerification"]["comparisons"] == {
        f"check-{number}": "3" for number in range(6)
    }


def test_configuration_names_policy_and_verifier_with_their_digests() -> None:
    report = reports.report()

    assert _predicate(report)["configuration"] == [
        {"name": "review", "digest": {"sha256": report.policy.sha256}},
        {"name": "verifier 0.1.0", "digest": {"sha256": report.verifier.sha256}},
    ]


def test_the_extension_says_when_what_and_from_which_evidence() -> None:
    extension = _extension(reports.allowing(reports.report(), "verify_evidence.py"))

    assert extension["timeVerified"] == reports.NOW
    assert extension["bundle"] == {
        "format": "measurement-bundle/1",
        "id": "kv-cache-kld",
        "title": "FP8 against NVFP4 KV cache, KL divergence from the teacher",
        "root": reports.ROOT,
    }
    assert extension["evidence"] == {"fp8": "window-scores", "nvfp4": "row-scores"}
    assert extension["policyAllowedMissing"] == ["verify_evidence.py"]
    assert extension["reference"] is None
    assert "recomputed" in extension["scope"]
    assert "Nothing was recaptured" in extension["scope"]


def test_the_reference_bundle_is_named_with_its_records() -> None:
    reference = _extension(reports.with_reference(reports.report()))["reference"]

    assert reference["id"] == "kv-cache-reference"
    assert reference["records"] == [
        {"name": "figures.json", "digest": {"sha256": reports.FILES["figures.json"]}}
    ]


def test_only_figures_that_were_not_reproduced_are_listed_and_all_are_counted() -> None:
    figures = (
        reports.figure("mean-fp8"),
        reports.figure("mean-nvfp4", "MISMATCH"),
        reports.figure("capacity", "NOT_RECOMPUTABLE"),
        reports.figure("low", "DEGENERATE"),
        reports.figure("high"),
    )
    extension = _extension(reports.report("FAILED", figures=figures))

    assert extension["figureCoverage"] == {
        "REPRODUCED": "2",
        "MISMATCH": "1",
        "NOT_RECOMPUTABLE": "1",
        "DEGENERATE": "1",
    }
    listed = extension["figuresNotReproduced"]
    assert [entry["id"] for entry in listed] == ["mean-nvfp4", "capacity", "low"]
    assert listed[0] == {
        "id": "mean-nvfp4",
        "status": "MISMATCH",
        "published": "0.0319451732",
        "recomputed": "0.03194517319871",
        "how": "mean of 32 window means",
    }
    assert listed[1]["recomputed"] is None


def test_no_value_of_a_statement_is_a_json_number() -> None:
    figures = (reports.figure("mean-fp8", "MISMATCH"), reports.figure("x", "NOT_RECOMPUTABLE"))
    report = reports.with_reference(reports.report("PASSED", "FAILED", figures=figures))
    leaves = _leaves(statement.build(report, reports.NOW))

    assert len(leaves) > 30
    assert {type(leaf) for leaf in leaves} == {str, type(None)}


def test_equal_reports_give_equal_bytes_whatever_the_order_of_mappings() -> None:
    report = reports.report("PASSED", "WARNED")
    reordered = replace(report, evidence=dict(reversed(list(report.evidence.items()))))
    encoded = statement.encode(statement.build(report, reports.NOW))

    assert list(reordered.evidence) != list(report.evidence)
    assert statement.encode(statement.build(reordered, reports.NOW)) == encoded
    assert json.loads(encoded) == statement.build(report, reports.NOW)


def test_another_time_gives_other_bytes() -> None:
    report = reports.report()
    later = statement.build(report, "2026-09-09T12:00:01Z")

    assert statement.encode(later) != statement.encode(statement.build(report, reports.NOW))


def test_keys_are_sorted_and_there_is_no_white_space_outside_texts() -> None:
    assert statement.encode({"b": "\u00e9", "_": [None], "a": "1 2"}) == (
        b'{"_":[null],"a":"1 2","b":"\xc3\xa9"}'
    )


def test_an_undecodable_file_name_is_refused_with_a_message() -> None:
    subjects = (Subject(name="figures\udcff.json", sha256="a" * 64),)
    built = statement.build(reports.report(identity=reports.bundle(subjects=subjects)), reports.NOW)

    with pytest.raises(AttestationError, match="cannot be written as canonical JSON") as caught:
        statement.encode(built)
    assert "not valid Unicode" in caught.value.hint
