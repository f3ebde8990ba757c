"""A measure that a user types: what it becomes, and how it is refused."""

import json
from typing import Any

import pytest

from tests.support.own_bundle import documents, read
from verifier.catalog import SCHEMAS
from verifier.errors import UsageError
from verifier.formats._bundle_query import read_query
from verifier.model.bundle import Bundle
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure

Json = dict[str, Any]
MEAN: Json = {"statistic": "mean", "arm": "fp8"}
FP8 = Measure(statistic="mean", arms=("fp8",))


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return read(documents())


def ask(query: Any, bundle: Bundle) -> tuple[Figure, ...]:
    return read_query(query if isinstance(query, str) else json.dumps(query), bundle, SCHEMAS)


def refused(query: Any, bundle: Bundle) -> tuple[str, str]:
    with pytest.raises(UsageError) as caught:
        ask(query, bundle)
    return caught.value.message, caught.value.hint


def test_a_bare_measure_is_one_figure(bundle: Bundle) -> None:
    (found,) = ask(MEAN, bundle)
    assert (found.id, found.measure, found.kind) == ("measure", FP8, "aggregate")
    assert found.location == "--measure"
    assert ask({"measure": MEAN}, bundle) == (found,)


def test_an_interval_is_its_two_ends(bundle: Bundle) -> None:
    low, high = ask({"measure": MEAN, "interval": {"recipe": "bca95"}}, bundle)
    assert (low.id, high.id) == ("measure/low", "measure/high")
    assert (low.end, high.end) == ("low", "high")
    assert low.interval == high.interval != ""
    assert low.recipe == high.recipe == bundle.protocol.intervals["bca95"]


def test_one_end_of_an_interval_may_be_asked_for(bundle: Bundle) -> None:
    (found,) = ask({"measure": MEAN, "interval": {"recipe": "bca95", "end": "high"}}, bundle)
    assert (found.id, found.end) == ("measure", "high")


@pytest.mark.parametrize(
    ("decide", "decision"),
    [
        (
            {"rule": "reading", "recipe": "bca95", "better": "higher"},
            Decision(rule="reading", better="higher"),
        ),
        (
            {"rule": "equivalent", "recipe": "bca95", "margin": 1, "strict": False},
            Decision(rule="equivalent", margin=1.0, strict=False),
        ),
        ({"rule": "includes-zero", "recipe": "bca95"}, Decision(rule="includes-zero")),
        (
            {"rule": "gate", "operator": ">", "threshold": 2, "of": "low", "recipe": "bca95"},
            Decision(rule="gate", operator=">", threshold=2.0, of="low"),
        ),
    ],
)
def test_a_decision_is_read_with_all_that_it_says(
    decide: Json, decision: Decision, bundle: Bundle
) -> None:
    (found,) = ask({"measure": MEAN, "decide": decide}, bundle)
    assert (found.kind, found.decision) == ("decision", decision)
    assert found.recipe == bundle.protocol.intervals["bca95"]


def test_a_gate_on_a_value_needs_no_recipe(bundle: Bundle) -> None:
    decide = {"rule": "gate", "operator": "<=", "threshold": 1}
    (found,) = ask({"measure": MEAN, "decide": decide}, bundle)
    assert (found.kind, found.recipe) == ("decision", None)


SCHEMA_HINT = (
    "Correct the measure: `verifier schemas figures-1` prints its schema, `verifier measures` "
    "lists statistics and columns."
)


@pytest.mark.parametrize(
    ("query", "message", "hint"),
    [
        pytest.param(
            {**MEAN, "arm": "int4"},
            "--measure: /measure/arm: expected one of fp8, nvfp4, found int4",
            "Name an arm of bundle.json.",
            id="an unknown arm",
        ),
        pytest.param(
            {"measure": {**MEAN, "windows": {"except": ["w9"]}}},
            "--measure: /measure/windows/except/0: expected one of w1, w2, found w9",
            "Name a window of bundle.json.",
            id="an unknown window",
        ),
        pytest.param(
            {"measure": MEAN, "interval": {"recipe": "bca99"}},
            "--measure: /interval/recipe: expected one of bca95, found bca99",
            "Name an interval recipe of bundle.json.",
            id="an unknown recipe",
        ),
        pytest.param(
            {"measure": MEAN, "interval": "bca95"},
            "--measure: /interval: expected type object, found 'bca95'",
            SCHEMA_HINT,
            id="an interval that is no object",
        ),
        pytest.param(
            {"measure": MEAN, "decide": "improvement"},
            "--measure: /decide: expected type object, found 'improvement'",
            SCHEMA_HINT,
            id="a decision that is no object",
        ),
        pytest.param(
            [MEAN],
            "--measure: /measure: expected type object, found a list of 1",
            SCHEMA_HINT,
            id="a list",
        ),
        pytest.param(
            "null",
            "--measure: /measure: expected type object, found None",
            SCHEMA_HINT,
            id="nothing",
        ),
        pytest.param(
            {"measure": MEAN, "published": 3},
            "--measure: unknown field 'published'",
            SCHEMA_HINT,
            id="what was published",
        ),
        pytest.param(
            {**MEAN, "statistics": "mean"},
            "--measure: /measure/statistics: expected no such field, found 'mean'",
            "Remove it: the schema is closed (`verifier schemas figures-1`).",
            id="an unknown field of the measure",
        ),
        pytest.param(
            {
                "statistic": "quantile",
                "parameters": {"probability": 1, "rule": "linar"},
                "arm": "fp8",
            },
            "--measure: /measure/parameters/rule: expected one of linear, linear-lerp, truncate, "
            "lower, higher, nearest, midpoint, inverted_cdf, averaged_inverted_cdf, "
            "closest_observation, interpolated_inverted_cdf, hazen, weibull, median_unbiased, "
            "normal_unbiased, found 'linar'",
            SCHEMA_HINT,
            id="a word that is none of a list",
        ),
    ],
)
def test_a_query_is_refused_with_its_place(
    query: Any, message: str, hint: str, bundle: Bundle
) -> None:
    assert refused(query, bundle) == (message, hint)


@pytest.mark.parametrize(
    "text",
    ['{"statistic": "mean"', '{"statistic": "mean", "statistic": "sum"}', "NaN", '"\ud800"', ""],
)
def test_what_is_no_strict_json_is_refused(text: str, bundle: Bundle) -> None:
    message, hint = refused(text, bundle)
    assert message.startswith("--measure is no strict JSON: ")
    assert hint == """Quote it for the shell: --measure '{"statistic": "mean", "arm": "NAME"}'."""


def test_a_window_that_only_an_arm_holds_may_be_named(bundle: Bundle) -> None:
    assert ask({**MEAN, "windows": {"ids": ["w2"]}}, bundle)
