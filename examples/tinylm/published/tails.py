"""What the far end of the rows looks like: quantiles under named rules, shares, counts, records."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, deviation, mean, ranked, top_share
from examples.tinylm.arms import FP8, NVFP4, NVFP4_AGAIN
from examples.tinylm.published.figure import Figure, number
from examples.tinylm.resample import quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

_RULES = (
    *("linear", "linear-lerp", "truncate", "nearest", "hazen", "weibull", "normal_unbiased"),
    *("inverted_cdf", "averaged_inverted_cdf", "interpolated_inverted_cdf"),
)
_ONE = ("linear",)
_HIGH, _NOTABLE, _SMALL, _TINY = 1.0, 0.1, 0.01, 0.001
"""Limits in nats."""
_FAR_RULES = ("linear", "lower", "higher", "midpoint", "closest_observation", "median_unbiased")


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (FP8, NVFP4):
        yield from _quantiles(rows, arm)
    yield from _shares(rows, NVFP4)
    yield from _counts(rows, NVFP4)
    yield from _records(rows, NVFP4)
    yield from _over_runs(rows)


def _quantiles(rows: Rows, arm: str) -> Iterator[Figure]:
    pooled = rows.pooled(arm, "kld")
    rules = {0.99: _RULES, 0.999: _FAR_RULES} if arm == NVFP4 else {0.5: _ONE, 0.99: _ONE}
    for probability, chosen in rules.items():
        for rule in chosen:
            parameters = {"probability": probability, "rule": rule}
            yield number(
                f"{arm}/kld/rows/p{probability * 100:g}/{rule}",
                quantile(pooled, probability, rule),
                "quantile",
                arm=arm,
                within="none",
                parameters=parameters,
            )
    generated = rows.pooled(arm, "kld", rows.windows(panel="generated"))
    yield number(
        f"{arm}/kld/generated/p99",
        f"{quantile(generated, 0.99, 'linear'):.4g}",
        "quantile",
        arm=arm,
        within="none",
        windows={"group": "panel", "value": "generated"},
        parameters={"probability": 0.99, "rule": "linear"},
    )


def _shares(rows: Rows, arm: str) -> Iterator[Figure]:
    pooled = rows.pooled(arm, "kld")
    exact = 0.01 * len(pooled)
    for counting, count in (
        ("floor", math.floor(exact)),
        ("ceil", math.ceil(exact)),
        ("round", round(exact)),
    ):
        stages: dict[str, Any] = {"arm": arm, "within": "none"}
        stages["parameters"] = {"share": 0.01, "counting": counting}
        name = f"{arm}/kld/rows/top-1-percent/{counting}"
        yield number(name, top_share(pooled, max(count, 1)), "top-share", **stages)
    largest = top_share(pooled, math.floor(0.05 * len(pooled)))
    parameters = {"share": 0.05, "counting": "floor"}
    yield number(
        f"{arm}/kld/rows/top-5-percent",
        f"{100 * largest:.0f}",
        "top-share",
        arm=arm,
        within="none",
        parameters=parameters,
        scale="percent",
    )


def _counts(rows: Rows, arm: str) -> Iterator[Figure]:
    pooled = rows.pooled(arm, "kld")
    common: dict[str, Any] = {"arm": arm, "within": "none"}
    for limit in (_HIGH, _NOTABLE):
        above = int((pooled > limit).sum())
        bounds = {"above": limit}
        name = f"{arm}/kld/rows/above-{limit:g}"
        yield number(f"{name}/count", above, "count", parameters=bounds, **common)
        fraction = above / len(pooled)
        yield number(f"{name}/fraction", fraction, "fraction", parameters=bounds, **common)
    between = int(((pooled >= _TINY) & (pooled < _SMALL)).sum())
    yield number(
        f"{arm}/kld/rows/from-0.001-below-0.01",
        between,
        "count",
        parameters={"at_least": _TINY, "below": _SMALL},
        **common,
    )
    largest = rows.per_window(lambda values: max(values.tolist()), arm, "kld")
    quiet = int((largest <= _NOTABLE).sum())
    maxima = {"arm": arm, "within": "maximum", "parameters": {"at_most": _NOTABLE}}
    yield number(f"{arm}/kld/windows-without-a-row-above-0.1", quiet, "count", **maxima)


def _records(rows: Rows, arm: str) -> Iterator[Figure]:
    """The largest rows, with their window and their number in it."""
    pooled = rows.pooled(arm, "kld")
    lengths = [len(rows.column(arm, "kld", name)) for name in rows.groups]
    window_of = np.repeat(np.arange(len(lengths)), lengths)
    row_of = rows.pooled(arm, "row")
    history_of = rows.pooled(arm, "history")
    for rank in (1, 2, 3):
        place = ranked(pooled, rank)
        name = f"{arm}/kld/rows/largest/{rank}"
        found = float(pooled[place])
        only: dict[str, Any] = {
            "arm": arm,
            "within": "none",
            "rows": {"ranked": {"column": "kld", "rank": rank}},
        }
        yield number(name, found, "largest", arm=arm, within="none", parameters={"rank": rank})
        yield number(f"{name}/row", int(row_of[place]), "maximum", column="row", **only)
        yield number(f"{name}/window", int(window_of[place]), "maximum", column="window", **only)
        yield number(f"{name}/history", int(history_of[place]), "maximum", column="history", **only)


def _over_runs(rows: Rows) -> Iterator[Figure]:
    """The same tail of both launches: how far apart they are."""
    long = rows.windows(panel="long")
    found = np.array(
        [quantile(rows.pooled(arm, "kld", long), 0.99, "linear") for arm in (NVFP4, NVFP4_AGAIN)]
    )
    stages = {
        "arms": [NVFP4, NVFP4_AGAIN],
        "within": "none",
        "windows": {"group": "panel", "value": "long"},
        "parameters": {"probability": 0.99, "rule": "linear"},
    }
    values: dict[str, float | str] = {
        "minimum": min(found.tolist()),
        "maximum": max(found.tolist()),
        "range": f"{max(found.tolist()) - min(found.tolist()):.3g}",
        "mean": mean(found),
    }
    for over, value in values.items():
        yield number(f"nvfp4/kld/long/p99/{over}", value, "quantile", over=over, **stages)
    spread = np.array([deviation(rows.means(arm, "kld", long), 1) for arm in (NVFP4, NVFP4_AGAIN)])
    yield number(
        "nvfp4/kld/long/sd/mean",
        mean(spread),
        "standard-deviation",
        over="mean",
        arms=[NVFP4, NVFP4_AGAIN],
        windows={"group": "panel", "value": "long"},
        parameters={"ddof": 1},
    )
