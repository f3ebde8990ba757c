"""Build bundles/kv-cache-kld-20260909 from the public record of 9 September 2026.

    python -m scripts.build_kv_bundle RECORD [OUTPUT]

RECORD is the folder with fp8.tsv, nvfp4.tsv and published.json (bundles/README.md says where they
come from). Every time in the bundle is a constant, so the same record gives the same bytes.
"""

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from verifier import seal
from verifier.store.folder import open_store

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "bundles" / "kv-cache-kld-20260909"

_FORMAT = "measurement-bundle/1"
_CREATED = "2026-11-29T00:00:00Z"
_COLUMNS = {
    "kld": "true_decode_mean_kld",
    "top1_agreement": "top1_agreement",
    "actual_token_top1_hit": "actual_token_top1_hit",
    "nll": "nll",
    "actual_token_probability_mae": "actual_token_probability_mae",
}
_FULL_PRECISION = {
    "mean_kld": {"column": "kld"},
    "top1_agreement": {"column": "top1_agreement"},
    "actual_token_top1_hit": {"column": "actual_token_top1_hit"},
    "nll": {"column": "nll"},
    "perplexity": {"column": "nll", "scale": "exp"},
    "probability_mae": {"column": "actual_token_probability_mae"},
}
_RECIPE = "bca95"
_DIFFERENCE = "fp8_minus_nvfp4"

_PROVENANCE = {
    "description": "Per-window scores and score hashes of the reference comparison of KV caches"
    " published on 9 September 2026, carried into this format with the figures as printed.",
    "repository": "https://github.com/brandonmmusic-max/glm53-hadamard-shapleymcg-kld",
    "revision": "03ff56b2",
    "path": "releases/reference-20260909/results/quality-expanded-20260909",
    "licence": "ShapleyMCG License 1.0",
    "attribution": "Measured by Brandon M. Music and contributors. ShapleyMCG was created by"
    " Brandon M. Music; its canonical source is github.com/brandonmmusic-max/shapleymcg.",
}
_LIMITS = [
    "Development data: all 32 windows had been looked at before this measurement.",
    (
        "Each arm ran once, FP8 before NVFP4: neither the order nor the spread between server"
        " launches can be told from these scores, and the intervals speak of windows only."
    ),
    (
        "One sequence at a time without multi-token prediction: nothing here speaks of speed, of"
        " capacity or of a server that predicts several tokens."
    ),
    (
        "Only means per window are kept. The source also publishes quantiles over rows, which this"
        " bundle leaves out because nothing in it could give them; row masks and cache counters"
        " are not kept either."
    ),
    (
        "The source of this bundle names the score files by hash; it names neither the raw logits"
        " nor the times of scoring and retirement."
    ),
    "The figures agree with the scores that were kept. Nobody has captured the logits again.",
]

Row = Mapping[str, str]


def build(record: Path, output: Path) -> None:
    """Write the bundle into a folder that does not exist yet.

    Args:
        record: folder of the public record.
        output: the bundle.

    Raises:
        FileExistsError: the output exists.
    """
    published = json.loads((record / "published.json").read_text(encoding="utf-8"))
    arms = {name: _rows(record / f"{name}.tsv") for name in published["protocol"]["arm_order"]}
    output.mkdir(parents=True)
    _write(output / "bundle.json", _bundle(published, arms))
    _write(output / "figures.json", _figures(published, tuple(arms)))
    for name, rows in arms.items():
        _write(output / "arms" / name / "windows.json", _windows(name, rows, published["protocol"]))
        for row in rows:
            receipt = _receipt(row, published["protocol"])
            _write(output / "arms" / name / "receipts" / f"{row['window_id']}.json", receipt)
    members = open_store(output).members.values()
    (output / seal.PATH).write_bytes(seal.document(members, (), _CREATED))


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _bundle(published: Any, arms: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    protocol = published["protocol"]
    first = next(iter(arms.values()))
    return {
        "format": _FORMAT,
        "id": OUTPUT.name,
        "title": "KL divergence from the BF16 teacher with FP8 and NVFP4 KV caches,"
        " 9 September 2026",
        "created": _CREATED,
        "provenance": {**_PROVENANCE, "carries": list(published["cross_document"].values())},
        "protocol": _protocol(protocol),
        "windows": [
            {
                "id": row["window_id"],
                "groups": {"domain": row["domain"]},
                "token_sha256": row["token_sha256"],
                "teacher_sha256": row["teacher_sha256"],
            }
            for row in first
        ],
        "arms": [
            {
                "name": name,
                "image": "selected",
                "run": 1,
                "files": {"windows": f"arms/{name}/windows.json"},
                "declared": {
                    "kv_cache": name,
                    "tensor_parallel": 4,
                    "decode_context_parallel": 4,
                    "multi_token_prediction": False,
                    "prefix_caching": True,
                    "all_prefix_cache_hits_zero": True,
                    "max_sequences": 1,
                    "max_batched_tokens": 4096,
                    "memory_utilization": 0.97,
                },
            }
            for name in arms
        ],
        "images": [{"name": "selected", "role": "serving", **_pinned(published["image"])}],
        "sources": [],
        "limits": _LIMITS,
    }


def _pinned(reference: str) -> dict[str, str]:
    return {"reference": reference, "manifest_digest": reference.rpartition("@")[2]}


def _protocol(protocol: Any) -> dict[str, Any]:
    interval = protocol["interval"]
    return {
        "metric": {
            "name": "kld",
            "direction": "teacher||student",
            "unit": "nats",
            "dtype": "float64",
            "logits_dtype": "float32",
            "vocabulary": protocol["vocabulary"],
        },
        "rows": {
            "predicted": protocol["prediction_rows"],
            "excluded": protocol["excluded_rows"],
        },
        "input_tokens": protocol["input_tokens"],
        "aggregation": "equal-window",
        "intervals": {
            _RECIPE: {
                "method": "bca",
                "level": interval["level"],
                "resamples": interval["resamples"],
                "seed": interval["seed"],
                "stream": "randomstate",
                "draw": "index-matrix",
                "quantile": interval["quantile"],
                "ties": "midrank",
                "order": "manifest",
            }
        },
    }


def _windows(arm: str, rows: Sequence[Row], protocol: Any) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "arm": arm,
        "windows": [
            {
                "id": row["window_id"],
                "predicted_rows": protocol["prediction_rows"],
                "scored_rows": protocol["true_decode_rows"],
                "excluded": protocol["excluded_rows"],
                "values": {column: float(row[name]) for column, name in _COLUMNS.items()},
                "score_sha256": row["score_sha256"],
                "token_sha256": row["token_sha256"],
                "teacher_sha256": row["teacher_sha256"],
                "receipt": f"arms/{arm}/receipts/{row['window_id']}.json",
            }
            for row in rows
        ],
    }


