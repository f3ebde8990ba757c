"""One record file: strict JSON, its schema, and what is wrong with it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.memory import MemoryStore
from verifier.formats._records import load, short, with_violations
from verifier.model.bundle import Record, Violation

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "size"],
    "properties": {
        "id": {"$ref": "#/$defs/id"},
        "size": {"type": "integer", "minimum": 1},
        "kind": {"enum": ["a", "b"]},
        "rule": {"enum": [f"rule-{number}" for number in range(20)]},
        "bound": {"anyOf": [{"required": ["above"]}, {"required": ["low", "high"]}]},
        "either": {
            "description": "a list or a text",
            "anyOf": [{"type": "array"}, {"type": "string"}],
        },
        "neither": {"anyOf": [{"type": "array"}, {"const": "word " * 30}]},
        "long": {"const": "x" * 100},
        "never": {"description": "nothing at all", "not": {}},
        "inner": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "patternProperties": {"^x_": {}},
                "properties": {"known": {}},
            },
        },
    },
    "$defs": {"id": {"description": "three letters", "type": "string", "pattern": "^[a-z]{3}$"}},
}


class OneSchema:
    """A catalogue that holds one schema."""

    def names(self) -> tuple[str, ...]:
        return ("thing-1",)

    def get(self, name: str) -> Mapping[str, Any]:
        assert name == "thing-1"
        return SCHEMA


def _load(content: Any, **options: Any) -> tuple[Any, Record]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    loaded = load(
        MemoryStore({"a.json": data}, others={"link.json": "symlink"}),
        options.pop("path", "a.json"),
        "thing-1",
        OneSchema(),
        published=True,
        **options,
    )
    return loaded.document, loaded.record


def _only(content: Any, **options: Any) -> Violation:
    document, record = _load(content, **options)
    assert document is None
    (violation,) = record.violations
    return violation


def test_a_valid_record_comes_back_with_its_schema_and_no_violation() -> None:
    document, record = _load({"id": "abc", "size": 2})
    assert document == {"id": "abc", "size": 2}
    assert record == Record(path="a.json", schema="thing-1", published=True)


@pytest.mark.parametrize(
    ("content", "location"),
    [
        (b'{"id": "abc", "id": "abd", "size": 2}', "a.json#/id"),
        (b'{"id": "abc", "size": NaN}', "a.json#/size"),
        (b'{"id": "abc", "size": Infinity}', "a.json#/size"),
        (b'{"id": "abc", "size": 1e400}', "a.json#/size"),
        (b'{"id": "abc", "size": 2} trailing', "a.json"),
        (b"[" * 100 + b"]" * 100, "a.json"),
        (b"\xff\xfe", "a.json"),
        (b"", "a.json"),
    ],
)
def test_text_that_is_no_strict_json_is_one_violation_at_its_place(
    content: bytes, location: str
) -> None:
    violation = _only(content)
    assert (violation.location, violation.expected) == (location, "strict JSON")
    assert violation.actual.startswith("a.json")
    assert violation.message.endswith(".")


@pytest.mark.parametrize("path", ["absent.json", "link.json"])
def test_a_file_that_cannot_be_read_is_a_violation(path: str) -> None:
    violation = _only({}, path=path)
    assert violation == Violation(
        location=path,
        expected="a readable file",
        actual=f"{path}: no such regular file",
        message="restore the file",
    )


@pytest.mark.parametrize(
    ("content", "location", "expected", "actual"),
    [
        ({"id": "abc"}, "a.json", "a field 'size'", "an object with 1 fields"),
        ({"id": "ABC", "size": 2}, "a.json#/id", "three letters", "'ABC'"),
        ({"id": "abc", "size": 0}, "a.json#/size", "minimum 1", "0"),
        ({"id": "abc", "size": "2"}, "a.json#/size", "type integer", "'2'"),
        ({"id": "abc", "size": True}, "a.json#/size", "type integer", "True"),
        ({"id": "abc", "size": 2, "kind": "c"}, "a.json#/kind", "one of a, b", "'c'"),
        (
            {"id": "abc", "size": 2, "rule": "rule"},
            "a.json#/rule",
            f"one of {', '.join(f'rule-{number}' for number in range(20))}",
            "'rule'",
        ),
        (
            {"id": "abc", "size": 2, "bound": {}},
            "a.json#/bound",
            "one of the fields above, low and high",
            "an object with 0",
        ),
        ({"id": "abc", "size": 2, "either": 1}, "a.json#/either", "a list or a text", "1"),
        (
            {"id": "abc", "size": 2, "neither": 1},
            "a.json#/neither",
            f"anyOf {{'type': 'array'}} or {{'const': '{' '.join(['word'] * 9)} ...",
            "1",
        ),
        ({"id": "abc", "size": 2, "long": 1}, "a.json#/long", f"const {'x' * 80} ...", "1"),
        ({"id": "abc", "size": 2, "never": 1}, "a.json#/never", "nothing at all", "1"),
        ({"id": "abc", "size": 2, "inner": {}}, "a.json#/inner", "type array", "an object with 0"),
        ({"id": "abc", "size": 2, "a/b": [1]}, "a.json#/a~1b", "no such field", "a list of 1"),
        ([], "a.json", "type object", "a list of 0"),
    ],
)
def test_a_broken_rule_names_its_place_what_was_expected_and_what_was_found(
    content: Any, location: str, expected: str, actual: str
) -> None:
    violation = _only(content)
    assert (violation.location, violation.expected) == (location, expected)
    assert violation.actual.startswith(actual)


def test_each_missing_field_is_named_once() -> None:
    _, record = _load({})
    assert [item.expected for item in record.violations] == ["a field 'id'", "a field 'size'"]


def test_in_an_open_world_unknown_fields_are_listed_and_the_document_is_usable() -> None:
    content = {"id": "abc", "size": 2, "zz": 1, "inner": [{"known": 1, "x_1": 2, "b~": 3}]}
    document, record = _load(content, open_world=True)
    assert document == content
    assert record.violations == ()
    assert record.unknown == ("/inner/0/b~0", "/zz")


def test_in_an_open_world_a_broken_known_field_is_still_a_violation() -> None:
    document, record = _load({"id": "abc", "size": 0, "zz": 1}, open_world=True)
    assert document is None
    assert [item.location for item in record.violations] == ["a.json#/size"]
    assert record.unknown == ("/zz",)


def test_a_violation_is_not_buried_under_unknown_fields() -> None:
    inner = [{f"u{index}": 1} for index in range(2000)]
    document, record = _load({"id": "abc", "inner": inner, "size": 0}, open_world=True)
    assert document is None
    assert [item.location for item in record.violations] == ["a.json#/size"]
    assert len(record.unknown) == 2000


@pytest.mark.parametrize("inner", [[1] * 5000, [{"no": 1}] * 5000], ids=["broken", "unknown"])
def test_thousands_of_violations_are_capped_and_the_cap_is_said(inner: list[Any]) -> None:
    document, record = _load({"id": "abc", "size": 1, "inner": inner})
    assert document is None
    assert len(record.violations) == 101
    assert record.violations[-1].actual == "more of them"


def test_further_rules_add_their_violations_in_order() -> None:
    record = Record(path="a.json", schema="thing-1", published=False)
    first, second = (
        Violation(location=f"a.json#/{name}", expected="x", actual="y", message="z")
        for name in "ab"
    )
    assert with_violations(record, []) is record
    assert with_violations(record, [second, first]).violations == (first, second)


def test_a_hostile_value_is_shown_as_one_short_line_of_ascii() -> None:
    shown = short("\x1b[31m\n\u202e" + "x" * 500)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= 83
    assert short(12) == "12"
