"""What an interval resamples: the units of a measure, gathered as the recipe asks."""

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from verifier.measures.lacking import lacking
from verifier.measures.operands import Run
from verifier.measures.work import TOKEN_STEPS, Work
from verifier.model.measure import REFERENCE, Measure
from verifier.model.plugin import FloatArray, Statistic, Units
from verifier.model.recipe import Clusters, Recipe
from verifier.numerics.clusters import MAX_STEPS, components, partition
from verifier.numerics.resampling import Sample

IntArray = NDArray[np.int64]
Parts = Sequence[Sequence[int] | IntArray]

_KEPT_CLUSTERS = 32
_MOST_STRATA = 256  # each of them is drawn block by block
_COUNTED_AT_ONCE = 2**8  # shared spans are counted as products of matrices


class Resampler:
    """Gathers units for intervals; clusters that were used last are kept."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._clusters: OrderedDict[object, tuple[tuple[str, ...], ...]] = OrderedDict()

    def sample(
        self, measure: Measure, statistic: Statistic, units: Units, recipe: Recipe, run: Run
    ) -> Sample:
        """The sample that the recipe resamples.

        Args:
            measure: what is estimated.
            statistic: that of the measure; only functions of means are resampled.
            units: the measure's units.
            recipe: which units are drawn.
            run: the measure's first arm, for clusters that are computed from tokens.

        Raises:
            LackingError: measure and recipe do not fit together.
        """
        if statistic.of_means is None:
            message = f"intervals are drawn of functions of means, not of the {statistic.id}"
            raise lacking(message)
        if measure.stratum != recipe.strata:
            message = (
                f"the measure weighs groups of {measure.stratum or 'nothing'} alike, the recipe "
                f"draws strata of {recipe.strata or 'nothing'}"
            )
            raise lacking(message)
        strata = len(set(units.strata))
        if strata > _MOST_STRATA:
            message = f"{strata} strata are too many to draw apart, over {_MOST_STRATA}"
            raise lacking(message)
        of_means = statistic.of_means if statistic.arms > 1 else None
        if recipe.unit == "row":
            if not units.from_rows:
                message = "the recipe draws single rows, and the measure reduces windows"
                raise lacking(message)
            return Sample(vectors=units.vectors, strata=positions(units), of_means=of_means)
        members = self._members(units, recipe.clusters if recipe.unit == "cluster" else None, run)
        if members is None:
            return Sample(
                vectors=units.vectors,
                counts=units.counts,
                strata=positions(units),
                of_means=of_means,
            )
        owner = members[units.windows]
        size = int(members.max()) + 1
        counts = units.counts or tuple(np.ones_like(vector) for vector in units.vectors)
        return Sample(
            vectors=tuple(_summed(owner, vector, size) for vector in units.vectors),
            counts=tuple(_summed(owner, count, size) for count in counts),
            strata=_cluster_positions(units, members),
            of_means=of_means,
        )

    def _members(self, units: Units, clusters: Clusters | None, run: Run) -> IntArray | None:
        """Number of the resampled unit that each window belongs to; None for units as they are."""
        if clusters is None:
            # Pooled rows are drawn window by window: sums and counts, never the rows themselves.
            return np.arange(len(units.window_ids)) if units.from_rows else None
        try:
            parts = self._parts(units.window_ids, clusters, run)
        except ValueError as error:
            message = f"the clusters cannot be formed: {error}"
            raise lacking(message) from error
        members = np.empty(len(units.window_ids), dtype=np.int64)
        for number, part in enumerate(parts):
            members[np.asarray(part)] = number
        return members

    def _parts(self, windows: tuple[str, ...], clusters: Clusters, run: Run) -> Parts:
        """Positions of the selected windows in each cluster.

        Listed clusters keep their order; computed ones stand in the order of their first windows.
        """
        if clusters.lists:
            return partition(_present(clusters.lists, windows), windows)
        places = {window: place for place, window in enumerate(windows)}
        found = _present(self._computed(clusters, run), windows)
        # No two clusters begin alike, so the first positions alone decide.
        in_order = sorted(found, key=lambda cluster: min(places[window] for window in cluster))
        return partition(in_order, windows)

    def _computed(self, clusters: Clusters, run: Run) -> tuple[tuple[str, ...], ...]:
        """The clusters of all windows of the arm: one that is left out still links its neighbours.

        Who shares text with whom depends neither on the arm nor on the order of its windows.
        """
        windows = tuple(sorted(run.windows))
        key = (run.key.startswith(REFERENCE), windows, clusters)
        lists = self._clusters.pop(key, None)
        if lists is None:
            streams = [run.tokens(window) for window in windows]
            tokens = sum(stream.size for stream in streams)
            self._work.spend(clustering_steps(tokens, windows=len(windows), span=clusters.span))
            parts = components(streams, span=clusters.span, shared=clusters.shared)
            lists = tuple(tuple(windows[place] for place in part) for part in parts)
        self._clusters[key] = lists
        if len(self._clusters) > _KEPT_CLUSTERS:
            self._clusters.popitem(last=False)
        return lists


def clustering_steps(tokens: int, *, windows: int, span: int) -> int:
    """Steps of ``Work`` that computing clusters takes, more rather than less.

    Args:
        tokens: in all windows together.
        windows: how many there are.
        span: length of a span in tokens.
    """
    counted = min(tokens * windows**2, MAX_STEPS)
    return (TOKEN_STEPS + span) * tokens + counted // _COUNTED_AT_ONCE


def positions(units: Units) -> tuple[IntArray, ...]:
    """Positions of the units of each stratum, in sorted order of the strata's names."""
    if not units.strata:
        return ()
    numbers, count = _numbered(units.strata)
    return _split(numbers[units.windows], count)


def _present(
    lists: tuple[tuple[str, ...], ...], windows: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """The clusters without windows that the measure does not select, and without empty ones."""
    selected = frozenset(windows)
    kept = (tuple(window for window in cluster if window in selected) for cluster in lists)
    return tuple(cluster for cluster in kept if cluster)


def _summed(owner: IntArray, values: FloatArray, size: int) -> FloatArray:
    sums: FloatArray = np.bincount(owner, weights=values, minlength=size).astype(np.float64)
    return sums


def _cluster_positions(units: Units, members: IntArray) -> tuple[IntArray, ...]:
    """Positions of the clusters of each stratum, in sorted order of the strata's names."""
    if not units.strata:
        return ()
    numbers, count = _numbered(units.strata)
    of_cluster = np.empty(int(members.max()) + 1, dtype=np.int64)
    of_cluster[members] = numbers
    (split,) = np.nonzero(of_cluster[members] != numbers)
    if split.size:
        message = f"the cluster of window {units.window_ids[split[0]]} lies in two strata"
        raise lacking(message)
    return _split(of_cluster, count)


def _numbered(strata: Sequence[str]) -> tuple[IntArray, int]:
    """The rank of each stratum's name (n,), and how many there are.

    Ranks, because an array of names is as wide as the longest of them.
    """
    ranks = {name: rank for rank, name in enumerate(sorted(set(strata)))}
    return np.array([ranks[name] for name in strata], dtype=np.int64), len(ranks)


def _split(numbers: IntArray, count: int) -> tuple[IntArray, ...]:
    """Positions of each number from 0 in rising order; empty for one that does not occur."""
    order = np.argsort(numbers, kind="stable")
    return tuple(np.split(order, np.searchsorted(numbers[order], np.arange(1, count))))
