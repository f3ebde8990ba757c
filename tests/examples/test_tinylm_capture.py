"""A tiny capture: what it writes is a bundle, and the verifier reproduces what it publishes."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from examples.tinylm import arms, capture, figures, panels
from examples.tinylm.analysis import Rows
from examples.tinylm.attention import SumOrder
from examples.tinylm.capture import Study
from examples.tinylm.files import Folder
from examples.tinylm.model import Config, Weights, random_weights
from examples.tinylm.panels import Window
from examples.tinylm.published import (
    agreement,
    copying,
    decisions,
    distributions,
    intervals,
    likelihood,
    location,
    moved,
    pairs,
    pooled,
    position,
    tails,
)
from examples.tinylm.recipes import PASSAGE, STREAM_WINDOWS
from verifier import pipeline
from verifier.model.report import Report
from verifier.policy import REVIEW

TINY = Config(layers=2, width=32, heads=4, hidden=32)
PROMPT = b"The quick brown fox jumps over the lazy dog and the quick brown cat. "
PANELS: tuple[Literal["natural", "generated"], ...] = ("natural", "generated")
DOMAINS: tuple[panels.Domain, ...] = ("prose", "code")
LONG_FROM = 150
FAST = {
    "location": location,
    "tails": tails,
    "position": position,
    "pairs": pairs,
    "agreement": agreement,
    "likelihood": likelihood,
    "moved": moved,
    "distributions": distributions,
    "copying": copying,
}
"""The kinds without intervals, whose literal resampling takes most of an analysis."""


def windows() -> tuple[Window, ...]:
    short = [
        Window(
            id=f"{panel[0]}{place}-{domain}",
            panel=panel,
            domain=domain,
            prompt=panel.encode() + PROMPT[place:],
            continuation=bytes(range(97 + place, 109 + place)),
        )
        for panel in PANELS
        for place, domain in enumerate(DOMAINS)
    ]
    long = [
        Window(
            id=name,
            panel="long",
            domain="prose" if name == PASSAGE else "code",
            prompt=PROMPT * (place + 2),
            continuation=PROMPT[:33],
        )
        for place, name in enumerate((*STREAM_WINDOWS, PASSAGE))
    ]
    return (*short, *long)


def sharp(weights: Weights) -> Weights:
    """Untrained weights whose logits are far apart, so that precisions differ by more than dust."""
    return replace(weights, norm=weights.norm * np.float32(6))


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("capture") / "bundle"
    study = Study(
        weights=sharp(random_weights(TINY, 3)),
        windows=windows(),
        kept="n0-prose",
        arms=tuple(replace(arm, long_from=LONG_FROM) for arm in arms.ARMS),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "KINDS", FAST)
        capture.capture(Folder(root), study, lambda _: None)
    return root


@pytest.fixture(scope="module")
def few(bundle: Path) -> Rows:
    """The rows, with recipes of so few resamples that all of them are quickly drawn."""
    rows = Rows(Folder(bundle))
    rows.recipes = {
        name: {**recipe, "resamples": 200} if "resamples" in recipe else recipe
        for name, recipe in rows.recipes.items()
    }
    return rows


@pytest.fixture(scope="module")
def report(bundle: Path) -> Report:
    return pipeline.audit_path(bundle, pipeline.Options(policy=REVIEW))


def receipt(bundle: Path, arm: str, window: str) -> dict[str, object]:
    text = (bundle / f"arms/{arm}/receipts/{window}.json").read_text()
    document: dict[str, object] = json.loads(text)
    return document


def test_the_verifier_reproduces_every_figure(report: Report) -> None:
    wrong = {figure.id: figure.status for figure in report.figures if figure.status != "REPRODUCED"}
    assert wrong == {}
    assert len(report.figures) > 150


def test_no_check_fails(report: Report) -> None:
    failed = {outcome.check for outcome in report.outcomes if outcome.status == "FAILED"}
    assert failed == set()


def test_every_recipe_has_an_interval_of_two_ends_in_order(few: Rows) -> None:
    found = [*intervals.figures(few), *pooled.figures(few)]
    lows, highs = found[::2], found[1::2]
    assert {(low.interval or {})["end"] for low in lows} == {"low"}
    assert {(high.interval or {})["end"] for high in highs} == {"high"}
    assert {(low.interval or {})["recipe"] for low in lows} == set(few.recipes)
    for low, high in zip(lows, highs, strict=True):
        assert low.measure == high.measure
        assert isinstance(low.published, float)
        assert isinstance(high.published, float)
        assert low.published < high.published


def test_decisions_of_every_rule_are_words_of_that_rule(few: Rows) -> None:
    words: dict[str, set[bool | str]] = {
        "reading": {"improvement", "harm", "no detectable change"},
        "includes-zero": {True, False},
        "equivalent": {True, False},
        "gate": {True, False},
    }
    found = list(decisions.figures(few))
    decided = [(str((figure.decide or {})["rule"]), figure.published) for figure in found]
    assert {rule for rule, _ in decided} == set(words)
    assert all(word in words[rule] for rule, word in decided)
    assert all("decide" in figure.document() for figure in found)


@pytest.mark.parametrize(
    ("low", "high", "better", "word"),
    [
        (-2.0, -1.0, "lower", "improvement"),
        (-2.0, -1.0, "higher", "harm"),
        (1.0, 2.0, "lower", "harm"),
        (1.0, 2.0, "higher", "improvement"),
        (-1.0, 0.0, "lower", "no detectable change"),
        (0.0, 1.0, "lower", "no detectable change"),
    ],
)
def test_an_interval_reads_as_where_it_lies(
    low: float, high: float, better: str, word: str
) -> None:
    assert decisions.read(low, high, better) == word


def test_hits_stay_at_zero_although_prefix_caching_is_on(bundle: Path) -> None:
    last = windows()[-1].id
    for arm in arms.ARMS:
        text = (bundle / f"arms/{arm.name}/counters/{last}.after.prom").read_text()
        values = {
            line.split("{")[0]: int(line.split()[-1])
            for line in text.splitlines()
            if not line.startswith("#")
        }
        assert values["vllm:prefix_cache_hits_total"] == 0
        assert values["vllm:prefix_cache_queries_total"] > 0


def test_raw_files_are_retired_except_those_of_one_window(bundle: Path) -> None:
    kept = sorted(path.relative_to(bundle).as_posix() for path in bundle.rglob("*.f32"))
    assert kept == sorted(f"arms/{arm.name}/raw/n0-prose.f32" for arm in arms.ARMS)
    assert receipt(bundle, arms.FP8, "n0-prose")["retired"] is None
    assert receipt(bundle, arms.FP8, "n1-code")["retired"] is not None
    seal = json.loads((bundle / "seal.json").read_text())
    assert len(seal["retired"]) == len(arms.ARMS) * (len(windows()) - 1)


def test_two_passes_are_byte_identical_and_two_launches_only_where_sums_run_alike(
    bundle: Path,
) -> None:
    differing = set()
    for window in windows():
        first, second = (receipt(bundle, arm, window.id) for arm in (arms.FP8, arms.FP8_AGAIN))
        assert (first["raw"], first["score"]) == (
            second["raw"],
            {**second["score"], "path": first["score"]["path"]},  # type: ignore[index,dict-item]
        )
        launches = [receipt(bundle, arm, window.id)["raw"] for arm in arms.RUNS]
        if launches[0] != launches[1]:
            differing.add(window.id)
    assert differing == {window.id for window in windows() if len(window.tokens) >= LONG_FROM}


def test_long_requests_alone_are_summed_in_several_spans() -> None:
    launch = arms.ARMS[-1]
    assert launch.order(1024) == SumOrder(splits=4, reverse=True)
    assert launch.order(1023) == SumOrder()


def test_score_files_hold_lists_for_short_windows_and_two_ids_for_long_ones(bundle: Path) -> None:
    with np.load(bundle / f"arms/{arms.FP8}/scores/g1-code.npz") as short:
        assert short["student_topk_logp"].shape == (12, 20)
    with np.load(bundle / f"arms/{arms.FP8}/scores/{PASSAGE}.npz") as long:
        assert long["student_topk_ids"].shape == (33, 2)
        assert "student_topk_logp" not in long.files
    with np.load(bundle / f"arms/{arms.TEACHER}/scores/{PASSAGE}.npz") as teacher:
        assert teacher["kld"].tolist() == [0.0] * 33


def test_every_script_is_named_and_kept(bundle: Path) -> None:
    (source,) = json.loads((bundle / "bundle.json").read_text())["sources"]
    kept = {
        path.relative_to(bundle / "sources/tinylm").as_posix()
        for path in (bundle / "sources").rglob("*.py")
    }
    assert kept == {path for path in source["files"] if path.endswith(".py")}
    assert {"capture.py", "published/intervals.py", "weights.npz"} <= set(source["files"])


def test_a_folder_with_something_in_it_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes").write_text("mine")
    assert capture.main([str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["--republish"], ["--other"]])
def test_the_command_explains_its_use(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert capture.main(arguments) == 2
    assert capsys.readouterr().err == (
        "usage: python -m examples.tinylm.capture OUTPUT\n"
        "       python -m examples.tinylm.capture --republish BUNDLE\n"
    )


def files(bundle: Path) -> dict[str, bytes]:
    found = {path.relative_to(bundle).as_posix(): path for path in bundle.rglob("*")}
    return {name: path.read_bytes() for name, path in found.items() if path.is_file()}


def sealed(seal: bytes) -> object:
    """What a seal says of the files; its time, and with it its own hash, differ."""
    document = json.loads(seal)
    return document["files"], document["retired"]


@pytest.fixture
def stale(bundle: Path, tmp_path: Path) -> Path:
    """The capture, as if it had been analysed by older scripts."""
    root = tmp_path / "stale"
    shutil.copytree(bundle, root)
    (root / "figures.json").write_text("[]")
    (root / "sources/tinylm/gone.py").write_text("")
    (root / "sources/tinylm/analysis.py").write_text("")
    document = json.loads((root / "bundle.json").read_text())
    document["protocol"]["intervals"].popitem()
    document["sources"][0]["files"]["analysis.py"] = "0" * 64
    document["sources"][0]["files"]["gone.py"] = "0" * 64
    (root / "bundle.json").write_text(json.dumps(document))
    return root


def test_republishing_brings_figures_recipes_and_scripts_up_to_date_and_keeps_all_else(
    bundle: Path,
    stale: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(figures, "KINDS", FAST)
    assert capture.main(["--republish", str(stale)]) == 0
    wanted, found = files(bundle), files(stale)
    assert capsys.readouterr().out == f"{len(json.loads(wanted['figures.json']))} figures\n"
    assert sealed(found.pop("seal.json")) == sealed(wanted.pop("seal.json"))
    assert found == wanted


def test_a_page_that_somebody_wrote_for_a_capture_is_listed_when_it_is_republished(
    stale: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "KINDS", FAST)
    page = stale / "RESULTS.md"
    page.write_text("Over 28 windows.\n")
    (stale / "claims.json").write_text('{"format": "claims/1", "claims": []}')

    assert capture.main(["--republish", str(stale)]) == 0
    (entry,) = json.loads((stale / "bundle.json").read_text())["documents"]
    assert (entry["path"], entry["claims"]) == ("RESULTS.md", "claims.json")
    sealed_files = {
        found["path"] for found in json.loads((stale / "seal.json").read_text())["files"]
    }
    assert {"RESULTS.md", "claims.json"} <= sealed_files

    page.unlink()
    assert capture.main(["--republish", str(stale)]) == 0
    assert "documents" not in json.loads((stale / "bundle.json").read_text())


def test_rows_are_not_passed_off_as_those_of_another_model(
    stale: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((stale / "bundle.json").read_text())
    document["sources"][0]["files"]["engine.py"] = "0" * 64
    (stale / "bundle.json").write_text(json.dumps(document))
    before = files(stale)
    assert capture.main(["--republish", str(stale)]) == 2
    assert capsys.readouterr().err == (
        f"{stale}: examples/tinylm/engine.py is not the file that made these rows; capture again\n"
    )
    assert files(stale) == before


def test_only_a_bundle_is_republished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert capture.main(["--republish", str(tmp_path)]) == 2
    assert "no bundle.json; name the folder of a capture" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_command_measures_the_whole_panel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    studies: list[Study] = []

    def record(folder: Folder, study: Study, say: object) -> None:
        del folder, say
        studies.append(study)

    monkeypatch.setattr(capture, "capture", record)
    monkeypatch.setattr(capture, "load_weights", lambda: random_weights(TINY, 1))
    assert capture.main([str(tmp_path / "new")]) == 0
    (study,) = studies
    assert len(study.windows) == 28
    assert study.kept == study.windows[0].id
    assert capsys.readouterr().err == ""


def test_windows_are_what_the_panels_say() -> None:
    found = panels.all_windows(65, lambda prompt, count: bytes([prompt[0]]) * count)
    by_panel = {
        name: [window for window in found if window.panel == name]
        for name in ("natural", "generated", "long")
    }
    assert {name: len(group) for name, group in by_panel.items()} == {
        "natural": 12,
        "generated": 12,
        "long": 4,
    }
    assert {len(window.continuation) for window in by_panel["natural"]} == {65}
    assert {len(window.continuation) for window in by_panel["long"]} == {4097}
    streams = [window.tokens for window in by_panel["long"][:3]]
    assert [len(stream) for stream in streams] == [5120, 7168, 9216]
    assert streams[2].startswith(streams[1])
    assert streams[1].startswith(streams[0])
    assert len({window.id for window in found}) == 28
    assert all(window.groups["domain"] == window.id.split("-")[-1] for window in found)


def test_a_text_that_is_too_short_is_named() -> None:
    texts = {"prose": b"short"}
    with pytest.raises(ValueError, match=r"^n01-prose: the text has 0 bytes where 65 are needed$"):
        list(panels.natural(texts, 65))
