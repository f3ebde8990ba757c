"""Sums over the exponentials of two blocks of logits, in tiles that stay in the cache."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from verifier.model.plugin import FloatArray
from verifier.numerics._exponential import LARGEST, TableExponential, fits, is_vectorised

Logits = NDArray[np.floating]

# Logits of each side in a tile: small for the cache, but large beside the cost of some forty calls.
_TILE: Final = 39_000
# BLAS starts threads for dot products of more than 10,000.
_LONGEST_DOT: Final = 9_728


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Sums over the vocabulary, first axis: teacher (0), student (1).

    Logits are counted from ``shift``: x = logit - shift, e = exp(x). Rows with logits that are not
    finite hold anything.

    Attributes:
        small: rows whose exponentials may come from the table (rows,); their shift is 0.
        shift: (2, rows).
        total: sum of e (2, rows).
        own: sum of e times x of the same side (2, rows); None unless entropies were asked for.
        apart: sum of the teacher's e times its x minus the student's x (rows,).
        top1: position of the largest logit, the first of several (2, rows).
        highest: that logit (2, rows), FP64.
    """

    small: NDArray[np.bool_]
    shift: FloatArray
    total: FloatArray
    own: FloatArray | None
    apart: FloatArray
    top1: NDArray[np.int64]
    highest: FloatArray

    @property
    def kl(self) -> FloatArray:
        """KL(teacher || student) of each row, nats."""
        kl: FloatArray = self.apart / self.total[0] - (
            np.log(self.total[0]) - np.log(self.total[1])
        )
        # What is negative is rounding: a divergence is not.
        return np.maximum(kl, 0.0)

    @property
    def entropies(self) -> FloatArray | None:
        """Entropies (2, rows), nats; None unless they were asked for."""
        if self.own is None:
            return None
        entropies: FloatArray = np.log(self.total) - self.own / self.total
        return entropies

    @property
    def logsumexps(self) -> FloatArray:
        """Logarithms of the sums of the exponentials of the logits themselves (2, rows)."""
        lse: FloatArray = np.log(self.total) + self.shift
        return lse


def sums(teacher: Logits, student: Logits, *, entropies: bool) -> Sums:
    """One pass over both blocks (rows, vocabulary) of float32 or float64.

    Args:
        teacher: (rows, vocabulary).
        student: of the same shape.
        entropies: whether what only they need is summed.
    """
    rows = len(teacher)
    top1 = np.stack([block.argmax(axis=1) for block in (teacher, student)]).astype(np.int64)
    each = np.arange(rows)
    highest = np.stack(
        [block[each, top1[side]] for side, block in enumerate((teacher, student))]
    ).astype(np.float64)
    small = _suits_table(teacher, student, highest)
    shift = np.where(small, 0.0, highest)
    total, own, apart = np.zeros((2, rows)), np.zeros((2, rows)), np.zeros(rows)
    for tile in _tiles(teacher, student, small, shift):
        at = tile.rows
        # The teacher comes last: its exponentials are wanted once more.
        for side in (1, 0):
            exponentials = tile.exponentials(side)
            total[side, at] += _dot(exponentials, tile.ones)
            if entropies:
                own[side, at] += _dot(exponentials, tile.logits(side))
        apart[at] += _dot(exponentials, tile.difference())
    return Sums(
        small=small,
        shift=shift,
        total=total,
        own=own if entropies else None,
        apart=apart,
        top1=top1,
        highest=highest,
    )


def jensen_shannon(
    teacher: Logits, student: Logits, found: Sums, entropies: FloatArray
) -> FloatArray:
    """Jensen-Shannon divergence of each row in nats, in a second pass over both blocks.

    Args:
        teacher: (rows, vocabulary).
        student: of the same shape.
        found: sums of both.
        entropies: of both (2, rows), nats.
    """
    mixed = np.zeros(len(teacher))
    for tile in _tiles(teacher, student, found.small, found.shift):
        weights = 0.5 / found.total[:, tile.rows, np.newaxis]
        mixture = tile.exponentials(0) * weights[0]
        mixture += tile.exponentials(1) * weights[1]
        # Where the mixture is 0 so is the product, whatever finite number the logarithm is.
        logarithm = np.log(np.maximum(mixture, np.finfo(np.float64).tiny))
        mixed[tile.rows] -= _dot(mixture, logarithm)
    shannon: FloatArray = mixed - (entropies[0] + entropies[1]) / 2.0
    # What lies outside is rounding.
    return np.clip(shannon, 0.0, math.log(2.0), out=shannon)


