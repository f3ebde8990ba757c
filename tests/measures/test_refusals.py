"""Measures that make no sense, or that nothing retained can give, say so and never guess."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.measuring import BCA95, Study, plain, study
from verifier.model.basis import Level
from verifier.model.measure import Condition, Measure, Ranked, RowSelection, Trim
from verifier.model.plugin import Missing, Value
from verifier.model.recipe import Clusters, Interval, Recipe

TWO = plain({"x": [[9, 1, 2, 3], [9, 3, 4, 5]], "y": [[9, 2, 2, 2], [9, 2, 2, 2]]})
"""Two arms of two windows of four rows, of which the first does not count."""

PAIR = {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"}


def refused(measure: Measure, looked_at: Study = TWO) -> str:
    found = looked_at.evaluator().value(measure)
    assert isinstance(found, Missing)
    return found.reason


def with_window(looked_at: Study, arm: str, window: str, rows: list[float]) -> Study:
    """The study with other rows in one window of one arm."""
    arrays = {name: dict(windows) for name, windows in looked_at.arrays.items()}
    arrays[arm][window] = {"kld": np.array(rows, dtype=np.float64)}
    return replace(looked_at, arrays=arrays)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        pytest.param(
            {"statistic": "mean", "column": "surprise", "arm": "x"},
            "this version derives no column 'surprise' from rows, and arm x records no window "
            "score of that name (`verifier measures` lists the columns of rows)",
            id="an unknown column",
        ),
        pytest.param(
            {"statistic": "mean", "column": "surprise", "arm": "x", "within": "none"},
            "this version derives no column 'surprise' from rows (`verifier measures` lists them)",
            id="an unknown column of rows",
        ),
        pytest.param(
            {"statistic": "mode", "arm": "x"},
            "this version knows no statistic 'mode' (`verifier measures` lists them)",
            id="an unknown statistic",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "within": "mode"},
            "this version knows no statistic 'mode' (`verifier measures` lists them)",
            id="an unknown statistic within",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "within": "quantile"},
            "statistic quantile needs the parameter 'probability': fraction of the units at or "
            "below, 0.99 for p99",
            id="a statistic within that needs parameters",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "within": "ratio-of-means"},
            "'ratio-of-means' does not make one value of the rows of a window",
            id="a statistic within that needs two arms",
        ),
        pytest.param(
            {"statistic": "mean", "arms": ["x", "y"], "over": "mode"},
            "this version knows no statistic 'mode' (`verifier measures` lists them)",
            id="an unknown statistic over runs",
        ),
        pytest.param(
            {"statistic": "mean", "arms": ["x", "y"], "over": "standard-deviation"},
            "statistic standard-deviation needs the parameter 'ddof': 1 for a sample (divide by "
            "n - 1), 0 for a population (divide by n)",
            id="a statistic over runs that needs a parameter",
        ),
        pytest.param(
            {"statistic": "mean", "arms": ["x", "y"], "over": "ratio-of-means"},
            "a number over several runs takes one arm at a time, without a pair",
            id="a statistic over runs that needs two arms",
        ),
        pytest.param(
            {**PAIR, "over": "maximum"},
            "a number over several runs takes one arm at a time, without a pair",
            id="a pair over runs",
        ),
        pytest.param(
            {"statistic": "mean", "over": "maximum"},
            "the measure names no arm",
            id="no arm over runs",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "parameters": {"probability": 0.5}},
            "statistic mean takes no parameter 'probability' (it takes none)",
            id="a parameter that the statistic does not take",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "windows": {"group": "domain", "value": "verse"}},
            "the measure selects no window",
            id="a group without windows",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "windows": {"except": ["w0", "w1"]}},
            "the measure selects no window",
            id="every window left out",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "within": "none", "rows": {"from": 4}},
            "the measure selects no row",
            id="no row pooled",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "rows": {"where": [{"column": "kld", "above": 3}]}},
            "no row of window w0 is selected",
            id="a window without rows",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "rows": {"part": {"index": 3, "of": 2}}},
            "part 3 of 2 does not exist",
            id="a third half",
        ),
        pytest.param(
            {
                **PAIR,
                "by": "row",
                "pair": "ratio",
                "arms": ["x", "x"],
                "column": "row",
                "rows": {"mask": "all"},
            },
            "1 of 4 selected rows of ratio of row of x and x in window w0 are not finite, the "
            "first is row 0",
            id="a ratio over a row that is 0",
        ),
        pytest.param(
            {"statistic": "mean", "arms": ["x", "y", "x"]},
            "an arm that is named twice would count twice",
            id="an arm follows itself",
        ),
        pytest.param(
            {"statistic": "ratio-of-means", "arms": ["x", "y", "x"]},
            "statistic ratio-of-means takes 2 arms without a pair, found 3",
            id="three arms for two operands",
        ),
        pytest.param(
            {"statistic": "mean", "column": "same_top1", "arm": "x"},
            "'same_top1' compares two arms, not 1",
            id="one arm for a column that compares two",
        ),
        pytest.param(
            {**PAIR, "column": "same_top1"},
            "column 'same_top1' compares two arms itself and takes no pair",
            id="a pair of a column that compares two",
        ),
        pytest.param(
            {"statistic": "mean", "column": "same_top1", "arms": ["x", ["x", "y"]]},
            "column 'same_top1' compares single runs, not their mean",
            id="a mean of runs for a column that compares two",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "rows": {"where": [{"column": "kld", "arms": ["x", "y"], "above": 1}]},
            },
            "'kld' of 2 arms at once needs a pair",
            id="a condition on two arms without a pair",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "rows": {"ranked": {"column": "kld", "arms": ["x", "y", "x"], "rank": 1}},
            },
            "'kld' of 3 arms at once needs a pair",
            id="a rank by three arms",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "rows": {
                    "where": [
                        {"column": "same_top1", "arms": ["x", "y"], "pair": "lower", "equals": 1}
                    ]
                },
            },
            "column 'same_top1' compares two arms itself and takes no pair",
            id="a paired condition on a column that compares two",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "within": "none",
                "rows": {"ranked": {"column": "kld", "rank": 7}},
            },
            "rank 7 of 6 rows does not exist",
            id="a rank beyond the rows",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "within": "none",
                "rows": {"from": 4, "trim": {"probability": 0.5, "rule": "linear"}},
            },
            "no row is left to trim",
            id="nothing to trim",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arms": ["x", "y"],
                "within": "none",
                "rows": {"ranked": {"column": "kld", "rank": 1}},
            },
            "rows of several arms are trimmed or ranked together only under a pair",
            id="a rank over arms that follow one another",
        ),
        pytest.param(
            {"statistic": "sum", "column": "scored_rows", "arm": "x", "rows": {"from": 1}},
            "'scored_rows' is one recorded number of each window of an arm, so nothing can be "
            "selected, reduced or averaged; the column 'one' counts rows",
            id="rows selected of a recorded number",
        ),
        pytest.param(
            {"statistic": "sum", "column": "scored_rows", "arms": [["x", "y"]]},
            "'scored_rows' is one recorded number of each window of an arm, so nothing can be "
            "selected, reduced or averaged; the column 'one' counts rows",
            id="a mean of recorded numbers of runs",
        ),
        pytest.param(
            {**PAIR, "column": "scored_rows", "by": "row"},
            "'scored_rows' is one recorded number of each window of an arm, so nothing can be "
            "selected, reduced or averaged; the column 'one' counts rows",
            id="a recorded number paired row by row",
        ),
        pytest.param(
            {"statistic": "size", "rows": {"mask": "all"}},
            "without an arm, windows of the panel are counted and nothing else is chosen",
            id="rows of no arm",
        ),
        pytest.param(
            {"statistic": "size", "within": "none"},
            "without an arm, windows of the panel are counted and nothing else is chosen",
            id="pooled rows of no arm",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "weights": "equal-group"},
            "weights equal-group and a stratum go together",
            id="groups that nobody named",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "weights": "equal-group", "stratum": "tongue"},
            "window w0 belongs to no tongue",
            id="a stratum that the windows do not have",
        ),
        pytest.param(
            {"statistic": "median", "arm": "x", "weights": "pooled-rows"},
            "windows that weigh as their rows have no median",
            id="a weighted median",
        ),
        pytest.param(
            {
                "statistic": "mean",
                "arm": "x",
                "relative_to": {"statistic": "mean", "arms": ["y", "y"], "pair": "difference"},
            },
            "what the figure is relative to is 0",
            id="relative to nothing",
        ),
        pytest.param(
            {"statistic": "mean", "arm": "x", "relative_to": {"statistic": "mode", "arm": "y"}},
            "what the figure is relative to: this version knows no statistic 'mode' "
            "(`verifier measures` lists them)",
            id="relative to something unknown",
        ),
        pytest.param(
            {"statistic": "mean", "column": "copied", "arm": "x"},
            "arms/x/scores/w0.npz holds no usable history and realized_token",
            id="copies without the arrays",
        ),
        pytest.param(
            {"statistic": "mean", "column": "kl_topk", "arm": "x", "within": "none"},
            "arms/x/scores/w0.npz holds no usable teacher_topk_ids and teacher_topk_logp and "
            "student_topk_ids and student_topk_logp",
            id="top-k lists that are not retained",
        ),
    ],
)
def test_a_measure_is_refused_with_its_reason(measure: dict[str, Any], expected: str) -> None:
    assert TWO.reason(measure) == expected


@pytest.mark.parametrize(
    ("pair", "value", "expected"),
    [
        ("ratio", 0.0, "the ratio of kld has no finite value in 1 of 2 windows, the first is w1"),
        (
            "log-ratio",
            -1.0,
            "the log-ratio of kld has no finite value in 1 of 2 windows, the first is w1",
        ),
    ],
)
def test_a_ratio_without_a_value_names_the_window(pair: str, value: float, expected: str) -> None:
    odd = with_window(TWO, "y", "w1", [9, value, value, value])
    assert odd.reason({**PAIR, "pair": pair}) == expected
    # Both below zero have a ratio, and still no log ratio.
    both = with_window(odd, "x", "w1", [9, -2, -2, -2])
    if pair == "log-ratio":
        assert both.reason({**PAIR, "pair": pair}) == expected


def test_a_condition_on_an_arm_that_lacks_the_window_is_no_crash() -> None:
    arrays = {**TWO.arrays, "z": {"w0": TWO.arrays["x"]["w0"]}}
    condition = {"column": "kld", "arms": ["z"], "above": 0}
    measure = {"statistic": "mean", "arm": "x", "rows": {"where": [condition]}}
    assert replace(TWO, arrays=arrays).reason(measure) == "arm z holds no window 'w1'"


@pytest.mark.parametrize(
    "rows",
    [
        {"where": [{"column": "kld", "arms": ["y"], "above": 0}]},
        {"ranked": {"column": "kld", "arms": ["y"], "rank": 1}},
    ],
)
def test_a_condition_on_an_arm_with_other_rows_is_refused(rows: dict[str, Any]) -> None:
    longer = with_window(TWO, "y", "w1", [9, 1, 1, 1, 1])
    measure = {"statistic": "mean", "arm": "x", "within": "none", "rows": rows}
    assert longer.reason(measure) == "the arms count different rows of window w1"


def test_rows_of_arms_with_other_rows_are_not_paired() -> None:
    longer = with_window(TWO, "y", "w1", [9, 1, 1, 1, 1])
    assert longer.reason({**PAIR, "by": "row"}) == "the arms count different rows of window w1"
    runs = {"statistic": "mean", "arms": [["x", "y"]], "within": "none"}
    assert longer.reason(runs) == "the arms count different rows of window w1"


def test_arms_that_hold_other_windows_are_not_paired() -> None:
    arrays = {**TWO.arrays, "y": {"w0": TWO.arrays["y"]["w0"]}}
    shorter = replace(TWO, arrays=arrays)
    assert shorter.reason(PAIR) == "arms x and y hold different windows"
    named = {**PAIR, "windows": {"ids": ["w1"]}}
    assert shorter.reason(named) == "arm y holds no window 'w1'"


def test_a_row_without_a_value_is_located_and_never_dropped_by_a_condition() -> None:
    odd = with_window(TWO, "x", "w1", [math.nan, 3, math.nan, math.nan])
    where = {"where": [{"column": "kld", "above": 0}]}
    measure = {"statistic": "size", "column": "one", "arm": "x", "within": "none", "rows": where}
    assert odd.reason(measure) == (
        "2 of 3 rows of kld of x in window w1 are no number, so no condition on them has an "
        "answer; the first is row 2"
    )
    guarded = {"where": [{"column": "row", "at_most": 1}, {"column": "kld", "above": 0}]}
    assert odd.number({**measure, "rows": guarded}) == 2


@pytest.mark.parametrize(
    "rows",
    [
        {"ranked": {"column": "kld", "rank": 1}},
        {"trim": {"probability": 0.5, "rule": "linear"}},
    ],
)
def test_rows_that_are_compared_have_to_be_finite(rows: dict[str, Any]) -> None:
    odd = with_window(TWO, "x", "w1", [9, 3, math.inf, 4])
    measure = {"statistic": "mean", "arm": "x", "within": "none", "rows": rows}
    assert odd.reason(measure) == (
        "1 of 3 selected rows of kld of x in window w1 are not finite, the first is row 2"
    )


def test_an_infinite_row_can_be_left_out_by_a_condition() -> None:
    odd = with_window(TWO, "x", "w1", [9, 3, math.inf, 4])
    where = {"where": [{"column": "kld", "below": 100}]}
    measure = {"statistic": "mean", "arm": "x", "within": "none", "rows": where}
    assert odd.number(measure) == (1 + 2 + 3 + 3 + 4) / 5


def test_pooled_weights_of_a_pair_need_the_same_numbers_of_rows() -> None:
    longer = with_window(TWO, "y", "w1", [9, 1, 1, 1, 1])
    assert longer.reason({**PAIR, "weights": "pooled-rows"}) == (
        "pooled windows of a pair need the same number of rows in both arms"
    )


def test_sums_that_exceed_fp64_are_located() -> None:
    large = with_window(TWO, "x", "w1", [0, 1.7e308, 0, 0])
    recorded = replace(
        large, retained=False, values={"x": {"w0": {"kld": 1.0}, "w1": {"kld": 1.7e308}}}
    )
    measure = {"statistic": "mean", "arm": "x", "weights": "pooled-rows"}
    assert recorded.reason(measure) == "the sum over the rows of window w1 exceeds FP64"


def test_a_mean_of_runs_that_exceeds_fp64_is_located() -> None:
    large = with_window(TWO, "x", "w1", [0, 1.7e308, 0, 0])
    measure = {"statistic": "mean", "arms": [["x", "x"]], "within": "none"}
    assert large.reason(measure) == (
        "1 of 3 selected rows of kld of mean of x and x in window w1 are not finite, the first "
        "is row 1"
    )


# Arms that follow one another.


def test_arms_that_follow_one_another_keep_their_weights() -> None:
    uneven = with_window(TWO, "y", "w1", [9, 5])
    measure = {"statistic": "mean", "arms": ["x", "y"], "weights": "pooled-rows"}
    assert uneven.number(measure) == pytest.approx((6 + 12 + 6 + 5) / 10)


def test_arms_that_follow_one_another_keep_their_groups() -> None:
    three = plain({"x": [[0, 1], [0, 2], [0, 6]], "y": [[0, 3], [0, 5], [0, 8]]})
    measure = {
        "statistic": "mean",
        "arms": ["x", "y"],
        "weights": "equal-group",
        "stratum": "domain",
    }
    assert three.number(measure) == ((1 + 6 + 3 + 8) / 4 + (2 + 5) / 2) / 2


def test_clusters_are_not_drawn_of_arms_that_follow_one_another() -> None:
    clusters = replace(BCA95, unit="cluster", clusters=Clusters(lists=(("w0",), ("w1",))))
    query = {
        "measure": {"statistic": "mean", "arms": ["x", "y"]},
        "interval": {"recipe": "clusters"},
    }
    assert replace(TWO, recipes={"clusters": clusters}).reason(query) == (
        "an interval over arms that are taken one after the other would draw each window as "
        "several; pair the arms, or take the mean of runs"
    )


@pytest.mark.parametrize("recipe", [BCA95, replace(BCA95, method="student-t")])
def test_one_measurement_named_as_two_arms_makes_no_interval_narrower(recipe: Recipe) -> None:
    query = {"measure": {"statistic": "mean", "arms": ["x", "y"]}, "interval": {"recipe": "r"}}
    assert replace(TWO, recipes={"r": recipe}).reason(query) == (
        "an interval over arms that are taken one after the other would draw each window as "
        "several; pair the arms, or take the mean of runs"
    )


def test_a_run_that_is_named_twice_is_no_second_run() -> None:
    measure = {"statistic": "mean", "arms": ["x", "x"], "over": "range"}
    assert TWO.reason(measure) == "an arm that is named twice would count twice"


def test_rows_of_several_runs_are_not_trimmed_one_run_at_a_time() -> None:
    trim = {"trim": {"probability": 0.5, "rule": "linear"}}
    measure = {"statistic": "mean", "arms": ["x", "y"], "over": "range", "rows": trim}
    assert TWO.reason(measure) == (
        "rows of several runs are trimmed or ranked together only under a pair"
    )


def test_a_column_that_is_never_recorded_is_not_taken_from_window_scores() -> None:
    scores = replace(TWO, retained=False)
    assert scores.reason({"statistic": "common", "column": "one", "arm": "x"}) == (
        "column 'one' is never recorded, and arm x retains no rows"
    )


# What intervals are refused for.


@pytest.mark.parametrize(
    ("recipe", "measure", "expected"),
    [
        pytest.param(
            BCA95,
            {"statistic": "median", "arm": "x"},
            "intervals are drawn of functions of means, not of the median",
            id="a median",
        ),
        pytest.param(
            BCA95,
            {"statistic": "mean", "arms": ["x", "y"], "over": "maximum"},
            "no interval is drawn of a number over several runs",
            id="a number over runs",
        ),
        pytest.param(
            BCA95,
            {"statistic": "size"},
            "no interval is drawn of the number of windows",
            id="the panel",
        ),
        pytest.param(
            replace(BCA95, unit="row"),
            {"statistic": "mean", "arm": "x"},
            "the recipe draws single rows, and the measure reduces windows",
            id="rows of windows",
        ),
        pytest.param(
            replace(BCA95, strata="domain"),
            {"statistic": "mean", "arm": "x"},
            "the measure weighs groups of nothing alike, the recipe draws strata of domain",
            id="strata that the measure does not weigh",
        ),
        pytest.param(
            BCA95,
            {"statistic": "mean", "arm": "x", "weights": "equal-group", "stratum": "domain"},
            "the measure weighs groups of domain alike, the recipe draws strata of nothing",
            id="groups that the recipe does not draw",
        ),
        pytest.param(
            replace(BCA95, unit="cluster", clusters=Clusters(lists=(("w0",),))),
            {"statistic": "mean", "arm": "x"},
            "the clusters cannot be formed: clusters miss windows: 'w1'",
            id="clusters that miss a window",
        ),
        pytest.param(
            replace(BCA95, unit="cluster", clusters=Clusters(lists=(("w0", "w1"), ("w1",)))),
            {"statistic": "mean", "arm": "x"},
            "the clusters cannot be formed: clusters name windows more than once: 'w1'",
            id="clusters that overlap",
        ),
        pytest.param(
            replace(BCA95, unit="cluster", clusters=Clusters()),
            {"statistic": "mean", "arm": "x"},
            "the tokens of window w0 are not retained (inputs/w0.tokens.npy)",
            id="computed clusters without tokens",
        ),
        pytest.param(
            replace(
                BCA95,
                method="percentile",
                unit="cluster",
                strata="domain",
                clusters=Clusters(lists=(("w0", "w1"),)),
            ),
            {"statistic": "mean", "arm": "x", "weights": "equal-group", "stratum": "domain"},
            "the cluster of window w0 lies in two strata",
            id="a cluster across strata",
        ),
        pytest.param(
            BCA95,
            {"statistic": "mean", "arm": "x", "windows": {"ids": ["w1"]}},
            "BCa 95 %, 400 resamples, RandomState(20260902) gives no interval: an interval needs "
            "at least 2 units, found 1",
            id="one window",
        ),
        pytest.param(
            replace(BCA95, resamples=1),
            {"statistic": "mean", "arm": "x"},
            "BCa 95 %, 1 resamples, RandomState(20260902) gives no interval: expected 2 to "
            "2000000 resamples, found 1",
            id="one resample",
        ),
    ],
)
def test_an_interval_is_refused_with_its_reason(
    recipe: Recipe, measure: dict[str, Any], expected: str
) -> None:
    query = {"measure": measure, "interval": {"recipe": "r"}}
    assert replace(TWO, recipes={"r": recipe}).reason(query) == expected


def test_clusters_whose_tokens_are_no_tokens_are_refused() -> None:
    nothing: Any = None
    broken = replace(
        TWO,
        tokens=dict.fromkeys(TWO.domains, nothing),
        recipes={"r": replace(BCA95, unit="cluster", clusters=Clusters())},
    )
    query = {"measure": {"statistic": "mean", "arm": "x"}, "interval": {"recipe": "r"}}
    assert broken.reason(query) == "inputs/w0.tokens.npy holds no usable tokens"


# How deep the evidence goes.


@pytest.mark.parametrize(
    ("measure", "level"),
    [
        (Measure(statistic="mean", arms=("a",)), Level.ROW_SCORES),
        (Measure(statistic="mean", arms=("a",), column="kl_topk"), Level.ROW_DISTRIBUTIONS),
        (
            Measure(statistic="mean", arms=("a", "b"), column="js_topk_between"),
            Level.ROW_DISTRIBUTIONS,
        ),
        (Measure(statistic="sum", arms=("a",), column="scored_rows"), Level.WINDOW_SCORES),
        (
            Measure(statistic="sum", arms=("a",), column="one", within="none"),
            Level.WINDOW_SCORES,
        ),
        (
            Measure(
                statistic="mean",
                arms=("a",),
                column="kl_topk",
                relative_to=Measure(statistic="mean", arms=("a",)),
            ),
            Level.ROW_SCORES,
        ),
    ],
)
def test_the_evidence_is_the_shallowest_that_was_used(measure: Measure, level: Level) -> None:
    found = study().evaluator().value(measure)
    assert isinstance(found, Value)
    assert found.level is level


def test_a_claimed_row_is_no_evidence_of_rows() -> None:
    bare = replace(TWO, retained=False, values={"x": {w: {"kld": 1.0} for w in TWO.domains}})
    counted = Measure(statistic="sum", arms=("x",), column="one", within="none")
    assert bare.evaluator().value(counted) == Value(number=6.0, level=Level.WINDOW_SCORES, n=6)
    rows = Measure(statistic="mean", arms=("x",), within="none")
    assert refused(rows, bare) == "arms/x/windows.json#/windows/0: no row arrays are retained"


@pytest.mark.parametrize(
    "rows",
    [
        RowSelection(where=(Condition(column="kld", at_least=3.0),)),
        RowSelection(trim=Trim(probability=0.5, rule="linear")),
        RowSelection(ranked=Ranked(column="kld", rank=1)),
        RowSelection(first=2, last=2),
        RowSelection(part=(2, 3)),
    ],
)
def test_selections_are_told_apart_by_what_is_kept(rows: RowSelection) -> None:
    """What was computed for one selection must never answer for another."""
    evaluator = TWO.evaluator()
    plain_rows = Measure(statistic="sum", arms=("x",), within="none")
    selected = replace(plain_rows, rows=rows)
    fresh = TWO.evaluator().value(selected)
    assert evaluator.value(plain_rows) == Value(number=18.0, level=Level.ROW_SCORES, n=6)
    assert evaluator.value(selected) == fresh
    assert isinstance(fresh, Value)
    assert fresh.n < 6


def test_a_column_that_cannot_be_derived_names_file_column_and_row() -> None:
    arrays = {
        "history": np.array([0, 1, 2, 99]),
        "realized_token": np.array([5, 6, 7, 8]),
    }
    short = Study(
        arrays={"x": {"w0": arrays}},
        domains={"w0": "code"},
        tokens={"w0": np.array([5, 6, 7, 8])},
    )
    measure = {"statistic": "mean", "column": "copied", "arm": "x"}
    assert short.reason(measure) == (
        "arms/x/scores/w0.npz: copied: history, row 3: expected a place in the stream of 4 "
        "tokens, found 99"
    )


def test_an_array_of_another_length_is_refused() -> None:
    held = {"kld": np.zeros(4), "student_top1": np.zeros(4, int), "teacher_top1": np.zeros(3, int)}
    short = Study(arrays={"x": {"w0": held}}, domains={"w0": "code"})
    measure = {"statistic": "mean", "column": "top1_agreement", "arm": "x"}
    assert short.reason(measure) == (
        "arms/x/scores/w0.npz does not hold one value per predicted row"
    )


def test_ids_within_a_group_are_those_of_both() -> None:
    windows = {"ids": ["w1", "w0"], "group": "domain", "value": "law"}
    assert TWO.number({"statistic": "mean", "arm": "x", "windows": windows}) == 4
    size = {"statistic": "size", "windows": windows}
    assert TWO.number(size) == 1
    first = {"statistic": "mean", "arm": "x", "windows": {"ids": ["w1", "w0"], "first": 1}}
    assert TWO.number(first) == 2


def test_selected_rows_weigh_as_many_as_there_are() -> None:
    measure = {
        "statistic": "mean",
        "arm": "x",
        "weights": "pooled-rows",
        "rows": {"where": [{"column": "kld", "above": 1}]},
    }
    assert TWO.number(measure) == pytest.approx((2 + 3 + 3 + 4 + 5) / 5)


def test_windows_recorded_without_their_rows_weigh_as_they_say() -> None:
    bare = replace(TWO, retained=False, values={"x": {"w0": {"kld": 1.0}, "w1": {"kld": 2.0}}})
    longer = with_window(bare, "x", "w1", [0.0] * 10)
    measure = {"statistic": "mean", "arm": "x", "weights": "pooled-rows"}
    assert longer.number(measure) == pytest.approx((3 * 1 + 9 * 2) / 12)


def test_a_mean_of_runs_is_taken_window_by_window() -> None:
    assert TWO.number({"statistic": "maximum", "arms": [["x", "y"]]}) == 3
    recorded = replace(
        TWO, retained=False, values={"x": {w: {"kld": 1.0} for w in TWO.domains}, "y": {}}
    )
    assert recorded.reason({"statistic": "mean", "arms": [["x", "y"]]}) == (
        "arm y retains neither rows nor a window score 'kld'"
    )


def test_an_option_of_a_column_has_no_recorded_score() -> None:
    recorded = replace(
        TWO, retained=False, values={"x": {w: {"kl_topk": 1.0} for w in TWO.domains}}
    )
    measure = {"statistic": "mean", "column": "kl_topk", "arm": "x"}
    assert recorded.number(measure) == 1
    assert recorded.reason({**measure, "top_k": 5}) == (
        "arm x retains no rows to derive 'kl_topk' from with these options"
    )
    odd = replace(TWO, values={"x": {w: {"surprise": 1.0} for w in TWO.domains}})
    unknown = {"statistic": "mean", "column": "surprise", "arm": "x"}
    assert odd.number(unknown) == 1
    assert odd.reason({**unknown, "top_k": 5}) == (
        "this version derives no column 'surprise' from rows, and a window score takes no options"
    )


def test_an_arm_of_the_reference_is_another_arm_of_the_same_name() -> None:
    other = plain({"x": [[0, 5, 5, 5], [0, 7, 7, 7]]})
    cross = {"statistic": "mean", "arms": ["x", "reference:x"], "pair": "difference", "by": "row"}
    assert TWO.number(cross, other) == 3 - 6
    where = {"where": [{"column": "kld", "arms": ["reference:x"], "above": 6}]}
    conditional = {"statistic": "mean", "arm": "x", "within": "none", "rows": where}
    assert TWO.number(conditional, other) == 4
    assert TWO.reason(cross) == "needs the reference bundle; name it with --reference PATH"


def test_a_degenerate_interval_has_no_error_on_any_scale() -> None:
    constant = plain({"x": [[0, 1000, 1000], [0, 1000, 1000]]})
    measure = Measure(statistic="mean", arms=("x",), scale="exp")
    assert constant.evaluator().interval(measure, BCA95) == Interval(
        low=math.inf, high=math.inf, standard_error=0.0, degenerate=True, units=2
    )


def test_strata_that_are_too_many_to_draw_apart_are_refused() -> None:
    many = plain({"x": [[0, 1]] * 257})
    strata = {window: f"s{place}" for place, window in enumerate(many.domains)}
    recipe = replace(BCA95, method="percentile", strata="domain")
    measure = {"statistic": "mean", "arm": "x", "weights": "equal-group", "stratum": "domain"}
    apart = replace(many, domains=strata, recipes={"r": recipe})
    query = {"measure": measure, "interval": {"recipe": "r"}}
    assert apart.reason(query) == "257 strata are too many to draw apart, over 256"
    assert apart.number(measure) == 1


def test_a_stratum_without_rows_is_refused() -> None:
    measure = {
        "statistic": "mean",
        "arm": "x",
        "within": "none",
        "weights": "equal-group",
        "stratum": "domain",
        "rows": {"where": [{"column": "kld", "above": 3}]},
    }
    assert TWO.reason(measure) == "no row of domain 'code' is selected"


def test_a_condition_that_compares_two_arms_needs_two() -> None:
    where = {"where": [{"column": "same_top1", "equals": 1}]}
    measure = {"statistic": "mean", "arm": "x", "rows": where}
    assert TWO.reason(measure) == "'same_top1' compares two arms, not 1"


def test_a_recorded_score_counts_where_the_rows_never_held_its_column() -> None:
    scores = {window: {"nll": 2.0, "kld": 9.0} for window in TWO.domains}
    both = replace(TWO, values={"x": scores}).evaluator()
    nll = Measure(statistic="mean", column="nll", arms=("x",))
    assert both.value(nll) == Value(number=2.0, level=Level.WINDOW_SCORES, n=2)
    # Rows that hold the column are never passed over.
    kld = Measure(statistic="mean", arms=("x",))
    assert both.value(kld) == Value(number=3.0, level=Level.ROW_SCORES, n=2)
    broken = with_window(TWO, "x", "w1", [9, 3, math.nan, 4])
    assert refused(kld, replace(broken, values={"x": scores})) == (
        "1 of 3 selected rows of kld of x in window w1 are not finite, the first is row 2"
    )


def test_more_windows_than_there_are_are_not_called_the_first_so_many() -> None:
    measure = {"statistic": "mean", "arm": "x", "windows": {"first": 3}}
    assert TWO.reason(measure) == "arm x holds 2 windows, not 3"
    assert TWO.number({**measure, "windows": {"first": 2}}) == 3.0


@pytest.mark.parametrize(
    ("option", "column"), [("top_k", "kld"), ("ngram", "kld"), ("distance", "kl_topk")]
)
def test_an_option_that_a_column_does_not_heed_is_not_claimed(option: str, column: str) -> None:
    measure = {"statistic": "mean", "column": column, "arm": "fp8", option: 3}
    assert study().reason(measure) == f"column {column!r} takes no {option}"
    held = {"column": column, "above": 0, option: 3}
    condition = {"statistic": "mean", "arm": "fp8", "rows": {"where": [held]}}
    assert study().reason(condition) == f"column {column!r} takes no {option}"
