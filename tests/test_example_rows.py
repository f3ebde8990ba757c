"""The shipped synthetic bundle: regenerated to the byte, and passed by every policy."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scripts import build_example_rows, example_pairs
from scripts.example_arms import Size, measured
from scripts.example_bootstrap import end_points
from scripts.example_panel import INTERVALS
from tests.support.build import audit, valid
from verifier import catalog, pipeline
from verifier.model.policy import Policy
from verifier.policy import PUBLICATION, REVIEW, STRICT

BUNDLE = build_example_rows.TARGET
LARGEST = 400_000


def committed() -> dict[str, bytes]:
    return {
        path.relative_to(BUNDLE).as_posix(): path.read_bytes()
        for path in BUNDLE.rglob("*")
        if path.is_file()
    }


def test_the_committed_bundle_is_what_the_script_writes(tmp_path: Path) -> None:
    target = tmp_path / "example-rows"
    build_example_rows.main([str(target)])
    written = {
        path.relative_to(target).as_posix(): path.read_bytes()
        for path in target.rglob("*")
        if path.is_file()
    }
    assert written == committed()


def test_a_bundle_sealed_in_memory_is_the_one_sealed_on_disk() -> None:
    assert valid(size=build_example_rows.EXAMPLE) == committed()


def test_the_bundle_is_small_and_says_that_it_is_synthetic() -> None:
    assert sum(map(len, committed().values())) < LARGEST
    assert json.loads(committed()["bundle.json"])["title"].startswith("Synthetic example")


@pytest.mark.parametrize("policy", [REVIEW, PUBLICATION, STRICT], ids=lambda policy: policy.name)
def test_every_policy_passes_the_bundle_and_every_check_compares_something(policy: Policy) -> None:
    report = pipeline.audit_path(BUNDLE, pipeline.Options(policy=policy))
    assert report.verdict == "PASSED"
    assert {outcome.check for outcome in report.outcomes} == {*catalog.checks(), "figure-coverage"}
    assert all(outcome.compared > 0 for outcome in report.outcomes)
    assert all(outcome.declared == 0 for outcome in report.outcomes)
    assert {figure.status for figure in report.figures} == {"REPRODUCED"}
    assert len(report.figures) == len(json.loads(committed()["figures.json"]))


def test_another_seed_is_another_valid_bundle() -> None:
    other = valid(seed=1)
    assert other["figures.json"] != valid()["figures.json"]
    assert audit(other, STRICT).verdict == "PASSED"


def test_every_kind_of_measure_that_the_format_explains_is_shown() -> None:
    entries = json.loads(committed()["figures.json"])
    measures = [entry["measure"] for entry in entries]
    assert {measure["statistic"] for measure in measures} == {
        "common",
        "count",
        "mean",
        "median",
        "quantile",
        "ratio-of-means",
        "size",
        "sum",
        "top-share",
    }
    assert {entry["decide"]["rule"] for entry in entries if "decide" in entry} == {
        "equivalent",
        "gate",
        "includes-zero",
        "reading",
    }
    assert {key for measure in measures for key in measure} == {
        "arm",
        "arms",
        "column",
        "pair",
        "parameters",
        "relative_to",
        "rows",
        "scale",
        "statistic",
        "top_k",
        "windows",
        "within",
    }


def test_a_row_hash_is_that_of_the_raw_row_as_it_was_captured() -> None:
    raw = measured(build_example_rows.SEED, build_example_rows.EXAMPLE)["beta"][2].raw
    with np.load(BUNDLE / "arms" / "beta" / "scores" / "w03-legal.npz") as held:
        row = held["row_sha256"][5].tobytes()
    assert row == sha256(raw[5 * 512 * 4 : 6 * 512 * 4]).digest()


def test_a_bundle_of_one_window_publishes_no_interval_and_no_word_that_needs_one() -> None:
    entries = json.loads(valid(size=Size(windows=1, rows=4, vocabulary=16))["figures.json"])
    assert [entry["id"] for entry in entries if "interval" in entry] == []
    rules = [entry["decide"]["rule"] for entry in entries if "decide" in entry]
    assert rules == ["gate", "gate"]


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [
        (-2.0, -1.0, "improvement"),
        (1.0, 2.0, "harm"),
        (-1.0, 1.0, "no detectable change"),
        (-1.0, 0.0, "no detectable change"),
        (0.0, 1.0, "no detectable change"),
    ],
)
def test_an_interval_reads_by_the_side_of_zero_that_it_lies_on(
    low: float, high: float, word: str
) -> None:
    assert example_pairs.reading(low, high) == word


@pytest.mark.parametrize("arm", ["alpha", "beta"])
def test_published_figures_of_rows_are_those_of_numpy(arm: str) -> None:
    published = {
        entry["id"]: entry["published"] for entry in json.loads(committed()["figures.json"])
    }
    rows = []
    for path in sorted((BUNDLE / "arms" / arm / "scores").iterdir()):
        with np.load(path) as held:
            rows.append({name: held[name][1:] for name in held.files})
    kld = np.concatenate([window["kld"] for window in rows])
    history = np.concatenate([window["history"] for window in rows])
    hit = [window["student_top1"] == window["realized_token"] for window in rows]
    hits = [window["kld"][where] for window, where in zip(rows, hit, strict=True)]
    expected = {
        "rows/kld-median": np.median(kld),
        "rows/kld-p90": np.quantile(kld, 0.9, method="linear"),
        "rows/kld-top-10-percent": 100 * np.sort(kld)[-38:].sum() / kld.sum(),
        "rows/kld-history-up-to-24": kld[history <= 24].mean(),
        "rows/kld-history-from-25": kld[history > 24].mean(),
        "kld/where-hit": np.mean([window.mean() for window in hits]),
    }
    found = {name: published[f"{arm}/{name}"] for name in expected}
    assert found == pytest.approx(expected, rel=1e-12)
    assert published[f"{arm}/rows"] == kld.size


def test_the_published_ends_of_a_ratio_are_those_of_scipy() -> None:
    published = {
        entry["id"]: entry["published"] for entry in json.loads(committed()["figures.json"])
    }
    left, right = (
        [
            window["values"]["kld"]
            for window in json.loads(committed()[f"arms/{arm}/windows.json"])["windows"]
        ]
        for arm in ("alpha", "beta")
    )
    expected = stats.bootstrap(
        (left, right),
        lambda one, two, axis: one.mean(axis=axis) / two.mean(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        random_state=20260902,
    ).confidence_interval
    ends = [published[f"alpha-over-beta/kld/bca95-{end}"] for end in ("low", "high")]
    assert ends == pytest.approx(list(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "method", "rng"),
    [
        ("bca95", "BCa", {"random_state": 20260902}),
        ("percentile95", "percentile", {"rng": np.random.default_rng(7)}),
    ],
)
def test_published_end_points_are_those_of_scipy(
    name: str, method: str, rng: dict[str, object]
) -> None:
    windows = json.loads(committed()["arms/alpha/windows.json"])["windows"]
    values = [window["values"]["kld"] for window in windows]
    recipe = INTERVALS[name]
    expected = stats.bootstrap(
        (values,), np.mean, method=method, n_resamples=int(recipe["resamples"]), **rng
    ).confidence_interval
    assert end_points(values, recipe) == pytest.approx(tuple(expected), rel=1e-12)
