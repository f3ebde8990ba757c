"""The capture's own statistics: by hand on tiny arrays, and against scipy where it has them."""

import math
from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from examples.tinylm import analysis, derived
from examples.tinylm.published.clusters import sharing_spans
from examples.tinylm.published.figure import (
    gap_share_of,
    mean_of,
    number,
    ratio_of,
    relative_of,
    stratified,
    windows_of,
)
from examples.tinylm.recipes import STREAM_WINDOWS, recipes
from examples.tinylm.resample import generator, interval, quantile, student_cdf, student_quantile

RECIPES = recipes(("a", *STREAM_WINDOWS, "b"))
VALUES = np.array([0.3, 0.1, 0.7, 0.2, 0.5, 0.9, 0.4])
OTHERS = np.array([0.5, 0.4, 0.6, 0.6, 0.7, 1.1, 0.3])


def lists(**sides: tuple[list[int], list[float]]) -> dict[str, npt.NDArray[Any]]:
    """One row with top-k lists, probabilities given as such."""
    stored: dict[str, npt.NDArray[Any]] = {}
    for side, (ids, masses) in sides.items():
        stored[f"{side}_topk_ids"] = np.array([ids])
        stored[f"{side}_topk_logp"] = np.log(np.array([masses]))
    return stored


def test_location_by_hand() -> None:
    values = np.array([4.0, 1.0, 2.0, 9.0])
    assert analysis.mean(values) == 4.0
    assert analysis.median(values) == 3.0
    assert analysis.median(values[:3]) == 2.0
    assert analysis.deviation(values, 0) == math.sqrt(38 / 4)
    assert analysis.deviation(values, 1) == math.sqrt(38 / 3)
    assert analysis.geometric_mean(values) == pytest.approx(72**0.25, rel=1e-15)


def test_the_largest_values_carry_their_share() -> None:
    values = np.array([1.0, 5.0, 3.0, 1.0])
    assert analysis.top_share(values, 1) == 0.5
    assert analysis.top_share(values, 2) == 0.8


def test_of_equal_values_the_first_ranks_higher() -> None:
    values = np.array([2.0, 5.0, 5.0, 1.0])
    assert [analysis.ranked(values, rank) for rank in (1, 2, 3, 4)] == [1, 2, 0, 3]


def test_quarters_of_ten_rows_hold_three_two_three_and_two() -> None:
    rows = np.arange(10.0)
    parts = [analysis.part(rows, index, 4).tolist() for index in (1, 2, 3, 4)]
    assert parts == [[0, 1, 2], [3, 4], [5, 6, 7], [8, 9]]


@pytest.mark.parametrize("rule", ["linear-lerp", "hazen", "weibull", "inverted_cdf", "higher"])
def test_named_rules_are_those_of_numpy(rule: str) -> None:
    method: Any = "linear" if rule == "linear-lerp" else rule
    assert quantile(VALUES, 0.9, rule) == np.quantile(VALUES, 0.9, method=method)


def test_linear_and_truncate_by_hand() -> None:
    values = np.array([4.0, 1.0, 2.0, 3.0])
    assert quantile(values, 0.5, "linear") == 2.5
    assert quantile(values, 1.0, "linear") == 4.0
    assert quantile(values, 0.5, "truncate") == 3.0
    assert quantile(values, 1.0, "truncate") == 4.0


def test_lists_are_compared_on_shared_tokens_and_the_rest() -> None:
    stored = lists(teacher=([1, 2], [0.5, 0.25]), student=([1, 3], [0.4, 0.2]))
    sides = ("teacher", "student")
    by_hand = 0.5 * math.log(0.5 / 0.4) + 0.5 * math.log(0.5 / 0.6)
    assert derived.kl_topk(stored, stored, sides)[0] == pytest.approx(by_hand, rel=1e-12)
    middle = (0.45, 0.55)
    terms = [0.5, 0.5, 0.4, 0.6]
    js = sum(
        mass * math.log(mass / centre) / 2 for mass, centre in zip(terms, middle * 2, strict=True)
    )
    assert derived.js_topk(stored, stored, sides)[0] == pytest.approx(js, rel=1e-12)
    assert derived.topk_missing(stored, stored, sides).tolist() == [1.0]
    assert derived.kl_topk_normalised(stored, stored, sides).tolist() == [0.0]


def test_shared_tokens_are_brought_to_one() -> None:
    stored = lists(teacher=([1, 2], [0.6, 0.2]), student=([2, 1], [0.25, 0.25]))
    by_hand = 0.75 * math.log(0.75 / 0.5) + 0.25 * math.log(0.25 / 0.5)
    found = derived.kl_topk_normalised(stored, stored, ("teacher", "student"))
    assert found[0] == pytest.approx(by_hand, rel=1e-12)


