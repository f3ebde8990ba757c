"""Recomputed values for people and for programs."""

import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from verifier.catalog import SCHEMAS
from verifier.recompute import Recomputed
from verifier.render._recomputed import as_json, as_table

MEAN = Recomputed(
    id="fp8/mean",
    measure="mean of kld, fp8",
    published="0.0334",
    value="0.033363691625",
    n=8,
    level="window-scores",
    how="",
)
END = replace(MEAN, id="fp8/low", value="0.02", how="BCa 95 %")
GONE = replace(MEAN, id="cap", value=None, n=None, level=None, how="no log is retained")


def test_the_table_shows_values_and_below_them_what_is_missing() -> None:
    assert as_table([GONE, MEAN, END]) == (
        "      value           n  evidence       published\n"
        "    fp8/mean = mean of kld, fp8\n"
        "      0.033363691625  8  window-scores  0.0334\n"
        "    fp8/low = mean of kld, fp8; BCa 95 %\n"
        "      0.02            8  window-scores  0.0334\n"
        "    cap: not recomputable: no log is retained\n"
    )


def test_without_any_value_there_is_no_table() -> None:
    assert as_table([GONE]) == "    cap: not recomputable: no log is retained\n"


def test_a_hostile_name_does_not_reach_the_terminal() -> None:
    hostile = replace(MEAN, id="a\x1b[31m", published="\u202e1", measure="b\x07")
    text = as_table([hostile, replace(GONE, id="c\x1b[0m", how="d\x07")])
    assert not {"\x1b", "\u202e", "\x07"} & set(text)


def test_json_obeys_its_schema_and_keeps_the_digits() -> None:
    validator = Draft202012Validator(SCHEMAS.get("recomputed-values-1"))
    document = json.loads(as_json([MEAN, END, GONE]))
    assert [error.message for error in validator.iter_errors(document)] == []
    assert document["format"] == "recomputed-values/1"
    assert [value["value"] for value in document["values"]] == ["0.033363691625", "0.02", None]


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": 1},
        {"value": 0.5},
        {"value": ""},
        {"value": None},
        {"n": None},
        {"n": 0},
        {"level": None},
        {"level": "rows"},
        {"id": ""},
    ],
)
def test_the_schema_of_values_is_closed(changes: dict[str, Any]) -> None:
    validator = Draft202012Validator(SCHEMAS.get("recomputed-values-1"))
    document = json.loads(as_json([MEAN]))
    assert validator.is_valid(document)
    document["values"][0].update(changes)
    assert not validator.is_valid(document)


@pytest.mark.parametrize("field", ["id", "measure", "published", "value", "n", "level", "how"])
def test_every_field_of_a_value_is_required(field: str) -> None:
    validator = Draft202012Validator(SCHEMAS.get("recomputed-values-1"))
    document = json.loads(as_json([MEAN]))
    del document["values"][0][field]
    assert not validator.is_valid(document)


def test_the_schema_is_sound_and_nothing_stands_beside_the_values() -> None:
    schema = SCHEMAS.get("recomputed-values-1")
    Draft202012Validator.check_schema(schema)
    document = {**json.loads(as_json([])), "verdict": "PASSED"}
    assert not Draft202012Validator(schema).is_valid(document)
    assert SCHEMAS.get("report-1")["$defs"]["level"] == schema["$defs"]["level"]
