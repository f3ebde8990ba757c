"""Which rows differ from what the retained raw logits give."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.checks._logits_lists import close
from verifier.checks._row_counts import RowCount
from verifier.model.column import DIGEST_BYTES, Arrays
from verifier.numerics.divergence import Side, divergence
from verifier.numerics.logit_bytes import encoded

Logits = NDArray[Any]
Mask = NDArray[np.bool_]


def differing_rows(
    blocks: Iterable[tuple[Logits | None, Logits]], arrays: Arrays, dtype: str
) -> Mapping[str, RowCount]:
    """Count, for each array, the rows that the raw logits contradict.

    A row without a number (NaN) in the array is passed over.

    Args:
        blocks: teacher and student logits of the same rows; no teacher where its file is not
            retained, and then only arrays of the student are compared.
        arrays: sound arrays by name, with one entry for each row of all blocks together.
        dtype: stored type of the logits, for the row hashes.

    Raises:
        ValueError: from the blocks.
    """
    counts: dict[str, RowCount] = {}
    done = 0
    for teacher, student in blocks:
        at = slice(done, done + len(student))
        part = {name: array[at] for name, array in arrays.items()}
        for name, bad in _differing(teacher, student, part, dtype):
            counts.setdefault(name, RowCount()).add(bad, offset=done)
        done = at.stop
    return counts


def _differing(
    teacher: Logits | None, student: Logits, arrays: Arrays, dtype: str
) -> Iterator[tuple[str, Mask]]:
    found = divergence(
        student if teacher is None else teacher,
        student,
        arrays.get("realized_token"),
        with_entropies=any(name.endswith("_entropy") for name in arrays),
    )
    if teacher is not None:
        if "kld" in arrays:
            yield "kld", _unlike(arrays["kld"], found.kl)
        yield from _side(arrays, "teacher", found.teacher, teacher)
    yield from _side(arrays, "student", found.student, student)
    if "row_sha256" in arrays:
        yield "row_sha256", _other_bytes(arrays["row_sha256"], student, dtype)


def _side(arrays: Arrays, name: str, side: Side, logits: Logits) -> Iterator[tuple[str, Mask]]:
    numbers = {} if side.entropy is None else {"entropy": side.entropy}
    numbers["top1_p"] = side.top1_p
    if "realized_token" in arrays:
        numbers["logp_realized"] = side.logp
    for what, expected in numbers.items():
        if f"{name}_{what}" in arrays:
            yield f"{name}_{what}", _unlike(arrays[f"{name}_{what}"], expected)
    usable = side.top1 >= 0
    highest = logits[np.arange(len(logits)), np.maximum(side.top1, 0)]
    if f"{name}_top1" in arrays:
        tokens = arrays[f"{name}_top1"][:, np.newaxis]
        held = _picked(logits, tokens)[:, 0]
        # Ties: any token with the largest logit is a top-1.
        yield f"{name}_top1", usable & (held != highest)
    ids, logp = arrays.get(f"{name}_topk_ids"), arrays.get(f"{name}_topk_logp")
    if ids is not None:
        yield f"{name}_topk_ids", usable & ~_likeliest(logits, ids)
    if ids is not None and logp is not None and ids.shape == logp.shape:
        expected = _picked(logits, ids) - side.logsumexp[:, np.newaxis]
        unlike: Mask = np.logical_or.reduce(_unlike(logp, expected), axis=1)
        yield f"{name}_topk_logp", unlike


def _likeliest(logits: Logits, ids: NDArray[np.integer]) -> Mask:
    """Whether no token outside the list has a larger logit than the last of it (rows,)."""
    listed = _picked(logits, ids)
    least = listed.min(axis=1, keepdims=True)
    above = np.count_nonzero(logits > least.astype(logits.dtype), axis=1)
    ordered = np.sort(ids, axis=1)
    distinct = np.logical_and.reduce(ordered[:, 1:] != ordered[:, :-1], axis=1)
    complete = above == np.count_nonzero(listed > least, axis=1)
    likeliest: Mask = distinct & complete & ~np.isnan(least[:, 0])
    return likeliest


def _picked(logits: Logits, ids: NDArray[np.integer]) -> NDArray[np.float64]:
    """Logits of tokens (rows, k) in FP64; NaN for a token outside the vocabulary."""
    known = (ids >= 0) & (ids < logits.shape[1])
    picked = np.take_along_axis(logits, np.where(known, ids, 0), axis=1).astype(np.float64)
    picked[~known] = np.nan
    return picked


def _unlike(actual: NDArray[Any], expected: NDArray[Any]) -> Mask:
    unlike: Mask = ~np.isnan(actual) & ~close(actual, expected)
    return unlike


def _other_bytes(digests: NDArray[Any], logits: Logits, dtype: str) -> Mask:
    held = digests.tobytes()
    return np.array(
        [
            held[row * DIGEST_BYTES : (row + 1) * DIGEST_BYTES]
            != sha256(encoded(logits[row], dtype)).digest()
            for row in range(len(logits))
        ],
        dtype=np.bool_,
    )
