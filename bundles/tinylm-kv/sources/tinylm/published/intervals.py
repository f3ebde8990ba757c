"""Intervals: every method, stream, convention, unit and stratification that the recipes name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.arms import FP8, NVFP4, RUNS, TEACHER
from examples.tinylm.published.clusters import clusters_of
from examples.tinylm.published.figure import (
    Figure,
    drawn,
    ends,
    gap_share_of,
    mean_of,
    ratio_of,
    relative_of,
    stratified,
    windows_of,
)
from examples.tinylm.recipes import PASSAGE
from examples.tinylm.resample import Strata, generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from examples.tinylm.analysis import Rows

_PAIR = [FP8, NVFP4]
_DIFFERENCE: dict[str, Any] = {"statistic": "mean", "arms": _PAIR, "pair": "difference"}
_PLAIN = (
    *("bca95", "bca95-pcg64", "bca95-bonferroni4"),
    *("percentile95", "percentile90-hazen", "percentile95-truncate"),
    *("basic95", "bootstrap-error95", "normal95", "t95", "t95-bonferroni4", "one-by-one95"),
)
_CONVENTIONS = ("bca95-scipy-1.9", "bca95-scipy-1.16", "bca95-scipy-1.17")


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    difference = windows_of(rows.means(FP8, "kld") - rows.means(NVFP4, "kld"))
    for recipe in _PLAIN:
        found = drawn(rows, difference, mean_of, recipe)
        yield from ends("fp8-nvfp4/kld/difference", found, recipe, _DIFFERENCE)
    for arm in (FP8, NVFP4):
        found = drawn(rows, windows_of(rows.means(arm, "kld")), mean_of, "bca95")
        yield from ends(f"{arm}/kld/mean", found, "bca95", {"statistic": "mean", "arm": arm})
    yield from _of_conventions(rows)
    yield from _of_scaled(rows)
    yield from _of_several(rows)
    yield from _of_rows(rows)
    yield from _of_clusters(rows)
    yield from _of_strata(rows)
    yield from _continued(rows)


def _of_conventions(rows: Rows) -> Iterator[Figure]:
    """Shares of windows, where many replicates equal the estimate and the tie rules disagree."""
    higher = rows.means(FP8, "student_entropy") > rows.means(TEACHER, "student_entropy")
    same = [rows.column(RUNS, "rows_identical", window).min() for window in rows.groups]
    for name, held, measure in (
        (
            f"{FP8}/entropy/share-of-windows-higher-than-the-teacher",
            higher.astype(np.float64),
            {"arms": [FP8, TEACHER], "column": "student_entropy", "pair": "higher"},
        ),
        (
            "nvfp4-launches/share-of-identical-windows",
            np.array(same),
            {"arms": list(RUNS), "column": "rows_identical", "within": "minimum"},
        ),
    ):
        if held.min() == held.max():
            continue
        for recipe in _CONVENTIONS:
            found = drawn(rows, windows_of(held), mean_of, recipe)
            yield from ends(name, found, recipe, {"statistic": "mean", **measure})


def _of_scaled(rows: Rows) -> Iterator[Figure]:
    """End points that are scaled, not drawn again."""
    units = windows_of(rows.means(FP8, "kld") - rows.means(NVFP4, "kld"))
    base = float(mean_of(rows.means(NVFP4, "kld")))
    low, high = drawn(rows, units, mean_of, "bca95")
    against = {"statistic": "mean", "arm": NVFP4}
    measure = {**_DIFFERENCE, "relative_to": against}
    yield from ends(
        "fp8-nvfp4/kld/difference-to-comparator", (low / base, high / base), "bca95", measure
    )
    percent = (100 * (low / base), 100 * (high / base))
    measure = {**measure, "scale": "percent"}
    yield from ends("fp8-nvfp4/kld/difference-percent", percent, "bca95", measure)
    kept = [window for window in rows.groups if window != PASSAGE]
    for name, chosen in (("all", list(rows.groups)), ("without-passage", kept)):
        delta = rows.means(FP8, "nll", chosen) - rows.means(NVFP4, "nll", chosen)
        measure = {**_DIFFERENCE, "column": "nll"}
        if name != "all":
            measure["windows"] = {"except": [PASSAGE]}
        found = drawn(rows, windows_of(delta), mean_of, "bca95")
        yield from ends(f"fp8-nvfp4/nll/difference/{name}", found, "bca95", measure)


def _of_several(rows: Rows) -> Iterator[Figure]:
    """Functions of several means, every operand resampled with the same indices."""
    ours, theirs = rows.means(FP8, "kld"), rows.means(NVFP4, "kld")
    for recipe in ("bca95", "percentile95"):
        found = drawn(rows, windows_of(ours, theirs), ratio_of, recipe)
        measure: dict[str, Any] = {"statistic": "ratio-of-means", "arms": _PAIR}
        yield from ends("fp8-nvfp4/kld/ratio-of-means", found, recipe, measure)
        found = drawn(rows, windows_of(ours, theirs), relative_of, recipe)
        measure = {"statistic": "relative-difference", "arms": _PAIR}
        yield from ends("fp8-nvfp4/kld/relative", found, recipe, measure)
    arms = [NVFP4, FP8, TEACHER]
    units = windows_of(*(rows.means(arm, "kld") for arm in arms))
    found = drawn(rows, units, gap_share_of, "percentile95")
    measure = {"statistic": "gap-share", "arms": arms}
    yield from ends("fp8/kld/share-of-the-gap", found, "percentile95", measure)
    percent = (100 * found[0], 100 * found[1])
    measure = {**measure, "scale": "percent"}
    yield from ends("fp8/kld/share-of-the-gap-percent", percent, "percentile95", measure)


def _of_rows(rows: Rows) -> Iterator[Figure]:
    """Pooled rows, resampled one by one."""
    natural = rows.windows(panel="natural")
    chosen = {"windows": {"group": "panel", "value": "natural"}}
    measure: dict[str, Any] = {"statistic": "mean", "arm": NVFP4, "within": "none", **chosen}
    by_window = [rows.column(NVFP4, "kld", window) for window in natural]
    single = windows_of(np.concatenate(by_window))
    found = drawn(rows, single, mean_of, "rows95")
    yield from ends("kv-nvfp4-l1/kld/natural/rows", found, "rows95", measure)


def _of_clusters(rows: Rows) -> Iterator[Figure]:
    difference = dict(
        zip(rows.groups, rows.means(FP8, "kld") - rows.means(NVFP4, "kld"), strict=True)
    )
    for recipe in ("streams95", "shared-spans95"):
        clusters = clusters_of(rows, recipe)
        units = [(np.array([difference[window] for window in cluster]),) for cluster in clusters]
        found = drawn(rows, [units], mean_of, recipe)
        yield from ends("fp8-nvfp4/kld/difference", found, recipe, _DIFFERENCE)


def _of_strata(rows: Rows) -> Iterator[Figure]:
    """Windows drawn within their group, and the groups weighing the same."""
    difference = rows.means(FP8, "kld") - rows.means(NVFP4, "kld")
    for group, recipes in (
        ("domain", ("domains95", "domains95-pcg64", "domains95-matrix")),
        ("panel", ("panels95", "panels95-pcg64")),
    ):
        units = stratified(difference, [own[group] for own in rows.groups.values()])
        measure = {**_DIFFERENCE, "weights": "equal-group", "stratum": group}
        for recipe in recipes:
            found = drawn(rows, units, mean_of, recipe)
            yield from ends(f"fp8-nvfp4/kld/difference/equal-{group}s", found, recipe, measure)


def _continued(rows: Rows) -> Iterator[Figure]:
    """Intervals that go on where the one before them left the stream."""
    natural, generated = (rows.windows(panel=panel) for panel in ("natural", "generated"))
    for recipe in ("continued95", "continued95-pcg64"):
        stream = generator(rows.recipes[recipe])
        for name, windows in (("natural", natural), ("generated", generated), ("all", None)):
            units: Strata = windows_of(rows.means(FP8, "kld", windows))
            found = drawn(rows, units, mean_of, recipe, stream)
            measure: dict[str, Any] = {"statistic": "mean", "arm": FP8}
            if windows is not None:
                measure["windows"] = {"group": "panel", "value": name}
            yield from ends(f"{FP8}/kld/{name}", found, recipe, measure)
