"""Which intervals are drawn at all: a bundle names the recipe, and must not exhaust the machine."""

from collections.abc import Sequence

from verifier.model.plugin import Spent
from verifier.model.recipe import Recipe

FEWEST_UNITS = 2
"""Fewest units of one interval: a single unit says nothing about its spread."""

MAX_UNITS = 2**18
"""Most units of one bootstrap interval."""

MAX_JACKKNIFE_UNITS = 20_000
"""Most units of one BCa interval, whose jackknife takes n * n steps (0.2 s at this size)."""

MAX_RESAMPLES = 2_000_000
"""Most replicates of one interval, kept in memory as FP64."""

MAX_DRAWS = 2**33
"""Most indices drawn for one interval, n * resamples (about a minute), with all before it."""

_MAX_COMPARISONS = 1_000_000


def require_possible(recipe: Recipe, units: int, before: Spent = ()) -> None:
    """Refuse an interval that has no answer or costs too much.

    Args:
        recipe: every choice but the data.
        units: number n of units.
        before: what the same generator has drawn before.

    Raises:
        ValueError: fewer than two units, an impossible level, or a number over its limit.
    """
    if units < FEWEST_UNITS:
        message = f"an interval needs at least {FEWEST_UNITS} units, found {units}"
        raise ValueError(message)
    _require_level(recipe)
    if recipe.draws:
        _require_drawable(recipe, units, before)


def require_every_stratum(sizes: Sequence[int]) -> None:
    """Refuse strata that cannot vary: a single unit is drawn every time.

    Raises:
        ValueError: a stratum has fewer than two units.
    """
    if len(sizes) > 1 and min(sizes) < FEWEST_UNITS:
        message = (
            f"an interval needs at least {FEWEST_UNITS} units in every stratum, found "
            f"{min(sizes)} in the smallest of {len(sizes)}"
        )
        raise ValueError(message)


def _require_level(recipe: Recipe) -> None:
    if not 0.0 < recipe.level < 1.0:
        message = f"expected a level between 0 and 1, found {recipe.level}"
        raise ValueError(message)
    if not 1 <= recipe.comparisons <= _MAX_COMPARISONS:
        message = f"expected 1 to {_MAX_COMPARISONS} comparisons, found {recipe.comparisons}"
        raise ValueError(message)
    if not 0.0 < recipe.coverage < 1.0:
        message = (
            f"level {recipe.level} adjusted for {recipe.comparisons} comparisons is "
            f"{recipe.coverage}, expected less than 1"
        )
        raise ValueError(message)


def _require_drawable(recipe: Recipe, units: int, before: Spent) -> None:
    if not 2 <= recipe.resamples <= MAX_RESAMPLES:  # noqa: PLR2004 - a deviation needs two values
        message = f"expected 2 to {MAX_RESAMPLES} resamples, found {recipe.resamples}"
        raise ValueError(message)
    if recipe.method == "bca" and units > MAX_JACKKNIFE_UNITS:
        message = (
            f"BCa over {units} units is refused: its jackknife takes n * n steps, so at most "
            f"{MAX_JACKKNIFE_UNITS} units; resample windows or clusters of windows, not rows"
        )
        raise ValueError(message)
    if units > MAX_UNITS:
        message = f"{units} units exceed {MAX_UNITS}: resample windows, not rows"
        raise ValueError(message)
    if units * recipe.resamples > MAX_DRAWS:
        message = f"{units} units x {recipe.resamples} resamples exceed {MAX_DRAWS} draws"
        raise ValueError(message)
    passed = sum(sum(sizes) * resamples for sizes, resamples in before)
    if passed + units * recipe.resamples > MAX_DRAWS:
        message = (
            f"{len(before)} intervals before this one leave its stream no more than "
            f"{MAX_DRAWS} draws in all: restart the stream for each interval"
        )
        raise ValueError(message)
