"""bundle.json: what was measured, with what, and what it does not show."""

from __future__ import annotations

import hashlib
import sys
from typing import TYPE_CHECKING, Any, Final

from examples.tinylm import records
from examples.tinylm.files import own_sources
from examples.tinylm.model import VOCABULARY
from examples.tinylm.recipes import recipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from examples.tinylm.arms import Arm
    from examples.tinylm.files import Folder
    from examples.tinylm.panels import Window

_TITLES = {"float32": "float32", "fp8-e4m3": "FP8 E4M3", "nvfp4": "NVFP4-like E2M1"}

_LIMITS = """
A toy: a byte-level transformer of three layers and 256 tokens. Nothing here says how a KV-cache
type changes a large model.

One machine, one processor type, one numpy: other ones may round otherwise, so a second capture need
not give the same bytes.

The number formats are emulated in numpy: keys and values are stored in them, sums run in float32.

28 windows of two kinds of text that ship with Python. Three long windows are prefixes of one stream
and score partly the same bytes, and the first three natural windows of prose lie within the long
passage of prose: windows are not independent, and an interval that draws them one by one is too
narrow.

Generated windows are what the float32 teacher writes, so they favour it; a model this small soon
repeats itself.

The second NVFP4 launch differs from the first only in the order of attention's sums, and only in
windows of at least 1,024 tokens. That is how run-to-run differences of large servers look; here it
was chosen.

Raw logits are kept of window {kept} alone; of the others only their hash.

Top-20 lists are kept of natural and generated windows; long windows keep the ids of the student's
two likeliest tokens.

The weights are named by hash; the file is examples/tinylm/weights.npz of the project.
"""

_ANALYSIS: Final = frozenset(
    {
        *("capture.py", "files.py", "manifest.py", "recipes.py", "figures.py"),
        *("analysis.py", "derived.py", "resample.py"),
    }
)
"""Modules that may change after a capture, beside published/: none of them makes a row."""

_SOURCES: Final = "sources/tinylm"

_RESULTS: Final = {
    "path": "RESULTS.md",
    "description": "The results in prose and tables, every number bound to this bundle",
    "claims": "claims.json",
}


def write(
    folder: Folder, arms: Sequence[Arm], windows: Sequence[Window], *, kept: str, created: str
) -> None:
    """Write bundle.json, and a copy of each script that its sources name.

    Args:
        folder: Holds the scored arms.
        arms: The first one is the teacher.
        windows: The panel.
        kept: The window whose raw logits are retained.
        created: The time.
    """
    folder.write_json("bundle.json", _document(folder, arms, windows, kept, created))


def renew(folder: Folder) -> None:
    """Bring recipes and scripts of a captured bundle up to date, and leave all else as it is.

    A page of results that somebody has written for it since is listed: its numbers are those of one
    capture, so no script can make it.

    Args:
        folder: A captured bundle.

    Raises:
        ValueError: If a file that made the rows is another one today.
    """
    document = folder.read_json("bundle.json")
    (measured,) = document["sources"]
    for path, data in own_sources():
        recorded = measured["files"].get(path)
        analysis = path in _ANALYSIS or path.startswith("published/")
        if not analysis and recorded != hashlib.sha256(data).hexdigest():
            message = f"examples/tinylm/{path} is not the file that made these rows; capture again"
            raise ValueError(message)
    for path in folder.below(_SOURCES):
        folder.remove(path)
    windows = tuple(window["id"] for window in document["windows"])
    document["protocol"]["intervals"] = recipes(windows)
    document["sources"] = [_source(folder)]
    if (folder.root / _RESULTS["path"]).is_file():
        document["documents"] = [_RESULTS]
    else:
        document.pop("documents", None)
    folder.write_json("bundle.json", document)


def _document(
    folder: Folder, arms: Sequence[Arm], windows: Sequence[Window], kept: str, created: str
) -> dict[str, Any]:
    teacher = arms[0].name
    scored = folder.read_json(f"arms/{teacher}/windows.json")["windows"]
    return {
        "format": records.FORMAT,
        "id": "tinylm-kv",
        "title": "KV-cache precisions of a small byte-level language model, measured row by row",
        "created": created,
        "provenance": {
            "description": (
                "Measured by examples/tinylm/capture.py on one machine, single-threaded; texts "
                f"that ship with Python {sys.version.split()[0]}, held out from training. The "
                "figures were computed by examples/tinylm/analysis.py without the verifier."
            ),
            "path": "examples/tinylm",
            "licence": "Apache-2.0; the texts: PSF License Version 2",
            "attribution": "Python documentation and source: Python Software Foundation",
        },
        "protocol": _protocol(windows),
        "windows": [
            {
                "id": window.id,
                "groups": window.groups,
                "token_sha256": entry["token_sha256"],
                "teacher_sha256": entry["teacher_sha256"],
            }
            for window, entry in zip(windows, scored, strict=True)
        ],
        "arms": [_arm(arm, teacher) for arm in arms],
        "images": [],
        "sources": [_source(folder)],
        "limits": _limits(kept),
    }


def _protocol(windows: Sequence[Window]) -> dict[str, Any]:
    return {
        "metric": {
            "name": "kld",
            "direction": "teacher||student",
            "unit": "nats",
            "dtype": "float64",
            "logits_dtype": "float32",
            "vocabulary": VOCABULARY,
        },
        "rows": {"excluded": records.EXCLUDED},
        "aggregation": "equal-window",
        "intervals": recipes(tuple(window.id for window in windows)),
    }


def _arm(arm: Arm, teacher: str) -> dict[str, Any]:
    folder = f"arms/{arm.name}"
    repeats = {} if arm.repeats is None else {"repeats": arm.repeats}
    return {
        "name": arm.name,
        "image": None,
        "run": arm.run,
        **repeats,
        "files": {
            "windows": f"{folder}/windows.json",
            "counters": f"{folder}/counters",
            "startup_log": f"{folder}/startup.log",
        },
        "row_columns": list(records.row_columns(arm, teacher)),
        "declared": {
            "kv_dtype": _TITLES[arm.precision],
            "attention_splits": arm.long_order.splits,
            "attention_splits_from_tokens": arm.long_from,
            "threads": 1,
        },
    }


def _source(folder: Folder) -> dict[str, Any]:
    files = {}
    for path, data in own_sources():
        files[path] = hashlib.sha256(data).hexdigest()
        if path.endswith(".py"):
            folder.write(f"{_SOURCES}/{path}", data)
    return {"name": "tinylm", "kind": "file", "files": files}


def _limits(kept: str) -> list[str]:
    text = _LIMITS.format(kept=kept)
    return [" ".join(limit.split()) for limit in text.strip().split("\n\n")]
