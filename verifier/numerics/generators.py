"""The two published generators of indices."""

import copy

import numpy as np
from numpy.typing import NDArray

from verifier.model.recipe import Stream

IndexArray = NDArray[np.int64]
Generator = np.random.RandomState | np.random.Generator

_LEGACY_SEEDS = 2**32


def seeded(seed: int, stream: Stream) -> Generator:
    """A generator at its start: legacy ``RandomState`` (MT19937) or ``default_rng`` (PCG64).

    Raises:
        ValueError: the stream does not take the seed.
    """
    if stream == "pcg64":
        if seed < 0:
            message = f"stream pcg64: expected a seed of 0 or more, found {seed}"
            raise ValueError(message)
        return np.random.default_rng(seed)
    if not 0 <= seed < _LEGACY_SEEDS:
        message = f"stream randomstate: expected a seed from 0 to 2**32 - 1, found {seed}"
        raise ValueError(message)
    return np.random.RandomState(seed)


def indices(generator: Generator, high: int | IndexArray, shape: tuple[int, int]) -> IndexArray:
    """The next indices of the generator, each from 0 to below ``high``, row by row.

    One call for many rows draws what one call for each row would, and a vector of bounds what one
    call for each bound would: a generator keeps nothing back between two calls. With replacement
    and without weights, ``choice(n, k)`` of either generator draws these numbers too.

    Args:
        generator: moves on by as much as is drawn.
        high: at least 1; one bound, or a vector with one for each column.
        shape: rows and columns.
    """
    if isinstance(generator, np.random.RandomState):
        # The stubs of RandomState know no array of bounds.
        bound: int = high  # type: ignore[assignment]
        return generator.randint(0, bound, size=shape, dtype=np.int64)
    return generator.integers(0, high, size=shape, dtype=np.int64)


def fork(generator: Generator) -> Generator:
    """Another generator that goes on from the same place."""
    return copy.deepcopy(generator)
