"""Several reports in one output."""

import json

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from tests.support.sample_report import UNHURRIED, clean, hostile_texts, large
from verifier.errors import StoreError, UsageError
from verifier.render._several import Rendered, combine
from verifier.render.json import render as as_json
from verifier.render.text import render as as_text

RULE = "=" * 80
ABSENT = StoreError("bundles/gone: no such path", hint="Check the spelling.")


@pytest.fixture(scope="module")
def schemas(pytestconfig: pytest.Config) -> dict[str, dict[str, object]]:
    folder = pytestconfig.rootpath / "schemas"
    return {
        name: json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("report-1", "reports-1")
    }


def test_each_text_report_stands_under_its_path() -> None:
    text = combine(
        "text",
        [
            Rendered(path="bundles/a", text=as_text(clean())),
            Rendered(path="bundles/b", text=as_text(large())),
        ],
    )

    assert text == (
        f"{RULE}\n  bundles/a\n{RULE}\n{as_text(clean())}\n"
        f"{RULE}\n  bundles/b\n{RULE}\n{as_text(large())}"
    )


def test_a_path_that_could_not_be_looked_at_is_reported_in_its_place() -> None:
    text = combine("text", [Rendered(path="bundles/gone", text="", error=ABSENT)])

    assert text == (
        f"{RULE}\n  bundles/gone\n{RULE}\n"
        "NO VERDICT: there was nothing to look at\n"
        "  error      bundles/gone: no such path\n"
        "  hint       Check the spelling.\n"
    )


def test_an_error_without_a_hint_leaves_the_hint_out() -> None:
    text = combine("text", [Rendered(path="a", text="", error=StoreError("gone"))])

    assert text.splitlines()[3:] == [
        "NO VERDICT: there was nothing to look at",
        "  error      gone",
    ]


@UNHURRIED
@given(hostile_texts(), hostile_texts())
def test_a_hostile_path_or_error_cannot_forge_a_verdict(path: str, message: str) -> None:
    error = StoreError(message, hint=message)

    text = combine("text", [Rendered(path=path, text="", error=error)])

    assert set(text) - {"\n"} <= {chr(code) for code in range(0x20, 0x7F)}
    assert "PASSED" not in text
    starts = [line for line in text.splitlines() if line[:1].strip()]
    assert starts == [RULE, RULE, "NO VERDICT: there was nothing to look at"]


def test_json_reports_become_one_document_that_obeys_its_schema(
    schemas: dict[str, dict[str, object]],
) -> None:
    text = combine(
        "json",
        [
            Rendered(path="bundles/a", text=as_json(clean())),
            Rendered(path="bundles/gone\udcff", text="", error=ABSENT),
        ],
    )

    document = json.loads(text)
    assert text.endswith("}\n")
    assert text.isascii()
    assert document == {
        "format": "verification-reports/1",
        "reports": [
            {"path": "bundles/a", "report": json.loads(as_json(clean()))},
            {
                "path": "bundles/gone\\udcff",
                "error": {"message": "bundles/gone: no such path", "hint": "Check the spelling."},
            },
        ],
    }
    validator = Draft202012Validator(schemas["reports-1"])
    assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"path": "a"},
        {"path": "a", "report": {}},
        {"path": "a", "error": {"message": "m"}},
        {"path": "a", "report": json.loads(as_json(clean())), "error": {"message": "", "hint": ""}},
        {"path": "a", "report": {**json.loads(as_json(clean())), "extra": 1}},
        {"path": "a", "report": {**json.loads(as_json(clean())), "coverage": {}}},
    ],
)
def test_the_schema_of_several_refuses_what_is_neither_report_nor_error(
    schemas: dict[str, dict[str, object]], entry: dict[str, object]
) -> None:
    document = {"format": "verification-reports/1", "reports": [entry]}

    assert not Draft202012Validator(schemas["reports-1"]).is_valid(document)


def test_the_embedded_report_schema_is_the_report_schema(
    schemas: dict[str, dict[str, object]],
) -> None:
    Draft202012Validator.check_schema(schemas["reports-1"])
    definitions = schemas["reports-1"]["$defs"]
    assert isinstance(definitions, dict)

    assert {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **definitions["report"],
    } == schemas["report-1"]


def test_a_format_that_holds_one_report_refuses_several_paths() -> None:
    entries = [Rendered(path="a", text="x"), Rendered(path="b", text="y")]

    with pytest.raises(UsageError, match="--format junit holds one report, and 2 paths were named"):
        combine("junit", entries)
