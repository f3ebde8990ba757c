"""Interval recipes as bundle.json declares them, and the clusters that they name."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from verifier.formats._bundle_rules import PATH
from verifier.formats._records import listed, violation
from verifier.jsontext import pointer
from verifier.model.bundle import Violation
from verifier.model.recipe import CONVENTIONS, Clusters, Recipe

_AT = ("protocol", "intervals")


def read_recipes(document: Any) -> Mapping[str, Recipe]:
    """The interval recipes of a valid bundle.json, by name."""
    return {name: _recipe(name, entry) for name, entry in document["protocol"]["intervals"].items()}


def broken_recipes(document: Any) -> Iterator[Violation]:
    """Clusters that name an unknown window, hold a window twice or leave one out."""
    windows = dict.fromkeys(window["id"] for window in document["windows"])
    groups = {name for window in document["windows"] for name in window.get("groups", {})}
    some = listed(sorted(groups)) or "no group at all"
    for name, entry in document["protocol"]["intervals"].items():
        place = pointer(*_AT, name)
        clusters = entry.get("clusters")
        if isinstance(clusters, list):
            yield from _broken_clusters(clusters, f"{place}/clusters", windows)
        if "strata" in entry and entry["strata"] not in groups:
            yield violation(
                PATH,
                f"{place}/strata",
                expected=f"one of {some}",
                actual=entry["strata"],
                message="Name a group that the windows have.",
            )


def _broken_clusters(clusters: Any, place: str, windows: Mapping[str, None]) -> Iterator[Violation]:
    named = Counter(window for cluster in clusters for window in cluster)
    for index, cluster in enumerate(clusters):
        for at, window in enumerate(cluster):
            if window not in windows:
                yield violation(
                    PATH,
                    f"{place}{pointer(index, at)}",
                    expected="a window of the panel",
                    actual=window,
                    message="Name windows of bundle.json.",
                )
            elif named[window] > 1:
                yield violation(
                    PATH,
                    f"{place}{pointer(index, at)}",
                    expected="each window in one cluster",
                    actual=f"{window} {named[window]} times",
                    message="Clusters must not overlap: a window is drawn with one cluster.",
                )
    missed = len(windows) - len(windows.keys() & named.keys())
    if missed:
        # Found after as many steps as windows are named, however large the panel is.
        first = next(window for window in windows if window not in named)
        yield violation(
            PATH,
            place,
            expected="every window of the panel in a cluster",
            actual=f"{missed} left out, the first is {first}",
            message="A window that no cluster holds would never be drawn; give it one of its own.",
        )


def _recipe(name: str, entry: Any) -> Recipe:
    plain = Recipe(method=entry["method"], level=float(entry["level"]))
    ties, quantile = entry.get("ties", plain.ties), entry.get("quantile", plain.quantile)
    if "convention" in entry:
        ties, quantile = CONVENTIONS[entry["convention"]]
    return Recipe(
        method=plain.method,
        level=plain.level,
        resamples=int(entry.get("resamples", 0)),
        seed=int(entry.get("seed", 0)),
        stream=entry.get("stream", plain.stream),
        ties=ties,
        quantile=quantile,
        unit=entry.get("unit", plain.unit),
        clusters=_clusters(entry.get("clusters")),
        strata=entry.get("strata"),
        draw=entry.get("draw", plain.draw),
        start=entry.get("start", plain.start),
        comparisons=int(entry.get("comparisons", 1)),
        name=name if entry.get("start") == "continue" else "",
    )


def _clusters(entry: Any) -> Clusters | None:
    if entry is None:
        return None
    if isinstance(entry, list):
        return Clusters(lists=tuple(tuple(cluster) for cluster in entry))
    return Clusters(shared=int(entry["shared"]), span=int(entry["span"]))
