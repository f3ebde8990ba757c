"""figures.json: printed digits, kinds, intervals, decisions, and names that nobody knows."""

import math
from typing import Any

import pytest

from tests.support.own_bundle import documents, places, read, violations
from verifier.formats._bundle_figures import Known, broken_figures
from verifier.model.figure import READINGS, Figure
from verifier.model.measure import Measure, WindowSelection
from verifier.model.number import Published
from verifier.model.recipe import Recipe

MEAN = {"statistic": "mean", "arm": "fp8"}


def _figures(*entries: dict[str, Any]) -> tuple[Figure, ...]:
    files = documents()
    files["figures.json"] = list(entries)
    bundle = read(files)
    assert places(bundle) == []
    return bundle.figures


def _figure(published: Any, measure: dict[str, Any], **more: Any) -> Figure:
    (figure,) = _figures({"id": "x", "published": published, "measure": measure, **more})
    return figure


@pytest.mark.parametrize(
    ("published", "text", "value"),
    [("0.0310", "0.0310", 0.031), (22, "22", 22), ("-1e-3", "-1e-3", -0.001), ("22", "22", 22)],
)
def test_a_published_number_keeps_its_printed_digits(
    published: Any, text: str, value: float
) -> None:
    figure = _figure(published, MEAN)
    assert figure.published == Published(text=text, value=value)
    assert type(figure.published.value) is type(value)


def test_a_json_literal_keeps_trailing_zeros() -> None:
    files = documents()
    files["figures.json"] = (
        b'[{"id": "x", "published": 0.0310, "measure": {"statistic": "mean", "arm": "fp8"}}]'
    )
    assert read(files).figures[0].published.text == "0.0310"


@pytest.mark.parametrize(
    ("document", "measure"),
    [
        (MEAN, Measure(statistic="mean", column="kld", arms=("fp8",))),
        ({"statistic": "size"}, Measure(statistic="size", arms=())),
        (
            {"statistic": "count", "column": "nll", "arms": ["fp8", "nvfp4"], "pair": "lower"},
            Measure(statistic="count", column="nll", arms=("fp8", "nvfp4"), pair="lower"),
        ),
        (
            {"statistic": "mean", "arms": ["fp8", "reference:bf16"], "pair": "difference"},
            Measure(statistic="mean", arms=("fp8", "reference:bf16"), pair="difference"),
        ),
        (
            {**MEAN, "windows": {"group": "domain", "value": "domain of w1"}},
            Measure(
                statistic="mean",
                arms=("fp8",),
                windows=WindowSelection(group=("domain", "domain of w1")),
            ),
        ),
        (
            {**MEAN, "column": "nll", "scale": "exp", "within": "mean"},
            Measure(statistic="mean", column="nll", arms=("fp8",), scale="exp"),
        ),
    ],
)
def test_a_measure_document_becomes_the_measure(document: dict[str, Any], measure: Measure) -> None:
    figure = _figure("1.5", document)
    assert figure.measure == measure
    assert figure.missing == ""


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (MEAN, "aggregate"),
        ({"statistic": "size", "arm": "fp8"}, "count"),
        ({"statistic": "count", "arms": ["fp8", "nvfp4"], "pair": "lower"}, "count"),
        ({"statistic": "common", "column": "scored_rows", "arm": "fp8"}, "count"),
        ({"statistic": "sum", "column": "predicted_rows", "arm": "fp8"}, "count"),
        ({"statistic": "sum", "column": "predicted_rows", "arms": [["fp8", "nvfp4"]]}, "aggregate"),
        ({"statistic": "mean", "column": "predicted_rows", "arm": "fp8"}, "aggregate"),
        ({"statistic": "sum", "column": "kld", "arm": "fp8"}, "aggregate"),
        ({"statistic": "sum", "column": "one", "arm": "fp8", "within": "sum"}, "count"),
        ({"statistic": "maximum", "column": "history", "arm": "fp8", "within": "none"}, "count"),
        # The mean over a window's rows is no whole number, whatever the rows are.
        ({"statistic": "maximum", "column": "history", "arm": "fp8"}, "aggregate"),
        (
            {
                "statistic": "range",
                "column": "history",
                "arms": ["fp8", "nvfp4"],
                "pair": "difference",
                "within": "none",
            },
            "aggregate",
        ),
        (
            {
                "statistic": "maximum",
                "column": "history",
                "arms": [["fp8", "nvfp4"]],
                "within": "none",
            },
            "aggregate",
        ),
        ({"statistic": "common", "column": "nll", "arm": "fp8", "scale": "exp"}, "aggregate"),
        ({"statistic": "count", "arm": "fp8", "scale": "percent"}, "aggregate"),
        ({"statistic": "count", "arm": "fp8", "over": "mean"}, "aggregate"),
        ({"statistic": "count", "arms": ["fp8", "nvfp4"], "over": "maximum"}, "count"),
        ({"statistic": "maximum", "column": "nll", "arm": "fp8", "within": "count"}, "count"),
        ({"statistic": "count", "arm": "fp8", "relative_to": MEAN}, "aggregate"),
        (
            {"statistic": "count", "arm": "fp8", "weights": "equal-group", "stratum": "domain"},
            "aggregate",
        ),
        ({"statistic": "entropy", "arm": "fp8"}, "aggregate"),
    ],
)
def test_the_kind_of_a_figure_says_how_close_it_has_to_be(
    measure: dict[str, Any], kind: str
) -> None:
    assert _figure(1, measure).kind == kind


