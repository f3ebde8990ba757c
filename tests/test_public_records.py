"""The real published records, as they lie outside this repository.

What is asserted here is what a reader of these records was promised: which figures come out again,
by which recipe, and the one file that is missing.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.published import failing
from verifier import catalog, pipeline
from verifier.model.bundle import Bundle
from verifier.model.report import FigureResult, Finding, Report
from verifier.store.folder import open_store

ROOT = Path(__file__).parents[1]
RECORDS = ROOT.parent / "shared" / "public-records"
R27 = RECORDS / "r27-20260908"
TR3 = RECORDS / "tr3-20260909"
REFERENCE = ROOT / "bundles" / "kv-cache-kld-20260909"
HISTORICAL = "historical-fp8-audit.json"

pytestmark = pytest.mark.skipif(
    not (R27.is_dir() and TR3.is_dir()), reason="the public records are not beside this checkout"
)

HASH = re.compile(r"(.+@)?(sha(256|512):)?[0-9a-f]{40,128}")

# Numbers of a window, all of which WindowScore holds.
MAPPED_IN_WINDOWS = {
    "prediction_rows",
    "true_decode_rows",
    "one_token_prefill_rows",
    "true_decode_mean_kld",
    "including_prefill_mean_kld",
    "mean_kld",
    "prefill_row_kld",
    "one_token_prefill_kld",
    "raw_bytes",
}

# Flags that state nothing about the evidence beside them: `mtp` is a launch setting, and
# `raw_retired` says what was so when the window was captured, by the record's own words.
UNMAPPED_FLAGS = {"mtp", "raw_retired"}


def look(path: Path, *allowed: str, reference: Path | None = None) -> pipeline.Look:
    policy = pipeline.load_policy("review", allowed)
    (found,) = pipeline.verify([path], pipeline.Options(policy=policy, reference=reference))
    return found


def audited(path: Path, *allowed: str, reference: Path | None = None) -> Report:
    found = look(path, *allowed, reference=reference)
    assert found.report is not None, found.error
    return found.report


def findings(report: Report, check: str) -> tuple[Finding, ...]:
    return next(outcome.findings for outcome in report.outcomes if outcome.check == check)


def statuses(report: Report, pattern: str) -> dict[str, str]:
    return {f.id: f.status for f in report.figures if re.fullmatch(pattern, f.id)}


def figure(report: Report, figure_id: str) -> FigureResult:
    return next(item for item in report.figures if item.id == figure_id)


def bundle(path: Path) -> Bundle:
    store = open_store(path, blake3=False)
    return catalog.reader_for(store).read(store, catalog.SCHEMAS)


def test_r27_fails_for_the_one_file_that_is_listed_and_absent() -> None:
    found = look(R27)
    assert found.report is not None

    failures = [
        (outcome.check, finding.location, finding.expected, finding.actual)
        for outcome in found.report.outcomes
        for finding in outcome.findings
        if finding.severity == "failure"
    ]
    sha256 = "7361bfd73a2e1806ae29598bdab0bb80ca32b893e4664e4df0ab46e1aaa8ad28"
    assert failures == [("sealed-members", "verify_evidence.py", sha256, "absent")]
    assert found.report.verdict == "FAILED"
    assert pipeline.exit_code([found], strict=False) == 1


def test_r27_is_a_warning_once_that_absence_is_allowed() -> None:
    found = look(R27, "verify_evidence.py")
    assert found.report is not None

    assert found.report.verdict == "WARNED"
    assert pipeline.exit_code([found], strict=False) == 0
    assert pipeline.exit_code([found], strict=True) == 1
    assert found.report.policy.allowed_missing == ("verify_evidence.py",)
    sealed = findings(found.report, "sealed-members")
    assert [(item.severity, item.location) for item in sealed] == [
        ("warning", "verify_evidence.py")
    ]


def test_another_allowance_does_not_help_r27() -> None:
    assert audited(R27, "verify_evidence.pyc").verdict == "FAILED"


@pytest.mark.parametrize(
    ("pattern", "count"),
    [
        (r"comparison\.json#/arms/\w+/mean_true_decode_kld", 2),
        (r"comparison\.json#/arms/\w+/window_bca95/[01]", 4),
        (r"comparison\.json#/arms/\w+/domains/\w+", 8),
        (r"comparison\.json#/fp8_minus_nvfp4", 1),
        (r"comparison\.json#/paired_window_bca95/[01]", 2),
        (r"comparison\.json#/fp8_lower_windows", 1),
        (r"comparison\.json#/(windows|true_decode_rows_per_window)", 2),
        (r"(comparison\.json#/receipt_audit|audit\.json#/arms)/[01]/\w+", 12),
        (r"historical-fp8-audit\.json#/(mean_true_decode_kld|window_bca95/[01]|windows)", 4),
        (r"historical-fp8-audit\.json#/true_decode_rows_per_window", 1),
    ],
)
def test_every_figure_of_r27_that_the_windows_can_give_is_reproduced(
    pattern: str, count: int
) -> None:
    found = statuses(audited(R27), pattern)

    assert list(found.values()) == ["REPRODUCED"] * count


def test_nothing_of_r27_needs_its_printed_digits() -> None:
    """The record prints full precision, so each number has to agree at full precision."""
    reproduced = [item for item in audited(R27).figures if item.status == "REPRODUCED"]

    assert len(reproduced) == 37
    assert {re.split("[;,]", item.how)[0] for item in reproduced} <= {"exact", "tolerance"}
    for item in reproduced:
        assert item.recomputed is not None
        assert abs(float(item.recomputed) - float(item.published)) <= 8e-17


def test_fp8_is_lower_in_26_of_32_windows_of_r27() -> None:
    found = audited(R27)

    assert figure(found, "comparison.json#/fp8_lower_windows").recomputed == "26"
    assert figure(found, "comparison.json#/windows").recomputed == "32"


def test_the_historical_interval_is_reported_as_drawn_with_pcg64_and_the_others_are_not() -> None:
    found = audited(R27)
    streams = {
        item.id: "PCG64(20260902)" if "PCG64(20260902)" in item.how else "RandomState(20260902)"
        for item in found.figures
        if "RandomState" in item.how or "PCG64" in item.how
    }

    assert len(streams) == 8
    assert {key for key, stream in streams.items() if stream == "PCG64(20260902)"} == {
        f"{HISTORICAL}#/window_bca95/0",
        f"{HISTORICAL}#/window_bca95/1",
    }


def test_what_r27_does_not_retain_is_named() -> None:
    missing = {
        item.id.partition("#")[2]: item.how
        for item in audited(R27).figures
        if item.status == "NOT_RECOMPUTABLE"
    }

    launch = "the launch configuration is not retained"
    log = "the engine's startup log is not retained"
    attempt = "nothing of an earlier attempt is retained"
    assert missing == {
        "/arms/nvfp4/correctness_profile_engine_capacity_tokens/0": log,
        "/arms/fp8/correctness_profile_engine_capacity_tokens/0": log,
        "/historical_dcp1_context_only": (
            "the record it comes from is named for context and not retained"
        ),
        "/prior_attempts/0/attempt": attempt,
        "/prior_attempts/0/measured_windows": attempt,
        "/prior_attempts/1/attempt": attempt,
        "/prior_attempts/1/measured_windows": attempt,
        "/conditions/bpw": launch,
        "/tp": launch,
        "/dcp": launch,
    }


def test_the_comparison_of_r27_alone_is_a_record_without_a_seal() -> None:
    found = audited(R27 / "comparison.json")

    assert found.verdict == "WARNED"
    assert [subject.name for subject in found.bundle.subjects] == ["comparison.json"]
    assert set(found.evidence) == {"fp8", "nvfp4"}
    assert findings(found, "sealed-members")[0].message.endswith("[no-seal]")


def test_the_folder_above_the_records_asks_for_one_of_them() -> None:
    found = look(RECORDS)

    assert found.report is None
    assert pipeline.exit_code([found], strict=False) == 3
    assert found.error is not None
    assert "r27-20260908/comparison.json, tr3-20260909/comparison.json" in found.error.message
    assert found.error.hint == "Name one of them, or the folder it lies in."


def test_tr3_alone_cannot_give_its_cross_system_figures() -> None:
    found = audited(TR3)
    cross = statuses(found, r"comparison\.json#/cross_system_comparison/.*")
    own = {key for key in cross if key.endswith("/tr3_mean")}

    assert found.verdict == "WARNED"
    assert failing(found) == set()
    assert len(cross) == 12
    assert {cross[key] for key in own} == {"REPRODUCED"}
    assert {cross[key] for key in cross.keys() - own} == {"NOT_RECOMPUTABLE"}
    (named,) = findings(found, "source-identities")
    assert named.severity == "warning"
    assert "c70b2892ee69287554c8a8879a4d848b9077df3d9febcdc818c780851de600db" in named.message
    assert "--reference" in named.message


def test_tr3_has_no_seal_which_is_a_warning() -> None:
    (gap,) = findings(audited(TR3), "sealed-members")

    assert gap.severity == "warning"
    assert gap.message.endswith("[no-seal]")


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference bundle is not built yet")
def test_tr3_with_its_reference_reproduces_the_cross_system_figures() -> None:
    found = audited(TR3, reference=REFERENCE)

    assert found.verdict == "WARNED"
    assert failing(found) == set()
    cross = statuses(found, r"comparison\.json#/cross_system_comparison/.*")
    assert list(cross.values()) == ["REPRODUCED"] * 12
    for arm in ("fp8", "nvfp4"):
        place = f"comparison.json#/cross_system_comparison/{arm}/tr3_lower_windows"
        assert figure(found, place).recomputed == "22"
    assert found.reference is not None
    assert found.reference.id == "kv-cache-kld-20260909"


@pytest.mark.skipif(not REFERENCE.is_dir(), reason="the reference bundle is not built yet")
def test_the_reference_of_tr3_is_another_file_than_the_named_one_and_the_report_says_so() -> None:
    found = findings(audited(TR3, reference=REFERENCE), "source-identities")

    assert [(item.severity, item.location) for item in found] == [
        ("warning", "comparison.json#/reference_comparison_sha256")
    ]
    assert "another file" in found[0].message
    assert "declares that it carries the figures" in found[0].message


def test_r27_is_no_reference_of_tr3() -> None:
    """Its arms bear the same names and hold the same windows, but give other figures."""
    found = audited(TR3, reference=R27)

    assert found.verdict == "FAILED"
    assert "published-aggregates" in failing(found)


@pytest.mark.parametrize("record", [R27, TR3], ids=lambda path: path.name)
def test_every_hash_of_a_real_record_is_claimed(record: Path) -> None:
    read = bundle(record)
    claimed = {
        *(claim.location for claim in read.image_claims),
        *(claim.location for claim in read.sources),
        *(entry.location for entry in (read.seal.entries if read.seal else ())),
        *({read.reference.location} if read.reference else ()),
        *(
            named.location
            for arm in read.arms
            for window in arm.windows
            for named in (window.raw, window.score, window.teacher, window.token)
            if named is not None
        ),
    }

    found = {place for place, value in leaves(record) if _is_hash(value)}

    assert len(found) > 200
    assert found == claimed


@pytest.mark.parametrize("record", [R27, TR3], ids=lambda path: path.name)
def test_every_number_and_flag_of_a_real_record_is_mapped(record: Path) -> None:
    read = bundle(record)
    scalars = [item for item in leaves(record) if isinstance(item[1], int | float)]
    flags = {place for place, value in scalars if isinstance(value, bool)}
    numbers = {place for place, value in scalars if not isinstance(value, bool)}
    windows = {place for place in numbers if "/per_window/" in place}

    assert {item.location for item in read.figures} == numbers - windows
    assert {place.rpartition("/")[2] for place in windows} <= MAPPED_IN_WINDOWS
    assert {item.location for item in read.flags} >= {
        place for place in flags if place.rpartition("/")[2] not in UNMAPPED_FLAGS
    }
    assert not any(item.unknown or item.violations for item in read.records)


def leaves(record: Path) -> Iterator[tuple[str, Any]]:
    """Every scalar of every JSON file with its place."""

    def walk(value: Any, place: str) -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for key, item in value.items():
                escaped = key.replace("~", "~0").replace("/", "~1")
                yield from walk(item, f"{place}/{escaped}")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from walk(item, f"{place}/{index}")
        else:
            yield place, value

    for path in sorted(record.glob("*.json")):
        yield from walk(json.loads(path.read_bytes()), f"{path.name}#")


def _is_hash(value: Any) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None
