"""The bundle of three arms over 128 windows holds every figure of the record, and all reproduce."""

import csv
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from scripts import build_cf128_bundle
from verifier import catalog, pipeline
from verifier.model.basis import Level
from verifier.model.report import Report
from verifier.store.folder import open_store

BUNDLE = build_cf128_bundle.OUTPUT
RECORD = build_cf128_bundle.ROOT.parent / "shared" / "public-records" / "cf128-20260925"
ARMS = ("control-fp8", "rp2-fp8", "tr3-fp8")
WINDOWS = 128
ENDS = ("low", "high")

# Figures by the key that published.json has for them, within one pair of arms.
PAIR_FIGURES = {
    "diff": "{pair}/kld/mean",
    "bca95": "{pair}/kld/mean/bca95-{end}",
    "ci_includes_0": "{pair}/kld/mean/bca95-includes-zero",
    "reading": "{pair}/kld/mean/reading",
    "relative": "{pair}/kld/relative",
    "relative_bca95": "{pair}/kld/relative/bca95-{end}",
    "equivalent_5pct": "{pair}/kld/relative/equivalent-5pct",
    "equivalent_10pct": "{pair}/kld/relative/equivalent-10pct",
    "a_lower_windows": "{lower}/windows",
    "windows": "{lower}/of-windows",
}
ARM_FIGURES = {
    "mean_true_decode_kld": "{arm}/kld/mean",
    "window_bca95": "{arm}/kld/mean/bca95-{end}",
}

needs_record = pytest.mark.skipif(not RECORD.is_dir(), reason="the public record is not here")

Entry = Mapping[str, Any]
FloatArray = NDArray[np.float64]


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _figures() -> list[Entry]:
    figures: list[Entry] = _json(BUNDLE / "figures.json")
    return figures


@pytest.fixture(scope="module")
def published() -> Any:
    return _json(RECORD / "published.json")


@pytest.fixture(scope="module")
def report() -> Report:
    options = pipeline.Options(policy=pipeline.load_policy("review"))
    (look,) = pipeline.verify([BUNDLE], options)
    assert look.report is not None, look.error
    return look.report


@needs_record
def test_the_script_gives_the_committed_bytes(tmp_path: Path) -> None:
    output = tmp_path / "bundle"
    assert build_cf128_bundle.main([str(RECORD), str(output)]) == 0
    assert _contents(output) == _contents(BUNDLE)


