"""The shipped measurement of the small model: reproduced in full, by two codes."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from examples.tinylm import figures
from examples.tinylm.analysis import Rows
from examples.tinylm.files import Folder
from verifier import pipeline
from verifier.model.report import Report
from verifier.policy import REVIEW

LARGEST = 12_000_000
RESAMPLED = frozenset({"intervals", "decisions"})


@pytest.fixture(scope="module")
def bundle() -> Path:
    return Path(__file__).parent.parent / "bundles" / "tinylm-kv"


@pytest.fixture(scope="module")
def report(bundle: Path) -> Report:
    return pipeline.audit_path(bundle, pipeline.Options(policy=REVIEW))


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_every_figure_is_reproduced(report: Report) -> None:
    assert Counter(figure.status for figure in report.figures) == {
        "REPRODUCED": len(report.figures)
    }
    assert len(report.figures) >= 250


def test_nothing_in_it_fails(report: Report) -> None:
    failed = {outcome.check for outcome in report.outcomes if outcome.status == "FAILED"}
    assert failed == set()


def test_the_captures_own_analysis_gives_the_published_values(bundle: Path) -> None:
    """All but the resampled kinds, whose literal loops take too long for a test."""
    published = {entry["id"]: entry for entry in read(bundle / "figures.json")}
    rows = Rows(Folder(bundle))
    found = [
        figure.document()
        for kind, module in figures.KINDS.items()
        if kind not in RESAMPLED
        for figure in module.figures(rows)
    ]
    assert [published[entry["id"]] for entry in found] == found
    assert len(found) > 200


def test_the_weights_that_were_measured_are_those_of_the_project(bundle: Path) -> None:
    (source,) = read(bundle / "bundle.json")["sources"]
    weights = Path(figures.__file__).parent / "weights.npz"
    assert hashlib.sha256(weights.read_bytes()).hexdigest() == source["files"]["weights.npz"]


def test_long_windows_score_4096_rows_and_three_are_prefixes_of_one_stream(bundle: Path) -> None:
    rows = Rows(Folder(bundle))
    long = rows.windows(panel="long")
    assert [len(rows.column("kv-fp8-p1", "kld", window)) for window in long] == [4096] * 4
    streams = [rows.tokens[window] for window in long if window.startswith("stream")]
    assert streams[2].startswith(streams[1])
    assert streams[1].startswith(streams[0])
    assert rows.pooled("kv-fp8-p1", "copied", long).sum() > 1000


def test_passes_are_identical_and_launches_differ_on_some_windows(bundle: Path) -> None:
    raw = {
        arm: [
            window["raw_sha256"] for window in read(bundle / f"arms/{arm}/windows.json")["windows"]
        ]
        for arm in ("kv-fp8-p1", "kv-fp8-p2", "kv-nvfp4-l1", "kv-nvfp4-l2")
    }
    assert raw["kv-fp8-p1"] == raw["kv-fp8-p2"]
    differing = sum(
        one != other for one, other in zip(raw["kv-nvfp4-l1"], raw["kv-nvfp4-l2"], strict=True)
    )
    assert 0 < differing < len(raw["kv-nvfp4-l1"])


def test_raw_logits_of_one_window_are_kept_for_every_arm(bundle: Path) -> None:
    kept = [path.relative_to(bundle).as_posix() for path in sorted(bundle.rglob("*.f32"))]
    arms = [arm["name"] for arm in read(bundle / "bundle.json")["arms"]]
    assert kept == sorted(f"arms/{arm}/raw/n01-prose.f32" for arm in arms)


def test_it_is_small_enough_to_ship(bundle: Path) -> None:
    assert sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()) < LARGEST
