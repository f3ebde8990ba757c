"""The shipped synthetic bundle: regenerated to the byte, and passed by every policy."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scripts import build_example_rows
from scripts.example_bootstrap import end_points
from scripts.example_figures import INTERVALS
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
