"""Bad measures and recipes through a whole audit: one finding with its place, never a crash."""

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from tests.support.build import DEEP, Files, audit, resealed, valid, with_json
from verifier.model.report import Report

MEAN: dict[str, Any] = {"statistic": "mean", "arm": "alpha"}
FIGURE = "figures.json#/0/published"


def audited(
    *figures: Mapping[str, Any],
    recipe: Mapping[str, Any] | None = None,
    files: Files | None = None,
) -> Report:
    """A valid bundle in which these are the only figures, and one more recipe is declared."""
    content = dict(valid(size=DEEP) if files is None else files)

    def publish(document: list[Any]) -> None:
        document[:] = [
            {"id": f"x{place}", "published": "0.5", **figure}
            for place, figure in enumerate(figures)
        ]

    def declare(document: dict[str, Any]) -> None:
        recipes = document["protocol"]["intervals"]
        recipes["r"] = {**recipes["bca95"], **(recipe or {})}
        for name in [name for name, value in recipes["r"].items() if value is None]:
            del recipes["r"][name]

    content = with_json(content, "figures.json", publish)
    return audit(resealed(with_json(content, "bundle.json", declare)))


def findings(report: Report) -> list[tuple[str, str, str]]:
    """(check, location, message) of every finding; none may be a crash."""
    assert [outcome.check for outcome in report.outcomes if outcome.status == "ERROR"] == []
    return [
        (outcome.check, found.location, found.message)
        for outcome in report.outcomes
        for found in outcome.findings
    ]


def about_figures(report: Report) -> list[tuple[str, str, str]]:
    """The findings that lie in figures.json."""
    return [found for found in findings(report) if found[1].startswith("figures.json")]


def missing(reason: str, place: int = 0) -> tuple[str, str, str]:
    return (
        "figure-coverage",
        f"figures.json#/{place}/published",
        f"Not recomputable: {reason}. [not-recomputable]",
    )


def violation(report: Report) -> tuple[str, str, str, str]:
    """Place, expected, actual and message of the only violation."""
    assert [outcome.check for outcome in report.outcomes if outcome.status == "ERROR"] == []
    (found,) = (
        finding
        for outcome in report.outcomes
        if outcome.check == "record-schema"
        for finding in outcome.findings
    )
    assert found.severity == "failure"
    return found.location, found.expected, found.actual, found.message


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        pytest.param(
            {**MEAN, "column": "surprise"},
            "this version derives no column 'surprise' from rows, and arm alpha records no window "
            "score of that name (`verifier measures` lists the columns of rows)",
            id="an unknown column",
        ),
        pytest.param(
            {**MEAN, "statistic": "mode"},
            "this version knows no statistic 'mode' (`verifier measures` lists them)",
            id="an unknown statistic",
        ),
        pytest.param(
            {**MEAN, "windows": {"group": "domain", "value": "verse"}},
            "the measure selects no window",
            id="an empty selection",
        ),
        pytest.param(
            {**MEAN, "within": "none", "rows": {"where": [{"column": "history", "above": 2048}]}},
            "the measure selects no row",
            id="a bucket without rows",
        ),
        pytest.param(
            {**MEAN, "rows": {"where": [{"column": "history", "above": 2048}]}},
            "no row of window w01-legal is selected",
            id="a bucket without rows in a window",
        ),
        pytest.param(
            {**MEAN, "parameters": {"probability": 0.5}},
            "statistic mean takes no parameter 'probability' (it takes none)",
            id="a parameter of another statistic",
        ),
        pytest.param(
            {**MEAN, "statistic": "count", "parameters": {"above": 2, "below": 1}},
            "no number can lie within the bounds above 2 and below 1",
            id="bounds that exclude each other",
        ),
    ],
)
def test_a_measure_that_gives_nothing_is_a_finding(measure: dict[str, Any], reason: str) -> None:
    assert findings(audited({"measure": measure})) == [missing(reason)]


