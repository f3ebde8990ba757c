"""A valid bundle in our own format as plain documents, to be changed and packed into a store."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from tests.support.memory import MemoryStore
from verifier import seal
from verifier.catalog import SCHEMAS
from verifier.formats.measurement_bundle import READER
from verifier.model.bundle import Bundle, Retired, Violation

ARMS = ("fp8", "nvfp4")
WINDOWS = ("w1", "w2")
FORMAT = "measurement-bundle/1"
SEALED_AT = "2026-01-02T00:00:00Z"

CONFIG = b'{"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers"}}'

Documents = dict[str, Any]


def sha256(text: str | bytes) -> str:
    """A hash that differs for different texts."""
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def manifest() -> bytes:
    """An OCI manifest that names CONFIG and one layer that is not retained."""
    return json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": {
                "mediaType": "application/vnd.oci.image.config.v1+json",
                "digest": f"sha256:{sha256(CONFIG)}",
                "size": len(CONFIG),
            },
            "layers": [
                {
                    "mediaType": "application/vnd.oci.image.layer.v1.tar+gzip",
                    "digest": f"sha256:{sha256('layer')}",
                    "size": 7,
                }
            ],
        }
    ).encode()


MANIFEST_DIGEST = f"sha256:{sha256(manifest())}"
CONFIG_DIGEST = f"sha256:{sha256(CONFIG)}"
REVISION = "0123456789abcdef0123456789abcdef01234567"


def bundle_document() -> Documents:
    """bundle.json."""
    return {
        "format": FORMAT,
        "id": "sample",
        "title": "A synthetic bundle",
        "created": "2026-01-01T00:00:00Z",
        "provenance": {
            "description": "Made up.",
            "licence": "Apache-2.0",
            "carries": [sha256("record")],
        },
        "protocol": {
            "metric": {
                "name": "kld",
                "direction": "teacher||student",
                "unit": "nats",
                "dtype": "float64",
                "logits_dtype": "bfloat16",
                "vocabulary": 10,
            },
            "rows": {"predicted": 4, "excluded": [0]},
            "input_tokens": 5,
            "aggregation": "equal-window",
            "intervals": {
                "bca95": {
                    "method": "bca",
                    "level": 0.95,
                    "resamples": 20000,
                    "seed": 20260902,
                    "stream": "randomstate",
                    "draw": "index-matrix",
                    "quantile": "linear",
                    "ties": "midrank",
                    "order": "manifest",
                }
            },
        },
        "windows": [
            {
                "id": window,
                "groups": {"domain": f"domain of {window}"},
                "token_sha256": sha256(f"token {window}"),
                "teacher_sha256": sha256(f"teacher {window}"),
            }
            for window in WINDOWS
        ],
        "arms": [
            {
                "name": arm,
                "image": "capture",
                "run": 1,
                "files": {
                    "windows": f"arms/{arm}/windows.json",
                    "counters": f"arms/{arm}/counters",
                    "launch": f"arms/{arm}/launch.json",
                    "runtime": f"arms/{arm}/runtime.json",
                    "startup_log": f"arms/{arm}/startup.log",
                },
                "declared": {"kv_cache": arm, "all_prefix_cache_hits_zero": True},
            }
            for arm in ARMS
        ],
        "images": [
            {"name": "serving", "role": "serving", "index_digest": f"sha256:{sha256('index')}"},
            {
                "name": "capture",
                "role": "capture",
                "reference": f"example/capture@{MANIFEST_DIGEST}",
                "manifest_digest": MANIFEST_DIGEST,
                "config_digest": CONFIG_DIGEST,
                "parent": "serving",
                "layout": "images/capture",
            },
        ],
        "sources": [
            {
                "name": "scorer",
                "kind": "git",
                "url": "https://git.example/scorer",
                "revision": REVISION,
                "files": {"src/score.py": sha256(b"score"), "gone.py": sha256("gone")},
            },
            {"name": "plan", "kind": "file", "files": {"plan.json": sha256("plan")}},
        ],
        "documents": [{"path": "notes.txt", "description": "Notes."}],
        "limits": ["It is made up."],
    }


def windows_document(arm: str) -> Documents:
    """arms/<arm>/windows.json."""
    return {
        "format": FORMAT,
        "arm": arm,
        "windows": [
            {
                "id": window,
                "predicted_rows": 4,
                "scored_rows": 3,
                "excluded": [0],
                "values": {"kld": 0.25 + index, "nll": 1},
                "including_prefill": 0.5,
                "prefill": 2.0,
                "raw_sha256": sha256(f"raw {arm} {window}"),
                "raw_bytes": 80,
                "score_sha256": sha256(f"scores {arm} {window}"),
                "score_path": f"arms/{arm}/scores/{window}.npz",
                "token_sha256": sha256(f"token {window}"),
                "teacher_sha256": sha256(f"teacher {window}"),
                "receipt": f"arms/{arm}/receipts/{window}.json",
            }
            for index, window in enumerate(WINDOWS)
        ],
    }


def receipt_document(arm: str, window: str) -> Documents:
    """arms/<arm>/receipts/<window>.json."""
    return {
        "format": FORMAT,
        "window": window,
        "rows": 4,
        "excluded": [0],
        "raw": {"sha256": sha256(f"raw {arm} {window}"), "bytes": 80},
        "score": {
            "path": f"arms/{arm}/scores/{window}.npz",
            "sha256": sha256(f"scores {arm} {window}"),
        },
        "token_sha256": sha256(f"token {window}"),
        "teacher_sha256": sha256(f"teacher {window}"),
        "scored_at": "2026-01-01T01:00:00Z",
        "retired": {"at": "2026-01-01T02:00:00Z", "reason": "Scored."},
    }


def figures_document() -> list[Documents]:
    """figures.json."""
    mean = {"statistic": "mean", "arm": "fp8"}
    return [
        {"id": "fp8/kld", "published": "0.750", "measure": dict(mean)},
        {
            "id": "fp8/kld/low",
            "published": 0.25,
            "measure": dict(mean),
            "interval": {"recipe": "bca95", "end": "low"},
        },
        {
            "id": "fp8/kld/high",
            "published": 1.25,
            "measure": dict(mean),
            "interval": {"recipe": "bca95", "end": "high"},
        },
        {"id": "panel/windows", "published": 2, "measure": {"statistic": "size"}},
    ]


def documents() -> Documents:
    """Every file of the bundle but its seal: a document or bytes by path."""
    files: Documents = {
        "bundle.json": bundle_document(),
        "figures.json": figures_document(),
        "notes.txt": b"notes",
        "images/capture/oci-layout": {"imageLayoutVersion": "1.0.0"},
        "images/capture/manifest.json": manifest(),
        "images/capture/config.json": CONFIG,
        "sources/scorer/src/score.py": b"score",
    }
    for arm in ARMS:
        folder = f"arms/{arm}"
        files[f"{folder}/windows.json"] = windows_document(arm)
        files[f"{folder}/startup.log"] = b"started\n"
        files[f"{folder}/launch.json"] = {
            "format": FORMAT,
            "arm": arm,
            "image": f"example/capture@{MANIFEST_DIGEST}",
            "command": ["serve"],
        }
        files[f"{folder}/runtime.json"] = {
            "format": FORMAT,
            "arm": arm,
            "image_id": CONFIG_DIGEST,
            "sources": {"scorer": REVISION},
        }
        for window in WINDOWS:
            files[f"{folder}/scores/{window}.npz"] = f"scores {arm} {window}".encode()
            files[f"{folder}/receipts/{window}.json"] = receipt_document(arm, window)
            for phase in ("before", "after"):
                files[f"{folder}/counters/{window}.{phase}.prom"] = scrape(0.0)
    return files


def scrape(hits: float) -> bytes:
    """A scrape with one series of the hit counter, and another counter beside it."""
    return (
        "# HELP vllm:prefix_cache_hits_total Hits.\n"
        "# TYPE vllm:prefix_cache_hits_total counter\n"
        f'vllm:prefix_cache_hits_total{{engine="0",model_name="m"}} {hits}\n'
        "# TYPE vllm:prefix_cache_queries_total counter\n"
        'vllm:prefix_cache_queries_total{engine="0"} 5.0\n'
    ).encode()


def packed(files: Documents) -> dict[str, bytes]:
    """The documents as the bytes of files."""
    return {
        path: content if isinstance(content, bytes) else json.dumps(content).encode()
        for path, content in files.items()
    }


def sealed(files: Mapping[str, bytes], retired: tuple[Retired, ...] = ()) -> dict[str, bytes]:
    """The files with a seal over all of them."""
    members = MemoryStore(files).members.values()
    return {**files, seal.PATH: seal.document(members, retired, SEALED_AT)}


def read(files: Documents, **others: Any) -> Bundle:
    """What the reader makes of these documents."""
    return READER.read(MemoryStore(packed(files), **others), SCHEMAS)


def violations(bundle: Bundle) -> list[Violation]:
    """Every violation of every record, in the order of the records."""
    return [violation for record in bundle.records for violation in record.violations]


def places(bundle: Bundle) -> list[str]:
    """Where the violations of a bundle lie."""
    return [violation.location for violation in violations(bundle)]
