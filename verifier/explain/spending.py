"""What intervals cost an explanation, and what it pays only once."""

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from verifier.explain.budget import Budget
from verifier.measures.resampled import clustering_steps
from verifier.model.basis import Level
from verifier.model.bundle import Arm
from verifier.model.measure import REFERENCE, Measure
from verifier.model.plugin import Case, Spent, Units
from verifier.model.recipe import Recipe, Stream

MOST_STEPS = 5 * 2**26
"""Most steps of one explanation, of about 2 ns each: well below a second."""

# Steps, as measured: the legacy stream rejects draws, unless the units are a power of two.
_DRAWN: Mapping[Stream, int] = MappingProxyType({"randomstate": 8, "pcg64": 2})
_DRAWN_WHOLE = 3
_ANALYSED = 16  # a replicate, in each interval that is made of it
_LEFT_OUT = 500  # one unit of a jackknife, besides a quarter of a step for each other unit
_LEFT_OUT_OF = 4
_ROW = 16
_CLUSTERED = 3  # a step of the audit's own ledger of clusters

# As verifier/numerics/streams.py keeps the matrices of indices that were drawn last.
_KEPT_MATRICES = 2
_KEPT_ENTRIES = 2**23


@dataclass(slots=True, kw_only=True)
class Spending:
    """The budget of one explanation that draws intervals."""

    case: Case
    budget: Budget = field(default_factory=lambda: Budget(MOST_STEPS))
    _matrices: deque[Hashable] = field(default_factory=lambda: deque(maxlen=_KEPT_MATRICES))
    _clusters: set[Hashable] = field(default_factory=set)

    def may_build(self, measures: Iterable[Measure]) -> bool:
        """Whether the units of these measures may be built; this tries no alternative yet."""
        steps = sum(_ROW * rows(self.case, measure) for measure in measures)
        return self.budget.take(steps, tries=False)

    def may_draw(
        self, measure: Measure, wanted: Sequence[Recipe], units: Units, before: Spent
    ) -> bool:
        """Whether intervals under these recipes may be drawn for units of the measure."""
        drawing = [recipe for recipe in wanted if recipe.draws]
        steps = sum(recipe.resamples for recipe in drawing) * _ANALYSED
        steps += sum(_jackknife(recipe, units) for recipe in drawing)
        # Recipes that draw alike share what is drawn; the most resamples hold the fewer ones.
        most: dict[Hashable, Recipe] = {}
        for recipe in sorted(drawing, key=lambda recipe: recipe.resamples, reverse=True):
            by_matrix = bool(units.strata) and recipe.draw == "index-matrix"
            most.setdefault((_drawn_alike(recipe), recipe.resamples if by_matrix else 0), recipe)
        clusters: dict[Hashable, int] = {}
        matrices: list[Hashable] = []
        for recipe in most.values():
            key = self._matrix(recipe, units, before)
            steps += self._drawn(recipe, units, before, kept=key in self._matrices)
            matrices += [key] if _size(recipe, units) * recipe.resamples <= _KEPT_ENTRIES else []
            clusters |= self._clustered(measure, recipe)
        if not self.budget.take(steps + sum(clusters.values())):
            return False
        for key in matrices:
            if key in self._matrices:
                self._matrices.remove(key)
            self._matrices.append(key)
        self._clusters |= clusters.keys()
        return True

    def _matrix(self, recipe: Recipe, units: Units, before: Spent) -> Hashable:
        """What a kept matrix of indices belongs to."""
        windows = frozenset(units.window_ids) if recipe.unit == "cluster" else None
        strata = frozenset(Counter(units.strata).items())
        alike = (_drawn_alike(recipe), recipe.resamples, before)
        return (*alike, windows, strata, _size(recipe, units))

    def _drawn(self, recipe: Recipe, units: Units, before: Spent, *, kept: bool) -> int:
        size = _size(recipe, units)
        summed = recipe.unit == "cluster" or (units.from_rows and recipe.unit != "row")
        vectors = len(units.vectors) * (2 if summed or units.counts else 1)
        entries = size * recipe.resamples
        if kept:
            return entries * vectors
        earlier = before if recipe.start == "continue" else ()
        replayed = sum(sum(sizes) * count for sizes, count in earlier)
        whole = recipe.stream == "randomstate" and size & (size - 1) == 0
        anew = _DRAWN_WHOLE if whole else _DRAWN[recipe.stream]
        return entries * vectors + (entries + replayed) * anew

    def _clustered(self, measure: Measure, recipe: Recipe) -> dict[Hashable, int]:
        """What the clusters of a recipe still cost, by what they are computed of."""
        clusters = recipe.clusters
        if recipe.unit != "cluster" or clusters is None or clusters.lists:
            return {}
        first = next(iter(measure.arm_names), "")
        arm = _arm(self.case, first)
        held = () if arm is None else arm.windows
        windows = frozenset(window.window for window in held)
        key = (first.startswith(REFERENCE), windows, clusters)
        if key in self._clusters:
            return {}
        tokens = sum(window.predicted_rows + 1 for window in held)
        steps = clustering_steps(tokens, windows=len(windows), span=clusters.span)
        return {key: _CLUSTERED * steps}


def rows(case: Case, measure: Measure) -> int:
    """How many rows, or windows where no rows are retained, a measure may have to reduce."""
    arms = [_arm(case, name) for name in measure.arm_names]
    return len(case.bundle.panel) + sum(
        sum(window.predicted_rows for window in arm.windows)
        if arm.level >= Level.ROW_SCORES
        else len(arm.windows)
        for arm in arms
        if arm is not None
    )


def _arm(case: Case, name: str) -> Arm | None:
    if not name.startswith(REFERENCE):
        return case.bundle.arm(name)
    return None if case.reference is None else case.reference.arm(name.removeprefix(REFERENCE))


def _size(recipe: Recipe, units: Units) -> int:
    """How many units are drawn, more rather than less: clusters are fewer than windows."""
    if recipe.unit == "row" or not units.from_rows:
        return units.values.size
    return len(units.window_ids)


def _drawn_alike(recipe: Recipe) -> Hashable:
    """Recipes that have this in common draw the same indices, but for the number of them."""
    place = (recipe.seed, recipe.stream, recipe.draw, recipe.start)
    return (*place, recipe.unit, recipe.clusters)


def _jackknife(recipe: Recipe, units: Units) -> int:
    if recipe.method != "bca":
        return 0
    size = _size(recipe, units)
    return len(units.vectors) * size * (size // _LEFT_OUT_OF + _LEFT_OUT)
