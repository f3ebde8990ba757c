"""Causal attention with linear distance penalties, and the order in which its sums run.

Score of query i and key j in head h: ``q_i . k_j / sqrt(head width) - slope_h * (i - j)`` with
``slope_h = 2^(-8 h / heads)``, h = 1 ... heads (ALiBi: Press, Smith and Lewis 2022, section 3).
A penalty that is linear in distance needs no position table and keeps far keys from diluting
attention, so contexts far longer than those of training stay sane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

MASKED = -1e30
"""A score that no real one comes near; finite, so that sums and differences stay finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOrder:
    """How the sums over keys run: in ``splits`` even spans, the last span first if ``reverse``.

    Float addition is not associative, so two orders differ in last bits, as two launches of a
    split-k kernel do; in exact arithmetic they are equal.
    """

    splits: int = 1
    reverse: bool = False

    def __post_init__(self) -> None:
        if self.splits < 1:
            message = f"{self.splits} splits of a sum: expected at least 1"
            raise ValueError(message)

    def spans(self, keys: int) -> Iterator[slice]:
        """The slices of ``keys`` keys in the order of summation, none of them empty."""
        size = -(-keys // self.splits)
        starts = range(0, keys, size)
        for start in reversed(starts) if self.reverse else starts:
            yield slice(start, start + size)


def slopes(heads: int) -> npt.NDArray[np.float32]:
    """``(heads,)`` penalties per token of distance: 1/4, 1/16, 1/64, 1/256 for four heads."""
    return np.exp2(-8.0 * np.arange(1, heads + 1) / heads).astype(np.float32)


def distance_bias(heads: int, *, first: int, queries: int) -> npt.NDArray[np.float32]:
    """What is added to the scores of queries at positions ``first`` ... against all keys so far.

    Args:
        heads: How many heads.
        first: Position of the first query.
        queries: How many queries, at consecutive positions.

    Returns:
        ``(heads, queries, first + queries)`` float32; later keys are masked.
    """
    positions = np.arange(first + queries, dtype=np.float32)
    distance = positions[first:, None] - positions
    bias = -slopes(heads)[:, None, None] * distance
    if queries > 1:  # a single query is the latest position, so nothing is ahead of it
        bias[:, distance < 0] = MASKED
    return bias


def attend(
    queries: npt.NDArray[np.float32],
    keys: npt.NDArray[np.float32],
    values: npt.NDArray[np.float32],
    *,
    bias: npt.NDArray[np.float32],
    order: SumOrder,
) -> npt.NDArray[np.float32]:
    """Softmax attention, its sums over keys taken in ``order``.

    Args:
        queries: ``(heads, t, d)``.
        keys: ``(heads, n, d)``.
        values: ``(heads, n, d)``.
        bias: ``(heads, t, n)``, added to the scaled scores.
        order: Of the two sums over n: the softmax denominator and the weighted values.

    Returns:
        ``(t, heads * d)``: the heads side by side.
    """
    scores = (queries * queries.shape[-1] ** -0.5) @ keys.swapaxes(1, 2)
    scores += bias
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores, out=scores)
    total = np.zeros((*queries.shape[:2], 1), weights.dtype)
    mixed = np.zeros_like(queries)
    for span in order.spans(keys.shape[1]):
        part = weights[:, :, span]
        total += part.sum(axis=-1, keepdims=True)
        mixed += part @ values[:, span]
    mixed /= total
    return mixed.swapaxes(0, 1).reshape(queries.shape[1], -1)
