"""Index matrices of the bootstrap: which units each replicate draws.

The draws depend on (n, resamples, seed, stream) and never on the data, so every statistic over the
same number of units shares them.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from verifier.model.recipe import Stream

IndexArray = NDArray[np.int64]

KEPT_BYTES = 64 * 2**20
"""Largest index matrix that is kept; larger ones are drawn again, block by block."""

_BLOCK_ENTRIES = 2**17  # 1 MiB of indices and 1 MiB of gathered values stay in the L2 cache
_INDEX_BYTES = np.dtype(np.int64).itemsize
_LEGACY_SEEDS = 2**32


def rows_per_block(n: int) -> int:
    """How many replicates of ``n`` units one block holds; the last block may hold fewer."""
    return max(1, _BLOCK_ENTRIES // n)


def index_matrix(n: int, resamples: int, seed: int, stream: Stream) -> IndexArray:
    """The whole index matrix (resamples, n), read-only; the last two are kept.

    ``randomstate`` is ``RandomState(seed).randint(0, n, (resamples, n))``: MT19937 with legacy
    seeding, frozen by NumPy's policy, and what ``scipy.stats.bootstrap(random_state=seed)`` draws.
    ``pcg64`` is ``default_rng(seed).integers(0, n, (resamples, n))``, SciPy's ``rng=seed``.

    Args:
        n: number of units, drawn from 0 to n - 1 with replacement.
        resamples: number of replicates.
        seed: seed of the stream, below 2**32 for ``randomstate``.
        stream: which generator draws.

    Raises:
        ValueError: a count is below 1, the matrix exceeds ``KEPT_BYTES``, or the stream does not
            take the seed.
    """
    size = _matrix_bytes(n, resamples)
    if size > KEPT_BYTES:
        message = f"{size} bytes of indices exceed {KEPT_BYTES}: take them from index_blocks"
        raise ValueError(message)
    matrix = _kept(n, resamples, seed, stream).view()
    matrix.flags.writeable = False
    return matrix


def index_blocks(n: int, resamples: int, seed: int, stream: Stream) -> Iterator[IndexArray]:
    """The rows of the index matrix in order, as blocks (``rows_per_block(n)`` or fewer, n).

    Arguments are those of ``index_matrix``. A matrix over ``KEPT_BYTES`` is drawn block by block
    and not kept; its rows are the same, because both streams continue where the last draw ended.
    The blocks belong to this module: a caller must not write to them.

    Raises:
        ValueError: a count is below 1, or the stream does not take the seed.
    """
    size = _matrix_bytes(n, resamples)
    rows = rows_per_block(n)
    starts = range(0, resamples, rows)
    if size <= KEPT_BYTES:
        # Not the read-only view: np.take copies read-only indices, which costs a third of its time.
        kept = _kept(n, resamples, seed, stream)
        return (kept[start : start + rows] for start in starts)
    draw = _drawer(n, seed, stream)
    return (draw(min(rows, resamples - start)) for start in starts)


def forget() -> None:
    """Drop the kept matrices, so that the next call draws again."""
    _kept.cache_clear()


@lru_cache(maxsize=2)
def _kept(n: int, resamples: int, seed: int, stream: Stream) -> IndexArray:
    return _drawer(n, seed, stream)(resamples)


def _matrix_bytes(n: int, resamples: int) -> int:
    if n < 1 or resamples < 1:
        message = f"expected at least 1 unit and 1 resample, found {n} and {resamples}"
        raise ValueError(message)
    return n * resamples * _INDEX_BYTES


def _drawer(n: int, seed: int, stream: Stream) -> Callable[[int], IndexArray]:
    """A function that draws the next rows of the stream."""
    if stream == "pcg64":
        if seed < 0:
            message = f"stream pcg64: expected a seed of 0 or more, found {seed}"
            raise ValueError(message)
        generator = np.random.default_rng(seed)
        return lambda rows: generator.integers(0, n, size=(rows, n), dtype=np.int64)
    if not 0 <= seed < _LEGACY_SEEDS:
        message = f"stream randomstate: expected a seed from 0 to 2**32 - 1, found {seed}"
        raise ValueError(message)
    legacy = np.random.RandomState(seed)
    return lambda rows: legacy.randint(0, n, size=(rows, n), dtype=np.int64)
