"""Every usual alternative to an interval recipe."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from verifier.model.bundle import Bundle
from verifier.model.recipe import (
    METHODS,
    STREAMS,
    Clusters,
    Method,
    QuantileRule,
    Recipe,
    Ties,
)

_LEVELS = (0.9, 0.95, 0.99)
_RESAMPLES = (20_000, 10_000, 9_999, 5_000, 1_000)
_SEEDS = (0, 42)
_TIES: tuple[Ties, ...] = ("midrank", "strict")
# "linear-lerp" differs from "linear" by far less than the tolerance.
_QUANTILES: tuple[QuantileRule, ...] = ("linear", "truncate", "nearest", "inverted_cdf")
_QUANTILE_METHODS: tuple[Method, ...] = ("bca", "percentile", "basic")
_MOST_SEEDS = 6
_MOST_CLUSTERS = 2


def single(recipe: Recipe) -> list[Recipe]:
    """Alternatives that need no other draws and differ in one choice."""
    found = [replace(recipe, method=method) for method in METHODS]
    found += [replace(recipe, ties=ties) for ties in _TIES]
    found += [replace(recipe, quantile=rule) for rule in _QUANTILES]
    found += [replace(recipe, level=level) for level in _LEVELS]
    found.append(replace(recipe, comparisons=1))
    return _others(recipe, found)


def analyses(recipe: Recipe) -> list[Recipe]:
    """Alternatives that need no other draws and may differ in several choices, the own first."""
    found = [
        replace(recipe, method=method, ties=ties, quantile=rule)
        for method in (recipe.method, *METHODS)
        for rule in (recipe.quantile, *_QUANTILES)
        for ties in (recipe.ties, *_TIES)
        if (ties == recipe.ties or method == "bca")
        and (rule == recipe.quantile or method in _QUANTILE_METHODS)
    ]
    return list(dict.fromkeys(found))


def methods(recipe: Recipe) -> list[Recipe]:
    """The same draws under each method, the own first."""
    found = [recipe, *(replace(recipe, method=method) for method in METHODS)]
    return list(dict.fromkeys(found))


def levels(recipe: Recipe) -> list[Recipe]:
    """Another method and another level at once."""
    found = [replace(recipe, method=method, level=level) for method in METHODS for level in _LEVELS]
    return _others(recipe, found)


def streams(recipe: Recipe) -> list[Recipe]:
    """The same recipe drawn from another stream."""
    return _others(recipe, [replace(recipe, stream=stream) for stream in STREAMS])


def fewer(recipe: Recipe) -> list[Recipe]:
    """Usual smaller and larger numbers of resamples."""
    return _others(recipe, [replace(recipe, resamples=count) for count in _RESAMPLES])


def resampled(recipe: Recipe) -> list[Recipe]:
    """Every analysis under every usual number of resamples, the own number first."""
    return [other for count in (recipe, *fewer(recipe)) for other in analyses(count)]


def seeds(recipe: Recipe, bundle: Bundle, hints: Sequence[int]) -> list[Recipe]:
    """Seeds that the bundle names elsewhere, usual ones, and the neighbours of the own."""
    elsewhere = [other.seed for other in bundle.protocol.intervals.values() if other.draws]
    named = dict.fromkeys((*elsewhere, *hints, *_SEEDS))
    near = (recipe.seed + 1, recipe.seed - 1)
    chosen = dict.fromkeys((*list(named)[:_MOST_SEEDS], *near))
    return _others(recipe, [replace(recipe, seed=seed) for seed in chosen if 0 <= seed < 2**32])


def drawn_otherwise(recipe: Recipe, bundle: Bundle) -> Iterator[Recipe]:
    """Other units, and strata drawn in the other way."""
    if recipe.unit != "window":
        yield replace(recipe, unit="window", clusters=None)
    if recipe.unit != "row":
        yield replace(recipe, unit="row", clusters=None)
    for clusters in _clusters(bundle):
        if clusters != recipe.clusters:
            yield replace(recipe, unit="cluster", clusters=clusters)
    if recipe.strata is not None:
        by_row = recipe.draw == "index-matrix"
        yield replace(recipe, draw="replicate" if by_row else "index-matrix")


def _clusters(bundle: Bundle) -> list[Clusters]:
    held = (recipe.clusters for recipe in bundle.protocol.intervals.values())
    return list(dict.fromkeys(item for item in held if item is not None))[:_MOST_CLUSTERS]


def _others(recipe: Recipe, found: Sequence[Recipe]) -> list[Recipe]:
    return [other for other in dict.fromkeys(found) if other != recipe]
