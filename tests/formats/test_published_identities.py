"""Every identity and every bare flag of the published records is claimed, at its own place."""

from typing import Any

import pytest

from tests.support.published import ARMS, SINGLE, family, read
from verifier.formats import _published_identities as identities

HASH = 64 * "a"
IMAGE = f"sha256:{HASH}"


def nested(place: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A record that holds nothing but this value at this place."""
    for key in reversed(place):
        value = {key: value}
    return value  # type: ignore[no-any-return] # every place has at least one key


def test_every_source_of_the_synthetic_records_is_claimed_once() -> None:
    audited = [
        f"{at}/{index}/{key}"
        for at in ("comparison.json#/receipt_audit", "audit.json#/arms")
        for index in range(len(ARMS))
        for key in ("source_runtime_audit_sha256", "source_startup_sha256")
    ]
    expected = [
        "comparison.json#/metric_sha256",
        "comparison.json#/role_manifest_sha256",
        "comparison.json#/plan_seal/plan_sha256",
        "comparison.json#/teacher_revision",
        "comparison.json#/capture_source/hook_files/capture~1hook.py",
        "comparison.json#/capture_source/compiler_cache_only_delta/files/Dockerfile",
        "audit.json#/verifier_sha256",
        f"{SINGLE}#/role_manifest_sha256",
        f"{SINGLE}#/source_analysis_sha256",
        *audited,
        *(f"{SINGLE}#/per_window/{index}/input_sha256" for index in range(8)),
    ]
    assert sorted(claim.location for claim in read(family()).sources) == sorted(expected)


def test_every_flag_of_the_synthetic_records_is_held_as_a_statement() -> None:
    audited = {
        (f"{at}/{index}/{key}", topic)
        for at in ("comparison.json#/receipt_audit", "audit.json#/arms")
        for index in range(len(ARMS))
        for key, topic in (
            ("all_receipt_hashes_and_masks_pass", "receipt-hashes"),
            ("raw_logits_retired_after_scoring", "receipt-hashes"),
            ("all_prefix_hit_counters_zero", "prefix-cache-hits"),
        )
    }
    stated = {
        ("audit.json#/status", "record-schema"),
        (f"{SINGLE}#/status", "record-schema"),
        (f"{SINGLE}#/same_current_windows_and_order", "window-alignment"),
        (f"{SINGLE}#/same_input_and_token_hashes", "window-alignment"),
    }
    found = [(flag.location, flag.topic) for flag in read(family()).flags]
    assert sorted(found) == sorted(audited | stated)


@pytest.mark.parametrize(
    ("place", "subject", "kind"),
    [
        (("metric_sha256",), "metric", "file"),
        (("role_manifest_sha256",), "role manifest", "file"),
        (("capture_cpu_test_sha256",), "capture CPU test", "file"),
        (("plan_seal", "plan_sha256"), "plan", "file"),
        (("teacher_revision",), "teacher", "hf"),
        (("teacher_model_revision",), "teacher model", "hf"),
        (("model_revision",), "model", "hf"),
        (("model_file_verification_sha256",), "model file verification", "file"),
        (("producing_analysis_sha256",), "x.json producing_analysis_sha256", "file"),
        (("verifier_sha256",), "x.json verifier_sha256", "file"),
        (("source_analysis_sha256",), "x.json source_analysis_sha256", "file"),
        (("source_runtime_sha256",), "x.json source_runtime_sha256", "file"),
        (("source_server_log_sha256",), "x.json source_server_log_sha256", "file"),
        (("capture_source", "hook_files", "a"), "capture_source/hook_files a", "file"),
        (("capture_source", "original_files", "a"), "capture_source/original_files a", "file"),
        (("capture_source", "patched_files", "a"), "capture_source/patched_files a", "file"),
        (
            ("capture_source", "compiler_cache_only_delta", "files", "a"),
            "capture_source/compiler_cache_only_delta/files a",
            "file",
        ),
    ],
)
def test_each_place_that_names_a_source_is_claimed(
    place: tuple[str, ...], subject: str, kind: str
) -> None:
    (claim,) = identities.sources(nested(place, HASH), "x.json")
    assert (claim.location, claim.subject, claim.kind, claim.value) == (
        f"x.json#/{'/'.join(place)}",
        subject,
        kind,
        HASH,
    )
    assert claim.path == ("a" if place[-1] == "a" else None)
    assert list(identities.sources(nested(place, 7), "x.json")) == []


@pytest.mark.parametrize(
    ("place", "image", "kind"),
    [
        (("public_base_image",), "public-base", "manifest"),
        (("capture_image_local_id",), "capture", "config"),
        (("capture_source", "image_id"), "capture", "config"),
        (("capture_source", "base_image_id"), "capture-base", "config"),
        (("capture_source", "capture_parent_image_id"), "capture-parent", "config"),
        (("capture_source", "compiler_cache_only_delta", "image_id"), "capture", "config"),
        (
            ("capture_source", "compiler_cache_only_delta", "parent_capture_image_id"),
            "capture-parent",
            "config",
        ),
    ],
)
def test_each_place_that_names_an_image_is_claimed(
    place: tuple[str, ...], image: str, kind: str
) -> None:
    (claim,) = identities.image_claims(nested(place, IMAGE), "x.json")
    assert (claim.location, claim.image, claim.kind, claim.value) == (
        f"x.json#/{'/'.join(place)}",
        image,
        kind,
        IMAGE,
    )
    assert identities.image_claims(nested(place, [IMAGE]), "x.json") == ()


@pytest.mark.parametrize("key", ["capture_metadata_sha256", "runtime_audit_sha256", "input_sha256"])
def test_each_file_of_a_window_is_claimed_as_its_own(key: str) -> None:
    document = {"per_window": [{"window_id": "w0"}, {"window_id": "w1", key: HASH}]}
    (claim,) = identities.window_sources(document, "x.json")
    assert (claim.location, claim.subject, claim.value) == (
        f"x.json#/per_window/1/{key}",
        f"{key} of w1 in x.json",
        HASH,
    )


@pytest.mark.parametrize(
    ("word", "value"), [("passed", True), ("failed", False), ("Passed", False)]
)
def test_only_a_passed_status_states_that_it_passed(word: str, *, value: bool) -> None:
    (flag,) = identities.status_flag({"status": word}, "x.json")
    assert (flag.location, flag.topic, flag.value) == ("x.json#/status", "record-schema", value)
    assert list(identities.status_flag({}, "x.json")) == []