def _tiles(
    teacher: Logits, student: Logits, small: NDArray[np.bool_], shift: FloatArray
) -> Iterator["_Tile"]:
    rows, vocabulary = teacher.shape
    # Rows as one tile where the vocabulary is short, parts of about equal width where it is long.
    height = max(1, _TILE // vocabulary)
    width = -(-vocabulary // -(-vocabulary // _TILE))
    buffers: dict[tuple[int, int], _Buffers] = {}
    for first in range(0, rows, height):
        at = slice(first, min(first + height, rows))
        tabled = bool(small[at].all())
        for start in range(0, vocabulary, width):
            parts = (teacher[at, start : start + width], student[at, start : start + width])
            shape = (parts[0].shape[0], parts[0].shape[1])
            if shape not in buffers:
                buffers[shape] = _Buffers(shape)
            yield _Tile(at, parts, None if tabled else shift[:, at, np.newaxis], buffers[shape])


class _Buffers:
    """What all tiles of one shape write into, one after the other."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.exponentials = np.empty(shape)
        self.logits = np.empty(shape)
        self.other_logits = np.empty(shape)
        self.ones = np.ones(shape)
        self.table = TableExponential(shape)


class _Tile(NamedTuple):
    """Part of both blocks; what a method returns lasts until it, or another, is called again.

    Attributes:
        rows: which rows.
        parts: logits of teacher and student (tile rows, tile columns).
        shift: (2, tile rows, 1); None for exponentials from the table, without a shift.
        buffers: of this shape.
    """

    rows: slice
    parts: tuple[Logits, Logits]
    shift: FloatArray | None
    buffers: _Buffers

    @property
    def ones(self) -> FloatArray:
        """(tile rows, tile columns)."""
        return self.buffers.ones

    def exponentials(self, side: int) -> FloatArray:
        """(tile rows, tile columns); from the table where it suits."""
        part, out = self.parts[side], self.buffers.exponentials
        if self.shift is None and fits(part):
            self.buffers.table.into(part, out)
        else:
            np.exp(self.logits(side), out=out)
        return out

    def logits(self, side: int) -> FloatArray:
        """(tile rows, tile columns), counted from the shift."""
        return self._shifted(side, self.buffers.logits)

    def difference(self) -> FloatArray:
        """The teacher's logits minus the student's, both counted from their shifts."""
        teacher = self._shifted(0, self.buffers.logits)
        student = self._shifted(1, self.buffers.other_logits)
        return np.subtract(teacher, student, out=teacher)

    def _shifted(self, side: int, out: FloatArray) -> FloatArray:
        out[...] = self.parts[side]
        if self.shift is not None:
            np.subtract(out, self.shift[side], out=out)
        return out


def _suits_table(teacher: Logits, student: Logits, highest: FloatArray) -> NDArray[np.bool_]:
    """Which rows hold single precision on both sides, and a largest logit of moderate size."""
    if is_vectorised() or np.float64 in (teacher.dtype, student.dtype):
        return np.zeros(len(teacher), dtype=np.bool_)
    suits: NDArray[np.bool_] = np.logical_and.reduce(np.abs(highest) <= LARGEST, axis=0)
    return suits


def _dot(left: FloatArray, right: FloatArray) -> FloatArray:
    """Sum over the columns of products (tile rows,)."""
    if len(left) > 1:
        return np.einsum("ij,ij->i", left, right)  # type: ignore[no-any-return] # NumPy types it Any
    one, other = left[0], right[0]
    return sum(  # type: ignore[no-any-return] # NumPy types it Any
        np.dot(one[start : start + _LONGEST_DOT], other[start : start + _LONGEST_DOT])
        for start in range(0, len(one), _LONGEST_DOT)
    )
