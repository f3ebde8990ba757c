"""Attacks that need no folder of their own: every file, every kind of entry, every order."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scripts.build_example_rows import write
from scripts.example_arms import Size
from scripts.example_bootstrap import end_points
from scripts.example_panel import INTERVALS
from scripts.tampering import (
    ALPHA,
    BETA,
    FIRST,
    SECOND,
    Change,
    chain,
    column,
    edit,
    figure,
    score_path,
    window,
)
from tests.support.build import (
    DEEP,
    Files,
    audit,
    failing,
    flipped,
    messages,
    resealed,
    valid,
    with_json,
)
from verifier import pipeline, seal
from verifier.errors import CannotLook
from verifier.policy import REVIEW, STRICT

MANY = Size(windows=12, rows=3, vocabulary=8, top_k=0)
"""Enough windows for their order to move an interval's ends."""

LOG = "arms/alpha/startup.log"
SOURCE = "sources/scorer/scores.txt"
OPTIONS = pipeline.Options(policy=REVIEW)


def bits(path: str, data: bytes, count: int) -> list[int]:
    """Some bits of a file, the first and the last among them."""
    drawn = np.random.default_rng(list(path.encode())).integers(0, 8 * len(data), count - 2)
    return [0, 8 * len(data) - 1, *drawn.tolist()]


@pytest.mark.parametrize("path", sorted(valid().keys() - {seal.PATH}))
def test_one_bit_flipped_in_any_sealed_file_fails_whatever_else_it_breaks(path: str) -> None:
    content = valid()
    for bit in bits(path, content[path], 3):
        report = audit(flipped(content, path, bit))
        assert report.verdict == "FAILED"
        assert "sealed-members" in failing(report)


def test_one_bit_flipped_in_the_seal_fails() -> None:
    content = valid()
    text = content[seal.PATH]
    start = text.index(b'"sealed_at": "') + len(b'"sealed_at": "')
    time = range(8 * start, 8 * (start + len("2026-09-09T13:00:00Z")))
    for bit in (*bits(seal.PATH, text, 40), *time):
        report = audit(flipped(content, seal.PATH, bit))
        assert failing(report) & {"sealed-members", "record-schema"}, bit


def test_a_seal_that_is_said_to_be_from_another_day() -> None:
    content = with_json(
        valid(), seal.PATH, lambda document: document.update(sealed_at="2027-01-01T00:00:00Z")
    )
    assert failing(audit(content, STRICT)) == {"sealed-members"}


@pytest.mark.parametrize("path", sorted(valid()))
def test_a_file_that_is_removed_without_a_new_seal_never_passes(path: str) -> None:
    content = valid()
    del content[path]
    if path == "bundle.json":
        with pytest.raises(CannotLook, match="no known bundle format"):
            audit(content, STRICT)
    else:
        assert audit(content, STRICT).verdict == "FAILED"


def on_disk(root: Path, content: Files) -> Path:
    write(root, content)
    return root


def to_symlink(path: Path) -> None:
    hidden = path.parent.parent / "elsewhere"
    path.rename(hidden)
    path.symlink_to(hidden)


