"""Intervals of functions of means against SciPy, against literal scripts, and by hand."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.support.literal_draws import Indices, LiteralGenerator
from verifier.model.plugin import FloatArray, Spent
from verifier.model.recipe import (
    CONVENTIONS,
    METHODS,
    STREAMS,
    Convention,
    Draw,
    Interval,
    Method,
    QuantileRule,
    Recipe,
    Stream,
)
from verifier.numerics import bootstrap, streams
from verifier.numerics.quantile import quantiles
from verifier.numerics.resampling import Sample, estimate, interval_of, spent

BCA = Recipe(method="bca", level=0.95, resamples=2000, seed=20260902, stream="randomstate")
PERCENTILE = dataclasses.replace(BCA, method="percentile")
GENERATOR = np.random.default_rng(6)
X = GENERATOR.lognormal(0.0, 1.0, 64)
Y = X * GENERATOR.lognormal(0.1, 0.2, 64)
Z = Y * GENERATOR.lognormal(0.1, 0.2, 64)
ROWS = GENERATOR.integers(1, 2047, 64).astype(np.float64)
PARTS = (np.arange(0, 64, 3), np.arange(1, 64, 3), np.arange(2, 64, 3)[::-1])


def _ratio(x: FloatArray, y: FloatArray) -> FloatArray:
    return x / y


def _relative(x: FloatArray, y: FloatArray) -> FloatArray:
    return (x - y) / y


def _gap(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    return (z - x) / (z - y)


def _scipy(
    data: tuple[FloatArray, ...], statistic: Callable[..., Any], recipe: Recipe
) -> tuple[float, float, float]:
    random_state: Any = recipe.seed
    if recipe.stream == "pcg64":
        random_state = np.random.default_rng(recipe.seed)
    found = stats.bootstrap(
        data,
        statistic,
        paired=len(data) > 1,
        vectorized=True,
        confidence_level=recipe.coverage,
        n_resamples=recipe.resamples,
        method="BCa" if recipe.method == "bca" else recipe.method,
        random_state=random_state,
    )
    ends = found.confidence_interval
    return float(ends.low), float(ends.high), float(found.standard_error)


def _ends(found: Interval) -> tuple[float, float, float]:
    return found.low, found.high, found.standard_error


def _of_means(of: Callable[..., FloatArray]) -> Callable[..., Any]:
    return lambda *data, axis: of(*(np.mean(values, axis=axis) for values in data))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
@pytest.mark.parametrize(
    ("vectors", "of"), [((X, Y), _ratio), ((X, Y), _relative), ((X, Y, Z), _gap)]
)
def test_functions_of_paired_means_are_scipys(
    vectors: tuple[FloatArray, ...], of: Callable[..., FloatArray], method: Method, stream: Stream
) -> None:
    recipe = dataclasses.replace(BCA, method=method, stream=stream)
    found = interval_of(Sample(vectors=vectors, of_means=of), recipe)
    assert _ends(found) == pytest.approx(_scipy(vectors, _of_means(of), recipe), rel=1e-12)
    assert (found.degenerate, found.units) == (False, 64)


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_a_mean_over_sums_and_counts_is_scipys_ratio_of_sums(method: Method) -> None:
    recipe = dataclasses.replace(BCA, method=method)
    sums = X * ROWS
    expected = _scipy((sums, ROWS), lambda s, c, axis: s.sum(axis) / c.sum(axis), recipe)
    found = interval_of(Sample(vectors=(sums,), counts=(ROWS,)), recipe)
    assert _ends(found) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_sums_and_counts_of_two_arms_are_scipys(method: Method) -> None:
    recipe = dataclasses.replace(BCA, method=method)
    fewer = np.maximum(ROWS - 7, 1)
    data = (X * ROWS, ROWS, Y * fewer, fewer)

    def statistic(s: Any, c: Any, t: Any, d: Any, axis: int) -> Any:
        return (s.sum(axis) / c.sum(axis)) / (t.sum(axis) / d.sum(axis)) - 1.0

    sample = Sample(
        vectors=(data[0], data[2]), counts=(data[1], data[3]), of_means=lambda x, y: x / y - 1.0
    )
    expected = _scipy(data, statistic, recipe)
    assert _ends(interval_of(sample, recipe)) == pytest.approx(expected, rel=1e-11)


def test_the_literal_cluster_bootstrap_gathers_rows_and_window_sums_do_not() -> None:
    generator = np.random.default_rng(3)
    clusters = [generator.lognormal(size=size) for size in generator.integers(1, 9, 12)]
    drawn = LiteralGenerator(BCA.seed, "randomstate").indices((12,), 300, "index-matrix")[0]
    literal = [np.concatenate([clusters[place] for place in row]).mean() for row in drawn]
    sample = Sample(
        vectors=(np.array([rows.sum() for rows in clusters]),),
        counts=(np.array([float(rows.size) for rows in clusters]),),
    )
    found = interval_of(sample, dataclasses.replace(PERCENTILE, resamples=300))
    expected = quantiles(literal, (0.025, 0.975))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-13)
    assert estimate(sample) == pytest.approx(np.concatenate(clusters).mean(), rel=1e-14)
    assert found.units == 12


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("stream", STREAMS)
def test_one_plain_vector_gives_the_bits_of_the_vector_interval(
    method: Method, stream: Stream
) -> None:
    recipe = dataclasses.replace(BCA, method=method, stream=stream, draw="replicate")
    alone = interval_of(Sample(vectors=(X,)), recipe)
    assert alone == bootstrap.interval(X, recipe)
    assert bootstrap.intervals((X, Y), recipe) == (alone, bootstrap.interval(Y, recipe))
    assert estimate(Sample(vectors=(X,))) == X.mean()


def test_normal_with_bootstrap_error_by_hand() -> None:
    # RandomState(0) draws means 2, 2, 4, 4 of the values 0 and 4, whose mean is 2.
    recipe = Recipe(method="normal-bootstrap", level=0.5, resamples=4, seed=0)
    found = interval_of(Sample(vectors=(np.array([0.0, 4.0]),)), recipe)
    reach = 0.6744897501960817 * math.sqrt(4 / 3)
    assert _ends(found) == pytest.approx((2 - reach, 2 + reach, math.sqrt(4 / 3)), rel=1e-15)


def test_basic_by_hand() -> None:
    recipe = Recipe(method="basic", level=0.5, resamples=4, seed=0)
    found = interval_of(Sample(vectors=(np.array([0.0, 4.0]),)), recipe)
    assert _ends(found) == (0.0, 2.0, math.sqrt(4 / 3))


@pytest.mark.parametrize(("level", "comparisons"), [(0.95, 1), (0.9, 3), (0.99, 20)])
@pytest.mark.parametrize("n", [2, 3, 64])
def test_normal_and_t_intervals_are_scipys_at_the_adjusted_level(
    n: int, level: float, comparisons: int
) -> None:
    values = X[:n]
    error = values.std(ddof=1) / math.sqrt(n)
    adjusted = 1 - (1 - level) / comparisons
    recipe = Recipe(method="normal", level=level, comparisons=comparisons)
    for method, law in (("normal", stats.norm), ("student-t", stats.t(n - 1))):
        found = interval_of(
            Sample(vectors=(values,)),
            dataclasses.replace(recipe, method=method),  # type: ignore[arg-type]
        )
        low, high = law.interval(adjusted)
        expected = (values.mean() + low * error, values.mean() + high * error, error)
        # Older releases of SciPy invert Student's distribution to ten digits.
        assert _ends(found) == pytest.approx(expected, rel=1e-10)
        assert (found.degenerate, found.units) == (False, n)


@pytest.mark.parametrize("method", METHODS)
def test_a_bonferroni_level_is_that_level(method: Method) -> None:
    recipe = dataclasses.replace(BCA, method=method, level=0.9, comparisons=4)
    plain = dataclasses.replace(BCA, method=method, level=recipe.coverage)
    assert recipe.coverage == pytest.approx(0.975, rel=1e-15)
    assert interval_of(Sample(vectors=(X,)), recipe) == interval_of(Sample(vectors=(X,)), plain)


@pytest.mark.parametrize("convention", list(CONVENTIONS))
def test_a_convention_is_its_tie_and_its_quantile_rule(convention: Convention) -> None:
    flags = (X > 1.0).astype(np.float64)
    ties, rule = CONVENTIONS[convention]
    recipe = dataclasses.replace(BCA, ties=ties, quantile=rule, method="percentile")
    replicates = bootstrap.replicate_means([flags], recipe)[0]
    found = interval_of(Sample(vectors=(flags,)), recipe)
    method = np.quantile(replicates, [0.025, 0.975])
    assert (found.low, found.high) == pytest.approx(tuple(method), rel=1e-12)
    bca = interval_of(Sample(vectors=(flags,)), dataclasses.replace(recipe, method="bca"))
    strict = interval_of(
        Sample(vectors=(flags,)),
        dataclasses.replace(recipe, method="bca", ties="strict", quantile="linear"),
    )
    assert (abs(bca.low - strict.low) < 1e-9) == (ties == "strict")


@pytest.mark.parametrize(
    ("rule", "level", "places"),
    [
        ("truncate", 0.9, (100, 1900)),
        ("truncate", 0.95, (50, 1950)),
        ("truncate", 0.8, (200, 1800)),
        ("inverted_cdf", 0.95, (49, 1949)),
        ("inverted_cdf", 0.9, (99, 1899)),
        ("higher", 0.9, (100, 1900)),
    ],
)
def test_a_rule_that_steps_takes_the_exact_tail(
    rule: QuantileRule, level: float, places: tuple[int, int]
) -> None:
    recipe = dataclasses.replace(PERCENTILE, quantile=rule, level=level)
    ordered = np.sort(bootstrap.replicate_means([X], recipe)[0])
    found = interval_of(Sample(vectors=(X,)), recipe)
    assert (found.low, found.high) == (ordered[places[0]], ordered[places[1]])


def test_a_bonferroni_tail_is_exact_for_a_rule_that_steps() -> None:
    # 0.05 / (2 * 25) * 2000 is 2: (1 - 0.998) / 2 * 2000 would be 1.99999.
    recipe = dataclasses.replace(PERCENTILE, quantile="truncate", comparisons=25)
    ordered = np.sort(bootstrap.replicate_means([X], recipe)[0])
    found = interval_of(Sample(vectors=(X,)), recipe)
    assert (found.low, found.high) == (ordered[2], ordered[1998])


def _literal_strata(drawn: Indices, parts: tuple[Any, ...], values: FloatArray) -> FloatArray:
    means = []
    for rows in zip(*drawn, strict=True):
        total = 0.0
        for part, row in zip(parts, rows, strict=True):
            total += np.mean(values[part][row])
        means.append(total / len(parts))
    return np.array(means)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("draw", ["index-matrix", "replicate"])
@pytest.mark.parametrize("stream", STREAMS)
def test_strata_are_those_of_a_literal_script(
    stream: Stream, draw: Draw, monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    if not kept:
        monkeypatch.setattr(streams, "KEPT_BYTES", 0)
    streams.forget()
    recipe = dataclasses.replace(PERCENTILE, stream=stream, draw=draw, resamples=200)
    sizes = tuple(part.size for part in PARTS)
    drawn = LiteralGenerator(recipe.seed, stream).indices(sizes, 200, draw)
    x, y = (_literal_strata(drawn, PARTS, values) for values in (X, Y))
    alone = interval_of(Sample(vectors=(X,), strata=PARTS), recipe)
    assert (alone.low, alone.high) == quantiles(x, (0.025000000000000022, 0.975))
    assert alone.standard_error == np.std(x, ddof=1)
    assert alone.units == 64
    both = interval_of(Sample(vectors=(X, Y), strata=PARTS, of_means=_ratio), recipe)
    assert (both.low, both.high) == quantiles(x / y, (0.025000000000000022, 0.975))


def test_strata_weigh_the_same_whatever_their_sizes() -> None:
    values = np.array([1.0, 5.0, 7.0, 3.0])
    sample = Sample(vectors=(values,), strata=(np.array([0]), np.array([3, 2, 1])))
    assert estimate(sample) == 3.0
    counts = np.array([1.0, 1.0, 1.0, 2.0])
    weighed = dataclasses.replace(sample, counts=(counts,))
    assert estimate(weighed) == (1.0 + 15.0 / 4.0) / 2.0
    with pytest.raises(
        ValueError, match="at least 2 units in every stratum, found 1 in the smallest of 2"
    ):
        interval_of(sample, PERCENTILE)


@pytest.mark.parametrize("draw", ["index-matrix", "replicate"])
@pytest.mark.parametrize("stream", STREAMS)
def test_intervals_in_a_chain_go_on_in_one_stream(stream: Stream, draw: Draw) -> None:
    streams.forget()
    recipe = dataclasses.replace(
        PERCENTILE, stream=stream, draw=draw, start="continue", resamples=150
    )
    literal = LiteralGenerator(recipe.seed, stream)
    before: Spent = ()
    for values, parts in ((X, PARTS), (Y[:40], ()), (Z, PARTS), (X[:7], ())):
        sizes = tuple(part.size for part in parts) or (values.size,)
        drawn = literal.indices(sizes, 150, draw)
        expected = _literal_strata(drawn, parts or (np.arange(values.size),), values)
        sample = Sample(vectors=(values,), strata=parts)
        found = interval_of(sample, recipe, before)
        assert (found.low, found.high) == quantiles(expected, (0.025000000000000022, 0.975))
        before += spent(sample, recipe)
    assert [sizes for sizes, _ in before] == [(22, 21, 21), (40,), (22, 21, 21), (7,)]
    assert {resamples for _, resamples in before} == {150}


def test_scipy_with_one_generator_for_all_figures_is_a_continued_stream() -> None:
    recipe = dataclasses.replace(BCA, stream="pcg64", start="continue")
    generator = np.random.default_rng(recipe.seed)
    before: Spent = ()
    for values in (X, Y, Z[:31]):
        theirs = stats.bootstrap((values,), np.mean, n_resamples=2000, random_state=generator)
        sample = Sample(vectors=(values,))
        found = interval_of(sample, recipe, before)
        ends = theirs.confidence_interval
        assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-12)
        before += spent(sample, recipe)


def test_earlier_intervals_do_not_matter_to_a_stream_that_restarts() -> None:
    sample = Sample(vectors=(X,))
    assert interval_of(sample, BCA, (((9,), 7),)) == interval_of(sample, BCA)
    continued = dataclasses.replace(BCA, start="continue")
    assert interval_of(sample, continued) == interval_of(sample, BCA)
    assert interval_of(sample, continued, (((9,), 7),)) != interval_of(sample, BCA)


def test_constant_values_spend_their_draws_and_analytic_methods_none() -> None:
    constant = Sample(vectors=(np.ones(5),))
    assert spent(constant, BCA) == (((5,), 2000),)
    assert spent(constant, dataclasses.replace(BCA, method="normal")) == ()
    assert spent(constant, dataclasses.replace(BCA, method="student-t")) == ()


@pytest.mark.parametrize(
    ("sample", "constant"),
    [
        (Sample(vectors=(np.full(3, 0.1),)), 0.1),
        (Sample(vectors=(np.full(3, 0.1), np.full(3, 0.4)), of_means=_ratio), 0.25),
        (Sample(vectors=(np.full(3, 6.0),), counts=(np.full(3, 4.0),)), 1.5),
        (Sample(vectors=(X, X), of_means=_ratio), 1.0),
        (Sample(vectors=(X, X), of_means=np.subtract), 0.0),
        (
            Sample(
                vectors=(np.array([1.0, 4.0, 1.0, 4.0]),),
                strata=(np.array([0, 2]), np.array([1, 3])),
            ),
            2.5,
        ),
    ],
)
def test_a_statistic_that_cannot_vary_is_degenerate_at_its_value(
    sample: Sample, constant: float
) -> None:
    assert interval_of(sample, PERCENTILE) == Interval(
        low=constant,
        high=constant,
        standard_error=0.0,
        degenerate=True,
        units=sample.vectors[0].size,
    )


def test_constant_sums_over_different_counts_are_not_degenerate() -> None:
    sample = Sample(vectors=(np.full(3, 6.0),), counts=(np.array([1.0, 2.0, 3.0]),))
    assert not interval_of(sample, PERCENTILE).degenerate
    assert not interval_of(Sample(vectors=(np.full(64, 2.0), X), of_means=_ratio), BCA).degenerate


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        (Sample(vectors=()), "expected one operand, or a statistic of several, found 0 operands"),
        (Sample(vectors=(X, Y)), "statistic of several, found 2 operands"),
        (Sample(vectors=(X, Y[1:]), of_means=_ratio), r"need one length, found \[63, 64\]"),
        (Sample(vectors=(X,), counts=(ROWS[1:],)), r"need one length, found \[63, 64\]"),
        (
            Sample(vectors=(X, Y), counts=(ROWS,), of_means=_ratio),
            "expected counts for 2 operands, found them for 1",
        ),
        (
            Sample(vectors=(X, np.full(64, np.nan)), of_means=_ratio),
            "operand 2: expected finite numbers, found nan at index 0",
        ),
        (Sample(vectors=(np.array([np.inf]),)), "values: expected finite numbers"),
        (
            Sample(vectors=(X,), counts=(np.where(X[5] == X, -2.0, 1.0),)),
            "counts of values: expected 0 or more rows, found -2 at index 5",
        ),
        (
            Sample(vectors=(X, Y), counts=(ROWS, ROWS - 1e9), of_means=_ratio),
            "counts of operand 2: expected 0 or more rows",
        ),
        *(
            (
                Sample(vectors=(X[:4],), strata=strata),
                "expected strata that hold each of 4 units once, none of them empty",
            )
            for strata in (
                (np.array([0, 1]), np.array([2])),
                (np.array([0, 1]), np.array([1, 2, 3])),
                (np.array([0, 1]), np.array([2, 4])),
                (np.array([-1, 0, 1]), np.array([2])),
                (np.array([0, 1, 2, 3]), np.array([], dtype=np.int64)),
            )
        ),
    ],
)
def test_a_malformed_sample_is_refused(sample: Sample, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimate(sample)
    with pytest.raises(ValueError, match=message):
        interval_of(sample, PERCENTILE)


TOO_LARGE = "the values are too large for an interval: their sums or squares exceed FP64"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("values", [[1.7e308, 1.6e308], [1e200, -1e200]])
def test_values_whose_sums_or_squares_exceed_fp64_are_refused(
    values: list[float], method: Method
) -> None:
    with pytest.raises(ValueError, match=f"^{TOO_LARGE}$"):
        interval_of(Sample(vectors=(np.array(values),)), dataclasses.replace(BCA, method=method))


def test_a_denominator_of_zero_is_refused_and_never_nan() -> None:
    sample = Sample(vectors=(X[:2], np.array([0.0, 1.0])), of_means=_ratio)
    message = r"^the statistic is undefined for \d+ of 2000 samples of the units, as where a "
    with pytest.raises(ValueError, match=message):
        interval_of(sample, PERCENTILE)
    with pytest.raises(ValueError, match="undefined for 1 of 1 samples"):
        estimate(Sample(vectors=(X, np.zeros(64)), of_means=_ratio))


def test_units_without_rows_are_refused_where_a_sample_holds_no_others() -> None:
    sample = Sample(vectors=(np.array([0.0, 3.0]),), counts=(np.array([0.0, 2.0]),))
    assert estimate(sample) == 1.5
    message = r"^\d+ of 2000 samples of the units hold no rows, so they have no mean: leave"
    with pytest.raises(ValueError, match=message):
        interval_of(sample, PERCENTILE)
    with pytest.raises(ValueError, match="1 of 1 samples of the units hold no rows"):
        estimate(Sample(vectors=(np.zeros(2),), counts=(np.zeros(2),)))


def test_bca_is_refused_where_leaving_one_unit_out_leaves_no_rows() -> None:
    # RandomState(0) draws the rows 01, 10, 11, 11: each holds the unit with rows.
    sample = Sample(vectors=(np.array([1.0, 3.0]),), counts=(np.array([0.0, 2.0]),))
    recipe = Recipe(method="bca", level=0.5, resamples=4, seed=0)
    with pytest.raises(ValueError, match="the BCa interval is undefined"):
        interval_of(sample, recipe)
    found = interval_of(sample, dataclasses.replace(recipe, method="percentile"))
    assert (found.low, found.high) == (1.5, 2.0)


def test_bca_over_strata_is_refused_with_the_alternative() -> None:
    with pytest.raises(ValueError, match="BCa has no one definition for strata: use the percentil"):
        interval_of(Sample(vectors=(X,), strata=PARTS), BCA)


@pytest.mark.parametrize("method", ["normal", "student-t"])
@pytest.mark.parametrize(
    "sample",
    [
        Sample(vectors=(X,), counts=(ROWS,)),
        Sample(vectors=(X,), strata=PARTS),
        Sample(vectors=(X, Y), of_means=_ratio),
        Sample(vectors=(X,), of_means=np.exp),
    ],
)
def test_analytic_methods_are_for_plain_means_alone(sample: Sample, method: Method) -> None:
    message = f"^the {method} method is for a plain mean of units that weigh the same, without stra"
    with pytest.raises(ValueError, match=message):
        interval_of(sample, dataclasses.replace(BCA, method=method))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"comparisons": 0}, "expected 1 to 1000000 comparisons, found 0"),
        ({"comparisons": 10**400}, "expected 1 to 1000000 comparisons, found 1000"),
        (
            {"level": math.nextafter(1.0, 0.0), "comparisons": 10},
            r"level 0\.9999999999999999 adjusted for 10 comparisons is 1\.0, expected less than 1",
        ),
        ({"level": 0.0}, "expected a level between 0 and 1, found 0.0"),
        ({"resamples": 0}, "expected 2 to 2000000 resamples, found 0"),
        ({"resamples": 10**9}, "expected 2 to 2000000 resamples, found 1000000000"),
    ],
)
def test_an_impossible_recipe_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        interval_of(Sample(vectors=(X,)), dataclasses.replace(BCA, **change))


def test_a_method_that_draws_nothing_needs_no_resamples_and_takes_any_number_of_units() -> None:
    recipe = Recipe(method="normal", level=0.95)
    assert interval_of(Sample(vectors=(np.arange(2.0**18 + 1),)), recipe).units == 2**18 + 1


def test_a_chain_of_more_draws_than_a_minute_takes_is_refused() -> None:
    recipe = dataclasses.replace(PERCENTILE, start="continue")
    before: Spent = (((2**17,), 2**15), ((2**17, 2**10), 2**14), ((2**17,), 2**14))
    with pytest.raises(ValueError, match="3 intervals before this one leave its stream no more"):
        interval_of(Sample(vectors=(X,)), recipe, before)
    assert interval_of(Sample(vectors=(X,)), PERCENTILE, before).units == 64


@pytest.mark.parametrize("number", [0, 1])
def test_fewer_than_two_units_are_refused(number: int) -> None:
    message = "needs at least 2 units, found 1" if number else "expected at least one number"
    for method in METHODS:
        recipe = dataclasses.replace(BCA, method=method)
        with pytest.raises(ValueError, match=message):
            interval_of(Sample(vectors=(np.ones(number),)), recipe)
