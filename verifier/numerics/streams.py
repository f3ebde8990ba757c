"""Index matrices of the bootstrap: which units each replicate draws.

The draws depend on the numbers of units and replicates, the seed and the stream, never on the data,
so every statistic over the same units shares them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise

import numpy as np

from verifier.model.plugin import Spent
from verifier.model.recipe import Draw, Stream
from verifier.numerics.generators import Generator, IndexArray, indices
from verifier.numerics.positions import Origin, Positions

KEPT_BYTES = 64 * 2**20
"""Largest index matrix that is kept; larger ones are drawn again, block by block."""

BLOCK_ENTRIES = 2**17
"""Most indices of a block of several rows: with the gathered values they stay in the L2 cache."""

_INDEX_BYTES = np.dtype(np.int64).itemsize
_POSITIONS = Positions(64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """What one interval draws, and from where in which stream.

    Attributes:
        sizes: number of units of each stratum, in the order in which they are drawn; one for units
            without strata.
        resamples: number of replicates.
        seed: seed of the stream, below 2**32 for ``randomstate``.
        stream: which generator draws.
        draw: ``index-matrix`` draws all replicates of a stratum before the next stratum,
            ``replicate`` all strata of a replicate before the next replicate.
        before: intervals that this generator has drawn already, in the same way.
    """

    sizes: tuple[int, ...]
    resamples: int
    seed: int
    stream: Stream
    draw: Draw = "index-matrix"
    before: Spent = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some replicates of one stratum.

    Attributes:
        stratum: position of the stratum in ``Draws.sizes``.
        start: number of the first replicate.
        indices: positions within the stratum (replicates, size). They belong to this module: a
            caller must not write to them.
    """

    stratum: int
    start: int
    indices: IndexArray


def rows_per_block(n: int) -> int:
    """How many replicates of ``n`` units one block holds; the last block may hold fewer."""
    return max(1, BLOCK_ENTRIES // n)


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
    draws = Draws(sizes=(n,), resamples=resamples, seed=seed, stream=stream)
    size = _matrix_bytes(draws)
    if size > KEPT_BYTES:
        message = f"{size} bytes of indices exceed {KEPT_BYTES}: take them from index_blocks"
        raise ValueError(message)
    matrix = _kept(draws)[0].view()
    matrix.flags.writeable = False
    return matrix


def index_blocks(n: int, resamples: int, seed: int, stream: Stream) -> Iterator[IndexArray]:
    """The rows of the index matrix in order, as blocks (``rows_per_block(n)`` or fewer, n).

    Arguments are those of ``index_matrix``; see ``blocks``.

    Raises:
        ValueError: a count is below 1, or the stream does not take the seed.
    """
    drawn = blocks(Draws(sizes=(n,), resamples=resamples, seed=seed, stream=stream))
    return (block.indices for block in drawn)


def blocks(draws: Draws) -> Iterator[Block]:
    """Every index that the interval draws, in blocks of a few replicates.

    The replicates of a stratum come in order. The strata come one after the other, or by turns
    when they are drawn ``replicate`` by replicate and are too many to keep: matrices over
    ``KEPT_BYTES`` are drawn block by block. Their rows are the same, because both streams continue
    where the last draw ended.

    Raises:
        ValueError: a count is below 1, or the stream does not take the seed.
    """
    draws = _plain(draws)
    if _matrix_bytes(draws) <= KEPT_BYTES:
        return _cut(_kept(draws))
    return _drawn_and_remembered(draws, rows_per_block(sum(draws.sizes)))


def forget() -> None:
    """Drop the kept matrices and positions, so that the next call draws again."""
    _kept.cache_clear()
    _POSITIONS.clear()


@lru_cache(maxsize=2)
def _kept(draws: Draws) -> tuple[IndexArray, ...]:
    """One matrix (resamples, size) for each stratum."""
    drawn = _drawn_and_remembered(draws, draws.resamples)
    return tuple(np.ascontiguousarray(block.indices) for block in drawn)


def _cut(matrices: tuple[IndexArray, ...]) -> Iterator[Block]:
    # Not read-only views: np.take copies read-only indices, which costs a third of its time.
    for stratum, matrix in enumerate(matrices):
        rows = rows_per_block(matrix.shape[1])
        for start in range(0, len(matrix), rows):
            yield Block(stratum=stratum, start=start, indices=matrix[start : start + rows])


def _drawn_and_remembered(draws: Draws, most_rows: int) -> Iterator[Block]:
    generator = _positioned(draws)
    spent = (*draws.before, (draws.sizes, draws.resamples))

    def drawn() -> Iterator[Block]:
        yield from _drawn(draws, generator, most_rows)
        _POSITIONS.remember(_origin(draws), spent, generator)

    return drawn()


def _positioned(draws: Draws) -> Generator:
    """A generator that has drawn ``draws.before``."""
    done, generator = _POSITIONS.nearest(_origin(draws), draws.before)
    for sizes, resamples in draws.before[done:]:
        passed = replace(draws, sizes=sizes, resamples=resamples, before=())
        for _ in _drawn(passed, generator, rows_per_block(sum(sizes))):
            pass
    return generator


def _drawn(draws: Draws, generator: Generator, most_rows: int) -> Iterator[Block]:
    """The next draws of a generator, in blocks of up to ``most_rows`` replicates."""
    starts = range(0, draws.resamples, most_rows)
    if draws.draw == "index-matrix":
        for stratum, size in enumerate(draws.sizes):
            for start in starts:
                rows = min(most_rows, draws.resamples - start)
                found = indices(generator, size, (rows, size))
                yield Block(stratum=stratum, start=start, indices=found)
        return
    # A bound for each unit of a row, instead of a call for each stratum of each replicate.
    bounds = np.repeat(np.array(draws.sizes, dtype=np.int64), draws.sizes)
    edges = [0, *accumulate(draws.sizes)]
    for start in starts:
        rows = min(most_rows, draws.resamples - start)
        found = indices(generator, bounds, (rows, bounds.size))
        for stratum, (left, right) in enumerate(pairwise(edges)):
            yield Block(stratum=stratum, start=start, indices=found[:, left:right])


def _origin(draws: Draws) -> Origin:
    return Origin(seed=draws.seed, stream=draws.stream, draw=draws.draw)


def _plain(draws: Draws) -> Draws:
    """One name for the same numbers: a single stratum is drawn alike in both ways."""
    if all(len(sizes) == 1 for sizes in (draws.sizes, *(sizes for sizes, _ in draws.before))):
        return replace(draws, draw="index-matrix")
    return draws


def _matrix_bytes(draws: Draws) -> int:
    for sizes, resamples in (*draws.before, (draws.sizes, draws.resamples)):
        fewest = min(sizes, default=0)
        if fewest < 1 or resamples < 1:
            message = f"expected at least 1 unit and 1 resample, found {fewest} and {resamples}"
            raise ValueError(message)
    return sum(draws.sizes) * draws.resamples * _INDEX_BYTES
