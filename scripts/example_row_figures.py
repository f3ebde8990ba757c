"""The published figures of single rows: quantiles, tails, buckets of history, agreement."""

import math
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

from scripts.example_panel import Entry, Panel, figure, pooled, printed
from scripts.example_scores import LISTED, mean

PROBABILITY = 0.9
SHARE = 0.1


def row_figures(panel: Panel, arm: str) -> Iterator[Entry]:
    """Every published number of one arm's rows."""
    rows = pooled(panel.rows(arm, "kld"))
    measure = {"column": "kld", "arm": arm, "within": "none"}
    yield figure(f"{arm}/rows", len(rows), statistic="size", **measure)
    yield figure(f"{arm}/rows/kld-median", median(rows), statistic="median", **measure)
    yield figure(
        f"{arm}/rows/kld-p90",
        quantile(rows),
        statistic="quantile",
        parameters={"probability": PROBABILITY, "rule": "linear"},
        **measure,
    )
    if any(rows):
        yield figure(
            f"{arm}/rows/kld-top-10-percent",
            _top_share(rows) * 100,
            statistic="top-share",
            parameters={"share": SHARE, "counting": "ceil"},
            scale="percent",
            **measure,
        )
    agreements = pooled(panel.rows(arm, "top1_agreement"))
    yield figure(
        f"{arm}/rows/top1-agreements",
        agreements.count(1.0),
        statistic="count",
        column="top1_agreement",
        arm=arm,
        within="none",
    )
    yield from _hits(panel, arm)
    if panel.holds(arm, "history"):
        yield from _by_history(panel, arm, measure)
    if panel.holds(arm, f"kl_top{LISTED}"):
        yield figure(
            f"{arm}/kl-top{LISTED}",
            printed(mean([mean(window) for window in panel.rows(arm, f"kl_top{LISTED}")])),
            statistic="mean",
            column="kl_topk",
            top_k=LISTED,
            arm=arm,
        )


def quantile(values: Sequence[float]) -> float:
    """The p90 by the rule ``linear``: in proportion between two order statistics (type 7)."""
    ordered = sorted(values)
    position = PROBABILITY * (len(ordered) - 1)
    low = math.floor(position)
    if low == len(ordered) - 1:
        return ordered[low]
    part = position - low
    return ordered[low] * (1 - part) + ordered[low + 1] * part


def _top_share(values: Sequence[float]) -> float:
    largest = sorted(values, reverse=True)[: math.ceil(SHARE * len(values))]
    return math.fsum(largest) / math.fsum(values)


def hits(panel: Panel, arm: str) -> list[list[float]]:
    """Divergences of the rows in which the student named the token that came, by window."""
    return _selected(panel, arm, "actual_token_top1_hit", bool)


def _hits(panel: Panel, arm: str) -> Iterator[Entry]:
    """Windows weigh alike, however many such rows each of them has."""
    windows = hits(panel, arm)
    if all(windows):
        yield figure(
            f"{arm}/kld/where-hit",
            mean([mean(window) for window in windows]),
            statistic="mean",
            column="kld",
            arm=arm,
            rows={"where": [{"column": "actual_token_top1_hit", "equals": 1}]},
        )


def _by_history(panel: Panel, arm: str, measure: dict[str, Any]) -> Iterator[Entry]:
    """Rows with few tokens before them, and rows with many."""
    most = panel.predicted // 2
    for name, bounds, keeps in (
        (f"up-to-{most}", {"at_most": most}, lambda history: history <= most),
        (f"from-{most + 1}", {"at_least": most + 1}, lambda history: history > most),
    ):
        rows = pooled(_selected(panel, arm, "history", keeps))
        if rows:
            yield figure(
                f"{arm}/rows/kld-history-{name}",
                mean(rows),
                statistic="mean",
                rows={"where": [{"column": "history", **bounds}]},
                **measure,
            )


def _selected(
    panel: Panel, arm: str, column: str, keeps: Callable[[float], bool]
) -> list[list[float]]:
    """Divergences, by window, of the rows for which a column says so."""
    return [
        [value for value, by in zip(values, others, strict=True) if keeps(by)]
        for values, others in zip(panel.rows(arm, "kld"), panel.rows(arm, column), strict=True)
    ]
