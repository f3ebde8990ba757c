"""Which numbers are compared exactly, because they are numbers of things."""

from dataclasses import replace
from typing import Any

import pytest

from verifier import catalog
from verifier.exactness import COUNTING, WHOLE_OF_WHOLE, counts_things
from verifier.model.measure import Measure

ROWS = Measure(statistic="sum", column="scored_rows", arms=("a",))
COUNT = Measure(statistic="count", arms=("a", "b"), pair="lower")
MOST_ROWS_ABOVE = Measure(
    statistic="maximum",
    column="nll",
    arms=("a", "b"),
    pair="absolute-difference",
    by="row",
    within="count",
    within_parameters=(("above", 1.0),),
)
HISTORY = Measure(statistic="maximum", column="history", arms=("a",), within="none")


def test_the_statistics_that_count_are_those_that_say_so() -> None:
    known = catalog.statistics()
    assert {name for name, found in known.items() if found.exact} == COUNTING
    assert known.keys() >= WHOLE_OF_WHOLE
    assert not WHOLE_OF_WHOLE & COUNTING


@pytest.mark.parametrize("statistic", sorted(WHOLE_OF_WHOLE | COUNTING))
def test_reductions_of_whole_units_are_whole(statistic: str) -> None:
    for measure in (ROWS, HISTORY, MOST_ROWS_ABOVE):
        assert counts_things(replace(measure, statistic=statistic))


@pytest.mark.parametrize(
    "statistic", sorted(catalog.statistics().keys() - WHOLE_OF_WHOLE - COUNTING)
)
def test_any_other_statistic_gives_a_quantity(statistic: str) -> None:
    for measure in (ROWS, HISTORY, MOST_ROWS_ABOVE):
        assert not counts_things(replace(measure, statistic=statistic))


@pytest.mark.parametrize("statistic", sorted(COUNTING))
@pytest.mark.parametrize(
    "changes",
    [{}, {"pair": None}, {"arms": (("a", "b"),), "pair": None}, {"arms": ()}, {"within": "none"}],
)
def test_units_are_counted_whatever_they_are(statistic: str, changes: dict[str, Any]) -> None:
    assert counts_things(replace(COUNT, statistic=statistic, **changes))


@pytest.mark.parametrize("column", ["scored_rows", "predicted_rows", "raw_bytes"])
def test_what_is_recorded_of_windows_is_whole(column: str) -> None:
    assert counts_things(replace(ROWS, column=column))


@pytest.mark.parametrize("column", ["row", "window", "history", "one"])
@pytest.mark.parametrize("within", ["none", *sorted(WHOLE_OF_WHOLE)])
def test_columns_of_whole_numbers_stay_whole_unless_they_are_averaged(
    column: str, within: str
) -> None:
    assert counts_things(replace(HISTORY, column=column, within=within))
    assert not counts_things(replace(HISTORY, column=column, within="mean"))
    assert not counts_things(replace(HISTORY, column="kld", within=within))


@pytest.mark.parametrize("measure", [ROWS, COUNT, MOST_ROWS_ABOVE, HISTORY])
@pytest.mark.parametrize(
    "changes",
    [
        {"scale": "percent"},
        {"relative_to": ROWS},
        {"weights": "equal-group", "stratum": "domain"},
        {"weights": "pooled-rows"},
        {"over": "mean"},
        {"over": "standard-deviation"},
    ],
)
def test_what_is_scaled_divided_weighed_or_averaged_is_a_quantity(
    measure: Measure, changes: dict[str, Any]
) -> None:
    assert counts_things(measure)
    assert not counts_things(replace(measure, **changes))


@pytest.mark.parametrize("over", sorted(WHOLE_OF_WHOLE))
def test_the_least_the_most_and_the_sum_over_runs_are_whole_again(over: str) -> None:
    assert counts_things(replace(COUNT, over=over))
    assert not counts_things(replace(ROWS, column="kld", over=over))


@pytest.mark.parametrize(
    "measure",
    [
        pytest.param(replace(MOST_ROWS_ABOVE, by="window"), id="numbers of rows that are paired"),
        pytest.param(replace(HISTORY, arms=("a", "b"), pair="ratio"), id="a ratio of rows"),
        pytest.param(replace(HISTORY, arms=(("a", "b"),)), id="a mean of runs"),
        pytest.param(
            replace(MOST_ROWS_ABOVE, arms=(("a", "b"), "c")), id="a mean of runs within a pair"
        ),
    ],
)
def test_units_that_may_be_fractions_give_a_quantity(measure: Measure) -> None:
    assert not counts_things(measure)
