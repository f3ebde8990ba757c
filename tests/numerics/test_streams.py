"""Index streams: frozen bits, the same whole or in blocks, kept without being writable."""

import hashlib
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.stdlib_bootstrap import legacy_indices
from verifier.model.recipe import STREAMS, Stream
from verifier.numerics import streams
from verifier.numerics.streams import forget, index_blocks, index_matrix, rows_per_block

ORACLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/bca.json").read_bytes())
SEED = 20260902


def _sha256(rows: streams.IndexArray) -> str:
    return hashlib.sha256(np.ascontiguousarray(rows, dtype="<i8").tobytes()).hexdigest()


@pytest.mark.parametrize("stream", STREAMS)
def test_published_stream_keeps_its_bits(stream: Stream) -> None:
    expected = ORACLE["streams"][stream]
    matrix = index_matrix(128, 20_000, SEED, stream)
    assert matrix[0, :8].tolist() == expected["first"]
    assert _sha256(matrix) == expected["sha256"]


@pytest.mark.parametrize(
    ("n", "stream", "prefix"),
    [
        (128, "randomstate", "64a5a5eca1b2"),
        (128, "pcg64", "b9b7f5a9620e"),
        (2046, "randomstate", "1544aaf63216"),
    ],
)
def test_first_2000_rows_keep_their_bits(n: int, stream: Stream, prefix: str) -> None:
    blocks = index_blocks(n, 20_000, SEED, stream)
    needed = -(-2000 // rows_per_block(n))
    rows = np.concatenate(list(islice(blocks, needed)))[:2000]
    assert _sha256(rows)[:12] == prefix


@pytest.mark.parametrize("n", [2, 3, 5, 7, 100, 127, 128, 129, 1000])
def test_legacy_stream_needs_nothing_from_numpy(n: int) -> None:
    assert index_matrix(n, 40, SEED, "randomstate").ravel().tolist() == legacy_indices(
        SEED, n, 40 * n
    )


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize(("n", "resamples"), [(1, 3), (5, 60_000), (100, 3001), (200_000, 3)])
def test_blocks_are_the_same_rows_whether_kept_or_drawn_in_turn(
    n: int, resamples: int, stream: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = list(index_blocks(n, resamples, 7, stream))
    matrix = index_matrix(n, resamples, 7, stream)
    monkeypatch.setattr(streams, "KEPT_BYTES", 0)
    drawn = list(index_blocks(n, resamples, 7, stream))
    assert [block.shape for block in drawn] == [block.shape for block in kept]
    assert max(len(block) for block in drawn) <= rows_per_block(n)
    assert np.array_equal(np.concatenate(kept), matrix)
    assert np.array_equal(np.concatenate(drawn), matrix)


def test_a_large_matrix_is_never_held_whole() -> None:
    first = next(index_blocks(2**18, 2_000_000, 1, "pcg64"))
    assert first.shape == (1, 2**18)


def test_a_matrix_cannot_be_written() -> None:
    matrix = index_matrix(4, 4, 1, "randomstate")
    with pytest.raises(ValueError, match="read-only"):
        matrix[0, 0] = 3


def test_the_last_two_matrices_are_kept_and_no_more() -> None:
    forget()
    first = index_matrix(4, 4, 1, "randomstate")
    index_matrix(4, 4, 2, "randomstate")
    assert np.shares_memory(first, index_matrix(4, 4, 1, "randomstate"))
    index_matrix(4, 4, 3, "randomstate")
    index_matrix(4, 4, 4, "randomstate")
    again = index_matrix(4, 4, 1, "randomstate")
    assert not np.shares_memory(first, again)
    assert np.array_equal(first, again)


def test_forget_drops_what_was_kept() -> None:
    before = index_matrix(4, 4, 1, "pcg64")
    forget()
    assert not np.shares_memory(before, index_matrix(4, 4, 1, "pcg64"))


@pytest.mark.parametrize(
    ("seed", "stream", "message"),
    [
        (-1, "randomstate", "stream randomstate: expected a seed from 0 to 2**32 - 1, found -1"),
        (
            2**32,
            "randomstate",
            "stream randomstate: expected a seed from 0 to 2**32 - 1, found 4294967296",
        ),
        (-1, "pcg64", "stream pcg64: expected a seed of 0 or more, found -1"),
    ],
)
def test_a_seed_the_stream_does_not_take_is_refused(
    seed: int, stream: Stream, message: str
) -> None:
    with pytest.raises(ValueError, match="seed") as caught:
        index_matrix(3, 3, seed, stream)
    assert str(caught.value) == message


@pytest.mark.parametrize(("n", "resamples"), [(0, 5), (5, 0), (-3, -3)])
def test_counts_below_one_are_refused(n: int, resamples: int) -> None:
    message = f"expected at least 1 unit and 1 resample, found {n} and {resamples}"
    with pytest.raises(ValueError, match=message):
        index_blocks(n, resamples, 1, "randomstate")
    with pytest.raises(ValueError, match=message):
        index_matrix(n, resamples, 1, "randomstate")


def test_a_matrix_too_large_to_keep_is_refused_whole() -> None:
    with pytest.raises(ValueError, match="80000000 bytes of indices exceed 67108864"):
        index_matrix(1000, 10_000, 1, "randomstate")
