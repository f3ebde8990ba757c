"""A bundle of random rows for the benchmarks: right in form and in its figures, and large."""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier import pipeline

ARMS = ("base", "first", "second")
WINDOWS = 128
ROWS = 2047
VOCABULARY = 1000
_AGREEMENT = 0.95
_TIME = "2026-11-29T00:00:00Z"
_RECIPE = {
    "method": "bca",
    "level": 0.95,
    "resamples": 20_000,
    "seed": 20260902,
    "stream": "randomstate",
    "draw": "index-matrix",
    "quantile": "linear",
    "ties": "midrank",
    "order": "manifest",
}

Arrays = dict[str, NDArray[Any]]


def write(target: Path, *, compressed: bool) -> None:
    """Write and seal the bundle into a new folder.

    Args:
        target: the folder.
        compressed: whether the score files are deflated.
    """
    names = [f"w{number:03d}" for number in range(WINDOWS)]
    for number, arm in enumerate(ARMS):
        entries = [
            _window(target, arm, number, at, name, compressed) for at, name in enumerate(names)
        ]
        document = {"format": "measurement-bundle/1", "arm": arm, "windows": entries}
        _json(target / "arms" / arm / "windows.json", document)
    _json(target / "bundle.json", _bundle(names))
    _json(target / "figures.json", list(_figures(target)))
    pipeline.seal_folder(target, now=_TIME, jobs=2)


def _window(  # noqa: PLR0913, PLR0917 - one score file of one arm
    target: Path,
    arm: str,
    number: int,
    at: int,
    name: str,
    compressed: bool,  # noqa: FBT001
) -> dict[str, Any]:
    arrays = _arrays(number, at)
    path = target / "arms" / arm / "scores" / f"{name}.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    save: Callable[..., None] = np.savez_compressed if compressed else np.savez
    save(path, **arrays)
    scored = arrays["kld"][1:]
    return {
        "id": name,
        "predicted_rows": ROWS,
        "scored_rows": ROWS - 1,
        "excluded": [0],
        "values": {
            "kld": float(np.mean(scored)),
            "nll": float(np.mean(-arrays["student_logp_realized"][1:])),
        },
        "raw_sha256": _hash(arm, name, "raw"),
        "raw_bytes": ROWS * VOCABULARY * 4,
        "score_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "score_path": path.relative_to(target).as_posix(),
        "token_sha256": _hash(name, "tokens"),
        "teacher_sha256": _hash(name, "teacher"),
    }


def _arrays(number: int, at: int) -> Arrays:
    shared, own = np.random.default_rng((at, 0)), np.random.default_rng((at, 1 + number))
    top = shared.integers(0, VOCABULARY, ROWS, dtype=np.int32)
    taught = -shared.exponential(1.0, ROWS)
    return {
        "kld": own.lognormal(-4.5 + 0.1 * number, 1.5, ROWS),
        "teacher_entropy": shared.gamma(2.0, 0.5, ROWS),
        "student_entropy": own.gamma(2.0, 0.5, ROWS),
        "teacher_top1": top,
        "student_top1": np.where(own.random(ROWS) < _AGREEMENT, top, (top + 1) % VOCABULARY),
        "teacher_top1_p": shared.uniform(0.2, 1.0, ROWS),
        "student_top1_p": own.uniform(0.2, 1.0, ROWS),
        "teacher_logp_realized": taught,
        "student_logp_realized": np.minimum(taught + own.normal(0.0, 0.05, ROWS), 0.0),
        "realized_token": shared.integers(0, VOCABULARY, ROWS, dtype=np.int32),
        "history": np.arange(1, ROWS + 1, dtype=np.int32),
    }


def _bundle(names: list[str]) -> dict[str, Any]:
    return {
        "format": "measurement-bundle/1",
        "id": "benchmark",
        "title": "Random rows for a benchmark",
        "created": _TIME,
        "provenance": {"description": "Random numbers", "licence": "Apache-2.0"},
        "protocol": {
            "metric": {
                "name": "kld",
                "direction": "teacher||student",
                "unit": "nats",
                "dtype": "float64",
                "logits_dtype": "float32",
                "vocabulary": VOCABULARY,
            },
            "rows": {"predicted": ROWS, "excluded": [0]},
            "input_tokens": ROWS + 1,
            "aggregation": "equal-window",
            "intervals": {"bca95": _RECIPE},
        },
        "windows": [
            {
                "id": name,
                "groups": {"domain": "code" if at % 2 else "prose"},
                "token_sha256": _hash(name, "tokens"),
                "teacher_sha256": _hash(name, "teacher"),
            }
            for at, name in enumerate(names)
        ],
        "arms": [
            {
                "name": arm,
                "image": None,
                "run": 1,
                "files": {"windows": f"arms/{arm}/windows.json"},
                "row_columns": list(_arrays(0, 0)),
            }
            for arm in ARMS
        ],
        "images": [],
        "sources": [],
        "limits": ["Random numbers; nothing was measured."],
    }


def _measures() -> Iterator[tuple[dict[str, Any], str | None]]:
    """Sixty figures: measures with the end of an interval, or None."""
    for arm in ARMS:
        mean = {"statistic": "mean", "arm": arm}
        yield mean, None
        yield mean, "low"
        yield mean, "high"
        for column in ("nll", "student_entropy", "top1_agreement"):
            yield {**mean, "column": column}, None
        pooled = {"arm": arm, "within": "none"}
        yield {"statistic": "median", **pooled}, None
        for probability in (0.9, 0.99, 0.999):
            rule = {"probability": probability, "rule": "linear"}
            yield {"statistic": "quantile", "parameters": rule, **pooled}, None
        share = {"share": 0.05, "counting": "ceil"}
        yield {"statistic": "top-share", "parameters": share, **pooled}, None
        for low, high in ((1, 256), (257, 512), (513, 1024), (1025, 2047)):
            bucket = {"where": [{"column": "history", "at_least": low, "at_most": high}]}
            yield {"statistic": "mean", "rows": bucket, **pooled}, None
    for other in ARMS[1:]:
        pair = {"arms": [other, ARMS[0]], "pair": "difference", "statistic": "mean"}
        relative = {**pair, "relative_to": {"statistic": "mean", "arm": ARMS[0]}}
        for measure in (pair, relative):
            yield measure, None
            yield measure, "low"
            yield measure, "high"
        yield {**pair, "statistic": "count", "pair": "lower"}, None
        sure = {"where": [{"column": "teacher_top1_p", "at_least": 0.9}]}
        yield (
            {
                "statistic": "mean",
                "column": "top1_agreement",
                "arm": other,
                "rows": sure,
                "within": "none",
            },
            None,
        )
    yield {"statistic": "size"}, None


def _figures(target: Path) -> Iterator[dict[str, Any]]:
    """The figures with values that the verifier itself gives: a benchmark proves no number."""
    entries = []
    for number, (measure, end) in enumerate(_measures()):
        entry: dict[str, Any] = {"id": f"figure-{number}", "published": 0, "measure": measure}
        if end is not None:
            entry["interval"] = {"recipe": "bca95", "end": end}
        entries.append(entry)
    _json(target / "figures.json", entries)
    options = pipeline.Options(policy=pipeline.load_policy("review"))
    pipeline.seal_folder(target, now=_TIME, jobs=2)
    values = {value.id: value.value for value in pipeline.recompute(target, options)}
    (target / "seal.json").unlink()
    for entry in entries:
        yield {**entry, "published": values[entry["id"]]}


def _hash(*parts: str) -> str:
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def _json(path: Path, document: Any) -> None:
    path.write_text(json.dumps(document), encoding="utf-8")
