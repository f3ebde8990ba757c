"""Whether the policy permits an interval recipe: a bundle must not set its own bar."""

from collections.abc import Iterator

from verifier.model.basis import Basis
from verifier.model.comparison import Comparison
from verifier.model.policy import IntervalRules
from verifier.model.recipe import Recipe


def permitted(rules: IntervalRules, recipe: Recipe, location: str) -> Iterator[Comparison]:
    """One comparison for each demand that the policy makes of a recipe.

    A method that draws nothing has neither stream nor resamples to choose. The level counts before
    a Bonferroni adjustment: that is what all intervals together claim.
    """
    message = "The policy does not permit this interval recipe, so it proves nothing."
    demands: list[tuple[str | int | float, bool, str]] = [
        (recipe.method, recipe.method in rules.methods, f"one of {', '.join(rules.methods)}"),
        (
            recipe.level,
            recipe.level >= rules.min_level,
            f"a level of at least {rules.min_level:g}",
        ),
    ]
    if recipe.draws:
        demands += [
            (recipe.stream, recipe.stream in rules.streams, f"one of {', '.join(rules.streams)}"),
            (
                recipe.resamples,
                recipe.resamples >= rules.min_resamples,
                f"at least {rules.min_resamples} resamples",
            ),
        ]
    for value, holds, demand in demands:
        yield Comparison(
            location=location,
            expected=value if holds else demand,
            actual=value,
            basis=Basis.POLICY,
            message=message,
        )
