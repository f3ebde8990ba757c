"""figures.json: printed digits, kinds, intervals, and measures that nothing here evaluates."""

import math
from typing import Any

import pytest

from tests.support.own_bundle import documents, places, read
from verifier.model.figure import Figure, Measure
from verifier.model.number import Published
from verifier.model.recipe import Recipe

MEAN = {"statistic": "mean", "arm": "fp8"}


def _figures(*entries: dict[str, Any], rows: bool = True) -> tuple[Figure, ...]:
    files = documents()
    files["figures.json"] = list(entries)
    if not rows:
        del files["arms/fp8/windows.json"]["windows"][0]["score_path"]
    bundle = read(files)
    assert places(bundle) == []
    return bundle.figures


def _figure(published: Any, measure: dict[str, Any], **more: Any) -> Figure:
    rows = more.pop("rows", True)
    (figure,) = _figures({"id": "x", "published": published, "measure": measure, **more}, rows=rows)
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
            Measure(statistic="mean", arms=("fp8",), group=("domain", "domain of w1")),
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
        ({"statistic": "sum", "column": "kld", "arm": "fp8"}, "aggregate"),
        ({"statistic": "common", "column": "nll", "arm": "fp8", "scale": "exp"}, "aggregate"),
        ({"statistic": "entropy", "arm": "fp8"}, "aggregate"),
    ],
)
def test_the_kind_of_a_figure_says_how_close_it_has_to_be(
    measure: dict[str, Any], kind: str
) -> None:
    assert _figure(1, measure).kind == kind


@pytest.mark.parametrize(
    ("measure", "more", "missing"),
    [
        ({**MEAN, "within": "none"}, {}, "this version does not pool the rows of several windows"),
        (
            {"statistic": "max", "arm": "fp8", "within": "none"},
            {"rows": False},
            "the row scores are not retained, only one value per window",
        ),
        (
            {"statistic": "quantile", "quantile": 0.5, "arm": "fp8"},
            {},
            "this version evaluates no quantile",
        ),
        (
            {"statistic": "sum", "arm": "fp8"},
            {"interval": {"recipe": "bca95", "end": "low"}},
            "this version draws intervals of means and of mean differences only",
        ),
        (
            {**MEAN, "scale": "exp"},
            {"interval": {"recipe": "bca95", "end": "high"}},
            "this version draws intervals of means and of mean differences only",
        ),
    ],
)
def test_a_measure_that_cannot_be_evaluated_says_what_is_missing(
    measure: dict[str, Any], more: dict[str, Any], missing: str
) -> None:
    figure = _figure("1.5", measure, **more)
    assert (figure.measure, figure.missing) == (None, missing)


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
