"""Measures as JSON onto the types: every field, and the place of every name that is not known."""

from typing import Any

import pytest

from verifier.catalog import SCHEMAS
from verifier.formats._bundle_measures import read_measure, unknown_names
from verifier.formats._records import against_schema
from verifier.model.measure import (
    PAIRS,
    Condition,
    Measure,
    Options,
    Ranked,
    RowSelection,
    Trim,
    WindowSelection,
)

Json = dict[str, Any]
MEAN: Json = {"statistic": "mean", "arm": "a"}
PLAIN = Measure(statistic="mean", arms=("a",))


def read(document: Json) -> Measure:
    """A measure that the packaged schema permits."""
    figures = [{"id": "x", "published": 1, "measure": document}]
    assert against_schema("figures.json", figures, "figures-1", SCHEMAS) == []
    return read_measure(document)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ({"statistic": "size"}, Measure(statistic="size")),
        (MEAN, PLAIN),
        (
            {
                "statistic": "quantile",
                "parameters": {"rule": "hazen", "probability": 1},
                "column": "kl_topk",
                "top_k": 20,
                "ngram": 3,
                "distance": 7,
                "arms": ["a", ["b", "reference:c"]],
                "pair": "log-ratio",
                "by": "row",
                "within": "none",
                "weights": "equal-group",
                "stratum": "domain",
                "scale": "percent",
            },
            Measure(
                statistic="quantile",
                parameters=(("probability", 1.0), ("rule", "hazen")),
                column="kl_topk",
                options=Options(top_k=20, ngram=3, distance=7),
                arms=("a", ("b", "reference:c")),
                pair="log-ratio",
                by="row",
                within="none",
                weights="equal-group",
                stratum="domain",
                scale="percent",
            ),
        ),
        (
            {
                **MEAN,
                "within": "quantile",
                "within_parameters": {"rule": "linear", "probability": 0.9},
                "over": "standard-deviation",
                "over_parameters": {"ddof": 1},
            },
            Measure(
                statistic="mean",
                arms=("a",),
                within="quantile",
                within_parameters=(("probability", 0.9), ("rule", "linear")),
                over="standard-deviation",
                over_parameters=(("ddof", 1.0),),
            ),
        ),
        (
            {**MEAN, "over": "range", "relative_to": {**MEAN, "arm": "b", "scale": "exp"}},
            Measure(
                statistic="mean",
                arms=("a",),
                over="range",
                relative_to=Measure(statistic="mean", arms=("b",), scale="exp"),
            ),
        ),
    ],
)
def test_every_field_of_a_measure_is_read(document: Json, expected: Measure) -> None:
    assert read(document) == expected