def test_a_statistic_of_a_later_version_is_still_a_measure() -> None:
    figure = _figure("1.5", {"statistic": "entropy", "arm": "fp8", "within": "none"})
    assert figure.measure == Measure(statistic="entropy", arms=("fp8",), within="none")
    assert (figure.kind, figure.missing) == ("aggregate", "")


def test_both_ends_of_an_interval_belong_together_and_name_the_recipe() -> None:
    low, high = read(documents()).figures[1:3]
    assert (low.end, high.end) == ("low", "high")
    assert low.interval == high.interval != ""
    assert (low.kind, high.kind) == ("interval", "interval")
    assert low.recipe == Recipe(
        method="bca", level=0.95, resamples=20000, seed=20260902, stream="randomstate"
    )


def test_an_end_published_twice_makes_two_intervals_so_that_neither_is_lost() -> None:
    figures = _figures(
        *(
            {
                "id": f"{end}/{digits}",
                "published": digits,
                "measure": MEAN,
                "interval": {"recipe": "bca95", "end": end},
            }
            for digits in ("0.25", "0.250001")
            for end in ("low", "high")
        )
    )
    intervals = [figure.interval for figure in figures]
    assert intervals[0] == intervals[1]
    assert intervals[2] == intervals[3]
    assert intervals[0] != intervals[2]


def test_a_null_end_stands_for_a_degenerate_interval() -> None:
    figure = _figure(None, MEAN, interval={"recipe": "bca95", "end": "low"})
    assert figure.published.text == "null"
    assert math.isnan(figure.published.value)


RECIPE = {"rule": "includes-zero", "recipe": "bca95"}
READING = {"rule": "reading", "recipe": "bca95", "better": "lower"}


@pytest.mark.parametrize(
    ("published", "decide", "text"),
    [
        (True, RECIPE, "true"),
        (False, RECIPE, "false"),
        ("improvement", READING, "improvement"),
        ("no detectable change", READING, "no detectable change"),
    ],
)
def test_a_decision_is_published_as_its_word(
    published: Any, decide: dict[str, Any], text: str
) -> None:
    figure = _figure(published, MEAN, decide=decide)
    assert (figure.kind, figure.published.text, figure.end) == ("decision", text, None)
    assert math.isnan(figure.published.value)
    assert figure.decision is not None
    assert figure.decision.rule == decide["rule"]


NUMBER = "Words and truth values are published with the rule that decides them."
WORD = "A decision is published as the word or truth value that its rule gives."


