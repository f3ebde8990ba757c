"""From raw files to score files, receipts and windows.json; then the raw files are retired."""

from __future__ import annotations

import hashlib
import io
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from examples.tinylm.model import VOCABULARY
from examples.tinylm.score import Arrays, packed, score

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from examples.tinylm.arms import Arm
    from examples.tinylm.files import Folder
    from examples.tinylm.panels import Window

FORMAT: Final = "measurement-bundle/1"
EXCLUDED: Final = [0]

COMMON: Final = (
    *("kld", "student_entropy", "student_logp_realized", "teacher_logp_realized"),
    *("teacher_top1", "teacher_top1_p", "student_top1", "realized_token", "history", "row_sha256"),
)
"""What every score file of a student holds."""

SHORT: Final = (
    *("teacher_entropy", "student_top1_p", "teacher_topk_ids", "teacher_topk_logp"),
    *("student_topk_ids", "student_topk_logp"),
)
"""What those of natural and generated windows hold beside it. Long windows keep the ids of the two
likeliest tokens instead: their full lists would make up most of the bundle."""

TEACHER: Final = (
    *("kld", "student_entropy", "student_logp_realized", "student_top1"),
    *("realized_token", "history"),
)
"""The teacher is scored against itself, so its second distribution would only repeat the first, and
it runs once, so there is no other run to hold its rows against."""

_LONG_IDS: Final = 2


def raw_path(arm: Arm, window: Window) -> str:
    """Where the raw logits lie: float32, little-endian, row by row, no header."""
    return f"arms/{arm.name}/raw/{window.id}.f32"


def score_path(arm: Arm, window: Window) -> str:
    """Where the row arrays lie."""
    return f"arms/{arm.name}/scores/{window.id}.npz"


def receipt_path(arm: Arm, window: Window) -> str:
    """Where the receipt lies."""
    return f"arms/{arm.name}/receipts/{window.id}.json"


def token_file(window: Window) -> bytes:
    """The token stream as an npy file of int32."""
    file = io.BytesIO()
    tokens = np.frombuffer(window.tokens, np.uint8).astype("<i4")
    np.lib.format.write_array(file, tokens, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def row_columns(arm: Arm, teacher: str) -> tuple[str, ...]:
    """The arrays that every score file of the arm holds."""
    return TEACHER if arm.name == teacher else COMMON


def kept_arrays(arm: Arm, window: Window, scored: Arrays, teacher: str) -> Arrays:
    """The arrays that are retained of what was scored."""
    names = row_columns(arm, teacher)
    if arm.name != teacher and window.panel != "long":
        names = (*names, *SHORT)
    kept = {name: scored[name] for name in names}
    if arm.name != teacher and window.panel == "long":
        kept["student_topk_ids"] = np.ascontiguousarray(scored["student_topk_ids"][:, :_LONG_IDS])
    return kept


def score_arm(
    folder: Folder,
    arm: Arm,
    windows: Sequence[Window],
    *,
    teacher: str,
    now: Callable[[], str],
) -> None:
    """Score every window of an arm from the raw files, and write score files and receipts.

    Args:
        folder: Where the raw files of the arm and of the teacher lie.
        arm: The student.
        windows: The panel.
        teacher: Name of the arm that it is scored against.
        now: The time.
    """
    entries = []
    for window in windows:
        raw = folder.read(raw_path(arm, window))
        against = folder.read(f"arms/{teacher}/raw/{window.id}.f32")
        scored = score(
            _logits(against),
            _logits(raw),
            realized=np.frombuffer(window.continuation, np.uint8).astype(np.int32),
            first_history=len(window.prompt),
        )
        path = score_path(arm, window)
        sha256 = folder.write(path, packed(kept_arrays(arm, window, scored, teacher)))
        receipt = {
            "format": FORMAT,
            "window": window.id,
            "rows": len(window.continuation),
            "excluded": EXCLUDED,
            "raw": {"sha256": _sha256(raw), "bytes": len(raw)},
            "score": {"path": path, "sha256": sha256},
            "token_sha256": _sha256(token_file(window)),
            "teacher_sha256": _sha256(against),
            "scored_at": now(),
            "retired": None,
        }
        folder.write_json(receipt_path(arm, window), receipt)
        entries.append(_entry(arm, window, scored, receipt))
    document = {"format": FORMAT, "arm": arm.name, "windows": entries}
    folder.write_json(f"arms/{arm.name}/windows.json", document)


def retire(
    folder: Folder, arm: Arm, windows: Sequence[Window], *, kept: str, now: Callable[[], str]
) -> None:
    """Delete the raw files of an arm, except that of one window, and say so in the receipts."""
    path = f"arms/{arm.name}/windows.json"
    document = folder.read_json(path)
    for window, entry in zip(windows, document["windows"], strict=True):
        if window.id == kept:
            entry["raw_path"] = raw_path(arm, window)
            continue
        folder.remove(raw_path(arm, window))
        receipt = folder.read_json(receipt_path(arm, window))
        receipt["retired"] = {"at": now(), "reason": "scored; the rows and this hash are kept"}
        folder.write_json(receipt_path(arm, window), receipt)
    folder.write_json(path, document)


def _entry(arm: Arm, window: Window, scored: Arrays, receipt: dict[str, Any]) -> dict[str, Any]:
    rows = len(window.continuation)
    kld = scored["kld"]
    return {
        "id": window.id,
        "predicted_rows": rows,
        "scored_rows": rows - len(EXCLUDED),
        "excluded": EXCLUDED,
        "values": {
            "kld": _mean(kld[1:]),
            "nll": _mean(-scored["student_logp_realized"][1:]),
            "student_entropy": _mean(scored["student_entropy"][1:]),
        },
        "including_prefill": _mean(kld),
        "prefill": float(kld[0]),
        "raw_sha256": receipt["raw"]["sha256"],
        "raw_bytes": receipt["raw"]["bytes"],
        "score_sha256": receipt["score"]["sha256"],
        "score_path": receipt["score"]["path"],
        "token_sha256": receipt["token_sha256"],
        "teacher_sha256": receipt["teacher_sha256"],
        "receipt": receipt_path(arm, window),
    }


def _mean(values: npt.NDArray[np.float64]) -> float:
    return math.fsum(values.tolist()) / len(values)


def _logits(raw: bytes) -> npt.NDArray[np.float32]:
    return np.frombuffer(raw, "<f4").reshape(-1, VOCABULARY)


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