def test_the_script_overwrites_nothing_and_explains_its_use(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_cf128_bundle.main([str(tmp_path), str(tmp_path)]) == 1
    assert "exists; remove it first" in capsys.readouterr().err
    assert build_cf128_bundle.main([]) == 2
    assert "python -m scripts.build_cf128_bundle RECORD" in capsys.readouterr().err


def test_the_bundle_is_readable_sealed_and_holds_three_arms_of_128_windows() -> None:
    store = open_store(BUNDLE)
    bundle = catalog.reader_for(store).read(store, catalog.SCHEMAS)
    assert bundle.readable
    assert bundle.seal is not None
    assert bundle.seal.root == bundle.seal.computed_root
    assert [(arm.id, len(arm.windows), len(arm.receipts)) for arm in bundle.arms] == [
        (arm, WINDOWS, WINDOWS) for arm in ARMS
    ]
    assert {arm.level for arm in bundle.arms} == {Level.WINDOW_SCORES}
    assert {(claim.image, claim.kind, claim.value) for claim in bundle.image_claims} == {
        (
            "control-rp2",
            "config",
            "sha256:0405a1c0dc128b51069798a5d00b346257bbd006c0deb7e6530a3d005d75de71",
        ),
        (
            "tr3",
            "config",
            "sha256:62e069faf47f2d42eae5f2c1677f8730a2f3f93d576301fe1bcc7e55f2fdb673",
        ),
    }


@needs_record
@pytest.mark.parametrize("arm", ARMS)
def test_windows_and_receipts_hold_what_the_tables_say(arm: str, published: Any) -> None:
    with (RECORD / f"{arm}.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    windows = _json(BUNDLE / "arms" / arm / "windows.json")["windows"]
    panel = _json(BUNDLE / "bundle.json")["windows"]
    assert len(rows) == WINDOWS
    for row, window, listed in zip(rows, windows, panel, strict=True):
        receipt = _json(BUNDLE / window["receipt"])
        assert row == {
            "window_id": window["id"],
            "domain": listed["groups"]["domain"],
            "true_decode_mean_kld": repr(window["values"]["kld"]),
            "including_prefill_mean_kld": repr(window["including_prefill"]),
            "prefill_row_kld": repr(window["prefill"]),
            "raw_sha256": window["raw_sha256"],
            "score_sha256": window["score_sha256"],
            "teacher_sha256": window["teacher_sha256"],
            "token_sha256": window["token_sha256"],
        }
        assert receipt["raw"] == {"sha256": row["raw_sha256"], "bytes": published["raw_bytes"]}
        assert receipt["score"] == {"path": None, "sha256": row["score_sha256"]}
        assert (receipt["window"], receipt["teacher_sha256"], receipt["token_sha256"]) == (
            (row["window_id"], row["teacher_sha256"], row["token_sha256"])
        )


def _leaves(value: Any, *path: Any) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, below in items:
            yield from _leaves(below, *path, key)
    else:
        yield path, value


def _id(section: str, name: str, key: str, place: int = 0) -> str:
    """Id of the figure that published.json holds at /section/name/key/place."""
    end = ENDS[place]
    if section == "arms":
        return ARM_FIGURES[key].format(arm=name, end=end)
    if section == "per_domain_mean":
        return f"{name}/{key}/kld/mean"
    scope = {"paired": "", "first32_subset": "first32/"}[section]
    pair, lower = name.replace("_minus_", "-minus-"), name.replace("_minus_", "-lower-than-")
    return scope + PAIR_FIGURES[key].format(pair=pair, lower=lower, end=end)


@needs_record
def test_every_figure_of_the_record_occurs_once_with_its_digits(published: Any) -> None:
    sections = {
        key: published[key] for key in ("arms", "paired", "first32_subset", "per_domain_mean")
    }
    leaves = list(_leaves(sections))
    ours = [(entry["id"], entry["published"]) for entry in _figures()]
    counts = {
        "windows": WINDOWS,
        "predicted-rows-per-window": published["prediction_rows"],
        "scored-rows-per-window": published["true_decode_rows"],
        "raw-bytes-per-window": published["raw_bytes"],
    }
    of_the_protocol = [
        ("panel/windows", WINDOWS),
        *((f"{arm}/{name}", number) for arm in ARMS for name, number in counts.items()),
    ]
    of_the_record = [(_id(*path), value) for path, value in leaves]
    assert len(leaves) == 60
    assert sorted(ours, key=str) == sorted(of_the_record + of_the_protocol, key=str)
    assert len({name for name, _ in ours}) == len(ours)


def test_numbers_are_carried_as_printed_and_counts_as_counts() -> None:
    by_kind = {str: 0, int: 0, bool: 0}
    for entry in _figures():
        by_kind[type(entry["published"])] += 1
    assert by_kind == {str: 43, int: 20, bool: 10}


@cache
def _windows(arm: str) -> FloatArray:
    windows = _json(BUNDLE / "arms" / arm / "windows.json")["windows"]
    return np.array([window["values"]["kld"] for window in windows])


def _selected(selection: Mapping[str, Any]) -> list[int]:
    panel = _json(BUNDLE / "bundle.json")["windows"]
    if "first" in selection:
        panel = panel[: selection["first"]]
    if "group" in selection:
        wanted = (selection["group"], selection["value"])
        return [place for place, window in enumerate(panel) if wanted in window["groups"].items()]
    return list(range(len(panel)))


def _scipys_mean(measure: Mapping[str, Any]) -> tuple[float, float, float]:
    """Mean and BCa ends of a measure of figures.json, from the window scores by SciPy alone."""
    chosen = _selected(measure.get("windows", {}))
    arms = measure["arms"] if "arms" in measure else [measure["arm"]]
    values = _windows(arms[0])[chosen]
    if "pair" in measure:
        values = values - _windows(arms[1])[chosen]
    base = 1.0
    if "relative_to" in measure:
        assert measure["relative_to"] == {"statistic": "mean", "column": "kld", "arm": arms[1]}
        base = _windows(arms[1])[chosen].mean()
    drawn = stats.bootstrap(
        (values,), np.mean, method="BCa", n_resamples=20_000, random_state=20260902, batch=500
    ).confidence_interval
    return float(values.mean() / base), float(drawn.low / base), float(drawn.high / base)


def _means() -> list[Entry]:
    return [entry for entry in _figures() if entry["measure"]["statistic"] == "mean"]


@pytest.mark.parametrize(
    "entry", [entry for entry in _means() if "decide" not in entry], ids=lambda entry: entry["id"]
)
def test_means_and_end_points_are_those_of_scipy(entry: Entry) -> None:
    mean, low, high = _scipys_mean(entry["measure"])
    end = entry.get("interval", {}).get("end")
    expected = {None: mean, "low": low, "high": high}[end]
    assert float(entry["published"]) == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize(
    "entry", [entry for entry in _means() if "decide" in entry], ids=lambda entry: entry["id"]
)
def test_words_follow_from_the_intervals_of_scipy(entry: Entry) -> None:
    _, low, high = _scipys_mean(entry["measure"])
    rule = entry["decide"]
    assert rule["recipe"] == "bca95"
    if rule["rule"] == "includes-zero":
        assert entry["published"] is (low <= 0 <= high)
    elif rule["rule"] == "equivalent":
        assert rule["strict"] is True
        assert entry["published"] is (-rule["margin"] < low <= high < rule["margin"])
        assert rule["margin"] == {"5pct": 0.05, "10pct": 0.1}[entry["id"].rpartition("-")[2]]
    else:
        assert (rule["rule"], rule["better"]) == ("reading", "lower")
        assert (entry["published"], high < 0) == ("improvement", True)


def test_counts_of_lower_windows_are_those_of_the_scores() -> None:
    counted = [entry for entry in _figures() if entry["measure"]["statistic"] == "count"]
    assert [(entry["id"], entry["published"]) for entry in counted] == [
        ("rp2-lower-than-control/windows", 105),
        ("rp2-lower-than-tr3/windows", 36),
        ("control-lower-than-tr3/windows", 34),
        ("first32/rp2-lower-than-control/windows", 29),
    ]
    for entry in counted:
        measure = entry["measure"]
        chosen = _selected(measure.get("windows", {}))
        left, right = (_windows(arm)[chosen] for arm in measure["arms"])
        assert np.count_nonzero(left < right) == entry["published"]


def test_every_figure_is_reproduced(report: Report) -> None:
    assert {figure.id: figure.status for figure in report.figures} == {
        entry["id"]: "REPRODUCED" for entry in _figures()
    }


def test_nothing_fails_and_only_what_the_record_does_not_hold_is_warned_of(report: Report) -> None:
    assert report.verdict == "WARNED"
    assert {outcome.check for outcome in report.outcomes if outcome.status == "WARNED"} == {
        "evidence-level",  # no rows
        "image-digests",  # no parents
        "prefix-cache-hits",  # no counters
    }


def test_the_bundle_names_its_source_and_licence_and_no_machine() -> None:
    text = (BUNDLE / "bundle.json").read_text(encoding="utf-8")
    provenance = json.loads(text)["provenance"]
    assert provenance["repository"].endswith("/glm53-trellismx-remainder-kld")
    assert provenance["revision"] == "05b5d280"
    assert provenance["licence"] == "ShapleyMCG License 1.0"
    assert "Brandon M. Music" in provenance["attribution"]
    assert "/home" not in text
