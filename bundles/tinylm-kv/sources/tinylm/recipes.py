"""The interval recipes: by name, as bundle.json declares them and as resample.py reads them."""

from __future__ import annotations

from typing import Any, Final

from examples.tinylm.panels import PROSE_CONTEXT, STREAM_CONTEXTS

SEED: Final = 20260902

STREAM_WINDOWS: Final = tuple(f"stream-{context // 1024:03d}k-code" for context in STREAM_CONTEXTS)
PASSAGE: Final = f"passage-{PROSE_CONTEXT // 1024:03d}k-prose"


def _drawn(
    method: str, *, resamples: int = 20_000, stream: str = "randomstate", **choices: Any
) -> dict[str, Any]:
    rules = {} if "convention" in choices else {"quantile": "linear", "ties": "midrank"}
    common = {
        "method": method,
        "level": 0.95,
        "resamples": resamples,
        "seed": SEED,
        "stream": stream,
        "draw": "index-matrix",
        "order": "manifest",
    }
    return common | rules | choices


def recipes(windows: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Every recipe by name.

    Args:
        windows: Ids of the panel in manifest order; clusters that are given as lists hold each of
            them once, the prefixes of one stream together.
    """
    streamed = [window for window in windows if window in STREAM_WINDOWS]
    singles = [[window] for window in windows if window not in STREAM_WINDOWS]
    return {
        "bca95": _drawn("bca"),
        "bca95-pcg64": _drawn("bca", stream="pcg64"),
        "bca95-scipy-1.9": _drawn("bca", convention="scipy-1.9"),
        "bca95-scipy-1.16": _drawn("bca", convention="scipy-1.16"),
        "bca95-scipy-1.17": _drawn("bca", convention="scipy-1.17"),
        "bca95-bonferroni4": _drawn("bca", comparisons=4),
        "percentile95": _drawn(
            "percentile", resamples=10_000, stream="pcg64", quantile="linear-lerp"
        ),
        "percentile90-hazen": _drawn("percentile", level=0.9, quantile="hazen"),
        "percentile95-truncate": _drawn("percentile", resamples=10_000, quantile="truncate"),
        "basic95": _drawn("basic"),
        "bootstrap-error95": _drawn("normal-bootstrap"),
        "normal95": {"method": "normal", "level": 0.95},
        "t95": {"method": "student-t", "level": 0.95},
        "t95-bonferroni4": {"method": "student-t", "level": 0.95, "comparisons": 4},
        "rows95": _drawn("bca", resamples=10_000, unit="row"),
        "streams95": _drawn(
            "percentile", resamples=10_000, unit="cluster", clusters=[*singles, streamed]
        ),
        "shared-spans95": _drawn(
            "percentile",
            resamples=10_000,
            stream="pcg64",
            unit="cluster",
            clusters={"shared": 64, "span": 32},
        ),
        "domains95": _drawn("percentile", resamples=10_000, strata="domain", draw="replicate"),
        "domains95-pcg64": _drawn(
            "percentile", resamples=10_000, stream="pcg64", strata="domain", draw="replicate"
        ),
        "domains95-matrix": _drawn("percentile", resamples=10_000, stream="pcg64", strata="domain"),
        "panels95": _drawn("basic", resamples=10_000, strata="panel"),
        "panels95-pcg64": _drawn(
            "basic", resamples=10_000, stream="pcg64", strata="panel", draw="replicate"
        ),
        "one-by-one95": _drawn("percentile", stream="pcg64", draw="replicate"),
        "continued95": _drawn("percentile", resamples=10_000, start="continue"),
        "continued95-pcg64": _drawn("bca", resamples=10_000, stream="pcg64", start="continue"),
    }
