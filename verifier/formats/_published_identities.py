"""Images, source identities and bare flags that the published record family names."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal

from verifier.jsontext import pointer
from verifier.model.bundle import (
    Flag,
    Image,
    ImageClaim,
    ImageKind,
    SourceClaim,
    SourceKind,
)

_PUBLIC_BASE = "public-base"
_CAPTURE = "capture"
_CAPTURE_PARENT = "capture-parent"
_CAPTURE_BASE = "capture-base"

# Where the family names an image: place, which image, which of its digests.
_IMAGE_PLACES: tuple[tuple[tuple[str, ...], str, ImageKind], ...] = (
    (("public_base_image",), _PUBLIC_BASE, "manifest"),
    (("capture_image_local_id",), _CAPTURE, "config"),
    (("capture_source", "image_id"), _CAPTURE, "config"),
    (("capture_source", "base_image_id"), _CAPTURE_BASE, "config"),
    (("capture_source", "capture_parent_image_id"), _CAPTURE_PARENT, "config"),
    (("capture_source", "compiler_cache_only_delta", "image_id"), _CAPTURE, "config"),
    (
        ("capture_source", "compiler_cache_only_delta", "parent_capture_image_id"),
        _CAPTURE_PARENT,
        "config",
    ),
)

# Where the family names a source: place, subject (the same subject must have one value), kind.
_SOURCE_PLACES: tuple[tuple[tuple[str, ...], str, SourceKind], ...] = (
    (("metric_sha256",), "metric", "file"),
    (("role_manifest_sha256",), "role manifest", "file"),
    (("capture_cpu_test_sha256",), "capture CPU test", "file"),
    (("plan_seal", "plan_sha256"), "plan", "file"),
    (("teacher_revision",), "teacher", "hf"),
    (("teacher_model_revision",), "teacher model", "hf"),
    (("model_revision",), "model", "hf"),
    (("model_file_verification_sha256",), "model file verification", "file"),
)
_AUDIT_SOURCES = ("producing_analysis_sha256", "verifier_sha256")
_SINGLE_SOURCES = ("source_analysis_sha256", "source_runtime_sha256", "source_server_log_sha256")
_FILE_LISTS = (
    ("capture_source", "hook_files"),
    ("capture_source", "original_files"),
    ("capture_source", "patched_files"),
    ("capture_source", "compiler_cache_only_delta", "files"),
)

_AUDIT_FLAGS: tuple[tuple[str, Literal["receipt-hashes", "prefix-cache-hits"]], ...] = (
    ("all_receipt_hashes_and_masks_pass", "receipt-hashes"),
    ("raw_logits_retired_after_scoring", "receipt-hashes"),
    ("all_prefix_hit_counters_zero", "prefix-cache-hits"),
)


def images(document: Mapping[str, Any], path: str) -> tuple[Image, ...]:
    """The images of a comparison, with the capture chain as far as the record states it."""
    named: dict[str, str] = {}
    for claim in image_claims(document, path):
        named.setdefault(claim.image, claim.location)
    chain = [name for name in (_CAPTURE, _CAPTURE_PARENT, _CAPTURE_BASE) if name in named]
    parents = dict(pairwise(chain))
    roles = {_PUBLIC_BASE: "base", _CAPTURE_BASE: "base"}
    return tuple(
        Image(
            name=name,
            role=roles.get(name, "capture"),
            location=location,
            parent=parents.get(name),
        )
        for name, location in named.items()
    )


def image_claims(document: Mapping[str, Any], path: str) -> tuple[ImageClaim, ...]:
    """Every place of a comparison that names an image by digest."""
    return tuple(
        ImageClaim(location=f"{path}#{pointer(*place)}", image=image, kind=kind, value=value)
        for place, image, kind in _IMAGE_PLACES
        if (value := _text(document, place)) is not None
    )


def single_arm_image(document: Mapping[str, Any], path: str) -> tuple[ImageClaim, ...]:
    """The image of a single-arm record: a local id under its conditions."""
    value = _text(document, ("conditions", "image_id"))
    if value is None:
        return ()
    location = f"{path}#/conditions/image_id"
    return (ImageClaim(location=location, image=path, kind="config", value=value),)


def sources(document: Mapping[str, Any], path: str) -> Iterator[SourceClaim]:
    """Every source identity of a comparison, an audit or a single-arm record.

    A place that the record's own schema does not know may hold anything; what is no text there is
    no identity, and is reported as an unknown field.
    """
    for place, subject, kind in _SOURCE_PLACES:
        value = _text(document, place)
        if value is not None:
            yield SourceClaim(
                location=f"{path}#{pointer(*place)}", subject=subject, kind=kind, value=value
            )
    for key in (*_AUDIT_SOURCES, *_SINGLE_SOURCES):
        value = _text(document, (key,))
        if value is not None:
            yield SourceClaim(
                location=f"{path}#/{key}", subject=f"{path} {key}", kind="file", value=value
            )
    for place in _FILE_LISTS:
        files = _at(document, place)
        for name in files if isinstance(files, Mapping) else ():
            value = _text(document, (*place, name))
            if value is not None:
                yield SourceClaim(
                    location=f"{path}#{pointer(*place, name)}",
                    subject=f"{'/'.join(place)} {name}",
                    kind="file",
                    value=value,
                    path=name,
                )


def audited_arms(arms: Sequence[Mapping[str, Any]], at: str) -> Iterator[SourceClaim]:
    """Runtime audit and startup log hashes, named per arm in the comparison and in its audit."""
    for index, arm in enumerate(arms):
        for key in ("source_runtime_audit_sha256", "source_startup_sha256"):
            if key in arm:
                yield SourceClaim(
                    location=f"{at}/{index}/{key}",
                    subject=f"{key} of arm {arm['arm']}",
                    kind="file",
                    value=arm[key],
                )


def window_sources(document: Mapping[str, Any], path: str) -> Iterator[SourceClaim]:
    """Per-window file hashes of a single-arm record; each names a file of its own."""
    for index, window in enumerate(document["per_window"]):
        for key in ("capture_metadata_sha256", "runtime_audit_sha256", "input_sha256"):
            if key in window:
                yield SourceClaim(
                    location=f"{path}#/per_window/{index}/{key}",
                    subject=f"{key} of {window['window_id']} in {path}",
                    kind="file",
                    value=window[key],
                )


def audit_flags(arms: Sequence[Mapping[str, Any]], at: str) -> Iterator[Flag]:
    """The bare flags of an audited arm; they are declared, not evidence."""
    for index, arm in enumerate(arms):
        for key, topic in _AUDIT_FLAGS:
            if key in arm:
                yield Flag(
                    location=f"{at}/{index}/{key}", topic=topic, statement=key, value=arm[key]
                )


def status_flag(document: Mapping[str, Any], path: str) -> Iterator[Flag]:
    """``status: passed`` of an audit or single-arm record, as the statement it is."""
    if "status" in document:
        yield Flag(
            location=f"{path}#/status",
            topic="record-schema",
            statement="status is passed",
            value=document["status"] == "passed",
        )


def alignment_flags(document: Mapping[str, Any], path: str) -> Iterator[Flag]:
    """What a single-arm record says about its windows against the comparison's."""
    for key in ("same_current_windows_and_order", "same_input_and_token_hashes"):
        if key in document:
            yield Flag(
                location=f"{path}#/{key}",
                topic="window-alignment",
                statement=key,
                value=document[key],
            )


def _text(document: Mapping[str, Any], place: Sequence[str]) -> str | None:
    value = _at(document, place)
    return value if isinstance(value, str) else None


def _at(document: Mapping[str, Any], place: Sequence[str]) -> Any:
    value: Any = document
    for key in place:
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value
