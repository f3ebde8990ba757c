"""Values without a judgement, and that they are those that the checks speak of."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support import core
from tests.support.command import Ran, Shell
from tests.support.core import DIFFERENCE, LOWER, MEAN_FP8, RECIPE, bundle, case
from verifier import catalog
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure
from verifier.model.number import Published
from verifier.recompute import Recomputed, recompute

COMMON = Measure(statistic="common", arms=("fp8",))
NO_COMMON = "the units share no single value"
READING = Decision(rule="reading")
GATE = Decision(rule="gate", operator=">=", threshold=6.0)
# What scipy.stats.bootstrap 1.17 gives for the scores of tests.support.core.
BCA = ("0.02746215429116671", "0.040547750874999997")


def one(*figures: Figure, asked: Figure | None = None, typed: bool = False) -> Recomputed:
    """What comes of one figure of a bundle that publishes these."""
    (found,) = recompute(case(bundle(*figures)), [asked or figures[0]], typed=typed)
    return found


def decision(word: str, rule: Decision, measure: Measure, **fields: Any) -> Figure:
    return replace(
        core.figure("d", "0", measure, kind="decision", **fields),
        published=Published(text=word, value=float("nan")),
        decision=rule,
    )


def test_a_number_comes_with_its_units_and_evidence() -> None:
    assert one(core.figure("mean", "0.0334", MEAN_FP8)) == Recomputed(
        id="mean",
        measure="mean of kld, fp8",
        published="0.0334",
        value="0.033363691375",
        n=8,
        level="window-scores",
        how="",
    )


def test_a_count_is_a_whole_number_and_a_typed_measure_published_nothing() -> None:
    found = one(core.figure("lower", "5", LOWER, kind="count"), typed=True)
    assert (found.value, found.published, found.n) == ("6", "", 8)


@pytest.mark.parametrize(
    "measure",
    [
        COMMON,
        replace(COMMON, scale="percent"),
        replace(MEAN_FP8, arms=("fp8", "nvfp4"), over="common"),
    ],
)
@pytest.mark.parametrize("kind", ["aggregate", "count"])
def test_units_that_differ_have_no_common_value(measure: Measure, kind: Any) -> None:
    found = one(core.figure("c", "1", measure, kind=kind))
    assert (found.value, found.n, found.level, found.how) == (None, None, None, NO_COMMON)


def test_what_nothing_gives_says_what_is_missing() -> None:
    absent = one(core.figure("capacity", "3", None))
    assert (absent.value, absent.how) == (None, "the engine's startup log is not retained")
    assert absent.measure == ""
    unknown = one(core.figure("x", "3", replace(MEAN_FP8, arms=("int4",))))
    assert (unknown.value, unknown.how) == (None, "no arm 'int4' is retained in study")


@pytest.mark.parametrize("recipe", [RECIPE, None])
@pytest.mark.parametrize("end", [0, 1])
def test_an_end_is_that_of_the_interval_which_answers_for_it(recipe: Any, end: int) -> None:
    figures = core.ends("i", *BCA, MEAN_FP8, recipe=recipe)
    source = "declared" if recipe else "found by search"
    found = one(*figures, asked=figures[end])
    assert found.value is not None
    assert float(found.value) == pytest.approx(float(BCA[end]), rel=1e-12)
    assert (found.n, found.level) == (8, "window-scores")
    assert found.how == f"{RECIPE.label} ({source})"


def test_a_typed_interval_is_drawn_although_the_bundle_publishes_none() -> None:
    figures = core.ends("i", "0", "0", MEAN_FP8)
    found = recompute(case(bundle()), figures, typed=True)
    assert [item.published for item in found] == ["", ""]
    assert [float(item.value or "nan") for item in found] == pytest.approx([*map(float, BCA)])


@pytest.mark.parametrize(
    ("recipe", "reason"),
    [
        (RECIPE, "intervals are drawn of functions of means, not of the median"),
        (None, "none of 4 known recipes gives an interval"),
    ],
)
def test_an_interval_that_cannot_be_drawn_says_why(recipe: Any, reason: str) -> None:
    median = replace(MEAN_FP8, statistic="median")
    found = one(*core.ends("i", "1", "2", median, recipe=recipe))
    assert (found.value, found.how) == (None, reason)


def test_a_decision_tells_rule_recipe_and_margin() -> None:
    found = one(decision("harm", READING, DIFFERENCE, recipe=RECIPE))
    assert (found.value, found.published, found.n) == ("improvement", "harm", 8)
    assert found.how == (
        f"reading, lower is better; {RECIPE.label} (declared); "
        "high end -0.000989875 is 0.000989875 (1.29 SE) from 0"
    )


def test_a_gate_on_a_count_is_decided_on_its_threshold() -> None:
    found = one(decision("true", GATE, LOWER))
    assert (found.value, found.n) == ("true", 8)
    assert found.how == "gate: value >= 6; value 6 is 0 from 6"


def test_a_decision_that_rounding_could_turn_is_not_recomputable() -> None:
    number = one(core.figure("mean", "0", MEAN_FP8)).value
    assert number is not None
    found = one(decision("true", replace(GATE, threshold=float(number)), MEAN_FP8))
    assert (found.value, found.n, found.level) == (None, None, None)
    assert found.how == (
        "the decision depends on rounding: value 0.0333637 is 0 from 0.0333637; within the "
        "tolerance lie false and true"
    )


@pytest.mark.parametrize(
    ("figure", "reason"),
    [
        (
            decision("true", GATE, COMMON),
            "undefined: what the rule looks at is not finite",
        ),
        (
            decision("true", GATE, replace(COMMON, arms=("int4",))),
            "no arm 'int4' is retained in study",
        ),
        (
            decision("harm", READING, DIFFERENCE),
            "undefined: the rule looks at an interval, and none is drawn",
        ),
        (
            replace(decision("harm", READING, DIFFERENCE), decision=None),
            "no rule says how this word is decided",
        ),
    ],
)
def test_a_decision_without_ground_says_what_is_missing(figure: Figure, reason: str) -> None:
    found = one(figure)
    assert (found.value, found.how) == (None, reason)


def asked(shell: Shell, root: Path, query: Mapping[str, Any], *options: str) -> Ran:
    bundle_path = root / "bundles" / "example-rows"
    return shell("recompute", bundle_path, "--measure", json.dumps(query), *options)


@pytest.mark.parametrize("options", [(), ("--format", "json")])
@pytest.mark.parametrize(
    "query",
    [
        {"statistic": "common", "arm": "alpha"},
        {"statistic": "mean", "arms": ["alpha", "beta"], "over": "common"},
    ],
)
def test_a_value_that_is_none_is_missing_and_exits_1(
    shell: Shell, root: Path, query: Mapping[str, Any], options: tuple[str, ...]
) -> None:
    ran = asked(shell, root, query, *options)
    assert ran.code == 1
    assert NO_COMMON in ran.out
    assert "nan" not in ran.out.casefold()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"statistic": "mean", "arm": "alpha"}, 0),
        ({"measure": {"statistic": "mean", "arm": "alpha"}, "interval": {"recipe": "bca95"}}, 0),
        (
            {
                "measure": {"statistic": "mean", "arm": "alpha"},
                "decide": {"rule": "gate", "operator": "<", "threshold": 1},
            },
            0,
        ),
        ({"statistic": "common", "arm": "alpha"}, 1),
    ],
)
def test_printed_json_obeys_its_schema(
    shell: Shell, root: Path, query: Mapping[str, Any], code: int
) -> None:
    ran = asked(shell, root, query, "--format", "json")
    assert ran.code == code
    document = json.loads(ran.out)
    jsonschema.validate(document, catalog.SCHEMAS.get("recomputed-values-1"))
    assert document["format"] == "recomputed-values/1"


def test_every_value_of_a_shipped_bundle_is_the_one_that_its_report_tells(
    shell: Shell, root: Path
) -> None:
    path = root / "bundles" / "kld-cf128-20260925"
    values = json.loads(shell("recompute", path, "--format", "json").out)["values"]
    jsonschema.validate(
        {"format": "recomputed-values/1", "values": values},
        catalog.SCHEMAS.get("recomputed-values-1"),
    )
    figures = json.loads(shell("verify", path, "--format", "json").out)["figures"]
    told = {
        item["id"]: (item["recomputed"], item["n"], item["level"], item["how"].partition("; ")[2])
        for item in figures
    }
    assert {
        item["id"]: (item["value"], item["n"], item["level"], item["how"]) for item in values
    } == told