def _receipt(row: Row, protocol: Any) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "window": row["window_id"],
        "rows": protocol["prediction_rows"],
        "excluded": protocol["excluded_rows"],
        "raw": None,
        "score": {"path": None, "sha256": row["score_sha256"]},
        "token_sha256": row["token_sha256"],
        "teacher_sha256": row["teacher_sha256"],
        "scored_at": None,
        "retired": None,
    }


def _figures(published: Any, arms: Sequence[str]) -> list[dict[str, Any]]:
    protocol, printed = published["protocol"], published["published"]
    figures = [_figure("panel/windows", protocol["windows"], {"statistic": "size"})]
    for arm in arms:
        mean = {"statistic": "mean", "column": "kld", "arm": arm}
        figures += _with_interval(f"{arm}/kld", printed[arm], mean)
        figures += _counts(arm, protocol)
        figures += _full_precision(arm, published["published_full_precision"][arm])
    pair = {"column": "kld", "arms": _DIFFERENCE.split("_minus_")}
    difference = {"statistic": "mean", **pair, "pair": "difference"}
    figures += _with_interval("fp8-minus-nvfp4/kld", printed[_DIFFERENCE], difference)
    lower, windows = printed["fp8_lower_windows"].split("/")
    count = {"statistic": "count", **pair, "pair": "lower"}
    figures.append(_figure("fp8-lower-than-nvfp4/windows", int(lower), count))
    figures.append(
        _figure("fp8-lower-than-nvfp4/of-windows", int(windows), {**count, "statistic": "size"})
    )
    return figures


def _with_interval(name: str, printed: Any, measure: Mapping[str, Any]) -> list[dict[str, Any]]:
    ends = zip(("low", "high"), printed["bca95"], strict=True)
    return [
        _figure(f"{name}/mean", printed["mean"], measure),
        *(
            {
                **_figure(f"{name}/mean/{_RECIPE}-{end}", number, measure),
                "interval": {"recipe": _RECIPE, "end": end},
            }
            for end, number in ends
        ),
    ]


def _counts(arm: str, protocol: Any) -> list[dict[str, Any]]:
    return [
        _figure(f"{arm}/windows", protocol["windows"], {"statistic": "size", "arm": arm}),
        *(
            _figure(
                f"{arm}/{column.replace('_', '-')}-per-window",
                protocol[name],
                {"statistic": "common", "column": column, "arm": arm},
            )
            for column, name in (
                ("predicted_rows", "prediction_rows"),
                ("scored_rows", "true_decode_rows"),
            )
        ),
    ]


def _full_precision(arm: str, numbers: Any) -> list[dict[str, Any]]:
    return [
        _figure(
            f"{arm}/full-precision/{name.replace('_', '-')}",
            numbers[name],
            {"statistic": "mean", **measure, "arm": arm},
        )
        for name, measure in _FULL_PRECISION.items()
    ]


def _figure(name: str, number: str | int, measure: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": name, "published": number, "measure": dict(measure)}


def _write(path: Path, document: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Build the bundle; the output must not exist."""
    if len(arguments) not in (1, 2):
        print("usage: python -m scripts.build_kv_bundle RECORD [OUTPUT]", file=sys.stderr)
        return 2
    record, output = Path(arguments[0]), Path(arguments[1]) if arguments[1:] else OUTPUT
    if output.exists():
        print(f"{output} exists; remove it first", file=sys.stderr)
        return 1
    build(record, output)
    print(f"wrote {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