def to_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("replace", [to_symlink, to_fifo])
def test_a_source_that_is_no_regular_file_is_never_opened_and_fails(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    bundle = on_disk(tmp_path / "bundle", valid())
    replace(bundle / SOURCE)
    (bundle / "sources" / "elsewhere").unlink(missing_ok=True)
    report = pipeline.audit_path(bundle, OPTIONS)
    assert failing(report) == {"sealed-members", "source-identities"}


@pytest.mark.parametrize("replace", [to_symlink, to_fifo])
@pytest.mark.parametrize(
    "path",
    [LOG, "figures.json", "arms/alpha/windows.json", score_path(ALPHA, FIRST)],
)
def test_a_named_file_that_is_no_regular_file_breaks_the_record_that_names_it(
    tmp_path: Path, path: str, replace: Callable[[Path], None]
) -> None:
    bundle = on_disk(tmp_path / "outer" / "bundle", valid())
    replace(bundle / path)
    report = pipeline.audit_path(bundle, OPTIONS)
    assert {"sealed-members", "record-schema"} <= failing(report)
    assert "PASSED" not in {
        outcome.status for outcome in report.outcomes if outcome.check != "sealed-members"
    }


@pytest.mark.parametrize("replace", [to_symlink, to_fifo])
def test_a_bundle_record_that_is_no_regular_file_is_no_bundle(
    tmp_path: Path, replace: Callable[[Path], None]
) -> None:
    bundle = on_disk(tmp_path / "outer" / "bundle", valid())
    replace(bundle / "bundle.json")
    assert exit_of(bundle) == 3


def test_a_symbolic_link_that_is_added_fails_the_seal(tmp_path: Path) -> None:
    bundle = on_disk(tmp_path / "bundle", valid())
    (bundle / "extra").symlink_to("/etc")
    assert failing(pipeline.audit_path(bundle, OPTIONS)) == {"sealed-members"}


def exit_of(*paths: Path, options: pipeline.Options = OPTIONS) -> int:
    return pipeline.exit_code(pipeline.verify(paths, options), strict=False)


def test_an_empty_folder_is_never_a_pass(tmp_path: Path) -> None:
    (look,) = pipeline.verify([tmp_path], OPTIONS)
    assert look.report is None
    assert "the folder holds no files" in str(look.error)
    assert exit_of(tmp_path) == 3


def test_a_folder_with_an_empty_bundle_record_fails(tmp_path: Path) -> None:
    (tmp_path / "bundle.json").touch()
    report = pipeline.audit_path(tmp_path, OPTIONS)
    assert "record-schema" in failing(report)
    assert exit_of(tmp_path) == 1


@pytest.mark.parametrize("path", ["bundle.json", "arms/alpha/windows.json", LOG])
def test_a_file_that_changes_while_the_bundle_is_read_gives_no_verdict(
    tmp_path: Path, path: str
) -> None:
    bundle = on_disk(tmp_path / "bundle", valid())

    def rewrite(done: int, total: int) -> None:
        # Called after each buffer while files are hashed, after bundle.json has been read.
        del total
        (bundle / path).write_text(str(done))

    (look,) = pipeline.verify([bundle], pipeline.Options(policy=REVIEW, progress=rewrite))
    assert look.report is None
    assert "changed while it was read" in str(look.error)


def reverse_panel(content: Files) -> Files:
    """Reorder the panel and both arms alike, so that everything still agrees with itself."""
    turned = edit("bundle.json", lambda document: document["windows"].reverse())(content)
    for arm in (ALPHA, BETA):
        turned = edit(f"arms/{arm}/windows.json", lambda document: document["windows"].reverse())(
            turned
        )
    return turned


def nll(content: Files) -> list[float]:
    windows = json.loads(content["arms/alpha/windows.json"])["windows"]
    return [entry["values"]["nll"] for entry in windows]


def drawn_as(recipe: dict[str, str | int | float]) -> Change:
    """Publish an interval drawn by another recipe than the one that is declared."""

    def change(content: Files) -> Files:
        low, high = end_points(nll(content), {**INTERVALS["percentile95"], **recipe})
        return chain(
            figure("alpha/nll/percentile95-low", lambda _: low),
            figure("alpha/nll/percentile95-high", lambda _: high),
        )(content)

    return change


def test_a_panel_in_another_order_everywhere_moves_the_end_points() -> None:
    content = resealed(reverse_panel(valid(size=MANY)))
    assert failing(audit(content)) == {"published-intervals"}


@pytest.mark.parametrize(
    ("recipe", "explanation"),
    [
        ({"stream": "randomstate"}, "percentile 95 %, 10000 resamples, RandomState(7) gives"),
        ({"method": "bca"}, "BCa 95 %, 10000 resamples, PCG64(7) gives"),
        ({"resamples": 20_000}, "percentile 95 %, 20000 resamples, PCG64(7) gives"),
        ({"seed": 8}, "percentile 95 %, 10000 resamples, PCG64(8) gives"),
        ({"seed": 1_000_003}, "None of the usual alternatives gives these digits"),
        ({"level": 0.8}, "None of the usual alternatives gives these digits"),
    ],
)
def test_an_interval_of_an_undeclared_recipe_fails_and_the_usual_ones_are_named(
    recipe: dict[str, str | int | float], explanation: str
) -> None:
    report = audit(resealed(drawn_as(recipe)(valid(size=MANY))))
    assert failing(report) == {"published-intervals"}
    assert all(explanation in line for line in messages(report))
    assert len(messages(report)) == 2


def test_an_arm_without_its_last_window_passes_no_paired_figure() -> None:
    content = edit("arms/beta/windows.json", lambda document: document["windows"].pop())(valid())
    report = audit(resealed(content))
    paired = [item for item in report.figures if "alpha-" in item.id]
    assert {item.status for item in paired} == {"NOT_RECOMPUTABLE"}
    assert "window-alignment" in failing(report)


def test_a_measure_that_nothing_evaluates_is_no_pass_under_strict() -> None:
    content = resealed(
        edit("figures.json", lambda document: document[3]["measure"].update(statistic="midhinge"))(
            valid()
        )
    )
    assert failing(audit(content, STRICT)) == {"figure-coverage"}
    assert audit(content).verdict == "WARNED"


def test_a_flag_instead_of_counters_is_only_declared() -> None:
    def declare(document: Any) -> None:
        arm = document["arms"][1]
        del arm["files"]["counters"]
        arm["declared"]["all_prefix_cache_hits_zero"] = True

    content = edit("bundle.json", declare)(valid())
    del content["arms/beta/counters.json"]
    report = audit(resealed(content))
    assert report.verdict == "WARNED"
    assert failing(audit(resealed(content), STRICT)) == {"prefix-cache-hits"}


@pytest.mark.parametrize("name", ["teacher_topk_logp", "student_entropy", "student_logp_realized"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 5.0])
def test_an_impossible_value_on_a_scored_row_of_any_array_fails(name: str, value: float) -> None:
    def spoil(values: NDArray[Any]) -> NDArray[Any]:
        spoilt = values.copy()
        spoilt[1] = -value if name == "student_entropy" else value
        return spoilt

    content = resealed(column(ALPHA, FIRST, name, spoil)(valid(size=DEEP)))
    assert "score-arrays" in failing(audit(content))


def test_two_arms_that_share_their_scores_are_one_measurement() -> None:
    content = valid()
    alpha = json.loads(content["arms/alpha/windows.json"])["windows"]
    for at, entry in enumerate(alpha):
        content = window(
            BETA, at, raw_sha256=entry["raw_sha256"], score_sha256=entry["score_sha256"]
        )(content)
    report = audit(resealed(content))
    assert failing(report) == {"receipt-hashes"}
    assert any("one measurement was counted twice" in line for line in messages(report))


def test_a_window_id_that_only_one_arm_knows_is_named() -> None:
    content = edit(
        "arms/beta/windows.json", lambda document: document["windows"][1].update(id="w09-code")
    )(valid())
    report = audit(resealed(content))
    assert "window-alignment" in failing(report)
    assert any(f"missing: {SECOND}" in line for line in messages(report))
    assert any("extra: w09-code" in line for line in messages(report))
