"""The report for programs."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from tests.support.sample_report import UNHURRIED, clean, digest, large, report, reports
from verifier.model.report import Report
from verifier.render._words import NOTICE
from verifier.render.json import RENDERER, encode, render


@pytest.fixture(scope="module")
def validator(pytestconfig: pytest.Config) -> Draft202012Validator:
    path = pytestconfig.rootpath / "schemas" / "report-1.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def refuse(constant: str) -> Any:
    raise AssertionError(constant)


def strict(text: str) -> Any:
    """Decode as a strict parser would: no NaN, no lone surrogate, no key twice."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(pairs) == len(dict(pairs))
        return dict(pairs)

    document = json.loads(text, parse_constant=refuse, object_pairs_hook=unique)
    json.dumps(document, ensure_ascii=False).encode("utf-8")
    return document


@UNHURRIED
@given(reports())
def test_every_report_is_strict_ascii_json_that_obeys_the_schema(
    validator: Draft202012Validator, made: Report
) -> None:
    text = render(made)

    assert text.isascii()
    assert text.endswith("}\n")
    assert [error.message for error in validator.iter_errors(strict(text))] == []


def test_the_keys_are_those_that_were_promised() -> None:
    document = strict(render(large()))

    assert set(document) == {
        "format",
        "verdict",
        "notice",
        "bundle",
        "reference",
        "policy",
        "verifier",
        "coverage",
        "evidence",
        "raw_windows",
        "outcomes",
        "figures",
    }
    assert set(document["figures"][0]) == {
        "id",
        "status",
        "published",
        "recomputed",
        "how",
        "difference",
        "basis",
        "level",
        "location",
        "measure",
        "n",
    }
    finding = {"location", "expected", "actual", "basis", "message"}
    sealed = next(item for item in document["outcomes"] if item["check"] == "sealed-members")
    assert set(sealed) == {
        "check",
        "status",
        "compared",
        "declared",
        "mismatches",
        "warnings",
        "reason",
    }
    assert [set(item) for item in sealed["mismatches"] + sealed["warnings"]] == [finding] * 2


def test_the_document_says_what_the_report_says() -> None:
    document = strict(render(large()))

    assert document["format"] == "verification-report/1"
    assert document["verdict"] == "FAILED"
    assert document["notice"] == NOTICE
    assert document["bundle"] == {
        "format": "measurement-bundle/1",
        "id": "kv-cache-kld-20260909",
        "title": large().bundle.title,
        "root": digest("root"),
        "subjects": [{"name": "figures.json", "sha256": digest("figures")}],
    }
    assert document["reference"]["root"] is None
    assert document["policy"] == {
        "name": "review",
        "sha256": digest("policy"),
        "allowed_missing": ["verify_evidence.py", "README.md"],
    }
    assert document["verifier"] == {
        "name": "verifier",
        "version": "0.1.0",
        "sha256": digest("verifier"),
    }
    assert document["coverage"] == {
        "REPRODUCED": 53,
        "MISMATCH": 1,
        "NOT_RECOMPUTABLE": 5,
        "DEGENERATE": 1,
    }
    assert document["evidence"] == {"fp8": "window-scores", "nvfp4": "row-scores"}


def test_failures_are_mismatches_and_warnings_stand_apart() -> None:
    outcomes = {item["check"]: item for item in strict(render(large()))["outcomes"]}

    assert [item["location"] for item in outcomes["sealed-members"]["mismatches"]] == [
        "verify_evidence.py"
    ]
    assert outcomes["sealed-members"]["warnings"] == [
        {
            "location": "SHA256.json",
            "expected": "",
            "actual": "",
            "basis": "",
            "message": "The list has no root, so nothing covers the list itself. [no-seal]",
        }
    ]
    assert outcomes["score-arrays"]["reason"] == "the bundle retains no row arrays"


def test_without_a_reference_it_is_null() -> None:
    assert strict(render(clean()))["reference"] is None


def test_a_lone_surrogate_is_written_out_and_every_other_text_is_exact() -> None:
    bundle = replace(clean().bundle, id="caf\u00e9 \U0001f600\x1b", title="bad\udcff\ud800")

    document = strict(render(report(bundle=bundle)))

    assert document["bundle"]["id"] == "caf\u00e9 \U0001f600\x1b"
    assert document["bundle"]["title"] == "bad\\udcff\\ud800"


def test_a_surrogate_in_a_key_is_written_out() -> None:
    made = replace(report(), evidence={"arm\udc80": "row-scores"})

    assert strict(render(made))["evidence"] == {"arm\\udc80": "row-scores"}


def test_nan_is_refused_rather_than_written() -> None:
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        encode({"value": float("nan")})


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render(large()) == render(large())


def _changed(path: tuple[str | int, ...], value: Any) -> Mapping[str, Any]:
    document: dict[str, Any] = strict(render(large()))
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return document


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("extra",), 1),
        (("verdict",), "OK"),
        (("format",), "verification-report/2"),
        (("bundle", "extra"), 1),
        (("reference", "root"), 1),
        (("policy", "sha256"), "AB" * 32),
        (("coverage", "REPRODUCED"), -1),
        (("evidence", "fp8"), "deep"),
        (("outcomes", 0, "status"), "agrees"),
        (("outcomes", 0, "warnings", 0, "basis"), "TRUST"),
        (("figures", 0, "published"), 0.25),
        (("figures", 0, "level"), "deep"),
        (("figures", 0, "extra"), None),
    ],
)
def test_the_schema_is_closed(
    validator: Draft202012Validator, path: tuple[str | int, ...], value: Any
) -> None:
    assert not validator.is_valid(_changed(path, value))


def test_every_part_of_the_schema_is_described(validator: Draft202012Validator) -> None:
    bare: list[str] = []

    def visit(node: Any, place: str) -> None:
        for name, part in {**node.get("properties", {}), **node.get("$defs", {})}.items():
            if not part.get("description"):
                bare.append(f"{place}/{name}")
            visit(part, f"{place}/{name}")

    visit(validator.schema, "")
    assert bare == []


def test_the_renderer_is_called_json() -> None:
    assert (RENDERER.id, RENDERER.render) == ("json", render)
