"""Rows that complete a long copy: by hand, against a loop, and what is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.columns import derived, whole
from verifier.model.measure import Options
from verifier.model.plugin import FloatArray

#                0  1  2  3  4  5  6  7  8  9
STREAM = whole(1, 2, 3, 9, 1, 2, 3, 8, 2, 3)
THREE = Options(ngram=3, distance=2)


def copied(tokens: np.ndarray[tuple[int, ...], np.dtype[np.int64]], options: Options) -> FloatArray:
    """The column where every token of the stream is scored."""
    stored = {"history": np.arange(len(tokens)), "realized_token": tokens.copy()}
    return derived("copied", stored, tokens=tokens, options=options)


def naive(tokens: list[int], ngram: int, distance: int) -> list[float]:
    """Compare every n-gram with every earlier one."""
    found = []
    for end in range(len(tokens)):
        last = tokens[end + 1 - ngram : end + 1] if end + 1 >= ngram else None
        earlier = (
            other
            for other in range(ngram - 1, end - distance)
            if tokens[other + 1 - ngram : other + 1] == last
        )
        found.append(float(any(True for _ in earlier)))
    return found


def test_a_row_is_copied_where_its_token_completes_an_earlier_n_gram() -> None:
    assert copied(STREAM, THREE).tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize(("distance", "expected"), [(0, 1.0), (3, 1.0), (4, 0.0)])
def test_the_source_ends_more_than_the_distance_before(distance: int, expected: float) -> None:
    # 1 2 3 ends at places 2 and 6, which are four apart.
    assert copied(STREAM, Options(ngram=3, distance=distance))[6] == expected


def test_the_earliest_source_counts_though_a_nearer_one_exists() -> None:
    # 2 3 ends at places 2, 6 and 9.
    found = copied(STREAM, Options(ngram=2, distance=5))
    assert found.tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1]


def test_the_default_is_twelve_tokens_more_than_2048_before() -> None:
    fresh = np.arange(3000)
    fresh[2100:2112] = fresh[40:52]
    fresh[2200:2211] = fresh[100:111]
    fresh[2300:2313] = fresh[300:313]
    found = copied(fresh, Options())
    # Twelve tokens from 2,060 before; eleven would be too few and 2,000 too near.
    assert np.flatnonzero(found).tolist() == [2111]


def test_rows_may_score_any_places_in_any_order() -> None:
    stored = {
        "history": np.array([9, 6, 0, 6], dtype=np.int32),
        "realized_token": np.array([3, 3, 1, 3], dtype=np.int32),
    }
    found = derived("copied", stored, tokens=STREAM, options=THREE)
    assert found.tolist() == [0.0, 1.0, 0.0, 1.0]


@given(st.lists(st.integers(0, 2), max_size=40), st.integers(1, 5), st.integers(0, 12))
def test_a_loop_over_all_pairs_finds_the_same(tokens: list[int], ngram: int, distance: int) -> None:
    found = copied(np.array(tokens, dtype=np.int64), Options(ngram=ngram, distance=distance))
    assert found.tolist() == naive(tokens, ngram, distance)


@pytest.mark.parametrize("place", [10, -1, 2**62])
def test_a_row_outside_the_stream_is_refused_with_its_number(place: int) -> None:
    stored = {"history": whole(0, place), "realized_token": whole(1, 1)}
    message = f"history, row 1: expected a place in the stream of 10 tokens, found {place}"
    with pytest.raises(ValueError, match=f"^{message}$"):
        derived("copied", stored, tokens=STREAM)


def test_a_realized_token_that_the_stream_does_not_have_is_refused_with_its_row() -> None:
    stored = {"history": whole(0, 3, 4), "realized_token": whole(1, 8, 8)}
    message = (
        "realized_token, row 1: expected 9, the token that the stream has after 3 tokens, found 8"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        derived("copied", stored, tokens=STREAM)


def test_a_history_of_broken_numbers_is_refused() -> None:
    stored = {"history": np.array([0.0, 1.5]), "realized_token": whole(1, 2)}
    with pytest.raises(ValueError, match=r"^history: expected whole numbers, found float64$"):
        derived("copied", stored, tokens=STREAM)


def test_copying_cannot_be_told_without_the_stream() -> None:
    stored = {"history": whole(0), "realized_token": whole(1)}
    with pytest.raises(ValueError, match=r"^expected the window's token stream, found none$"):
        derived("copied", stored)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Options(distance=-1), "expected a distance of at least 0 tokens, found -1"),
        (Options(ngram=0), "expected an n-gram of at least 1 token, found 0"),
    ],
)
def test_options_without_meaning_are_refused(options: Options, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        copied(STREAM, options)
