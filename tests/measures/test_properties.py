"""What must hold of every measure, whatever the rows are."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.measuring import BCA95, EXCLUDED, Study, plain
from verifier.formats._bundle_measures import read_measure
from verifier.judge import mean_slack
from verifier.model.plugin import Value
from verifier.model.recipe import Clusters, Recipe
from verifier.policy import REVIEW

Rows = list[float]
Json = dict[str, Any]

FEW = settings(max_examples=25, deadline=None)

rows = st.floats(min_value=2**-20, max_value=2**20, allow_subnormal=False)
"""Values far from where their sums lose everything."""


@st.composite
def panels(draw: st.DrawFn, *, arms: int = 2, least: int = 2) -> dict[str, list[Rows]]:
    """Rows by arm and window; windows differ in length, arms do not. Row 0 does not count."""
    lengths = draw(st.lists(st.integers(2, 6), min_size=least, max_size=6))
    return {
        name: [draw(st.lists(rows, min_size=n, max_size=n)) for n in lengths]
        for name in "xyz"[:arms]
    }


def close(number: float) -> Any:
    return pytest.approx(number, rel=1e-12, abs=1e-12)


MEASURES: list[Json] = [
    {"statistic": "mean", "arm": "x"},
    {"statistic": "mean", "arm": "x", "within": "none"},
    {"statistic": "median", "arm": "x", "within": "maximum"},
    {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"},
    {"statistic": "mean", "arms": ["x", "y"], "pair": "log-ratio", "by": "row"},
    {"statistic": "count", "arms": ["x", "y"], "pair": "lower", "within": "none"},
    {"statistic": "ratio-of-means", "arms": ["x", "y"], "weights": "pooled-rows"},
    {
        "statistic": "mean",
        "arm": "x",
        "within": "none",
        "rows": {"trim": {"probability": 0.75, "rule": "lower"}},
    },
    {
        "statistic": "mean",
        "column": "row",
        "arm": "x",
        "within": "none",
        "rows": {"ranked": {"column": "kld", "arms": ["x", "y"], "pair": "difference", "rank": 1}},
    },
    {
        "statistic": "size",
        "arm": "y",
        "within": "none",
        "rows": {"where": [{"column": "kld", "arms": ["x", "y"], "pair": "ratio", "at_least": 0}]},
    },
]


@FEW
@given(
    held=panels(),
    odd=st.sampled_from([math.nan, math.inf, -math.inf, 0.0, -1.0, 1e300]),
    measure=st.sampled_from(MEASURES),
)
def test_an_excluded_row_never_changes_anything(
    held: dict[str, list[Rows]], odd: float, measure: Json
) -> None:
    before = plain(held).number(measure)
    changed = {arm: [[odd, *window[1:]] for window in windows] for arm, windows in held.items()}
    assert plain(changed).number(measure) == before


@FEW
@given(held=panels())
def test_the_mask_all_counts_the_excluded_row(held: dict[str, list[Rows]]) -> None:
    measure = {"statistic": "mean", "arm": "x", "rows": {"mask": "all"}}
    expected = np.mean([math.fsum(window) / len(window) for window in held["x"]])
    assert plain(held).number(measure) == close(float(expected))


@FEW
@given(held=panels(), measure=st.sampled_from(MEASURES[:-2]), data=st.data())
def test_the_order_of_windows_does_not_change_a_number(
    held: dict[str, list[Rows]], measure: Json, data: st.DataObject
) -> None:
    study = plain(held)
    order = data.draw(st.permutations(list(study.domains)))
    arrays = {
        arm: {window: windows[window] for window in order} for arm, windows in study.arrays.items()
    }
    shuffled = replace(
        study, arrays=arrays, domains={window: study.domains[window] for window in order}
    )
    assert shuffled.number(measure) == close(study.number(measure))


@FEW
@given(held=panels())
def test_windows_that_weigh_as_their_rows_are_the_rows_pooled(
    held: dict[str, list[Rows]],
) -> None:
    study = plain(held)
    for measure in (
        {"statistic": "mean", "arm": "x"},
        {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"},
        {"statistic": "relative-difference", "arms": ["x", "y"]},
        {"statistic": "mean", "arms": ["x", "y"]},
    ):
        weighted = study.number({**measure, "weights": "pooled-rows"})
        scale = max(abs(value) for windows in held.values() for rows in windows for value in rows)
        pooled = study.number({**measure, "within": "none"})
        assert weighted == pytest.approx(pooled, rel=1e-12, abs=1e-12 * scale)


@FEW
@given(held=panels(), statistic=st.sampled_from(["mean", "median", "maximum"]))
def test_one_group_alone_weighs_nothing(held: dict[str, list[Rows]], statistic: str) -> None:
    study = plain(held)
    one = replace(study, domains=dict.fromkeys(study.domains, "all"))
    measure = {"statistic": statistic, "arm": "x"}
    grouped = {**measure, "weights": "equal-group", "stratum": "domain"}
    assert one.number(grouped) == close(study.number(measure))


@FEW
@given(
    held=panels(), by=st.sampled_from(["row", "window"]), within=st.sampled_from(["mean", "none"])
)
def test_arms_the_other_way_round_negate_a_difference(
    held: dict[str, list[Rows]], by: str, within: str
) -> None:
    study = plain(held)
    measure = {"statistic": "mean", "arms": ["x", "y"], "pair": "difference", "within": within}
    turned = {**measure, "arms": ["y", "x"]}
    assert study.number({**measure, "by": by}) == -study.number({**turned, "by": by})
    low, high = study.interval(measure, "percentile95")
    assert study.interval(turned, "percentile95") == (close(-high), close(-low))


@FEW
@given(held=panels())
def test_a_mean_of_differences_is_the_difference_of_means_by_row_and_by_window(
    held: dict[str, list[Rows]],
) -> None:
    study = plain(held)
    measure = {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"}
    apart = study.number({"statistic": "mean", "arm": "x"}) - study.number(
        {"statistic": "mean", "arm": "y"}
    )
    scale = max(abs(value) for windows in held.values() for rows in windows for value in rows)
    for by in ("row", "window"):
        found = study.number({**measure, "by": by})
        assert found == pytest.approx(apart, abs=1e-12 * scale)


@FEW
@given(held=panels())
def test_lower_equal_and_higher_windows_are_all_windows(held: dict[str, list[Rows]]) -> None:
    study = plain(held)
    measure = {"statistic": "count", "arms": ["x", "y"]}
    counts = [study.number({**measure, "pair": pair}) for pair in ("lower", "equal", "higher")]
    assert sum(counts) == len(study.domains)


@FEW
@given(held=panels(arms=3), scale=st.sampled_from([None, "percent"]))
def test_a_scale_moves_value_and_ends_alike(held: dict[str, list[Rows]], scale: str | None) -> None:
    study = plain(held)
    measure = {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"}
    base = {"statistic": "mean", "arm": "z"}
    scaled: Json = {**measure, "relative_to": base, **({"scale": scale} if scale else {})}
    factor = (100.0 if scale else 1.0) / study.number(base)
    assert study.number(scaled) == close(study.number(measure) * factor)
    low, high = study.interval(measure, "bca95")
    assert study.interval(scaled, "bca95") == (close(low * factor), close(high * factor))


@FEW
@given(held=panels())
def test_a_negative_base_turns_the_interval_round(held: dict[str, list[Rows]]) -> None:
    below = {"x": held["x"], "y": [[-value for value in window] for window in held["y"]]}
    study = plain(below)
    measure = {"statistic": "mean", "arm": "x"}
    base = {"statistic": "mean", "arm": "y"}
    low, high = study.interval(measure, "percentile95")
    number = study.number(base)
    found = study.interval({**measure, "relative_to": base}, "percentile95")
    assert found == (close(high / number), close(low / number))


@FEW
@given(held=panels())
def test_a_perplexity_has_the_interval_of_its_mean_on_the_scale(
    held: dict[str, list[Rows]],
) -> None:
    small = {
        arm: [[value / 2**16 for value in w] for w in windows] for arm, windows in held.items()
    }
    study = plain(small)
    measure = {"statistic": "mean", "arm": "x"}
    low, high = study.interval(measure, "bca95")
    expected = (close(math.exp(low)), close(math.exp(high)))
    assert study.interval({**measure, "scale": "exp"}, "bca95") == expected


# The literal bootstrap, which gathers rows.


def gathered(
    windows: list[np.ndarray[Any, Any]], owners: list[list[int]], recipe: Recipe
) -> tuple[float, float]:
    """Percentile ends of the mean of all rows of the drawn clusters, row by row."""
    stream = np.random.RandomState(recipe.seed)
    replicates = []
    for _ in range(recipe.resamples):
        drawn = stream.randint(0, len(owners), len(owners))
        together = [windows[place] for cluster in drawn for place in owners[cluster]]
        replicates.append(np.concatenate(together).mean())
    low, high = np.quantile(replicates, [0.025, 0.975])
    return float(low), float(high)


SHORT = replace(BCA95, method="percentile", resamples=50)


@FEW
@given(held=panels(least=3))
def test_pooled_rows_are_drawn_as_whole_windows(held: dict[str, list[Rows]]) -> None:
    study = replace(plain(held), recipes={"r": SHORT})
    owners = [[place] for place in range(len(study.domains))]
    expected = gathered(study.by_window("x", "kld"), owners, SHORT)
    pooled = {"statistic": "mean", "arm": "x", "within": "none"}
    assert study.interval(pooled, "r") == (close(expected[0]), close(expected[1]))
    weighted = {"statistic": "mean", "arm": "x", "weights": "pooled-rows"}
    assert study.interval(weighted, "r") == (close(expected[0]), close(expected[1]))


@FEW
@given(held=panels(least=4), data=st.data())
def test_clusters_of_windows_are_drawn_with_all_their_rows(
    held: dict[str, list[Rows]], data: st.DataObject
) -> None:
    study = plain(held)
    names = list(study.domains)
    cut = data.draw(st.integers(1, len(names) - 1))
    places = data.draw(st.permutations(range(len(names))))
    owners = [list(places[:cut]), list(places[cut:])]
    clusters = Clusters(lists=tuple(tuple(names[place] for place in part) for part in owners))
    recipe = replace(SHORT, unit="cluster", clusters=clusters)
    study = replace(study, recipes={"r": recipe})
    expected = gathered(study.by_window("x", "kld"), owners, SHORT)
    pooled = {"statistic": "mean", "arm": "x", "within": "none"}
    assert study.interval(pooled, "r") == (close(expected[0]), close(expected[1]))
    # Windows that weigh the same are drawn in the same clusters.
    means = [np.array([window.mean()]) for window in study.by_window("x", "kld")]
    by_window = gathered(means, owners, SHORT)
    assert study.interval({"statistic": "mean", "arm": "x"}, "r") == (
        close(by_window[0]),
        close(by_window[1]),
    )


@FEW
@given(held=panels(least=4), seed=st.integers(0, 2**32 - 1))
def test_listed_clusters_equal_computed_ones_that_are_the_same(
    held: dict[str, list[Rows]], seed: int
) -> None:
    study = plain(held)
    names = list(study.domains)
    chance = np.random.default_rng(seed)
    tokens = {name: chance.integers(0, 10**6, 200) for name in names}
    tokens[names[2]][50:90] = tokens[names[0]][100:140]
    tokens[names[3]][10:50] = tokens[names[2]][150:190]
    joined = [names[0], names[2], names[3]]
    rest = [[name] for name in names if name not in joined]
    parts = sorted([joined, *rest], key=lambda part: names.index(part[0]))
    listed = Clusters(lists=tuple(map(tuple, parts)))
    recipes = {
        "listed": replace(SHORT, unit="cluster", clusters=listed),
        "computed": replace(SHORT, unit="cluster", clusters=Clusters(shared=4, span=32)),
        "apart": replace(SHORT, unit="cluster", clusters=Clusters(shared=10, span=32)),
        "windows": SHORT,
    }
    study = replace(study, tokens=tokens, recipes=recipes)
    for within in ("mean", "none"):
        measure = {"statistic": "mean", "arm": "x", "within": within}
        assert study.interval(measure, "listed") == study.interval(measure, "computed")
        apart, windows = (study.interval(measure, name) for name in ("apart", "windows"))
        assert apart == (close(windows[0]), close(windows[1]))


@FEW
@given(held=panels(), data=st.data())
def test_the_row_of_a_rank_is_where_the_largest_values_lie(
    held: dict[str, list[Rows]], data: st.DataObject
) -> None:
    study = plain(held)
    listed = [
        (value, window, row)
        for window, values in enumerate(held["x"])
        for row, value in enumerate(values)
        if row not in EXCLUDED
    ]
    rank = data.draw(st.integers(1, len(listed)))
    # Python's sort is stable, so equal rows stay in their order.
    value, window, row = sorted(listed, key=lambda item: -item[0])[rank - 1]
    selected = {
        "statistic": "mean",
        "arm": "x",
        "within": "none",
        "rows": {"ranked": {"column": "kld", "rank": rank}},
    }
    found = [study.number({**selected, "column": name}) for name in ("kld", "window", "row")]
    assert found == [value, window, row]
    largest = {"statistic": "largest", "parameters": {"rank": rank}, "arm": "x", "within": "none"}
    assert study.number(largest) == value


@FEW
@given(held=panels(), of=st.integers(1, 7))
def test_the_parts_of_a_window_hold_every_row_once(held: dict[str, list[Rows]], of: int) -> None:
    study = plain(held)
    total = 0.0
    for index in range(1, of + 1):
        measure = {
            "statistic": "count",
            "column": "one",
            "arm": "x",
            "within": "none",
            "rows": {"part": {"index": index, "of": of}},
        }
        expected = sum(
            place * of // (len(window) - 1) == index - 1
            for window in held["x"]
            for place in range(len(window) - 1)
        )
        if expected:
            assert study.number(measure) == expected
        else:
            assert study.reason(measure) == "the measure selects no row"
        total += expected
    assert total == sum(len(window) - 1 for window in held["x"])


def test_strata_are_drawn_apart_in_sorted_order_as_one_matrix_each() -> None:
    held: dict[str, list[Rows]] = {"x": [[0, 1], [0, 5], [0, 2], [0, 9], [0, 4]]}
    recipe = replace(SHORT, strata="domain")
    study: Study = replace(plain(held), recipes={"r": recipe})
    measure = {"statistic": "mean", "arm": "x", "weights": "equal-group", "stratum": "domain"}
    stream = np.random.RandomState(recipe.seed)
    code = np.array([1.0, 2.0, 4.0])[stream.randint(0, 3, (50, 3))].mean(axis=1)
    law = np.array([5.0, 9.0])[stream.randint(0, 2, (50, 2))].mean(axis=1)
    low, high = np.quantile((code + law) / 2, [0.025, 0.975])
    assert study.interval(measure, "r") == (close(float(low)), close(float(high)))
    # Rows of a window lie in the window's stratum.
    pooled = {**measure, "within": "none"}
    assert study.interval(pooled, "r") == (close(float(low)), close(float(high)))
    by_row = replace(study, recipes={"r": replace(recipe, unit="row")})
    assert by_row.interval(pooled, "r") == (close(float(low)), close(float(high)))


def test_shifts_between_runs_that_nearly_agree_are_as_exact_as_their_means() -> None:
    generator = np.random.default_rng(3)
    first = generator.lognormal(-3.0, 1.0, (32, 512))
    second = first * (1.0 + 1e-5 * generator.normal(size=first.shape))
    made = plain(
        {
            name: [[0.0, *row] for row in rows]
            for name, rows in (("a", first.tolist()), ("c", second.tolist()))
        }
    )
    one, other = first.mean(axis=1), second.mean(axis=1)
    pair = {"statistic": "mean", "arms": ["a", "c"], "pair": "difference"}
    for measure, published in (
        (pair, one.mean() - other.mean()),
        (pair, (one - other).mean()),
        ({**pair, "by": "row"}, one.mean() - other.mean()),
        (
            {**pair, "relative_to": {"statistic": "mean", "arm": "c"}, "scale": "percent"},
            100.0 * (one.mean() - other.mean()) / other.mean(),
        ),
        ({"statistic": "relative-difference", "arms": ["a", "c"]}, one.mean() / other.mean() - 1.0),
        (
            {
                **pair,
                "statistic": "standard-deviation",
                "parameters": {"ddof": 1},
                "pair": "log-ratio",
            },
            np.log(one / other).std(ddof=1),
        ),
    ):
        value = made.evaluator().value(read_measure(measure))
        assert isinstance(value, Value)
        slack = mean_slack(published, value.scale, REVIEW.tolerance)
        assert abs(value.number - published) <= slack < 1e-6 * abs(published)


def test_rounding_never_says_which_window_is_lower() -> None:
    made = plain({"x": [[0, 0.1, 0.2]], "y": [[0, 0.15, 0.15]]})
    gate = {"rule": "gate", "operator": ">", "threshold": 0}
    difference = {"statistic": "mean", "arms": ["x", "y"], "pair": "difference"}
    assert made.reason({"measure": difference, "decide": gate}).startswith(
        "the decision depends on rounding: "
    )
    same = plain({"x": [[0, 0.1, 0.2]], "y": [[0, 0.1, 0.2]]})
    assert same.word(difference, {**gate, "operator": "<="}) == "true"
    for pair in ("lower", "equal", "higher"):
        measure = {"statistic": "count", "arms": ["x", "y"], "pair": pair}
        assert made.reason(measure) == (
            "whether the arms are equal in window w0 depends on rounding"
        )