@pytest.mark.parametrize("pair", PAIRS)
def test_every_pair_of_the_schema_is_one_of_the_model(pair: str) -> None:
    assert read({"statistic": "mean", "arms": ["a", "b"], "pair": pair}).pair == pair


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ({"mask": "all"}, RowSelection(mask="all")),
        ({"from": 0, "to": 9}, RowSelection(first=0, last=9)),
        ({"part": {"index": 2, "of": 4}}, RowSelection(part=(2, 4))),
        (
            {"trim": {"probability": 1, "rule": "truncate"}},
            RowSelection(trim=Trim(probability=1.0, rule="truncate")),
        ),
        (
            {"ranked": {"column": "nll", "rank": 3}},
            RowSelection(ranked=Ranked(column="nll", rank=3)),
        ),
        (
            {
                "ranked": {
                    "column": "kl_topk",
                    "rank": 1,
                    "arms": ["a", "b"],
                    "pair": "maximum",
                    "top_k": 5,
                }
            },
            RowSelection(
                ranked=Ranked(
                    column="kl_topk",
                    rank=1,
                    arms=("a", "b"),
                    pair="maximum",
                    options=Options(top_k=5),
                )
            ),
        ),
        (
            {
                "where": [
                    {"column": "history", "at_least": 1, "at_most": 256},
                    {
                        "column": "copied",
                        "arms": [["a", "b"]],
                        "ngram": 8,
                        "distance": 100,
                        "equals": 0,
                    },
                    {
                        "column": "nll",
                        "arms": ["a", "b"],
                        "pair": "difference",
                        "above": 0.5,
                        "below": 2,
                    },
                ]
            },
            RowSelection(
                where=(
                    Condition(column="history", at_least=1.0, at_most=256.0),
                    Condition(
                        column="copied",
                        arms=(("a", "b"),),
                        options=Options(ngram=8, distance=100),
                        equals=0.0,
                    ),
                    Condition(
                        column="nll", arms=("a", "b"), pair="difference", above=0.5, below=2.0
                    ),
                )
            ),
        ),
    ],
)
def test_every_field_of_a_row_selection_is_read(rows: Json, expected: RowSelection) -> None:
    assert read({**MEAN, "rows": rows}).rows == expected


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ({"group": "domain", "value": "a b"}, WindowSelection(group=("domain", "a b"))),
        ({"ids": ["w1", "w2"]}, WindowSelection(ids=("w1", "w2"))),
        ({"first": 32}, WindowSelection(first=32)),
        ({"except": ["w9"]}, WindowSelection(omit=("w9",))),
    ],
)
def test_every_field_of_a_window_selection_is_read(
    windows: Json, expected: WindowSelection
) -> None:
    assert read({**MEAN, "windows": windows}).windows == expected


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("arm", None, "/measure"),
        ("arms", ["a"], "/measure"),
        ("pair", "difference", "/measure"),
        ("rows", {}, "/measure/rows"),
        ("rows", {"where": [{"column": "nll"}]}, "/measure/rows/where/0"),
        (
            "rows",
            {"where": [{"column": "nll", "above": 1, "pair": "lower"}]},
            "/measure/rows/where/0",
        ),
        (
            "rows",
            {"ranked": {"column": "nll", "rank": 1, "arms": ["a"], "pair": "lower"}},
            "/measure/rows/ranked/arms",
        ),
        ("rows", {"ranked": {"column": "nll", "rank": 0}}, "/measure/rows/ranked/rank"),
        ("windows", {"group": "domain"}, "/measure/windows"),
        ("stratum", "domain", "/measure"),
        ("code", "import os", "/measure/code"),
        ("relative_to", {**MEAN, "relative_to": MEAN}, "/measure/relative_to/relative_to"),
    ],
)
def test_what_the_schema_refuses_is_refused_at_its_place(
    field: str, value: Any, place: str
) -> None:
    measure = {**MEAN, field: value}
    if value is None:
        del measure["statistic"]
    figures = [{"id": "x", "published": 1, "measure": measure}]
    found = against_schema("figures.json", figures, "figures-1", SCHEMAS)
    assert f"figures.json#/0{place}" in {violation.location for violation in found}


ARMS = frozenset({"a", "b"})
WINDOWS = frozenset({"w1", "w2"})
EVERYWHERE: Json = {
    "statistic": "mean",
    "arms": ["a", "p", ["b", "q"]],
    "rows": {
        "where": [
            {"column": "nll", "above": 0, "arms": ["r"]},
            {"column": "nll", "above": 0, "arms": ["a", ["s", "b", "t"]]},
        ],
        "ranked": {"column": "nll", "rank": 1, "arms": ["b", "u"]},
    },
    "windows": {"ids": ["w1", "w8"], "except": ["w9", "w2"]},
    "relative_to": {
        "statistic": "mean",
        "arm": "v",
        "rows": {"where": [{"column": "nll", "above": 0, "arms": ["a", "w"]}]},
        "windows": {"ids": ["w7"]},
    },
}


def test_every_unknown_name_is_found_at_its_place() -> None:
    assert list(unknown_names(EVERYWHERE, "/m", ARMS, WINDOWS)) == [
        ("/m/arms/1", "arm", "p"),
        ("/m/arms/2/1", "arm", "q"),
        ("/m/rows/where/0/arms/0", "arm", "r"),
        ("/m/rows/where/1/arms/1/0", "arm", "s"),
        ("/m/rows/where/1/arms/1/2", "arm", "t"),
        ("/m/rows/ranked/arms/1", "arm", "u"),
        ("/m/windows/ids/1", "window", "w8"),
        ("/m/windows/except/0", "window", "w9"),
        ("/m/relative_to/arm", "arm", "v"),
        ("/m/relative_to/rows/where/0/arms/1", "arm", "w"),
        ("/m/relative_to/windows/ids/0", "window", "w7"),
    ]


def test_an_arm_of_the_reference_is_not_looked_for_in_the_bundle() -> None:
    measure = {"statistic": "mean", "arms": ["a", ["reference:z", "b"]]}
    assert list(unknown_names(measure, "", ARMS, WINDOWS)) == []


def test_every_arm_of_a_measure_is_named_once_whatever_names_it() -> None:
    assert read_measure(EVERYWHERE).arm_names == (
        *("a", "p", "b", "q", "r", "s", "t", "u", "v", "w"),
    )
