"""Sums over the exponentials of two blocks of logits, in tiles that stay in the cache."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from verifier.numerics._exponential import LARGEST, TableExponential, is_vectorised

FloatArray = NDArray[np.float64]
Logits = NDArray[np.floating]

# Logits of each side in a tile: small for the cache, large beside the cost of a call. BLAS starts
# threads for dot products of more than 10,000.
_TILE = 9_728
_SIDES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Sums over the vocabulary, first axis: teacher (0), student (1).

    Logits are counted from ``shift``: x = logit - shift, e = exp(x). Rows with logits that are not
    finite hold anything.

    Attributes:
        small: rows whose exponentials may come from the table (rows,); their shift is 0.
        shift: (2, rows).
        total: sum of e (2, rows).
        own: sum of e times x of the same side (2, rows).
        cross: sum of the teacher's e times the student's x (rows,).
        top1: position of the largest logit, the first of several (2, rows).
        highest: that logit (2, rows), FP64.
    """

    small: NDArray[np.bool_]
    shift: FloatArray
    total: FloatArray
    own: FloatArray
    cross: FloatArray
    top1: NDArray[np.int64]
    highest: FloatArray

    @property
    def kl(self) -> FloatArray:
        """KL(teacher || student) of each row, nats."""
        kl: FloatArray = (self.own[0] - self.cross) / self.total[0] - (
            np.log(self.total[0]) - np.log(self.total[1])
        )
        return kl

    def entropy(self, side: int) -> FloatArray:
        """Entropy of each row, nats."""
        entropy: FloatArray = np.log(self.total[side]) - self.own[side] / self.total[side]
        return entropy

    def logsumexp(self, side: int) -> FloatArray:
        """Logarithm of the sum of the exponentials of the logits themselves, of each row."""
        lse: FloatArray = np.log(self.total[side]) + self.shift[side]
        return lse


def sums(teacher: Logits, student: Logits) -> Sums:
    """One pass over both blocks (rows, vocabulary) of float32 or float64."""
    rows = len(teacher)
    top1 = np.stack([block.argmax(axis=1) for block in (teacher, student)]).astype(np.int64)
    each = np.arange(rows)
    highest = np.stack(
        [block[each, top1[side]] for side, block in enumerate((teacher, student))]
    ).astype(np.float64)
    small = _suits_table(teacher, student, highest)
    shift = np.where(small, 0.0, highest)
    total, own, cross = np.zeros((2, rows)), np.zeros((2, rows)), np.zeros(rows)
    for tile in _tiles(teacher, student, small, shift):
        at = tile.rows
        for side in (0, 1):
            total[side, at] += _dot(tile.exponentials[side], tile.ones)
            own[side, at] += _dot(tile.exponentials[side], tile.logits[side])
        cross[at] += _dot(tile.exponentials[0], tile.logits[1])
    return Sums(
        small=small,
        shift=shift,
        total=total,
        own=own,
        cross=cross,
        top1=top1,
        highest=highest,
    )


def jensen_shannon(teacher: Logits, student: Logits, found: Sums) -> FloatArray:
    """Jensen-Shannon divergence of each row in nats, in a second pass over both blocks."""
    mixed = np.zeros(len(teacher))
    for tile in _tiles(teacher, student, found.small, found.shift):
        for side in (0, 1):
            tile.exponentials[side] *= 0.5 / found.total[side, tile.rows, np.newaxis]
        mixture = np.add(tile.exponentials[0], tile.exponentials[1], out=tile.exponentials[0])
        # Where the mixture is 0 so is the product, whatever finite number the logarithm is.
        logarithm = np.maximum(mixture, np.finfo(np.float64).tiny, out=tile.logits[0])
        np.log(logarithm, out=logarithm)
        mixed[tile.rows] -= _dot(mixture, logarithm)
    return mixed - (found.entropy(0) + found.entropy(1)) / 2.0


class _Tile(NamedTuple):
    """Part of both blocks, in buffers of which the next tile takes possession.

    Attributes:
        rows: which rows.
        logits: (2, tile rows, tile columns), counted from the shift.
        exponentials: of the same shape.
        ones: (tile rows, tile columns).
    """

    rows: slice
    logits: FloatArray
    exponentials: FloatArray
    ones: FloatArray


def _tiles(
    teacher: Logits, student: Logits, small: NDArray[np.bool_], shift: FloatArray
) -> Iterator[_Tile]:
    rows, vocabulary = teacher.shape
    # Rows as one tile where the vocabulary is short, parts of about equal width where it is long.
    height = max(1, _TILE // vocabulary)
    width = -(-vocabulary // -(-vocabulary // _TILE))
    buffers: dict[tuple[int, int], _Buffers] = {}
    for first in range(0, rows, height):
        at = slice(first, min(first + height, rows))
        tabled = bool(small[at].all())
        for start in range(0, vocabulary, width):
            parts = [block[at, start : start + width] for block in (teacher, student)]
            shape = (parts[0].shape[0], parts[0].shape[1])
            if shape not in buffers:
                buffers[shape] = _Buffers(shape)
            yield buffers[shape].fill(at, parts, None if tabled else shift[:, at])


class _Buffers:
    def __init__(self, shape: tuple[int, int]) -> None:
        self._logits = np.empty((_SIDES, *shape))
        self._exponentials = np.empty((_SIDES, *shape))
        self._ones = np.ones(shape)
        self._table = TableExponential((_SIDES, *shape))

    def fill(self, rows: slice, parts: list[Logits], shift: FloatArray | None) -> _Tile:
        """Logits and exponentials of one tile; from the table where it suits, without a shift."""
        for side, part in enumerate(parts):
            self._logits[side] = part
        if shift is not None:
            np.subtract(self._logits, shift[:, :, np.newaxis], out=self._logits)
            np.exp(self._logits, out=self._exponentials)
        elif self._in_table(parts):
            self._table.into(self._exponentials)
        else:
            np.exp(self._logits, out=self._exponentials)
        return _Tile(rows, self._logits, self._exponentials, self._ones)

    def _in_table(self, parts: list[Logits]) -> bool:
        for side, part in enumerate(parts):
            self._table.put(side, part)
        return self._table.fits


def _suits_table(teacher: Logits, student: Logits, highest: FloatArray) -> NDArray[np.bool_]:
    """Which rows hold single precision on both sides, and a largest logit of moderate size."""
    if is_vectorised() or np.float64 in (teacher.dtype, student.dtype):
        return np.zeros(len(teacher), dtype=np.bool_)
    suits: NDArray[np.bool_] = np.logical_and.reduce(np.abs(highest) <= LARGEST, axis=0)
    return suits


def _dot(left: FloatArray, right: FloatArray) -> FloatArray:
    """Sum over the columns of products (tile rows,)."""
    if len(left) == 1:
        return np.dot(left[0], right[0])  # type: ignore[no-any-return] # NumPy types it Any
    return np.einsum("ij,ij->i", left, right)  # type: ignore[no-any-return] # NumPy types it Any
