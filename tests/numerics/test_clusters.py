"""Windows that share text, and clusters that are listed."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from verifier.numerics import clusters
from verifier.numerics.clusters import components, partition

Tokens = NDArray[np.int64]


def _tokens(*numbers: int) -> Tokens:
    return np.array(numbers, dtype=np.int64)


def _naive(streams: Sequence[Tokens], span: int, shared: int) -> tuple[tuple[int, ...], ...]:
    spans = [{tuple(s[i : i + span].tolist()) for i in range(s.size - span + 1)} for s in streams]
    groups = [{window} for window in range(len(spans))]
    for one in range(len(spans)):
        for other in range(one):
            if len(spans[one] & spans[other]) >= shared:
                first = next(group for group in groups if one in group)
                second = next(group for group in groups if other in group)
                if first is not second:
                    groups.remove(second)
                    first |= second
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def _weak(tokens: Tokens, span: int) -> NDArray[np.uint64]:
    return (np.abs(tokens[: tokens.size - span + 1]) % 2).astype(np.uint64)


@pytest.mark.parametrize("hashes", ["as they are", "full of collisions"])
@pytest.mark.parametrize("span", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_components_are_those_of_a_naive_comparison(
    span: int, shared: int, hashes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if hashes != "as they are":
        monkeypatch.setattr(clusters, "_hashes", _weak)
    monkeypatch.setattr(clusters, "_BLOCK_ENTRIES", 16)
    monkeypatch.setattr(clusters, "_VERIFIED_AT_ONCE", 3)
    generator = np.random.default_rng(10 * span + shared)
    numbers = set()
    for letters in (2, 3, 4, 6):
        for _ in range(10):
            lengths = generator.integers(0, 26, size=generator.integers(1, 8))
            streams = [generator.integers(-2, letters, size=length) for length in lengths]
            found = components(streams, span=span, shared=shared)
            assert found == _naive(streams, span, shared)
            numbers.add(len(found))
    assert len(numbers) > 1


def test_windows_are_joined_through_others_and_ordered_by_their_first() -> None:
    streams = [_tokens(1, 2, 7), _tokens(9, 9), _tokens(5, 6), _tokens(3, 4, 1, 2), _tokens(3, 4)]
    assert components(streams, span=2, shared=1) == ((0, 3, 4), (1,), (2,))


def test_distinct_spans_count_once_however_often_they_occur() -> None:
    streams = [_tokens(1, 2, 1, 2, 1, 2), _tokens(1, 2, 8, 1, 2), _tokens(2, 1, 2)]
    assert components(streams, span=2, shared=1) == ((0, 1, 2),)
    assert components(streams, span=2, shared=2) == ((0, 2), (1,))
    assert components(streams, span=2, shared=3) == ((0,), (1,), (2,))


def test_a_span_must_not_reach_into_the_next_window() -> None:
    assert components([_tokens(1, 2), _tokens(3, 4), _tokens(2, 3)], span=2, shared=1) == (
        (0,),
        (1,),
        (2,),
    )


def test_a_span_repeated_inside_one_window_joins_nothing() -> None:
    assert components([_tokens(1, 1, 1), _tokens(2, 2)], span=2, shared=1) == ((0,), (1,))


def test_windows_shorter_than_a_span_share_nothing() -> None:
    streams = [_tokens(1, 2), _tokens(1, 2), _tokens(), _tokens(1, 2, 3)]
    assert components(streams, span=3, shared=1) == ((0,), (1,), (2,), (3,))
    assert components(streams, span=10**30, shared=10**30) == ((0,), (1,), (2,), (3,))
    assert components([], span=1, shared=1) == ()


def test_one_shared_passage_among_long_windows_is_found_wherever_it_starts() -> None:
    windows = np.random.default_rng(4).integers(0, 150_000, size=(12, 2048))
    windows[5, 100:139] = windows[9, 901:940]
    streams = list(windows)
    rest = tuple((place,) for place in (0, 1, 2, 3, 4, 6, 7, 8, 10, 11))
    # 39 tokens hold 8 spans of 32.
    assert components(streams, span=32, shared=8) == tuple(sorted([(5, 9), *rest]))
    assert len(components(streams, span=32, shared=9)) == 12


@pytest.mark.parametrize(("span", "shared"), [(0, 1), (1, 0), (-1, -1)])
def test_a_span_or_number_below_one_is_refused(span: int, shared: int) -> None:
    message = f"expected a span and a number of shared spans from 1, found {span} and {shared}"
    with pytest.raises(ValueError, match=message):
        components([_tokens(1)], span=span, shared=shared)


def test_too_many_windows_to_count_are_refused() -> None:
    with pytest.raises(ValueError, match="4097 windows exceed 4096: list the clusters instead"):
        components([_tokens()] * 4097, span=1, shared=1)


def test_too_many_shared_spans_to_count_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = [_tokens(1, 2, 3), _tokens(3, 2, 1), _tokens(9)]
    monkeypatch.setattr(clusters, "MAX_STEPS", 27)
    assert components(streams, span=1, shared=3) == ((0, 1), (2,))
    monkeypatch.setattr(clusters, "MAX_STEPS", 26)
    with pytest.raises(ValueError, match="3 windows share 3 spans, too many to count"):
        components(streams, span=1, shared=3)


def test_listed_clusters_become_positions_in_their_own_order() -> None:
    found = partition([["c", "a"], ["b"]], ["a", "b", "c"])
    assert [cluster.tolist() for cluster in found] == [[2, 0], [1]]
    assert {cluster.dtype for cluster in found} == {np.dtype(np.int64)}


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([["a", "b"], ["b", "c"]], "clusters name windows more than once: 'b'"),
        ([["a", "a"], ["b", "c"]], "clusters name windows more than once: 'a'"),
        ([["a", "b"], ["c", "x"]], "clusters name windows that are not resampled: 'x'"),
        ([["a"], ["c"]], "clusters miss windows: 'b'"),
        ([], "clusters miss windows: 'a', 'b', 'c'"),
        ([["a", "b", "c"], []], "cluster 2 of 2 names no window"),
    ],
)
def test_lists_that_are_no_partition_are_refused(lists: list[list[str]], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        partition(lists, ["a", "b", "c"])


def test_an_error_names_five_windows_and_counts_the_rest() -> None:
    windows = [str(number) for number in range(9)]
    five = "clusters miss windows: '0', '1', '2', '3', '4'"
    with pytest.raises(ValueError, match=f"^{five} and 4 more$"):
        partition([], windows)
    with pytest.raises(ValueError, match=f"^{five}$"):
        partition([], windows[:5])
