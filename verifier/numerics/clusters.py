"""Clusters of windows: those that share text, or those that a recipe lists."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from verifier.numerics.generators import IndexArray

MAX_WINDOWS = 4096
"""Most windows whose pairs are counted, as a matrix of counts."""

MAX_STEPS = 2**37
"""Most steps of the count, shared spans * windows**2 (some ten seconds)."""

_BLOCK_ENTRIES = 2**22
_VERIFIED_AT_ONCE = 2**15
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio
_NAMED = 5  # ids that an error names; a hostile list may miss thousands


def components(
    streams: Sequence[NDArray[np.int64]], *, span: int, shared: int
) -> tuple[tuple[int, ...], ...]:
    """Windows that share text, directly or through others: connected components.

    Two windows are joined when at least ``shared`` distinct spans of ``span`` consecutive tokens
    occur in both, wherever they start. Spans are compared exactly, never by a hash alone. A window
    shorter than a span shares nothing. Time is O(T (span + log T)) for T tokens in all.

    Args:
        streams: tokens (n,) of each window.
        span: length of a span in tokens, at least 1.
        shared: number of distinct spans, at least 1.

    Returns:
        Positions of the windows of each component in rising order; components by their first.

    Raises:
        ValueError: span or shared is below 1, or there are too many windows or spans to count.
    """
    if span < 1 or shared < 1:
        message = f"expected a span and a number of shared spans from 1, found {span} and {shared}"
        raise ValueError(message)
    if len(streams) > MAX_WINDOWS:
        message = f"{len(streams)} windows exceed {MAX_WINDOWS}: list the clusters instead"
        raise ValueError(message)
    return _connected(_shared_spans(streams, span) >= shared)


def partition(lists: Sequence[Sequence[str]], windows: Sequence[str]) -> tuple[IndexArray, ...]:
    """Positions in ``windows`` of the members of each listed cluster, in the lists' order.

    Args:
        lists: window ids of each cluster.
        windows: ids of the windows that are resampled, each once.

    Raises:
        ValueError: a cluster is empty, a window is named twice or is not resampled, or the
            clusters miss a window.
    """
    places = {window: place for place, window in enumerate(windows)}
    times = Counter(chain.from_iterable(lists))
    for number, members in enumerate(lists, start=1):
        if not members:
            message = f"cluster {number} of {len(lists)} names no window"
            raise ValueError(message)
    for problem, names in (
        ("clusters name windows more than once", [name for name in times if times[name] > 1]),
        ("clusters name windows that are not resampled", [n for n in times if n not in places]),
        ("clusters miss windows", [name for name in windows if name not in times]),
    ):
        if names:
            more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
            message = f"{problem}: {', '.join(map(repr, names[:_NAMED]))}{more}"
            raise ValueError(message)
    return tuple(
        np.array([places[member] for member in members], dtype=np.int64) for members in lists
    )


def _shared_spans(streams: Sequence[NDArray[np.int64]], span: int) -> NDArray[np.int64]:
    """Number of distinct spans that occur in windows i and j both, at [i, j]."""
    windows = len(streams)
    counts = np.zeros((windows, windows), dtype=np.int64)
    ids, owners = _shared(streams, span)
    spans = int(ids.max(initial=-1)) + 1
    if spans * windows**2 > MAX_STEPS:
        message = f"{windows} windows share {spans} spans, too many to count: list the clusters"
        raise ValueError(message)
    # No more rows than spans: a product of zeros is as dear as any other.
    rows = max(1, min(spans, _BLOCK_ENTRIES // max(windows, 1)))
    for start in range(0, spans, rows):
        left, right = np.searchsorted(ids, (start, start + rows))
        # Sums of so few ones are exact in FP32.
        holds = np.zeros((rows, windows), dtype=np.float32)
        holds[ids[left:right] - start, owners[left:right]] = 1.0
        counts += (holds.T @ holds).astype(np.int64)
    return counts


def _shared(streams: Sequence[NDArray[np.int64]], span: int) -> tuple[IndexArray, IndexArray]:
    """Each (span, window that holds it) once, for spans in two windows or more.

    Spans are numbered from 0 without gaps, and come in rising order.
    """
    lengths = np.array([stream.size for stream in streams], dtype=np.int64)
    if lengths.max(initial=0) < span:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    tokens = np.concatenate(streams)
    owners = np.repeat(np.arange(lengths.size), lengths)
    # A span that reaches into the next window belongs to none.
    inside = np.flatnonzero(np.arange(tokens.size) + span <= np.cumsum(lengths)[owners])
    starts, numbers = _repeated(tokens, inside, span)
    # Not np.unique, which is far slower on so many numbers that hardly repeat.
    keys = np.sort(numbers * lengths.size + owners[starts])
    keys = keys[np.diff(keys, prepend=-1) > 0]
    _, times = np.unique(keys // lengths.size, return_counts=True)
    several = times > 1
    ids = np.repeat(np.arange(np.count_nonzero(several)), times[several])
    return ids, keys[np.repeat(several, times)] % lengths.size


def _repeated(
    tokens: NDArray[np.int64], starts: IndexArray, span: int
) -> tuple[IndexArray, IndexArray]:
    """Starts of spans that may occur again, with numbers equal exactly where the spans are."""
    hashes = _hashes(tokens, span)[starts]
    # Most text occurs once, and is left aside before anything costly.
    in_order = np.sort(hashes)
    again = in_order[1:][in_order[1:] == in_order[:-1]]
    if not again.size:
        return starts[:0], starts[:0]
    some = again[np.searchsorted(again[:-1], hashes)] == hashes
    starts, hashes = starts[some], hashes[some]
    order = np.argsort(hashes)
    starts, hashes = starts[order], hashes[order]
    alike = hashes[1:] == hashes[:-1]
    if _equal(sliding_window_view(tokens, span), starts[:-1][alike], starts[1:][alike]):
        return starts, np.cumsum(np.concatenate(([True], ~alike))) - 1
    # Chance does not do that with 64 bits, but a bundle can choose its tokens.
    return starts, _ranks(tokens, span)[starts]


def _equal(spans: NDArray[np.int64], one: IndexArray, other: IndexArray) -> bool:
    """Whether the spans at each pair of positions are equal, token by token."""
    step = _VERIFIED_AT_ONCE
    return all(
        np.array_equal(spans[one[first : first + step]], spans[other[first : first + step]])
        for first in range(0, one.size, step)
    )


def _hashes(tokens: NDArray[np.int64], span: int) -> NDArray[np.uint64]:
    """A 64-bit hash of the span at each position, equal where the spans are equal."""
    hashes = _mixed(tokens.astype(np.uint64))
    for length, step in _doublings(span):
        hashes = _mixed(hashes[:-step] * np.uint64(2 * length + 1) + hashes[step:])
    return hashes


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = (numbers ^ (numbers >> np.uint64(32))) * _ODD
    return np.asarray(mixed ^ (mixed >> np.uint64(29)))


def _ranks(tokens: NDArray[np.int64], span: int) -> IndexArray:
    """The rank of the span at each position among all spans, without any hash.

    Source: prefix doubling, Karp, Miller and Rosenberg (1972).
    """
    ranks = _ranked(tokens)
    for _, step in _doublings(span):
        ranks = _ranked(ranks[:-step] * (ranks.max() + 1) + ranks[step:])
    return ranks


def _doublings(span: int) -> Iterator[tuple[int, int]]:
    """(length, step): two spans of that length, a step apart, make one of length + step.

    The lengths double until, in the last round, two overlapping spans make the wanted one.
    """
    length = 1
    while length < span:
        step = min(length, span - length)
        yield length, step
        length += step


def _ranked(numbers: NDArray[np.int64]) -> IndexArray:
    _, inverse = np.unique(numbers, return_inverse=True)
    return np.asarray(inverse, dtype=np.int64)


def _connected(joined: NDArray[np.bool_]) -> tuple[tuple[int, ...], ...]:
    """Components of a symmetric matrix of joined pairs."""
    found: list[tuple[int, ...]] = []
    left = np.ones(len(joined), dtype=np.bool_)
    for first in range(len(joined)):
        if not left[first]:
            continue
        members, added = [first], np.array([first])
        left[first] = False
        while added.size:
            added = np.flatnonzero(joined[added].any(axis=0) & left)
            left[added] = False
            members += added.tolist()
        found.append(tuple(sorted(members)))
    return tuple(found)
