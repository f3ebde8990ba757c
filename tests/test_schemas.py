"""Rules that every schema of our own keeps."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from verifier import policy
from verifier.catalog import SCHEMAS

OURS = (
    "bundle-1",
    "counters-1",
    "figures-1",
    "launch-1",
    "policy-1",
    "receipt-1",
    "runtime-1",
    "seal-1",
    "windows-1",
)

SHA256 = "0" * 64


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from _objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _objects(value)


def _definition(name: str) -> Draft202012Validator:
    holders = [schema for schema in map(SCHEMAS.get, OURS) if name in schema.get("$defs", {})]
    return Draft202012Validator(holders[0]["$defs"][name])


@pytest.mark.parametrize("name", OURS)
def test_a_schema_is_valid_and_says_what_it_is(name: str) -> None:
    schema = SCHEMAS.get(name)
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:verifier:schema:{name}"
    assert schema["title"]
    assert schema["description"]


@pytest.mark.parametrize("name", OURS)
def test_every_object_with_named_fields_is_closed(name: str) -> None:
    conditions = ("if", "then", "else")
    schema = SCHEMAS.get(name)
    parts = [item[key] for item in _objects(schema) for key in conditions if key in item]
    for item in _objects(schema):
        if item.get("type") == "object" and "properties" in item and item not in parts:
            assert "additionalProperties" in item, item


@pytest.mark.parametrize("name", OURS)
def test_no_pattern_lets_a_trailing_newline_or_a_foreign_digit_pass(name: str) -> None:
    patterns = [item["pattern"] for item in _objects(SCHEMAS.get(name)) if "pattern" in item]
    for pattern in patterns:
        if isinstance(pattern, str):
            assert pattern.startswith("^")
            assert pattern.endswith(r"$(?!\n)")
            assert not re.search(r"\\[dws]", pattern)


def test_definitions_of_one_name_are_the_same_everywhere() -> None:
    found: dict[str, Any] = {}
    for name in OURS:
        for key, definition in SCHEMAS.get(name).get("$defs", {}).items():
            assert found.setdefault(key, definition) == definition, (name, key)


@pytest.mark.parametrize(
    ("definition", "value", "valid"),
    [
        ("sha256", SHA256, True),
        ("sha256", SHA256 + "\n", False),
        ("sha256", "A" * 64, False),
        ("sha256", "0" * 63, False),
        ("digest", f"sha256:{SHA256}", True),
        ("digest", SHA256, False),
        ("revision", "a" * 40, True),
        ("revision", "a" * 64, True),
        ("revision", "a" * 39, False),
        ("revision", "main", False),
        ("reference", f"repo/name@sha256:{SHA256}", True),
        ("reference", "repo/name:latest", False),
        ("time", "2026-09-09T21:25:29.904418+00:00", True),
        ("time", "2026-09-09T21:25:29Z", True),
        ("time", "2026-09-09", False),
        ("time", "2026-09-09T21:25:29", False),
        ("time", "2026-13-09T21:25:29Z", False),
        ("name", "conditional-fit-0056", True),
        ("name", "../x", False),
        ("name", "", False),
        ("path", "arms/fp8/windows.json", True),
        ("path", "/etc/passwd", False),
        ("path", "a/../b", False),
        ("path", "a//b", False),
        ("path", "a/", False),
        ("path", ".hidden", False),
        ("foreign_path", ".github/a b#c.yml", True),
        ("foreign_path", "..a/...", True),
        ("foreign_path", "../a", False),
        ("foreign_path", "a/./b", False),
        ("foreign_path", "a/..", False),
        ("foreign_path", "/a", False),
        ("foreign_path", "a//b", False),
        ("foreign_path", "a\\b", False),
        ("foreign_path", "a\nb", False),
        ("foreign_path", "", False),
        ("line", "Über 3 °C", True),
        ("line", "\x1b[31mred", False),
        ("line", "\u202eevil", False),
        ("column", "nll", True),
        ("column", "NLL", False),
    ],
)
def test_a_definition_accepts_exactly_its_grammar(
    definition: str, value: str, *, valid: bool
) -> None:
    assert _definition(definition).is_valid(value) is valid


@pytest.mark.parametrize("name", sorted(policy.BUILT_IN))
def test_a_built_in_policy_written_as_a_file_obeys_the_schema(name: str) -> None:
    document = policy.as_document(policy.BUILT_IN[name])
    errors = list(Draft202012Validator(SCHEMAS.get("policy-1")).iter_errors(document))
    assert errors == []


@pytest.mark.parametrize(
    "document",
    [
        {"tolerance": {"mean_relative": float("nan")}},
        {"tolerance": {"mean_relative": float("inf")}},
        {"tolerance": {"mean_relative": 0.01}},
        {"tolerance": {"interval_standard_errors": -1e-9}},
        {"intervals": {"level": 1.0}},
        {"intervals": {"level": float("nan")}},
        {"intervals": {"methods": []}},
        {"reactions": {"missing-member": "ignore"}},
        {"reactions": {"everything": "warn"}},
        {"required_checks": []},
        {"images": ["latest"]},
        {"base": "lenient"},
        {"unknown": 1},
    ],
)
def test_a_policy_file_cannot_say_this(document: Any) -> None:
    assert not Draft202012Validator(SCHEMAS.get("policy-1")).is_valid(document)