def test_fewer_tokens_of_a_list_can_be_asked_for() -> None:
    stored = lists(teacher=([1, 2], [0.5, 0.25]), student=([1, 2], [0.5, 0.125]))
    assert derived.kl_topk(stored, stored, ("teacher", "student"), 1).tolist() == [0.0]
    assert derived.kl_topk(stored, stored, ("teacher", "student"))[0] > 0.0


def test_lists_without_a_common_token_say_nothing() -> None:
    stored = lists(teacher=([1], [0.5]), student=([2], [0.25]))
    assert derived.kl_topk(stored, stored, ("teacher", "student")).tolist() == [0.0]


def test_a_list_and_its_rest_have_an_entropy() -> None:
    stored = lists(student=([1, 2], [0.5, 0.25]))
    assert derived.topk_entropy(stored)[0] == pytest.approx(1.5 * math.log(2), rel=1e-12)


def test_the_realised_token_against_all_others() -> None:
    stored = {
        "teacher_logp_realized": np.log(np.array([0.5, 1.0])),
        "student_logp_realized": np.log(np.array([0.25, 0.5])),
    }
    by_hand = 0.5 * math.log(2) + 0.5 * math.log(0.5 / 0.75)
    assert derived.two_bucket(stored) == pytest.approx([by_hand, math.log(2)], rel=1e-12)


@pytest.mark.parametrize("apart", [1.0, 1e-2, 1e-4, 1e-7])
def test_divergences_of_near_equals_keep_their_digits(apart: float) -> None:
    """Held against 60 digits: differences of nearly equal logarithms must not cancel."""
    log_p, log_q = math.log(0.3), math.log(0.3) - apart
    with localcontext(prec=60):
        p, q = Decimal(log_p).exp(), Decimal(log_q).exp()
        buckets = [(p, q), (1 - p, 1 - q)]
        kl = float(sum(a * (a / b).ln() for a, b in buckets))
        js = float(
            sum((a * (2 * a / (a + b)).ln() + b * (2 * b / (a + b)).ln()) / 2 for a, b in buckets)
        )
    stored = {
        "teacher_logp_realized": np.array([log_p]),
        "student_logp_realized": np.array([log_q]),
        "teacher_topk_ids": np.array([[4]]),
        "student_topk_ids": np.array([[4]]),
        "teacher_topk_logp": np.array([[log_p]]),
        "student_topk_logp": np.array([[log_q]]),
    }
    sides = ("teacher", "student")
    assert derived.two_bucket(stored)[0] == pytest.approx(kl, rel=1e-14)
    assert derived.kl_topk(stored, stored, sides)[0] == pytest.approx(kl, rel=1e-14)
    assert derived.js_topk(stored, stored, sides)[0] == pytest.approx(js, rel=1e-14)


def test_swaps_need_both_tokens_in_the_other_order() -> None:
    first, second = (
        {"student_topk_ids": np.array(ids)}
        for ids in ([[1, 2], [1, 2], [1, 2]], [[2, 1], [2, 3], [1, 2]])
    )
    assert derived.swapped(first, second).tolist() == [1.0, 0.0, 0.0]


def test_a_copy_ends_far_behind_its_source() -> None:
    tokens = b"abcd" + b"-" * 6 + b"abcd"
    stored = {"history": np.arange(len(tokens))}
    found = derived.copied(stored, tokens, ngram=3, distance=9)
    assert np.flatnonzero(found).tolist() == [12, 13]
    assert derived.copied(stored, tokens, ngram=3, distance=10).sum() == 0


def test_windows_that_share_text_are_joined_through_others() -> None:
    tokens = {"a": b"012345", "b": b"zzzzzz", "c": b"345678", "d": b"678901"}
    assert sharing_spans(tokens, 3, 1) == [["a", "c", "d"], ["b"]]
    assert sharing_spans(tokens, 3, 2) == [["a"], ["b"], ["c"], ["d"]]


def scipy_interval(recipe: Mapping[str, Any], values: npt.NDArray[np.float64]) -> Any:
    """What scipy's bootstrap gives of the mean under the same choices."""
    # An integer means a legacy RandomState to scipy.
    seed = recipe["seed"]
    stream = np.random.default_rng(seed) if recipe["stream"] == "pcg64" else seed
    return stats.bootstrap(
        (values,),
        np.mean,
        method=recipe["method"],
        n_resamples=recipe["resamples"],
        random_state=stream,
    ).confidence_interval


@pytest.mark.parametrize("name", ["bca95", "bca95-pcg64", "basic95", "bca95-scipy-1.17"])
def test_bootstrap_intervals_are_those_of_scipy(name: str) -> None:
    recipe = {**RECIPES[name], "resamples": 999}
    found = interval(windows_of(VALUES), mean_of, recipe)
    assert found == pytest.approx(tuple(scipy_interval(recipe, VALUES)), rel=1e-12)


def test_a_strict_count_of_ties_moves_the_bca_interval() -> None:
    coarse = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    found = {
        name: interval(windows_of(coarse), mean_of, {**RECIPES[name], "resamples": 999})
        for name in ("bca95-scipy-1.9", "bca95-scipy-1.16", "bca95-scipy-1.17")
    }
    assert found["bca95-scipy-1.9"] != found["bca95-scipy-1.16"]
    assert found["bca95-scipy-1.16"] == pytest.approx(found["bca95-scipy-1.17"])


