from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from verifier.model.recipe import ANALYTIC, CONVENTIONS, METHODS, Clusters, Recipe

BCA = Recipe(method="bca", level=0.95, resamples=20_000, seed=20260902)


@pytest.mark.parametrize("method", METHODS)
def test_only_the_analytic_methods_draw_nothing(method: str) -> None:
    recipe = replace(BCA, method=method)  # type: ignore[arg-type]
    assert recipe.draws == (method not in {"normal", "student-t"})
    assert {"normal", "student-t"} == ANALYTIC


def test_one_comparison_leaves_the_level_as_it_is() -> None:
    assert BCA.coverage == 0.95


def test_a_level_is_adjusted_for_the_comparisons() -> None:
    exact = 1 - (1 - Fraction(95, 100)) / 3
    assert replace(BCA, comparisons=3).coverage == pytest.approx(float(exact), rel=1e-15)


@pytest.mark.parametrize(
    ("recipe", "label"),
    [
        (BCA, "BCa 95 %, 20000 resamples, RandomState(20260902)"),
        (
            replace(BCA, method="percentile", level=0.9, stream="pcg64"),
            "percentile 90 %, 20000 resamples, PCG64(20260902)",
        ),
        (Recipe(method="student-t", level=0.95), "student-t 95 %"),
        (
            replace(
                BCA,
                method="normal-bootstrap",
                ties="strict",
                quantile="truncate",
                unit="cluster",
                clusters=Clusters(),
                strata="domain",
                draw="replicate",
                start="continue",
                comparisons=3,
            ),
            (
                "normal with bootstrap error 95 %, Bonferroni for 3, 20000 resamples, "
                "RandomState(20260902), strict ties, quantile rule truncate, resampling clusters "
                "that share 1 span of 32 tokens, strata by domain, drawn replicate by replicate, "
                "stream continued"
            ),
        ),
    ],
)
def test_a_recipe_says_in_one_line_what_moves_its_ends(recipe: Recipe, label: str) -> None:
    assert recipe.label == label


@pytest.mark.parametrize(
    ("convention", "words"),
    [
        ("scipy-1.9", ", SciPy 1.9 convention"),
        ("scipy-1.16", ", SciPy 1.16 convention"),
        ("scipy-1.17", ""),
    ],
)
def test_a_convention_is_named_unless_it_is_the_newest(convention: Any, words: str) -> None:
    ties, quantile = CONVENTIONS[convention]
    assert replace(BCA, ties=ties, quantile=quantile).label == f"{BCA.label}{words}"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ties": "strict"}, "strict ties"),
        ({"quantile": "truncate"}, "quantile rule truncate"),
        # Ties move no percentile, so that no release of SciPy can be told by them.
        ({"method": "percentile", "quantile": "linear-lerp"}, "quantile rule linear-lerp"),
        ({"unit": "row"}, "resampling rows"),
        ({"unit": "cluster"}, "resampling clusters"),
        (
            {"unit": "cluster", "clusters": Clusters(lists=(("a", "b"), ("c",)))},
            "resampling 2 listed clusters",
        ),
        (
            {"unit": "cluster", "clusters": Clusters(lists=(("a", "b", "c"),))},
            "resampling 1 listed cluster",
        ),
        (
            {"unit": "cluster", "clusters": Clusters(shared=2, span=16)},
            "resampling clusters that share 2 spans of 16 tokens",
        ),
        (
            {"unit": "cluster", "clusters": Clusters(shared=1, span=64)},
            "resampling clusters that share 1 span of 64 tokens",
        ),
    ],
)
def test_what_moves_an_end_is_in_the_label(changes: dict[str, Any], words: str) -> None:
    label = replace(BCA, **changes).label
    assert label.partition("RandomState(20260902), ")[2] == words
