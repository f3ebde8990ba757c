"""First occurrences of n-grams: by hand, against a dictionary of tuples, and at full length."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import whole
from verifier.numerics.copies import earliest_ends


def naive(tokens: list[int], length: int) -> list[int]:
    """A dictionary from each n-gram to the position where it ended first."""
    first: dict[tuple[int, ...], int] = {}
    ends = []
    for end in range(len(tokens)):
        if end + 1 < length:
            ends.append(-1)
        else:
            ends.append(first.setdefault(tuple(tokens[end + 1 - length : end + 1]), end))
    return ends


def test_by_hand() -> None:
    found = earliest_ends(whole(7, 8, 9, 7, 8, 9, 9, 8, 9), 2)
    assert found.dtype == np.int64
    assert found.tolist() == [-1, 1, 2, 3, 1, 2, 6, 7, 2]


def test_overlapping_repeats_count() -> None:
    assert earliest_ends(whole(5, 5, 5, 5, 5), 3).tolist() == [-1, -1, 2, 2, 2]


@pytest.mark.parametrize("length", [4, 5, 10**9])
def test_a_stream_too_short_for_one_n_gram_has_none(length: int) -> None:
    assert earliest_ends(whole(1, 2, 3), length).tolist() == [-1, -1, -1]


def test_an_empty_stream_has_no_positions() -> None:
    assert earliest_ends(whole(), 1).tolist() == []


@pytest.mark.parametrize("length", [0, -3])
def test_an_n_gram_without_tokens_is_refused(length: int) -> None:
    with pytest.raises(
        ValueError, match=rf"^expected an n-gram of at least 1 token, found {length}$"
    ):
        earliest_ends(whole(1, 2), length)


def test_tokens_at_the_ends_of_int64_are_told_apart() -> None:
    low, high = -(2**63), 2**63 - 1
    tokens = [low, high, low, high, high, low]
    assert earliest_ends(whole(*tokens), 2).tolist() == naive(tokens, 2)


def test_the_stream_is_left_alone() -> None:
    tokens = whole(3, 1, 3, 1)
    tokens.flags.writeable = False
    earliest_ends(tokens, 2)
    assert tokens.tolist() == [3, 1, 3, 1]


@given(st.lists(st.integers(-1, 2), max_size=60), st.integers(1, 20))
def test_what_a_dictionary_of_tuples_finds(tokens: list[int], length: int) -> None:
    assert earliest_ends(np.array(tokens, dtype=np.int64), length).tolist() == naive(tokens, length)


@pytest.mark.parametrize("length", [1, 11, 12, 13, 32])
def test_a_stream_of_131072_tokens_with_long_copies(length: int) -> None:
    generator = np.random.default_rng(length)
    tokens = generator.integers(0, 150_000, 131_072)
    tokens[100_000:100_500] = tokens[2_000:2_500]
    tokens[120_000:120_040] = tokens[119_000:119_040]
    assert earliest_ends(tokens, length).tolist() == naive(tokens.tolist(), length)