def test_analytic_intervals_are_those_of_scipy() -> None:
    error = stats.sem(VALUES)
    centre = VALUES.mean()
    for name, wanted in (
        ("normal95", stats.norm.interval(0.95, centre, error)),
        ("t95", stats.t.interval(0.95, 6, centre, error)),
        ("t95-bonferroni4", stats.t.interval(0.9875, 6, centre, error)),
    ):
        found = interval(windows_of(VALUES), mean_of, RECIPES[name])
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("degrees", [1, 2, 3, 4, 27])
def test_student_quantiles_are_those_of_scipy(degrees: int) -> None:
    assert student_quantile(0.975, degrees) == pytest.approx(stats.t.ppf(0.975, degrees))
    assert student_cdf(1.5, degrees) == pytest.approx(stats.t.cdf(1.5, degrees), rel=1e-12)


def test_the_bootstrap_error_is_the_spread_of_the_replicates() -> None:
    recipe = {**RECIPES["bootstrap-error95"], "resamples": 500}
    indices = np.random.RandomState(recipe["seed"]).randint(0, 7, (500, 7), dtype=np.int64)
    half = stats.norm.ppf(0.975) * VALUES[indices].mean(axis=1).std(ddof=1)
    found = interval(windows_of(VALUES), mean_of, recipe)
    assert found == pytest.approx((VALUES.mean() - half, VALUES.mean() + half), rel=1e-12)


def test_operands_are_drawn_with_the_same_indices() -> None:
    recipe = {**RECIPES["percentile95"], "resamples": 400}
    indices = np.random.default_rng(recipe["seed"]).integers(0, 7, (400, 7))
    above, below = (part[indices].mean(axis=1) for part in (VALUES, OTHERS))
    ratio = interval(windows_of(VALUES, OTHERS), ratio_of, recipe)
    assert ratio == pytest.approx(tuple(np.quantile(above / below, [0.025, 0.975])))
    relative = interval(windows_of(VALUES, OTHERS), relative_of, recipe)
    assert relative == pytest.approx((ratio[0] - 1, ratio[1] - 1))
    gap = interval(windows_of(OTHERS, VALUES, VALUES * 0), gap_share_of, recipe)
    assert gap == pytest.approx((1 - ratio[1], 1 - ratio[0]))


def test_strata_are_drawn_in_sorted_order_and_weigh_the_same() -> None:
    labels = ["b", "a", "b", "a", "b", "b", "a"]
    units = stratified(VALUES, labels)
    a, b = (np.array([v for v, own in zip(VALUES, labels, strict=True) if own == s]) for s in "ab")
    recipe = {**RECIPES["domains95"], "resamples": 300}
    stream = np.random.RandomState(recipe["seed"])
    means = []
    for _ in range(300):
        first = a[stream.randint(0, 3, 3, dtype=np.int64)].mean()
        means.append((first + b[stream.randint(0, 4, 4, dtype=np.int64)].mean()) / 2)
    wanted = tuple(np.quantile(means, [0.025, 0.975]))
    assert interval(units, mean_of, recipe) == pytest.approx(wanted)
    whole = {**recipe, "draw": "index-matrix"}
    assert interval(units, mean_of, whole) != interval(units, mean_of, recipe)


def test_a_continued_stream_goes_on_where_it_ended() -> None:
    recipe = {**RECIPES["continued95"], "resamples": 300}
    stream = generator(recipe)
    first = interval(windows_of(VALUES), mean_of, recipe, stream)
    second = interval(windows_of(VALUES), mean_of, recipe, stream)
    assert first == interval(windows_of(VALUES), mean_of, recipe)
    assert second != first


def test_clusters_are_drawn_whole() -> None:
    recipe = {**RECIPES["streams95"], "resamples": 300}
    units = [(np.array([1.0, 2.0, 6.0]),), (np.array([4.0]),)]
    indices = np.random.RandomState(recipe["seed"]).randint(0, 2, (300, 2), dtype=np.int64)
    sums, counts = np.array([9.0, 4.0])[indices].sum(axis=1), np.array([3, 1])[indices].sum(axis=1)
    wanted = tuple(np.quantile(sums / counts, [0.025, 0.975]))
    assert interval([units], mean_of, recipe) == pytest.approx(wanted)


def test_listed_clusters_hold_each_window_once() -> None:
    assert RECIPES["streams95"]["clusters"] == [["a"], ["b"], list(STREAM_WINDOWS)]


def test_whole_numbers_are_published_as_such() -> None:
    assert number("rows", 4.0, "size").document() == {
        "id": "rows",
        "published": 4,
        "measure": {"statistic": "size"},
    }
    assert number("mean", 4.5, "mean", arm="a").published == 4.5
