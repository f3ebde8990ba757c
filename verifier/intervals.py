"""The intervals of a bundle: which answers for a figure, and who draws before whom."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from verifier.model.basis import Level
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case, Measures, Missing, Spent
from verifier.model.recipe import Interval, Recipe
from verifier.numerics.limits import require_possible
from verifier.recipes import candidates, ends, nearest, published_ends

_Key = tuple[Measure, Recipe]

# A bundle names how many intervals of how many units, resamples and seeds are drawn. This is a
# minute or two for all of them together.
MOST_STEPS = 2**34
"""Most draws and jackknife steps that one audit spends on intervals."""

MOST_CONTINUED = 1024
"""Most intervals that continue one stream: each remembers all before it."""

# The streams remember where at least so many intervals left them.
_REMEMBERED = 32


@dataclass(slots=True, kw_only=True)
class Drawings:
    """Draws the intervals of one bundle; a continued stream goes on in the order of the figures.

    An interval that is published twice, or decided on, is drawn once.
    """

    measures: Measures
    figures: tuple[Figure, ...]
    left: int = MOST_STEPS
    _drawn: dict[_Key, Interval | Missing] = field(default_factory=dict)
    _before: dict[_Key, Spent | Missing] | None = None
    _ended: deque[tuple[Recipe, Spent]] = field(default_factory=lambda: deque(maxlen=_REMEMBERED))

    def draw(self, measure: Measure, recipe: Recipe) -> Interval | Missing:
        """The interval of a measure, after what was published before it took from the stream."""
        key = (measure, recipe)
        if key not in self._drawn:
            self._drawn[key] = self._draw(measure, recipe)
        return self._drawn[key]

    def _draw(self, measure: Measure, recipe: Recipe) -> Interval | Missing:
        spent = self.measures.spent(measure, recipe)
        if isinstance(spent, Missing):
            return spent
        before = self.before(measure, recipe)
        if isinstance(before, Missing):
            return before
        try:
            for sizes, _ in spent:
                require_possible(recipe, sum(sizes), before)
        except ValueError as error:
            # It is refused for what it is, and takes nothing from the intervals after it.
            return Missing(reason=f"{recipe.label} gives no interval: {error}")
        cost = steps(spent) + self._replayed(recipe, before, spent)
        if cost > self.left:
            return Missing(
                reason="the intervals of this bundle up to here take more draws than one audit "
                "spends on them"
            )
        self.left -= cost
        drawn = self.measures.interval(measure, recipe, before)
        if isinstance(drawn, Missing):
            return Missing(reason=f"{recipe.label} gives no interval: {drawn.reason}")
        return drawn

    def _replayed(self, recipe: Recipe, before: Spent, spent: Spent) -> int:
        """Draws that are made again because no generator is left where this interval begins."""
        done: Spent = ()
        for other, position in self._ended:
            if other == recipe and before[: len(position)] == position:
                done = position
        self._ended.append((recipe, (*before, *spent)))
        return sum(sum(sizes) * resamples for sizes, resamples in before[len(done) :])

    def before(self, measure: Measure, recipe: Recipe) -> Spent | Missing:
        """What a continued stream gave to the intervals before this one; () for a restarted one."""
        if recipe.start == "restart":
            return ()
        if self._before is None:
            self._before = dict(_positions(self.measures, self.figures))
        unknown = Missing(
            reason="its place in the continued stream is unknown: it is no interval of figures.json"
        )
        return self._before.get((measure, recipe), unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The interval that answers for published end points.

    Attributes:
        level: evidence it was drawn from.
        recipe: that the record declares, or the known one that comes nearest.
        declared: which of the two.
        interval: in the unit of the measure.
    """

    level: Level
    recipe: Recipe
    declared: bool
    interval: Interval

    @property
    def how(self) -> str:
        """The recipe, and where it comes from."""
        return f"{self.recipe.label} ({'declared' if self.declared else 'found by search'})"


def answer(case: Case, drawings: Drawings, pair: Mapping[str, Figure]) -> Answer | Missing:
    """Draw the interval whose ends were published.

    Without a declared recipe it is the known one whose ends come nearest to the published ones.

    Args:
        case: the bundle, its evidence, and the policy that says which recipes are known.
        drawings: of the bundle's figures.
        pair: the published ends by ``low`` and ``high``, of one interval (``recipes.ends``).
    """
    figure = next(iter(pair.values()))
    measure, declared = figure.measure, figure.recipe
    if measure is None:
        return Missing(reason=figure.missing)
    value = case.measures.value(measure)
    if isinstance(value, Missing):
        return value
    if declared is not None:
        drawn = drawings.draw(measure, declared)
        if isinstance(drawn, Missing):
            return drawn
        return Answer(level=value.level, recipe=declared, declared=True, interval=drawn)
    known = candidates(case.policy.intervals, figure.hints)
    found = nearest(lambda recipe: drawings.draw(measure, recipe), published_ends(pair), known)
    if found is None:
        return Missing(reason=f"none of {len(known)} known recipes gives an interval")
    recipe, interval = found
    return Answer(level=value.level, recipe=recipe, declared=False, interval=interval)


def steps(spent: Spent) -> int:
    """Draws and jackknife steps that an interval may take."""
    return sum(sum(sizes) * (resamples + sum(sizes)) for sizes, resamples in spent)


def _positions(measures: Measures, figures: Iterable[Figure]) -> Mapping[_Key, Spent | Missing]:
    """What was drawn before each interval of a continued stream."""
    found: dict[_Key, Spent | Missing] = {}
    drawn: dict[Recipe, Spent | Missing] = {}
    for group in ends(figures):
        figure = next(iter(group.values()))
        measure, recipe = figure.measure, figure.recipe
        if measure is None or recipe is None or recipe.start == "restart":
            continue
        if (measure, recipe) in found:
            continue
        so_far = drawn.get(recipe, ())
        found[measure, recipe] = so_far
        spent = measures.spent(measure, recipe)
        if isinstance(so_far, Missing):
            continue
        if len(so_far) >= MOST_CONTINUED:
            drawn[recipe] = Missing(
                reason=f"more than {MOST_CONTINUED} intervals continue one stream"
            )
        elif isinstance(spent, Missing):
            drawn[recipe] = Missing(
                reason=f"an interval before it in the same stream cannot be drawn: {spent.reason}"
            )
        else:
            drawn[recipe] = (*so_far, *spent)
    return found
