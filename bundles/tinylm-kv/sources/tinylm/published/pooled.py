"""Intervals of pooled rows that are resampled with the window or the cluster they lie in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.arms import FP8, NVFP4
from examples.tinylm.published.clusters import clusters_of
from examples.tinylm.published.figure import Figure, drawn, ends, mean_of, ratio_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from examples.tinylm.analysis import Rows
    from examples.tinylm.resample import Unit

_ROWS: dict[str, Any] = {"statistic": "mean", "arm": NVFP4, "within": "none"}


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind; of each cluster all rows lie in a replicate, or none."""
    for recipe in ("streams95", "shared-spans95"):
        pooled = [_rows_of(rows, cluster) for cluster in clusters_of(rows, recipe)]
        found = drawn(rows, [pooled], mean_of, recipe)
        yield from ends(f"{NVFP4}/kld/rows", found, recipe, _ROWS)
    single = [_rows_of(rows, [window]) for window in rows.groups]
    found = drawn(rows, [single], mean_of, "percentile95")
    yield from ends(f"{NVFP4}/kld/rows", found, "percentile95", _ROWS)
    pairs = [
        (rows.column(FP8, "kld", window), rows.column(NVFP4, "kld", window))
        for window in rows.groups
    ]
    found = drawn(rows, [pairs], ratio_of, "percentile95")
    measure = {"statistic": "ratio-of-means", "arms": [FP8, NVFP4], "weights": "pooled-rows"}
    yield from ends("fp8-nvfp4/kld/rows/ratio-of-means", found, "percentile95", measure)


def _rows_of(rows: Rows, windows: Sequence[str]) -> Unit:
    return (np.concatenate([rows.column(NVFP4, "kld", window) for window in windows]),)
