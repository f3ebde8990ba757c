"""Build bundles/kv-cache-kld-20260909 from the public record of 9 September 2026.

    python -m scripts.build_kv_bundle RECORD [OUTPUT]

RECORD is the folder with fp8.tsv, nvfp4.tsv and published.json (bundles/README.md says where they
come from).
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts import record_tables
from scripts.record_figures import Entry, counts, figure, lower_windows, with_ends
from scripts.record_tables import Arms, Layout
from scripts.results_documents import LISTED

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "bundles" / "kv-cache-kld-20260909"

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


def build(record: Path, output: Path) -> None:
    """Write the bundle into a folder that does not exist yet.

    Args:
        record: folder of the public record.
        output: the bundle.

    Raises:
        FileExistsError: the output exists.
    """
    published = record_tables.read_published(record)
    protocol = published["protocol"]
    arms = record_tables.read_arms(record, protocol["arm_order"])
    layout = Layout(
        values=_COLUMNS,
        predicted_rows=protocol["prediction_rows"],
        scored_rows=protocol["true_decode_rows"],
        excluded=protocol["excluded_rows"],
    )
    record_tables.write_bundle(
        output,
        bundle=_bundle(published, arms, layout),
        figures=_figures(published, tuple(arms), layout),
        arms=arms,
        layout=layout,
    )


def _bundle(published: Any, arms: Arms, layout: Layout) -> dict[str, Any]:
    protocol = published["protocol"]
    return {
        "format": record_tables.FORMAT,
        "id": OUTPUT.name,
        "title": "KL divergence from the BF16 teacher with FP8 and NVFP4 KV caches,"
        " 9 September 2026",
        "created": record_tables.CREATED,
        "provenance": {**_PROVENANCE, "carries": list(published["cross_document"].values())},
        "protocol": record_tables.protocol(
            layout,
            vocabulary=protocol["vocabulary"],
            input_tokens=protocol["input_tokens"],
            interval=protocol["interval"],
        ),
        "windows": record_tables.panel(arms),
        "arms": [
            {
                "name": name,
                "image": "selected",
                "run": 1,
                "files": {"windows": record_tables.windows_path(name)},
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
        "documents": [LISTED],
        "limits": _LIMITS,
    }


def _pinned(reference: str) -> dict[str, str]:
    return {"reference": reference, "manifest_digest": reference.rpartition("@")[2]}


def _figures(published: Any, arms: Sequence[str], layout: Layout) -> list[Entry]:
    windows, printed = published["protocol"]["windows"], published["published"]
    figures = [figure("panel/windows", windows, {"statistic": "size"})]
    for arm in arms:
        mean = {"statistic": "mean", "column": "kld", "arm": arm}
        figures += with_ends(f"{arm}/kld/mean", printed[arm]["mean"], printed[arm]["bca95"], mean)
        figures += counts(arm, windows, layout)
        figures += _full_precision(arm, published["published_full_precision"][arm])
    pair = {"column": "kld", "arms": _DIFFERENCE.split("_minus_")}
    difference = printed[_DIFFERENCE]
    figures += with_ends(
        "fp8-minus-nvfp4/kld/mean",
        difference["mean"],
        difference["bca95"],
        {"statistic": "mean", **pair, "pair": "difference"},
    )
    lower, of_windows = (int(number) for number in printed["fp8_lower_windows"].split("/"))
    return figures + lower_windows("fp8-lower-than-nvfp4", lower, of_windows, pair)


def _full_precision(arm: str, numbers: Any) -> list[Entry]:
    return [
        figure(
            f"{arm}/full-precision/{name.replace('_', '-')}",
            numbers[name],
            {"statistic": "mean", **measure, "arm": arm},
        )
        for name, measure in _FULL_PRECISION.items()
    ]


def main(arguments: Sequence[str]) -> int:
    """Build the bundle; the output must not exist."""
    return record_tables.run(arguments, script="build_kv_bundle", build=build, output=OUTPUT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
