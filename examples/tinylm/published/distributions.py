"""Divergences from the retained top-20 lists, of natural and generated windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.tinylm.analysis import Rows, mean, median
from examples.tinylm.arms import FP8, NVFP4
from examples.tinylm.published.figure import Figure, number
from examples.tinylm.resample import quantile

if TYPE_CHECKING:
    from collections.abc import Iterator

_FEWER = 5


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    for arm in (FP8, NVFP4):
        yield from _of_arm(rows, arm)
    yield from _between(rows)


def _of_arm(rows: Rows, arm: str) -> Iterator[Figure]:
    short = rows.short()
    for column in (
        "kl_topk",
        "kl_topk_normalised",
        "js_topk",
        "kl_two_bucket",
        "topk_missing",
        "kld",
    ):
        stages: dict[str, Any] = {"arm": arm, "column": column, "windows": {"ids": short}}
        name = f"{arm}/short/{column.replace('_', '-')}"
        yield number(f"{name}/mean", mean(rows.means(arm, column, short)), "mean", **stages)
        if column in {"kl_topk", "js_topk"}:
            p99 = quantile(rows.pooled(arm, column, short), 0.99, "linear")
            parameters = {"probability": 0.99, "rule": "linear"}
            yield number(
                f"{name}/p99", p99, "quantile", within="none", parameters=parameters, **stages
            )
    for column in ("kl_topk", "kl_topk_normalised", "topk_missing"):
        found = mean(rows.means(arm, column, short, top_k=_FEWER))
        yield number(
            f"{arm}/short/{column.replace('_', '-')}/top-{_FEWER}/mean",
            found,
            "mean",
            arm=arm,
            column=column,
            top_k=_FEWER,
            windows={"ids": short},
        )
    yield number(
        f"{arm}/kl-two-bucket/mean",
        mean(rows.means(arm, "kl_two_bucket")),
        "mean",
        arm=arm,
        column="kl_two_bucket",
    )


def _between(rows: Rows) -> Iterator[Figure]:
    """The students of two arms, in both directions."""
    short = rows.short()
    for name, pair in (("fp8-nvfp4", (FP8, NVFP4)), ("nvfp4-fp8", (NVFP4, FP8))):
        for column in ("kl_topk_between", "kl_topk_normalised_between", "js_topk_between"):
            means = rows.means(pair, column, short)
            stages: dict[str, Any] = {
                "arms": list(pair),
                "column": column,
                "windows": {"ids": short},
            }
            label = f"{name}/short/{column.replace('_', '-')}"
            yield number(f"{label}/mean", mean(means), "mean", **stages)
            yield number(f"{label}/median-window", median(means), "median", **stages)