@pytest.mark.parametrize(
    ("figure", "place", "expected", "actual", "message"),
    [
        pytest.param(
            {"measure": {**MEAN, "arm": "gamma"}},
            "/0/measure/arm",
            "one of alpha, beta",
            "gamma",
            "Name an arm of bundle.json.",
            id="an unknown arm",
        ),
        pytest.param(
            {"measure": {**MEAN, "windows": {"ids": ["w01-legal", "w99"]}}},
            "/0/measure/windows/ids/1",
            "one of w01-legal, w02-legal, w03-code, w04-code",
            "w99",
            "Name a window of bundle.json.",
            id="an unknown window",
        ),
        pytest.param(
            {"measure": MEAN, "interval": {"recipe": "bca99", "end": "low"}},
            "/0/interval/recipe",
            "one of bca95, percentile95, r",
            "bca99",
            "Name an interval recipe of bundle.json.",
            id="an unknown recipe",
        ),
        pytest.param(
            {
                "measure": {
                    **MEAN,
                    "statistic": "quantile",
                    "parameters": {"probability": 1.01, "rule": "linear"},
                }
            },
            "/0/measure/parameters/probability",
            "maximum 1",
            "1.01",
            "The record breaks its schema; correct it where it was produced.",
            id="a quantile above 1",
        ),
        pytest.param(
            {
                "measure": {
                    **MEAN,
                    "statistic": "quantile",
                    "parameters": {"probability": -0.01, "rule": "linear"},
                }
            },
            "/0/measure/parameters/probability",
            "minimum 0",
            "-0.01",
            "The record breaks its schema; correct it where it was produced.",
            id="a quantile below 0",
        ),
    ],
)
def test_a_figure_that_names_what_does_not_exist_is_a_violation(
    figure: dict[str, Any], place: str, expected: str, actual: str, message: str
) -> None:
    found = violation(audited(figure))
    assert found == (f"figures.json#{place}", expected, actual, message)


OVER_WINDOWS = ["w01-legal", "w02-legal"]
REST = ["w03-code", "w04-code"]
SCHEMA = "The record breaks its schema; correct it where it was produced."


@pytest.mark.parametrize(
    ("recipe", "place", "expected", "actual", "message"),
    [
        pytest.param({"resamples": 0}, "/resamples", "minimum 1", "0", SCHEMA, id="0 resamples"),
        pytest.param(
            {"resamples": 10**9},
            "/resamples",
            "maximum 200000",
            "1000000000",
            SCHEMA,
            id="10^9 resamples",
        ),
        pytest.param(
            {"unit": "cluster", "clusters": [OVER_WINDOWS, [*REST, "w01-legal"]]},
            "/clusters/0/0",
            "each window in one cluster",
            "w01-legal 2 times",
            "Clusters must not overlap: a window is drawn with one cluster.",
            id="clusters that overlap",
        ),
        pytest.param(
            {"unit": "cluster", "clusters": [OVER_WINDOWS, REST[:1]]},
            "/clusters",
            "every window of the panel in a cluster",
            "1 left out, the first is w04-code",
            "A window that no cluster holds would never be drawn; give it one of its own.",
            id="clusters that miss a window",
        ),
        pytest.param(
            {"unit": "cluster", "clusters": [OVER_WINDOWS, [*REST, "w99"]]},
            "/clusters/1/2",
            "a window of the panel",
            "w99",
            "Name windows of bundle.json.",
            id="clusters of an unknown window",
        ),
        pytest.param(
            {"strata": "tongue"},
            "/strata",
            "one of domain",
            "tongue",
            "Name a group that the windows have.",
            id="unknown strata",
        ),
    ],
)
def test_a_recipe_that_cannot_be_is_a_violation(
    recipe: dict[str, Any], place: str, expected: str, actual: str, message: str
) -> None:
    report = audited({"measure": MEAN}, recipe=recipe)
    # A window that overlaps is named at each of its places.
    outcome = next(outcome for outcome in report.outcomes if outcome.check == "record-schema")
    found = outcome.findings[0]
    at = f"bundle.json#/protocol/intervals/r{place}"
    assert (found.location, found.expected, found.actual, found.message) == (
        at,
        expected,
        actual,
        message,
    )


