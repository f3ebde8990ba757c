"""The published figures of two arms, and the words that follow from their intervals."""

from collections.abc import Iterator
from typing import Any

from scripts.example_bootstrap import end_points
from scripts.example_panel import INTERVALS, Entry, Panel, ends, figure, pooled
from scripts.example_scores import mean

MARGIN = 0.1
"""Half width of the zone of equivalence, as a fraction of the second arm's mean."""

_RECIPE = "bca95"


def pair_figures(panel: Panel, arm: str, other: str) -> Iterator[Entry]:
    """Every published number and word of two arms."""
    left, right = (panel.means(name)["kld"] for name in (arm, other))
    differences = [one - two for one, two in zip(left, right, strict=True)]
    name = f"{arm}-minus-{other}/kld"
    measure: dict[str, Any] = {
        "statistic": "mean",
        "column": "kld",
        "arms": [arm, other],
        "pair": "difference",
    }
    yield figure(name, mean(differences), **measure)
    if panel.has_intervals:
        drawn = end_points(differences, INTERVALS[_RECIPE])
        yield from ends(name, drawn, _RECIPE, measure)
    yield from _lower(panel, arm, other)
    # Constant differences decide nothing, and nothing is relative to a mean of 0.
    if panel.has_intervals and len(set(differences)) > 1 and mean(right) > 0:
        base = {"statistic": "mean", "column": "kld", "arm": other}
        relative = {**measure, "relative_to": base}
        share = (drawn[0] / mean(right), drawn[1] / mean(right))
        yield figure(f"{name}/relative", mean(differences) / mean(right), **relative)
        yield from ends(f"{name}/relative", share, _RECIPE, relative)
        yield from _words(f"{name}/relative", share, relative)
        if all(right):
            yield from _ratio(arm, other, left, right)


def reading(low: float, high: float) -> str:
    """What an interval says of a difference, where lower is better."""
    if high < 0:
        return "improvement"
    return "harm" if low > 0 else "no detectable change"


def _words(name: str, interval: tuple[float, float], measure: dict[str, Any]) -> Iterator[Entry]:
    low, high = interval
    word, inside = reading(low, high), low > -MARGIN and high < MARGIN
    for end, published, decide in (
        ("reading", word, {"rule": "reading", "recipe": _RECIPE, "better": "lower"}),
        ("includes-zero", low <= 0 <= high, {"rule": "includes-zero", "recipe": _RECIPE}),
        (
            "equivalent",
            inside,
            {"rule": "equivalent", "recipe": _RECIPE, "margin": MARGIN, "strict": True},
        ),
    ):
        yield {**figure(f"{name}/{end}", published, **measure), "decide": decide}


def _ratio(arm: str, other: str, left: list[float], right: list[float]) -> Iterator[Entry]:
    """The ratio of the means; in its interval, unlike above, the denominator is drawn too."""
    name = f"{arm}-over-{other}/kld"
    measure = {"statistic": "ratio-of-means", "column": "kld", "arms": [arm, other]}
    yield figure(name, mean(left) / mean(right), **measure)
    yield from ends(name, end_points(left, INTERVALS[_RECIPE], over=right), _RECIPE, measure)


def _lower(panel: Panel, arm: str, other: str) -> Iterator[Entry]:
    """In how many windows, and in how many rows, the first arm is lower."""
    measure = {"statistic": "count", "column": "kld", "arms": [arm, other], "pair": "lower"}
    name = f"{arm}-lower-than-{other}"
    windows = zip(panel.means(arm)["kld"], panel.means(other)["kld"], strict=True)
    yield figure(f"{name}/windows", sum(one < two for one, two in windows), **measure)
    every = (pooled(panel.rows(side, "kld")) for side in (arm, other))
    rows = sum(one < two for one, two in zip(*every, strict=True))
    yield figure(f"{name}/rows", rows, **measure, within="none")
