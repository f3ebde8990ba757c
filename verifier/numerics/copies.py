"""Where in a stream the same run of tokens was seen before."""

import numpy as np
from numpy.typing import NDArray


def earliest_ends(tokens: NDArray[np.int64], length: int) -> NDArray[np.int64]:
    """For each position, where the n-gram that ends there ended for the first time.

    Runs get names: equal runs of w tokens have equal names, and a name of a longer run is the pair
    of the names of two shorter ones. Doubling w until it exceeds half the length, and letting the
    last pair overlap, names all n-grams exactly, without hashing, in O(n log n log length).

    Args:
        tokens: the stream (n,).
        length: tokens in an n-gram, at least 1.

    Returns:
        int64 (n,): position of the last token of the earliest equal n-gram, which is the position
        itself where the n-gram is new; -1 where fewer than ``length`` tokens have been seen.

    Raises:
        ValueError: the length is not positive.

    Source: Karp, Miller and Rosenberg, Rapid identification of repeated patterns in strings,
    trees and arrays (1972).
    """
    if length < 1:
        message = f"expected an n-gram of at least 1 token, found {length}"
        raise ValueError(message)
    ends = np.full(len(tokens), -1, dtype=np.int64)
    if length > len(tokens):
        return ends
    names = _names(tokens)
    width = 1
    while width < length:
        step = min(width, length - width)
        # Names are below n, so a pair of them fits in 64 bits for any stream that fits in memory.
        names = _names(names[:-step] * len(tokens) + names[step:])
        width += step
    _, first, same = np.unique(names, return_index=True, return_inverse=True)
    ends[length - 1 :] = first[same] + (length - 1)
    return ends


def _names(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equal numbers from 0 for equal values."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64, copy=False)