def ends(measure: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"measure": measure, "interval": {"recipe": "r", "end": end}} for end in ("low", "high")
    ]


def test_an_interval_of_one_window_is_a_finding() -> None:
    one = {**MEAN, "windows": {"ids": ["w01-legal"]}}
    reason = (
        "BCa 95 %, 20000 resamples, RandomState(20260902) gives no interval: an interval needs at "
        "least 2 units, found 1"
    )
    assert findings(audited(*ends(one))) == [missing(reason), missing(reason, 1)]


def test_an_interval_of_a_median_is_a_finding() -> None:
    reason = "intervals are drawn of functions of means, not of the median"
    assert findings(audited(*ends({**MEAN, "statistic": "median"}))) == [
        missing(reason),
        missing(reason, 1),
    ]


def npz(**arrays: Any) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def rewritten(content: Files, path: str, **arrays: Any) -> Files:
    """The files with other arrays in one score file; its hashes are left as they were."""
    with np.load(io.BytesIO(content[path])) as held:
        return {**content, path: npz(**{**held, **arrays})}


@pytest.mark.parametrize(
    ("value", "within"), [(np.nan, "mean"), (np.inf, "none"), (-np.inf, "median")]
)
def test_rows_that_are_not_finite_are_counted_and_located(value: float, within: str) -> None:
    kld = np.array([9.0, 1.0, 2.0, value, 4.0, value, 6.0, 7.0])
    files = rewritten(valid(size=DEEP), "arms/alpha/scores/w03-code.npz", kld=kld)
    report = audited({"measure": {**MEAN, "within": within}}, files=files)
    assert about_figures(report) == [
        missing(
            "2 of 7 selected rows of kld of alpha in window w03-code are not finite, the first is "
            "row 3"
        )
    ]


def test_a_row_that_does_not_count_may_be_anything() -> None:
    kld = np.array([np.nan, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    files = rewritten(valid(size=DEEP), "arms/alpha/scores/w03-code.npz", kld=kld)
    measure = {**MEAN, "windows": {"ids": ["w03-code"]}}
    report = audited({"measure": measure, "published": 4}, files=files)
    assert about_figures(report) == []


def test_bca_over_many_rows_is_refused_and_names_the_alternative() -> None:
    files = valid(size=DEEP)
    rows = 6000
    for window in (*OVER_WINDOWS, *REST):
        files[f"arms/alpha/scores/{window}.npz"] = npz(kld=np.linspace(0.0, 1.0, rows))

    def lengthen(document: dict[str, Any]) -> None:
        for window in document["windows"]:
            window |= {"predicted_rows": rows, "scored_rows": rows - 1}

    files = with_json(files, "arms/alpha/windows.json", lengthen)
    pooled = {**MEAN, "within": "none"}
    by_window = {"published": 9, "interval": {"recipe": "bca95", "end": "low"}, "measure": pooled}
    report = audited(*ends(pooled), by_window, recipe={"unit": "row"}, files=files)
    reason = (
        "BCa 95 %, 20000 resamples, RandomState(20260902), resampling rows gives no interval: "
        "BCa over 23996 units is refused: its jackknife takes n * n steps, so at most 20000 "
        "units; resample windows or clusters of windows, not rows"
    )
    # A refused interval takes nothing from those after it: the last one is drawn, and differs.
    low = ("published-intervals", "figures.json#/2/published")
    *refused, (check, place, _) = sorted(about_figures(report))
    assert refused == [missing(reason), missing(reason, 1)]
    assert (check, place) == low
