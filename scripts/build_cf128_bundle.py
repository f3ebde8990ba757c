"""Build bundles/kld-cf128-20260925 from the public record of three arms over 128 windows.

    python -m scripts.build_cf128_bundle RECORD [OUTPUT]

RECORD is the folder with control-fp8.tsv, rp2-fp8.tsv, tr3-fp8.tsv and published.json
(bundles/README.md says where they come from).
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts import record_tables
from scripts.record_figures import Entry, counts, decision, figure, lower_windows, with_ends
from scripts.record_tables import RECIPE, Arms, Layout
from scripts.results_documents import LISTED

ROOT = Path(__file__).parent.parent
OUTPUT = ROOT / "bundles" / "kld-cf128-20260925"

_COLUMNS = {"kld": "true_decode_mean_kld"}
_PREFILL = {
    "including_prefill": "including_prefill_mean_kld",
    "prefill": "prefill_row_kld",
}
# The record does not print these two. Its first 32 windows have the token and teacher hashes of
# the reference comparison of 9 September 2026, which does, and its own sizes and means agree.
_EXCLUDED = [0]
_LOGIT_BYTES = 4

_SUBSET = 32
_MARGINS = {"equivalent_5pct": 0.05, "equivalent_10pct": 0.1}

_PROVENANCE = {
    "description": "Per-window scores, score hashes and hashes of the raw logits of three arms over"
    " 128 windows, published on 26 September 2026, carried into this format with the figures as"
    " printed.",
    "repository": "https://github.com/brandonmmusic-max/glm53-trellismx-remainder-kld",
    "revision": "05b5d280",
    "path": "results/kld-cf128/analysis.json",
    "licence": "ShapleyMCG License 1.0",
    "attribution": "Measured by Brandon M. Music and contributors. ShapleyMCG was created by"
    " Brandon M. Music; its canonical source is github.com/brandonmmusic-max/shapleymcg.",
}
_LIMITS = [
    (
        "The first 32 windows are those of the reference comparison of 9 September 2026 and had"
        " been looked at before."
    ),
    (
        "Teacher, direction, unit, vocabulary, storage type of the logits, excluded row and input"
        " tokens are those of that comparison: the source of this bundle does not print them. They"
        " agree with the size of the raw logits and with the means that include the prefill row."
    ),
    (
        "The source gives one digest per arm and not its kind. It is carried as config digest: that"
        " of tr3-fp8 is the local id of a capture image in the TR3 record of 9 September 2026; that"
        " of control-fp8 and rp2-fp8 stands beside it in the same form and is taken to be the same"
        " kind. What these images were built on is not said here."
    ),
    (
        "control-fp8 and rp2-fp8 share an image, tr3-fp8 ran on another: a difference from tr3-fp8"
        " is one of whole systems, not of weights alone."
    ),
    (
        "How often each arm ran, and in which order, is not said: the spread between server"
        " launches cannot be told from these scores, and the intervals speak of windows only."
    ),
    (
        "Means per window and the prefill row are kept, no other rows; the raw logits are named by"
        " hash and size, and when they were scored or retired is not said. Launches and counters of"
        " prefix-cache hits are not kept."
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
    arms = record_tables.read_arms(record, list(published["arms"]))
    layout = Layout(
        values=_COLUMNS,
        prefill=_PREFILL,
        predicted_rows=published["prediction_rows"],
        scored_rows=published["true_decode_rows"],
        excluded=_EXCLUDED,
        raw_bytes=published["raw_bytes"],
    )
    record_tables.write_bundle(
        output,
        bundle=_bundle(published, arms, layout),
        figures=_figures(published, arms, layout),
        arms=arms,
        layout=layout,
    )


def _bundle(published: Any, arms: Arms, layout: Layout) -> dict[str, Any]:
    images = _images(published)
    return {
        "format": record_tables.FORMAT,
        "id": OUTPUT.name,
        "title": "KL divergence from the BF16 teacher of control-fp8, rp2-fp8 and tr3-fp8 over 128"
        " windows, 26 September 2026",
        "created": record_tables.CREATED,
        "provenance": _PROVENANCE,
        "protocol": record_tables.protocol(
            layout,
            vocabulary=published["raw_bytes"] // (layout.predicted_rows * _LOGIT_BYTES),
            input_tokens=layout.predicted_rows + 1,
            interval=published["interval"],
        ),
        "windows": record_tables.panel(arms),
        "arms": [
            {
                "name": name,
                "image": images[published["images"][name]],
                "files": {"windows": record_tables.windows_path(name)},
            }
            for name in arms
        ],
        "images": [
            {"name": name, "role": "capture", "config_digest": digest}
            for digest, name in images.items()
        ],
        "sources": [],
        "documents": [LISTED],
        "limits": _LIMITS,
    }


def _images(published: Any) -> dict[str, str]:
    """The name of each image by its digest: the arms that ran on it, joined."""
    arms: dict[str, list[str]] = {}
    for arm, digest in published["images"].items():
        arms.setdefault(digest, []).append(_short(arm))
    return {digest: "-".join(names) for digest, names in arms.items()}


def _short(arm: str) -> str:
    return arm.removesuffix("-fp8")


def _figures(published: Any, arms: Arms, layout: Layout) -> list[Entry]:
    figures = [figure("panel/windows", _panel_size(arms), {"statistic": "size"})]
    for arm, numbers in published["arms"].items():
        mean = {"statistic": "mean", "column": "kld", "arm": arm}
        figures += with_ends(
            f"{arm}/kld/mean", numbers["mean_true_decode_kld"], numbers["window_bca95"], mean
        )
        figures += counts(arm, _panel_size(arms), layout)
    for name, numbers in published["paired"].items():
        figures += _pair(name, numbers)
    for name, numbers in published["first32_subset"].items():
        figures += _subset(name, numbers)
    return figures + list(_domains(published["per_domain_mean"]))


def _panel_size(arms: Arms) -> int:
    return len(next(iter(arms.values())))


def _pair(name: str, numbers: Any) -> list[Entry]:
    """The paired comparison of two arms: difference, its share of the second arm's mean, words."""
    slug, (left, right) = _names(name)
    pair = {"column": "kld", "arms": [left, right]}
    difference = {"statistic": "mean", **pair, "pair": "difference"}
    # The published relative ends are those of the difference, divided by the comparator's mean:
    # that mean is not drawn again.
    comparator = {"statistic": "mean", "column": "kld", "arm": right}
    relative = {**difference, "relative_to": comparator}
    figures = [
        *with_ends(f"{slug}/kld/mean", numbers["diff"], numbers["bca95"], difference),
        *with_ends(
            f"{slug}/kld/relative", numbers["relative"], numbers["relative_bca95"], relative
        ),
        *lower_windows(_lower(left, right), numbers["a_lower_windows"], numbers["windows"], pair),
        _includes_zero(slug, numbers, difference),
    ]
    for field, margin in _MARGINS.items():
        word = f"{slug}/kld/relative/{field.replace('_', '-')}"
        rule = {"rule": "equivalent", "margin": margin, "strict": True}
        figures.append(decision(word, numbers[field], relative, **rule))
    if "reading" in numbers:
        word = f"{slug}/kld/mean/reading"
        rule = {"rule": "reading", "better": "lower"}
        figures.append(decision(word, numbers["reading"], difference, **rule))
    return figures