@pytest.mark.parametrize(
    ("published", "more", "expected", "actual", "message"),
    [
        (True, {}, "a number", "True", NUMBER),
        ("improvement", {}, "a number", "'improvement'", NUMBER),
        (
            "improvement",
            {"interval": {"recipe": "bca95", "end": "low"}},
            "a number",
            "'improvement'",
            NUMBER,
        ),
        (True, {"decide": READING}, f"one of {', '.join(READINGS)}", "True", WORD),
        ("better", {"decide": READING}, f"one of {', '.join(READINGS)}", "'better'", WORD),
        (0.5, {"decide": READING}, f"one of {', '.join(READINGS)}", "0.5", WORD),
        (None, {"decide": RECIPE}, "one of true, false", "None", WORD),
        ("true", {"decide": RECIPE}, "one of true, false", "'true'", WORD),
        (1, {"decide": RECIPE}, "one of true, false", "1", WORD),
        (
            None,
            {},
            "a number",
            "null",
            "Only an end of a degenerate interval is published as null.",
        ),
    ],
)
def test_a_word_in_the_wrong_place_is_a_violation(
    published: Any, more: dict[str, Any], expected: str, actual: str, message: str
) -> None:
    files = documents()
    files["figures.json"] = [{"id": "x", "published": published, "measure": MEAN, **more}]
    (found,) = violations(read(files))
    assert found.location == "figures.json#/0/published"
    assert (found.expected, found.actual, found.message) == (expected, actual, message)


@pytest.mark.parametrize(
    ("decide", "place"),
    [
        ({"rule": "reading", "recipe": "bca95"}, "/0/decide"),
        ({"rule": "reading", "better": "lower"}, "/0/decide"),
        ({"rule": "includes-zero"}, "/0/decide"),
        ({"rule": "equivalent", "recipe": "bca95"}, "/0/decide"),
        ({"rule": "equivalent", "recipe": "bca95", "margin": 0}, "/0/decide/margin"),
        ({"rule": "gate", "operator": "<"}, "/0/decide"),
        ({"rule": "gate", "operator": "<", "threshold": 1, "of": "low"}, "/0/decide"),
    ],
)
def test_a_rule_that_says_too_little_is_a_violation(decide: dict[str, Any], place: str) -> None:
    files = documents()
    files["figures.json"] = [{"id": "x", "published": True, "measure": MEAN, "decide": decide}]
    assert f"figures.json#{place}" in places(read(files))


def test_an_interval_end_that_is_decided_on_is_a_violation() -> None:
    files = documents()
    entry = {"id": "x", "published": True, "measure": MEAN, "decide": RECIPE}
    files["figures.json"] = [{**entry, "interval": {"recipe": "bca95", "end": "low"}}]
    assert "figures.json#/0" in places(read(files))


def test_every_unknown_name_of_many_figures_is_listed_with_its_place() -> None:
    files = documents()
    files["figures.json"] = [
        {
            "id": "x",
            "published": True,
            "measure": {**MEAN, "windows": {"ids": ["w9"]}},
            "decide": {"rule": "includes-zero", "recipe": "r"},
        },
        {"id": "x", "published": 1, "measure": {"statistic": "mean", "arm": "int4"}},
    ]
    found = [(v.location, v.expected, v.actual) for v in violations(read(files))]
    assert found == [
        ("figures.json#/0/decide/recipe", "one of bca95", "r"),
        ("figures.json#/0/measure/windows/ids/0", "one of w1, w2", "w9"),
        ("figures.json#/1/id", "each id once", "x"),
        ("figures.json#/1/measure/arm", "one of fp8, nvfp4", "int4"),
    ]


def test_only_a_few_of_many_names_are_listed() -> None:
    known = Known(arms=frozenset({"fp8"}), windows=frozenset(f"w{at:02}" for at in range(50)))
    measure = {**MEAN, "windows": {"ids": ["other"]}}
    (found,) = broken_figures([{"id": "x", "published": 1, "measure": measure}], {}, known)
    assert found.expected == "one of w00, w01, w02, w03, w04, w05, w06, w07, ..."
    interval = {"recipe": "r", "end": "low"}
    figure = {"id": "x", "published": 1, "measure": MEAN, "interval": interval}
    (found,) = broken_figures([figure], {}, known)
    assert found.expected == "one of no recipe at all"
