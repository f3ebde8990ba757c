"""Published end points that were drawn otherwise, and what the explanation says of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.support import core
from tests.support.core import (
    DIFFERENCE,
    FP8,
    MEAN_FP8,
    NVFP4,
    RECIPE,
    arm,
    bundle,
    case,
    ends,
    figure,
)
from verifier.explain import spending
from verifier.explain import units as altered
from verifier.explain.interval import explain
from verifier.explain.wording import NONE, PARTLY, UNTRIED
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Protocol
from verifier.model.figure import Figure
from verifier.model.measure import Measure, WindowSelection
from verifier.model.plugin import FloatArray, Units
from verifier.model.recipe import Clusters, Recipe, Start
from verifier.policy import REVIEW

A, B = np.array(FP8), np.array(NVFP4)
ARMS = (arm("fp8", FP8), arm("nvfp4", NVFP4))
SEED = RECIPE.seed


def bootstrap(
    data: FloatArray,
    *,
    method: str = "BCa",
    seed: Any = SEED,
    resamples: int = 20_000,
    level: float = 0.95,
) -> tuple[float, float]:
    """End points of ``scipy.stats.bootstrap``; an int seeds the legacy stream."""
    keyword = "random_state" if isinstance(seed, int) else "rng"
    drawn = stats.bootstrap(
        (data,),
        np.mean,
        method=method,
        n_resamples=resamples,
        confidence_level=level,
        **{keyword: seed},
    ).confidence_interval
    return float(drawn.low), float(drawn.high)


def replicates(
    data: FloatArray, resamples: int = 20_000, stream: np.random.RandomState | None = None
) -> FloatArray:
    """Bootstrap means (resamples,) drawn by hand."""
    drawn = (stream or np.random.RandomState(SEED)).randint(0, data.size, (resamples, data.size))
    return np.asarray(data[drawn].mean(axis=1))


def figures(
    points: tuple[float, float], measure: Measure = MEAN_FP8, recipe: Recipe | None = RECIPE
) -> tuple[Figure, Figure]:
    low, high = (repr(float(point)) for point in points)
    return ends("i", low, high, measure, recipe=recipe)


def said(
    points: tuple[float, float],
    measure: Measure = MEAN_FP8,
    *,
    recipe: Recipe | None = RECIPE,
    arms: tuple[Arm, ...] = ARMS,
    intervals: Mapping[str, Recipe] | None = None,
) -> str:
    looked_at = bundle(*figures(points, measure, recipe), arms=arms)
    if intervals is not None:
        looked_at = replace(looked_at, protocol=Protocol(intervals=intervals))
    return explain(case(looked_at), "i/low")


def gives(what: str) -> str:
    return f"These are the digits that {what} gives."


def label(**fields: Any) -> str:
    return replace(RECIPE, **fields).label


def by_standard_error(data: FloatArray, quantile: float, error: float) -> tuple[float, float]:
    mean = float(data.mean())
    return mean - quantile * error, mean + quantile * error


NORMAL = float(stats.norm.ppf(0.975))
STUDENT = float(stats.t.ppf(0.975, A.size - 1))
LOW, HIGH = bootstrap(A)
HUNDRED = (100 * LOW, 100 * HIGH)
PCG = np.random.default_rng


@pytest.mark.parametrize(
    ("points", "what"),
    [
        (HUNDRED, "the same interval times 100"),
        ((LOW / 100, HIGH / 100), "the same interval divided by 100"),
        ((1000 * LOW, 1000 * HIGH), "the same interval times 1000"),
        ((HIGH, LOW), "the same interval with its ends exchanged"),
        ((np.float32(LOW), np.float32(HIGH)), "the same interval rounded to float32"),
        (bootstrap(A, method="percentile"), label(method="percentile")),
        (bootstrap(A, method="basic"), label(method="basic")),
        (
            by_standard_error(A, NORMAL, replicates(A).std(ddof=1)),
            label(method="normal-bootstrap"),
        ),
        (by_standard_error(A, NORMAL, stats.sem(A)), label(method="normal")),
        (by_standard_error(A, STUDENT, stats.sem(A)), label(method="student-t")),
        (bootstrap(A, level=0.9), label(level=0.9)),
        (bootstrap(A, level=0.99), label(level=0.99)),
        (bootstrap(A, seed=PCG(SEED)), label(stream="pcg64")),
        (bootstrap(A, resamples=10_000), label(resamples=10_000)),
        (bootstrap(A, resamples=9_999), label(resamples=9_999)),
        (bootstrap(A, resamples=1_000), label(resamples=1_000)),
        (bootstrap(A, seed=42), label(seed=42)),
        (bootstrap(A, seed=0), label(seed=0)),
        (bootstrap(A, seed=SEED + 1), label(seed=SEED + 1)),
        (bootstrap(A[::-1]), "the same interval with the windows in reverse order"),
        (bootstrap(np.sort(A)), "the same interval with the windows sorted by value"),
        (
            bootstrap(np.concatenate([A[::2], A[1::2]])),
            "the same interval with the windows sorted by domain",
        ),
        (
            bootstrap(A.astype(np.float32).astype(np.float64)),
            "the same interval with its units rounded to float32",
        ),
        (bootstrap(A[:-1]), "the same interval without the last window"),
        (bootstrap(B), "the same interval with nvfp4 in the place of fp8"),
        # Two choices at once.
        (
            bootstrap(A, method="percentile", seed=PCG(SEED)),
            label(method="percentile", stream="pcg64"),
        ),
        (
            bootstrap(A, method="percentile", seed=42, resamples=20_000),
            label(method="percentile", seed=42),
        ),
        (
            bootstrap(A, method="basic", seed=PCG(42)),
            label(method="basic", seed=42, stream="pcg64"),
        ),
        (
            bootstrap(A, method="percentile", resamples=1_000),
            label(method="percentile", resamples=1_000),
        ),
        (bootstrap(A, method="percentile", level=0.9), label(method="percentile", level=0.9)),
        (
            tuple(100 * end for end in bootstrap(A, seed=PCG(SEED))),
            f"{label(stream='pcg64')} times 100",
        ),
        (
            tuple(-end for end in bootstrap(A, method="percentile")[::-1]),
            f"{label(method='percentile')} with the opposite sign",
        ),
    ],
)
def test_end_points_that_were_drawn_otherwise_are_explained(
    points: tuple[float, float], what: str
) -> None:
    assert said(points) == gives(what)


def test_end_points_under_another_quantile_rule_are_explained() -> None:
    ordered = np.sort(replicates(A))
    points = (float(ordered[int(0.025 * 20_000)]), float(ordered[int(0.975 * 20_000)]))
    percentile = replace(RECIPE, method="percentile")
    assert said(points, recipe=percentile) == gives(label(method="percentile", quantile="truncate"))


def test_ties_counted_as_by_old_releases_are_explained() -> None:
    lower = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0])
    means = replicates(lower)
    z0 = stats.norm.ppf(np.mean(means < lower.mean()))
    left_out = np.array([np.delete(lower, place).mean() for place in range(8)])
    influence = 7 * (left_out.mean() - left_out)
    a = (influence**3).sum() / 8**3 / (6 * ((influence**2).sum() / 8**2) ** 1.5)
    z = stats.norm.ppf(np.array([0.025, 0.975]))
    levels = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
    low, high = np.quantile(means, levels)
    assert said((low, high), arms=(arm("fp8", tuple(lower)),)) == gives(label(ties="strict"))


def test_exchanged_arms_are_named_before_a_wrong_sign() -> None:
    assert said(bootstrap(B - A), DIFFERENCE) == gives("the same interval with the arms exchanged")


def test_an_interval_of_a_relative_difference_is_explained() -> None:
    low, high = bootstrap(A - B)
    base = float(B.mean())
    assert said((low / base, high / base), DIFFERENCE) == gives(
        "the same interval relative to nvfp4"
    )


def test_the_order_of_the_other_arm_is_named() -> None:
    turned = replace(ARMS[1], windows=(*ARMS[1].windows[3:], *ARMS[1].windows[:3]))
    order = [3, 4, 5, 6, 7, 0, 1, 2]
    assert said(bootstrap((A - B)[order]), DIFFERENCE, arms=(ARMS[0], turned)) == gives(
        "the same interval with the windows in the order of nvfp4"
    )


def test_windows_that_are_not_in_the_order_of_their_ids_are_tried_in_it() -> None:
    turned = replace(ARMS[0], windows=tuple(reversed(ARMS[0].windows)))
    assert said(bootstrap(A), arms=(turned,)) == gives(
        "the same interval with the windows sorted by id"
    )


def test_the_order_of_the_panel_is_named() -> None:
    turned = replace(ARMS[0], windows=tuple(reversed(ARMS[0].windows)))
    looked_at = bundle(*figures(bootstrap(A[[2, 0, 1, 3, 4, 5, 6, 7]])), arms=(turned,))
    panel = bundle(arms=ARMS).panel
    mixed = tuple(panel[place] for place in (2, 0, 1, 3, 4, 5, 6, 7))
    assert explain(case(replace(looked_at, panel=mixed)), "i/high") == gives(
        "the same interval with the windows in the order of the panel"
    )


def test_scores_that_count_the_prefill_row_are_named() -> None:
    including = A + np.linspace(0.0, 0.01, 8)
    held = replace(
        ARMS[0],
        windows=tuple(
            replace(window, including_prefill=float(value))
            for window, value in zip(ARMS[0].windows, including, strict=True)
        ),
    )
    assert said(bootstrap(including), arms=(held,)) == gives(
        "the same interval with the excluded rows counted"
    )


def test_a_seed_of_another_interval_of_the_bundle_is_tried() -> None:
    other = {"secondary": replace(RECIPE, seed=77), "t": replace(RECIPE, method="student-t")}
    assert said(bootstrap(A, seed=77), intervals=other) == gives(label(seed=77))
    assert said(bootstrap(A, seed=77)) == NONE


def test_an_interval_that_was_not_adjusted_for_comparisons_is_explained() -> None:
    adjusted = replace(RECIPE, comparisons=3)
    assert said(bootstrap(A), recipe=adjusted) == gives(RECIPE.label)


def test_windows_in_the_place_of_clusters_and_back_are_explained() -> None:
    clusters = Clusters(lists=tuple((f"w{place}", f"w{place + 1}") for place in (0, 2, 4, 6)))
    clustered = replace(RECIPE, method="percentile", unit="cluster", clusters=clusters)
    windows = replace(RECIPE, method="percentile")
    sums = A.reshape(4, 2).sum(axis=1)
    drawn = np.random.RandomState(SEED).randint(0, 4, (20_000, 4))
    means = sums[drawn].sum(axis=1) / 8
    points = (float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975)))
    assert said(bootstrap(A, method="percentile"), recipe=clustered) == gives(windows.label)
    assert said(points, recipe=windows, intervals={"c": clustered}) == gives(clustered.label)


def test_strata_drawn_in_the_other_way_are_explained() -> None:
    measure = replace(MEAN_FP8, weights="equal-group", stratum="domain")
    recipe = replace(RECIPE, method="percentile", strata="domain")
    values = np.random.default_rng(5).gamma(0.5, 0.1, 24)
    held = (arm("fp8", tuple(values.tolist())),)
    code, law = values[::2], values[1::2]
    generator = np.random.RandomState(SEED)
    means = []
    for _ in range(20_000):
        first = code[generator.randint(0, 12, 12)].mean()
        means.append((first + law[generator.randint(0, 12, 12)].mean()) / 2)
    points = (float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975)))
    by_replicate = replace(recipe, draw="replicate")
    assert said(points, measure, recipe=recipe, arms=held) == gives(by_replicate.label)
    # The groups are equally large, so windows weigh the same with and without strata.
    plain = bootstrap(values, method="percentile")
    assert said(plain, measure, recipe=recipe, arms=held) == gives(
        "the same interval with equal weights for the windows"
    )


def continued() -> tuple[tuple[float, float], tuple[float, float]]:
    """Percentile ends of fp8 and of nvfp4, drawn one after the other from one stream."""
    stream = np.random.RandomState(SEED)
    found = []
    for data in (A, B):
        means = replicates(data, stream=stream)
        found.append((float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))))
    return found[0], found[1]


def stream_bundle(second: tuple[float, float], recipe: Recipe) -> Bundle:
    first, _ = continued()
    nvfp4 = replace(MEAN_FP8, arms=("nvfp4",))
    return bundle(
        *ends("a", repr(first[0]), repr(first[1]), MEAN_FP8, recipe=recipe),
        *ends("b", repr(second[0]), repr(second[1]), nvfp4, recipe=recipe),
        figure("mean", "0.03", MEAN_FP8),
    )


def test_a_stream_that_was_not_restarted_is_explained() -> None:
    percentile = replace(RECIPE, method="percentile")
    looked_at = stream_bundle(continued()[1], percentile)
    assert explain(case(looked_at), "b/low") == gives(replace(percentile, start="continue").label)


def test_a_stream_that_was_restarted_is_explained() -> None:
    recipe = replace(RECIPE, method="percentile", start="continue")
    looked_at = stream_bundle(bootstrap(B, method="percentile"), recipe)
    assert explain(case(looked_at), "b/high") == gives(replace(recipe, start="restart").label)


def test_a_continued_stream_is_explained_with_as_many_resamples_before_it() -> None:
    stream = np.random.RandomState(SEED)
    replicates(A, 1_000, stream)
    means = replicates(B, 1_000, stream)
    points = (float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975)))
    recipe = replace(RECIPE, method="percentile", start="continue")
    assert explain(case(stream_bundle(points, recipe)), "b/low") == gives(
        replace(recipe, resamples=1_000).label
    )


@pytest.mark.parametrize(("start", "sentence"), [("restart", PARTLY), ("continue", UNTRIED)])
def test_a_place_after_too_many_intervals_of_a_stream_is_not_looked_for(
    start: Any, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = stream_bundle((0.5, 0.75), replace(RECIPE, method="percentile", start=start))
    monkeypatch.setattr("verifier.intervals.MOST_CONTINUED", 1)
    assert explain(case(looked_at), "b/low") == NONE
    monkeypatch.setattr("verifier.intervals.MOST_CONTINUED", 0)
    assert explain(case(looked_at), "b/low") == sentence
    assert explain(case(looked_at), "a/low") != sentence


@pytest.mark.parametrize("start", ["restart", "continue"])
def test_only_intervals_of_its_own_recipe_stand_before_one_in_a_stream(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("verifier.intervals.MOST_CONTINUED", 1)
    recipe = replace(RECIPE, method="percentile", start=start)
    other: Start = "restart" if start == "continue" else "continue"
    second = bootstrap(B, method="percentile") if start == "continue" else continued()[1]
    looked_at = stream_bundle(second, recipe)
    others = [
        end
        for place, name in enumerate(("fp8", "nvfp4", "w", "x"))
        for end in ends(
            f"o{place}",
            "1.0",
            "2.0",
            replace(MEAN_FP8, arms=(name,)),
            recipe=replace(recipe, start=start, seed=7, name="o" * (start == "continue")),
        )
    ]
    plain = [figure(f"m{place}", "0.03", MEAN_FP8) for place in range(500)]
    crowded = replace(looked_at, figures=(*others, *plain, *looked_at.figures))
    assert explain(case(crowded), "b/low") == gives(replace(recipe, start=other).label)


@pytest.mark.parametrize(("start", "sentence"), [("restart", PARTLY), ("continue", UNTRIED)])
def test_a_place_in_a_stream_whose_intervals_have_too_many_rows_is_not_looked_for(
    start: Any, sentence: str
) -> None:
    looked_at = stream_bundle((0.5, 0.75), replace(RECIPE, method="percentile", start=start))
    windows = tuple(
        replace(window, predicted_rows=2**27, rows_path="x.npz") for window in ARMS[0].windows
    )
    vast = replace(ARMS[0], windows=windows, level=Level.ROW_SCORES)
    crowded = replace(looked_at, arms=(vast, ARMS[1]))
    assert explain(case(crowded), "b/low") == sentence


def test_windows_of_two_arms_one_after_the_other_are_not_reordered() -> None:
    both = replace(MEAN_FP8, arms=("fp8", "nvfp4"))
    held = case(bundle(arms=ARMS))
    units = held.measures.units(both)
    assert isinstance(units, Units)
    assert not list(altered.orders(held, units))
    assert said(bootstrap(np.concatenate([A, B])[::-1]), both) == NONE


def test_arms_that_are_taken_one_after_the_other_are_exchanged() -> None:
    both = replace(MEAN_FP8, arms=("fp8", "nvfp4"))
    windows = tuple(replace(window, window=f"x{window.window}") for window in ARMS[1].windows)
    apart = (ARMS[0], replace(ARMS[1], windows=windows))
    assert said(bootstrap(np.concatenate([B, A])), both, arms=apart) == gives(
        "the same interval with the arms exchanged"
    )


def test_a_method_that_draws_nothing_is_explained_by_one_that_does() -> None:
    recipe = Recipe(method="student-t", level=0.95)
    assert said(by_standard_error(A, NORMAL, stats.sem(A)), recipe=recipe) == gives("normal 95 %")
    assert said((0.5, 0.75), recipe=recipe) == NONE


def test_an_undeclared_recipe_is_explained_from_the_usual_one() -> None:
    assert said(HUNDRED, recipe=None) == gives("the same interval times 100")
    assert said((0.5, 0.75), recipe=None) == NONE


def test_without_any_recipe_there_is_nothing_to_vary() -> None:
    policy = replace(REVIEW, intervals=replace(REVIEW.intervals, seeds=()))
    looked_at = bundle(*figures((0.5, 0.75), recipe=None))
    assert explain(case(looked_at, policy=policy), "i/low") == ""


def test_an_interval_without_a_measure_is_not_explained() -> None:
    low, high = (replace(end, measure=None) for end in figures((0.5, 0.75)))
    assert explain(case(bundle(low, high)), "i/low") == ""


def test_one_end_that_fits_does_not_explain_both() -> None:
    assert said((100 * LOW, 0.9)) == NONE


def test_a_lone_end_is_explained_alone() -> None:
    low, _ = figures(HUNDRED)
    assert explain(case(bundle(low)), "i/low") == gives("the same interval times 100")


def test_few_printed_digits_make_an_explanation_weak() -> None:
    low, high = ends("i", "2.7", "4.05", MEAN_FP8, recipe=RECIPE)
    assert explain(case(bundle(low, high)), "i/low") == (
        "These are the digits that the same interval times 100 gives, to the 2 digits that are "
        "printed."
    )


@pytest.mark.parametrize("texts", [("null", "null"), ("null", "0.5"), ("0.0", "0.0")])
def test_no_digits_are_explained_by_nothing(texts: tuple[str, str]) -> None:
    assert explain(case(bundle(*ends("i", *texts, MEAN_FP8, recipe=RECIPE))), "i/low") == NONE


@pytest.mark.parametrize("measure", [MEAN_FP8, DIFFERENCE])
def test_ends_out_of_nowhere_are_not_explained(measure: Measure) -> None:
    assert said((0.0271828182845, 0.0414213562373), measure) == NONE


def test_constant_scores_have_no_width_to_explain() -> None:
    assert said((0.24, 0.25), arms=(arm("fp8", (0.25,) * 8),)) == NONE


def test_a_measure_without_units_is_not_explained() -> None:
    assert said((0.24, 0.25), replace(MEAN_FP8, arms=("lost",))) == NONE


def test_an_interval_whose_place_in_its_stream_is_lost_is_not_explained() -> None:
    recipe = replace(RECIPE, start="continue")
    lost = replace(MEAN_FP8, windows=WindowSelection(first=1), arms=("fp8",))
    looked_at = bundle(
        *ends("a", "0.1", "0.2", replace(lost, statistic="median"), recipe=recipe),
        *ends("b", "0.1", "0.2", MEAN_FP8, recipe=recipe),
    )
    assert explain(case(looked_at), "b/low") == NONE


def test_what_would_take_too_many_draws_is_not_tried_and_this_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spending, "MOST_STEPS", 2**25)
    assert said((0.5, 0.75)) == PARTLY
    # The units may be built, but nothing may be drawn of them.
    monkeypatch.setattr(spending, "MOST_STEPS", 2**10)
    assert said((0.5, 0.75)) == UNTRIED
    monkeypatch.setattr(spending, "MOST_STEPS", 1)
    assert said((0.5, 0.75)) == UNTRIED


def test_pooled_rows_are_drawn_by_window_and_in_the_order_of_the_windows() -> None:
    rows = np.random.default_rng(3).gamma(1.0, 1.0, (16, 5))
    held = arm("fp8", tuple(rows[:, 1:].mean(axis=1)), rows_path=True, level=Level.ROW_SCORES)
    files = core.MemoryRows({f"fp8/w{place}.npz": {"kld": rows[place]} for place in range(16)})
    pooled = replace(MEAN_FP8, within="none")
    recipe = replace(RECIPE, method="percentile")
    scored = rows[:, 1:]
    cases = {
        "the same interval with the windows in reverse order": bootstrap(
            scored.mean(axis=1)[::-1], method="percentile"
        ),
        replace(recipe, unit="row").label: bootstrap(scored.ravel(), method="percentile"),
        "the same interval with the excluded rows counted": bootstrap(
            rows.mean(axis=1), method="percentile"
        ),
    }
    for what, points in cases.items():
        looked_at = bundle(*figures(points, pooled, recipe), arms=(held,))
        assert explain(case(looked_at, rows=files), "i/low") == gives(what)
