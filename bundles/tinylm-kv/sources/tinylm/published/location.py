"""Means, medians and what else says where values lie, with the number of units behind them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from examples.tinylm.analysis import Rows, deviation, geometric_mean, mean, median
from examples.tinylm.arms import FP8, FP8_AGAIN, NVFP4, NVFP4_AGAIN, TEACHER
from examples.tinylm.published.figure import Figure, number

if TYPE_CHECKING:
    from collections.abc import Iterator

_PANELS = ("natural", "generated", "long")
_DOMAINS = ("prose", "code")


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (TEACHER, FP8, FP8_AGAIN, NVFP4, NVFP4_AGAIN):
        yield number(f"{arm}/kld/mean", mean(rows.means(arm, "kld")), "mean", arm=arm)
    yield from _of_arm(rows, NVFP4)
    for arm in (FP8, NVFP4):
        yield from _of_groups(rows, arm)
    yield from _of_counts(rows)
    yield from _trimmed(rows)


def _of_arm(rows: Rows, arm: str) -> Iterator[Figure]:
    means, pooled = rows.means(arm, "kld"), rows.pooled(arm, "kld")
    name = f"{arm}/kld"
    yield number(f"{name}/mean-printed", f"{mean(means):.6f}", "mean", arm=arm)
    yield number(f"{name}/windows/median", median(means), "median", arm=arm)
    yield number(f"{name}/windows/minimum", min(means.tolist()), "minimum", arm=arm)
    yield number(f"{name}/windows/maximum", max(means.tolist()), "maximum", arm=arm)
    spread = max(means.tolist()) - min(means.tolist())
    yield number(f"{name}/windows/range", spread, "range", arm=arm)
    for ddof in (0, 1):
        found = deviation(means, ddof)
        stages = {"arm": arm, "parameters": {"ddof": ddof}}
        yield number(f"{name}/windows/sd-ddof{ddof}", found, "standard-deviation", **stages)
    error = deviation(means, 1) / math.sqrt(len(means))
    yield number(f"{name}/windows/standard-error", error, "standard-error", arm=arm)
    yield number(f"{name}/windows/geometric-mean", geometric_mean(means), "geometric-mean", arm=arm)
    yield number(f"{name}/rows/median", median(pooled), "median", arm=arm, within="none")
    yield number(f"{name}/rows/mean", mean(pooled), "mean", arm=arm, within="none")
    yield number(
        f"{name}/rows/pooled-weights", mean(pooled), "mean", arm=arm, weights="pooled-rows"
    )
    yield number(f"{name}/rows/sum", math.fsum(pooled.tolist()), "sum", arm=arm, within="none")
    yield number(
        f"{name}/rows/sd",
        deviation(pooled, 1),
        "standard-deviation",
        arm=arm,
        within="none",
        parameters={"ddof": 1},
    )
    medians = rows.per_window(median, arm, "kld")
    yield number(f"{name}/window-medians/mean", mean(medians), "mean", arm=arm, within="median")
    largest = rows.per_window(lambda values: max(values.tolist()), arm, "kld")
    yield number(
        f"{name}/window-maxima/median", median(largest), "median", arm=arm, within="maximum"
    )
    with_prefill = np.array([mean(rows.everything(arm, "kld", name)) for name in rows.groups])
    yield number(
        f"{name}/including-prefill", mean(with_prefill), "mean", arm=arm, rows={"mask": "all"}
    )
    prefill = np.array([rows.everything(arm, "kld", name)[0] for name in rows.groups])
    only = {"mask": "all", "to": 0}
    yield number(f"{name}/prefill-row", mean(prefill), "mean", arm=arm, rows=only)


def _of_groups(rows: Rows, arm: str) -> Iterator[Figure]:
    for group, values in (("panel", _PANELS), ("domain", _DOMAINS)):
        by_value = {
            value: rows.means(arm, "kld", rows.windows(**{group: value})) for value in values
        }
        for value, means in by_value.items():
            chosen = {"group": group, "value": value}
            yield number(f"{arm}/kld/{group}/{value}", mean(means), "mean", arm=arm, windows=chosen)
        equal = mean(np.array([mean(means) for means in by_value.values()]))
        yield number(
            f"{arm}/kld/{group}s-weigh-the-same",
            equal,
            "mean",
            arm=arm,
            weights="equal-group",
            stratum=group,
        )
    first = rows.means(arm, "kld", list(rows.groups)[:6])
    yield number(f"{arm}/kld/first-6-windows", mean(first), "mean", arm=arm, windows={"first": 6})
    named = rows.windows(panel="natural", domain="code")[:2]
    yield number(
        f"{arm}/kld/two-named-windows",
        mean(rows.means(arm, "kld", named)),
        "mean",
        arm=arm,
        windows={"ids": named},
    )


def _of_counts(rows: Rows) -> Iterator[Figure]:
    counts = [len(rows.column(FP8, "kld", name)) for name in rows.groups]
    yield number("panel/windows", len(counts), "size")
    yield number(
        "panel/long/windows",
        len(rows.windows(panel="long")),
        "size",
        windows={"group": "panel", "value": "long"},
    )
    yield number(f"{FP8}/rows", sum(counts), "size", arm=FP8, within="none")
    yield number(f"{FP8}/scored-rows", sum(counts), "sum", arm=FP8, column="scored_rows")
    yield number(
        f"{FP8}/predicted-rows", sum(counts) + len(counts), "sum", arm=FP8, column="predicted_rows"
    )
    long = rows.windows(panel="long")
    yield number(
        f"{FP8}/long/scored-rows-per-window",
        len(rows.column(FP8, "kld", long[0])),
        "common",
        arm=FP8,
        column="scored_rows",
        windows={"group": "panel", "value": "long"},
    )


def _trimmed(rows: Rows) -> Iterator[Figure]:
    """Rows above the 99th percentile of both arms together, dropped from both."""
    ours, theirs = rows.pooled(FP8, "kld"), rows.pooled(NVFP4, "kld")
    limit = float(np.quantile(np.concatenate((ours, theirs)), 0.99))
    kept = (ours <= limit) & (theirs <= limit)
    stages = {
        "arms": [FP8, NVFP4],
        "within": "none",
        "rows": {"trim": {"probability": 0.99, "rule": "linear-lerp"}},
    }
    pair = "fp8-nvfp4/kld/trimmed-at-p99"
    difference = mean(ours[kept] - theirs[kept])
    yield number(f"{pair}/difference", difference, "mean", pair="difference", **stages)
    ratio = mean(ours[kept]) / mean(theirs[kept])
    yield number(f"{pair}/ratio-of-means", ratio, "ratio-of-means", **stages)
    yield number(f"{pair}/rows", int(kept.sum()), "size", pair="difference", **stages)
    own = float(np.quantile(ours, 0.99))
    alone = {"arm": FP8, "within": "none", "rows": stages["rows"]}
    yield number(f"{FP8}/kld/trimmed-at-own-p99", mean(ours[ours <= own]), "mean", **alone)
