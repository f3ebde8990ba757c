"""What the intervals are read as: words and truth values, each with its rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from examples.tinylm.analysis import Rows, mean
from examples.tinylm.arms import FP8, NVFP4, RUNS, TEACHER
from examples.tinylm.published.figure import Figure, drawn, mean_of, relative_of, windows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_PAIR = [FP8, NVFP4]
_ZONE = 0.02
_LIMITS = (0.001, 0.002, 0.02)
_CEILING = 0.01
_DIFFERENCE: dict[str, Any] = {"statistic": "mean", "arms": _PAIR, "pair": "difference"}


def figures(rows: Rows) -> Iterator[Figure]:
    """Every figure of this kind."""
    yield from _readings(rows)
    yield from _equivalences(rows)
    yield from _gates(rows)


def read(low: float, high: float, better: str) -> str:
    """Where an interval lies; a word for nothing found never means that two things are equal."""
    if low <= 0.0 <= high:
        return "no detectable change"
    return "improvement" if (high < 0.0) == (better == "lower") else "harm"


def _decision(
    name: str, measure: dict[str, Any], rule: str, *, word: str | bool, **choices: Any
) -> Figure:
    decide = {"rule": rule, **choices}
    return Figure(id=name, published=word, measure=measure, decide=decide)


def _readings(rows: Rows) -> Iterator[Figure]:
    for column, better in (("kld", "lower"), ("nll", "lower"), ("top1_agreement", "higher")):
        delta = rows.means(FP8, column) - rows.means(NVFP4, column)
        low, high = drawn(rows, windows_of(delta), mean_of, "bca95")
        measure = {**_DIFFERENCE, "column": column}
        name, word = f"fp8-nvfp4/{column.replace('_', '-')}", read(low, high, better)
        reading = {"recipe": "bca95", "better": better}
        yield _decision(f"{name}/reading", measure, "reading", word=word, **reading)
        held = low <= 0.0 <= high
        name = f"{name}/includes-zero"
        yield _decision(name, measure, "includes-zero", word=held, recipe="bca95")
    delta = rows.means(NVFP4, "kld") - rows.means(FP8, "kld")
    low, high = drawn(rows, windows_of(delta), mean_of, "bca95")
    measure = {**_DIFFERENCE, "arms": [NVFP4, FP8]}
    word, reading = read(low, high, "lower"), {"recipe": "bca95", "better": "lower"}
    yield _decision("nvfp4-fp8/kld/reading", measure, "reading", word=word, **reading)
    for panel in ("natural", "generated"):
        chosen = rows.windows(panel=panel)
        delta = rows.means(NVFP4, "nll", chosen) - rows.means(TEACHER, "nll", chosen)
        low, high = drawn(rows, windows_of(delta), mean_of, "bca95")
        measure = {**_DIFFERENCE, "arms": [NVFP4, TEACHER], "column": "nll"}
        measure["windows"] = {"group": "panel", "value": panel}
        word, reading = read(low, high, "lower"), {"recipe": "bca95", "better": "lower"}
        name = f"nvfp4-teacher/{panel}/nll/reading"
        yield _decision(name, measure, "reading", word=word, **reading)


def _equivalences(rows: Rows) -> Iterator[Figure]:
    """Whether the arms differ by less than a part of the comparator's mean."""
    for column, margins in (("kld", (0.1, 0.99)), ("nll", (0.001, 0.05))):
        ours, theirs = rows.means(FP8, column), rows.means(NVFP4, column)
        low, high = drawn(rows, windows_of(ours - theirs), mean_of, "bca95")
        base = mean(theirs)
        against = {"statistic": "mean", "arm": NVFP4, "column": column}
        measure = {**_DIFFERENCE, "column": column, "relative_to": against}
        for margin in margins:
            within = -margin < low / base and high / base < margin
            name = f"fp8-nvfp4/{column}/equivalent-within-{margin:g}"
            zone = {"recipe": "bca95", "margin": margin}
            yield _decision(name, measure, "equivalent", word=within, **zone)
    ours, theirs = rows.means(FP8, "nll"), rows.means(NVFP4, "nll")
    low, high = drawn(rows, windows_of(ours, theirs), relative_of, "percentile95")
    measure = {"statistic": "relative-difference", "arms": _PAIR, "column": "nll"}
    within = max(abs(low), abs(high)) <= _ZONE
    zone = {"recipe": "percentile95", "margin": _ZONE, "strict": False}
    name = f"fp8-nvfp4/nll/relative/equivalent-within-{_ZONE:g}"
    yield _decision(name, measure, "equivalent", word=within, **zone)


def _gates(rows: Rows) -> Iterator[Figure]:
    ours, theirs = rows.means(FP8, "kld"), rows.means(NVFP4, "kld")
    measure: dict[str, Any] = {"statistic": "count", "arms": _PAIR, "pair": "lower"}
    for enough in (len(ours), len(ours) // 2):
        passed = int((ours < theirs).sum()) >= enough
        gate = {"operator": ">=", "threshold": enough}
        name = f"fp8-nvfp4/kld/lower-in-at-least-{enough}-windows"
        yield _decision(name, measure, "gate", word=passed, **gate)
    for arm in (FP8, NVFP4):
        means = rows.means(arm, "kld")
        measure = {"statistic": "mean", "arm": arm}
        for limit in _LIMITS:
            gate = {"operator": "<=", "threshold": limit}
            name = f"{arm}/kld/mean-at-most-{limit:g}"
            yield _decision(name, measure, "gate", word=mean(means) <= limit, **gate)
        _, high = drawn(rows, windows_of(means), mean_of, "bca95")
        gate = {"operator": "<", "threshold": _CEILING, "of": "high", "recipe": "bca95"}
        name = f"{arm}/kld/high-end-below-{_CEILING:g}"
        yield _decision(name, measure, "gate", word=high < _CEILING, **gate)
    first, second = (rows.means(arm, "kld") for arm in RUNS)
    passed = float(np.abs(first - second).max()) < _CEILING
    measure = {"statistic": "maximum", "arms": list(RUNS), "pair": "absolute-difference"}
    gate = {"operator": "<", "threshold": _CEILING}
    name = f"nvfp4-launches/kld/largest-shift-below-{_CEILING:g}"
    yield _decision(name, measure, "gate", word=passed, **gate)
