"""Find the interval recipe of a record that does not declare one.

The known recipes of the published family are {legacy RandomState, PCG64} x {BCa, percentile} x the
seeds and resample counts that the policy or the record names. Choosing the nearest one is a search,
not a judgement: whether the nearest one is near enough is for the runner to say.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from verifier.model.figure import Figure
from verifier.model.plugin import Missing
from verifier.model.policy import IntervalRules
from verifier.model.recipe import Interval, Method, Recipe

_FEWEST_RESAMPLES_NAMED = 100
_MOST_RESAMPLES_NAMED = 200_000
# What the published family is known to use; more would only find more by chance.
_TRIED: tuple[Method, ...] = ("bca", "percentile")
# Every seed is tried with every number of resamples: a record must not name thousands of them.
_MOST_HINTS = 4


def candidates(rules: IntervalRules, hints: Sequence[int]) -> tuple[Recipe, ...]:
    """Every recipe to try, the usual one (BCa, RandomState) first.

    Args:
        rules: what the policy permits and tries.
        hints: integers that the record names; each of the first four may be a seed or a number of
            resamples.
    """
    named = tuple(dict.fromkeys(hints))[:_MOST_HINTS]
    permitted = (count for count in rules.resamples if count >= rules.min_resamples)
    resamples = [*permitted, *(hint for hint in named if _may_be_resamples(hint, rules))]
    seeds = [*rules.seeds, *(hint for hint in named if 0 <= hint < 2**32)]
    return tuple(
        Recipe(method=method, level=rules.level, resamples=count, seed=seed, stream=stream)
        for count in dict.fromkeys(resamples)
        for seed in dict.fromkeys(seeds)
        for method in _TRIED
        if method in rules.methods
        for stream in rules.streams
    )


def nearest(
    draw: Callable[[Recipe], Interval | Missing],
    published: tuple[float, float],
    recipes: Iterable[Recipe],
) -> tuple[Recipe, Interval] | None:
    """The recipe whose end points lie nearest to the published ones, with its interval.

    Both ends are taken together, because one alone can agree by chance. The search ends early at
    a recipe that gives both ends within 1e-9 standard errors.

    Args:
        draw: the interval under a recipe, or why it gives none.
        published: low and high end as printed, NaN for an end that is not published.
        recipes: at least one.

    Returns:
        None when no recipe gives an interval at all.
    """
    best: tuple[float, Recipe, Interval] | None = None
    for recipe in recipes:
        found = draw(recipe)
        if isinstance(found, Missing):
            continue
        distance = distance_to(found, published)
        if best is None or distance < best[0]:
            best = (distance, recipe, found)
        if distance <= 1e-9 * found.standard_error:
            break
    return best[1:] if best is not None else None


def distance_to(found: Interval, published: tuple[float, float]) -> float:
    """The larger distance of the two ends, in the unit of the data; NaN ends do not count.

    Infinite without any published end: nothing is near to nothing.
    """
    distances = (abs(found.low - published[0]), abs(found.high - published[1]))
    return max((distance for distance in distances if not math.isnan(distance)), default=math.inf)


def _may_be_resamples(hint: int, rules: IntervalRules) -> bool:
    return max(rules.min_resamples, _FEWEST_RESAMPLES_NAMED) <= hint <= _MOST_RESAMPLES_NAMED


def ends(figures: Iterable[Figure]) -> list[dict[str, Figure]]:
    """The figures of each interval, by end, in the order of the record.

    Ends belong together when they share interval id, measure and recipe. One that is published
    twice opens a second group, so that none takes the place of another.
    """
    groups: dict[object, list[dict[str, Figure]]] = {}
    for figure in figures:
        if figure.kind == "interval" and figure.end is not None:
            alike = groups.setdefault((figure.interval, figure.measure, figure.recipe), [{}])
            if figure.end in alike[-1]:
                alike.append({})
            alike[-1][figure.end] = figure
    return [group for alike in groups.values() for group in alike]


def published_ends(pair: Mapping[str, Figure]) -> tuple[float, float]:
    """Low and high end as printed, NaN where one is not published."""
    low, high = (
        float(pair[end].published.value) if end in pair else math.nan for end in ("low", "high")
    )
    return low, high
