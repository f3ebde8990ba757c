"""The shipped measurement of the small model: reproduced in full, by two codes."""

import hashlib
import json
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from examples.tinylm import figures
from examples.tinylm.analysis import Rows
from examples.tinylm.files import Folder, own_sources
from verifier import pipeline
from verifier.model.recipe import METHODS, QUANTILE_RULES, STREAMS
from verifier.model.report import Report
from verifier.policy import REVIEW

LARGEST = 10_000_000
FIRST = {"pooled": 2}
CONVENTIONS = ("bca95-scipy-1.9", "bca95-scipy-1.16", "bca95-scipy-1.17")


@pytest.fixture(scope="module")
def bundle() -> Path:
    return Path(__file__).parent.parent / "bundles" / "tinylm-kv"


@pytest.fixture(scope="module")
def report(bundle: Path) -> Report:
    return pipeline.audit_path(bundle, pipeline.Options(policy=REVIEW))


@pytest.fixture(scope="module")
def rows(bundle: Path) -> Rows:
    return Rows(Folder(bundle))


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_every_figure_is_reproduced(report: Report) -> None:
    assert Counter(figure.status for figure in report.figures) == {
        "REPRODUCED": len(report.figures)
    }
    assert len(report.figures) >= 450


def test_nothing_in_it_fails(report: Report) -> None:
    failed = {outcome.check for outcome in report.outcomes if outcome.status == "FAILED"}
    assert failed == set()


def test_the_captures_own_analysis_gives_every_published_value(bundle: Path, rows: Rows) -> None:
    """To all digits; ends of intervals to twelve, as the order of a sum is numpy's affair.

    Of the intervals over clusters of pooled rows the first one stands for its slow kind.
    """
    published = {entry["id"]: entry for entry in read(bundle / "figures.json")}
    found = [
        figure.document()
        for kind, module in figures.KINDS.items()
        for figure in islice(module.figures(rows), FIRST.get(kind))
    ]
    assert len(found) >= len(published) - 6
    for own in found:
        entry = published[own["id"]]
        if "interval" in own:
            assert own.pop("published") == pytest.approx(entry.pop("published"), rel=1e-12)
        assert own == entry


def test_intervals_and_decisions_of_every_kind_are_among_them(bundle: Path, rows: Rows) -> None:
    published = read(bundle / "figures.json")
    recipes = {entry["interval"]["recipe"] for entry in published if "interval" in entry}
    assert recipes == set(rows.recipes)
    rules = {entry["decide"]["rule"] for entry in published if "decide" in entry}
    assert rules == {"reading", "includes-zero", "equivalent", "gate"}
    words = {entry["published"] for entry in published if "decide" in entry}
    assert words == {"improvement", "harm", "no detectable change", True, False}
    methods, streams, units, draws = (
        {recipe.get(part) for recipe in rows.recipes.values()} - {None}
        for part in ("method", "stream", "unit", "draw")
    )
    assert methods == set(METHODS)
    assert streams == set(STREAMS)
    assert units == {"row", "cluster"}
    assert draws == {"index-matrix", "replicate"}


def test_the_conventions_of_three_scipy_releases_give_three_intervals(bundle: Path) -> None:
    published = {entry["id"]: entry["published"] for entry in read(bundle / "figures.json")}
    share = "nvfp4-launches/share-of-identical-windows"
    lows, highs = (
        [repr(published[f"{share}/{name}/{end}"]) for name in CONVENTIONS]
        for end in ("low", "high")
    )
    assert len(set(zip(lows, highs, strict=True))) == 3
    assert len(set(highs)) == 3
    share = "kv-fp8-p1/entropy/share-of-windows-higher-than-the-teacher"
    strict, midrank, later = (
        [published[f"{share}/{name}/{end}"] for end in ("low", "high")] for name in CONVENTIONS
    )
    assert strict == pytest.approx([0.571, 0.893], abs=5e-4)
    assert midrank == pytest.approx([0.643, 0.929], abs=5e-4)
    assert later == pytest.approx(midrank, rel=1e-12)


def test_every_field_and_pair_of_a_measure_is_used(bundle: Path) -> None:
    schema = read(bundle.parent.parent / "schemas/figures-1.schema.json")["$defs"]
    measures = [entry["measure"] for entry in read(bundle / "figures.json")]
    assert {field for measure in measures for field in measure} == set(
        schema["measure"]["properties"]
    )
    assert {measure.get("pair") for measure in measures} - {None} == set(schema["pair"]["enum"])


def test_every_rule_for_quantiles_is_used(bundle: Path, rows: Rows) -> None:
    parameters = [entry["measure"].get("parameters", {}) for entry in read(bundle / "figures.json")]
    used = {part["rule"] for part in parameters if "rule" in part}
    drawn = {recipe["quantile"] for recipe in rows.recipes.values() if "quantile" in recipe}
    assert used | drawn == set(QUANTILE_RULES)


def test_its_scripts_are_those_of_the_project(bundle: Path) -> None:
    """Otherwise ``python -m examples.tinylm.capture --republish`` brings them up to date."""
    (source,) = read(bundle / "bundle.json")["sources"]
    sources = dict(own_sources())
    assert source["files"] == {
        path: hashlib.sha256(data).hexdigest() for path, data in sources.items()
    }
    kept = bundle / "sources/tinylm"
    copies = {path.relative_to(kept).as_posix(): path.read_bytes() for path in kept.rglob("*.py")}
    assert copies == {path: data for path, data in sources.items() if path.endswith(".py")}


def test_long_windows_score_4096_rows_and_three_are_prefixes_of_one_stream(rows: Rows) -> None:
    long = rows.windows(panel="long")
    assert [len(rows.column("kv-fp8-p1", "kld", window)) for window in long] == [4096] * 4
    streams = [rows.tokens[window] for window in long if window.startswith("stream")]
    assert streams[2].startswith(streams[1])
    assert streams[1].startswith(streams[0])
    assert rows.pooled("kv-fp8-p1", "copied", long).sum() > 1000


@pytest.mark.parametrize("arm", ["teacher-f32", "kv-fp8-p1", "kv-nvfp4-l1"])
def test_a_context_several_times_longer_than_in_training_stays_sane(rows: Rows, arm: str) -> None:
    """Windows of training had at most 1,024 bytes; a guess among 256 bytes would cost 5.5 nats."""
    for window in rows.windows(panel="long"):
        far = rows.column(arm, "history", window) >= 4096
        assert far.sum() >= 1024
        assert 0.3 < rows.column(arm, "student_entropy", window)[far].mean() < 2
        assert rows.column(arm, "nll", window)[far].mean() < 2


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
