"""Score raw logits in FP64, row by row, against the teacher's (docs/format.md, section 3).

Straightforward on purpose and without the verifier's help: a log-softmax in float64, sums over the
whole vocabulary, the largest entries by a stable sort.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

F64: TypeAlias = npt.NDArray[np.float64]
Arrays: TypeAlias = dict[str, npt.NDArray[Any]]

TOP: Final = 20
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def log_softmax(logits: npt.NDArray[np.float32]) -> F64:
    """Log probabilities ``(rows, vocabulary)`` of logits of that shape, in nats.

    Subtracting the largest logit of a row changes nothing and keeps exp from overflowing.
    """
    wide = logits.astype(np.float64)
    wide -= wide.max(axis=1, keepdims=True)
    wide -= np.log(np.exp(wide).sum(axis=1, keepdims=True))
    return wide


def divergence(log_p: F64, log_q: F64) -> F64:
    """KL(p || q) of each row in nats: the sum over the vocabulary of p (log p - log q)."""
    total: F64 = (np.exp(log_p) * (log_p - log_q)).sum(axis=1)
    return total


def entropy(log_p: F64) -> F64:
    """Entropy of each row in nats: minus the sum of p log p."""
    total: F64 = -(np.exp(log_p) * log_p).sum(axis=1)
    return total


def score(
    teacher: npt.NDArray[np.float32],
    student: npt.NDArray[np.float32],
    *,
    realized: npt.NDArray[np.int32],
    first_history: int,
) -> Arrays:
    """Every array that a score file may hold, ``rows`` entries each.

    Args:
        teacher: Raw logits ``(rows, vocabulary)``.
        student: Raw logits of the same shape.
        realized: The token that each row scores ``(rows,)``.
        first_history: Tokens before the first of them.

    Returns:
        Arrays by name; ties among equal logits go to the lowest token id.
    """
    log_p, log_q = log_softmax(teacher), log_softmax(student)
    rows = np.arange(len(realized))
    arrays: Arrays = {
        "kld": divergence(log_p, log_q),
        "realized_token": realized,
        "history": (first_history + rows).astype(np.int32),
        "row_sha256": row_digests(student),
    }
    for side, log_probability in (("teacher", log_p), ("student", log_q)):
        order = np.argsort(-log_probability, axis=1, kind="stable")[:, :TOP]
        arrays |= {
            f"{side}_entropy": entropy(log_probability),
            f"{side}_top1": order[:, 0].astype(np.int32),
            f"{side}_top1_p": np.exp(log_probability[rows, order[:, 0]]),
            f"{side}_logp_realized": log_probability[rows, realized],
            f"{side}_topk_ids": order.astype(np.int32),
            f"{side}_topk_logp": np.take_along_axis(log_probability, order, axis=1),
        }
    return arrays


def row_digests(logits: npt.NDArray[np.float32]) -> npt.NDArray[np.void]:
    """SHA-256 ``(rows,)`` of each row's little-endian float32 bytes, as 32-byte voids.

    Bytes are kept as they are: a text type would lose trailing zero bytes.
    """
    digests = [hashlib.sha256(row.astype("<f4").tobytes()).digest() for row in logits]
    return np.frombuffer(b"".join(digests), dtype="V32")


def packed(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A compressed npz whose bytes depend on the arrays alone, not on the hour."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(arrays):
            member = io.BytesIO()
            np.lib.format.write_array(member, arrays[name], version=(1, 0), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", date_time=_EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, member.getvalue())
    return file.getvalue()
