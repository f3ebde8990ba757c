from dataclasses import replace
from fractions import Fraction

import pytest

from verifier.model.recipe import ANALYTIC, METHODS, Clusters, Recipe

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
                "RandomState(20260902), strict ties, quantile rule truncate, resampling clusters, "
                "strata by domain, drawn replicate by replicate, stream continued"
            ),
        ),
    ],
)
def test_a_recipe_says_in_one_line_what_moves_its_ends(recipe: Recipe, label: str) -> None:
    assert recipe.label == label