def _subset(name: str, numbers: Any) -> list[Entry]:
    slug, (left, right) = _names(name)
    pair = {"column": "kld", "arms": [left, right], "windows": {"first": _SUBSET}}
    difference = {"statistic": "mean", **pair, "pair": "difference"}
    scope = f"first{_SUBSET}"
    return [
        *with_ends(f"{scope}/{slug}/kld/mean", numbers["diff"], numbers["bca95"], difference),
        *lower_windows(f"{scope}/{_lower(left, right)}", numbers["a_lower_windows"], None, pair),
        _includes_zero(f"{scope}/{slug}", numbers, difference),
    ]


def _includes_zero(name: str, numbers: Any, difference: Any) -> Entry:
    word = f"{name}/kld/mean/{RECIPE}-includes-zero"
    return decision(word, numbers["ci_includes_0"], difference, rule="includes-zero")


def _names(published: str) -> tuple[str, list[str]]:
    """Of ``rp2_minus_control`` the start of the ids and the two arms."""
    names = published.split("_minus_")
    return "-minus-".join(names), [f"{name}-fp8" for name in names]


def _lower(left: str, right: str) -> str:
    return f"{_short(left)}-lower-than-{_short(right)}"


def _domains(domains: Any) -> Iterator[Entry]:
    for domain, means in domains.items():
        windows = {"group": "domain", "value": domain}
        for arm, mean in means.items():
            measure = {"statistic": "mean", "column": "kld", "arm": arm, "windows": windows}
            yield figure(f"{domain}/{arm}/kld/mean", mean, measure)


def main(arguments: Sequence[str]) -> int:
    """Build the bundle; the output must not exist."""
    return record_tables.run(arguments, script="build_cf128_bundle", build=build, output=OUTPUT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
