"""Index streams: frozen bits, the same whole or in blocks, kept without being writable."""

import hashlib
import json
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from tests.support.literal_draws import Indices, LiteralGenerator
from tests.support.stdlib_bootstrap import legacy_indices
from verifier.model.plugin import Spent
from verifier.model.recipe import STREAMS, Draw, Stream
from verifier.numerics import streams
from verifier.numerics.generators import IndexArray, indices, seeded
from verifier.numerics.positions import Origin, Positions
from verifier.numerics.streams import (
    Draws,
    blocks,
    forget,
    index_blocks,
    index_matrix,
    rows_per_block,
)

ORACLE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data/bca.json").read_bytes())
SEED = 20260902


def _sha256(rows: IndexArray) -> str:
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


STRATA = (5, 1, 13, 64, 8, 13)


def _drawn(draws: Draws) -> Indices:
    found = [np.full((draws.resamples, size), -1) for size in draws.sizes]
    for block in blocks(draws):
        found[block.stratum][block.start : block.start + len(block.indices)] = block.indices
    return found


def _equal(one: Indices, other: Indices) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("draw", ["index-matrix", "replicate"])
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("sizes", [(7,), (1,), (7, 7), STRATA])
def test_strata_are_drawn_as_a_literal_script_draws_them(
    sizes: tuple[int, ...],
    stream: Stream,
    draw: Draw,
    monkeypatch: pytest.MonkeyPatch,
    *,
    kept: bool,
) -> None:
    monkeypatch.setattr(streams, "BLOCK_ENTRIES", 400)
    if not kept:
        monkeypatch.setattr(streams, "KEPT_BYTES", 0)
    expected = LiteralGenerator(3, stream).indices(sizes, 50, draw)
    forget()
    draws = Draws(sizes=sizes, resamples=50, seed=3, stream=stream, draw=draw)
    assert _equal(_drawn(draws), expected)
    assert _equal(_drawn(draws), expected)


@pytest.mark.parametrize("stream", STREAMS)
def test_without_strata_both_ways_to_draw_are_one_and_share_the_kept_matrix(
    stream: Stream,
) -> None:
    matrix = index_matrix(9, 30, 5, stream)
    (block,) = blocks(Draws(sizes=(9,), resamples=30, seed=5, stream=stream, draw="replicate"))
    assert np.shares_memory(block.indices, matrix)


@pytest.mark.parametrize("stream", STREAMS)
def test_choice_with_replacement_draws_the_same_indices(stream: Stream) -> None:
    generator = LiteralGenerator(8, stream).numpy
    rows = [generator.choice(37, size=37, replace=True) for _ in range(20)]
    assert np.array_equal(index_matrix(37, 20, 8, stream), rows)
    whole = LiteralGenerator(8, stream).numpy.choice(37, size=(20, 37))
    assert np.array_equal(index_matrix(37, 20, 8, stream), whole)


CHAIN: Spent = (((6,), 40), (STRATA, 21), ((6,), 40), ((2, 3), 5))


@pytest.mark.parametrize("known", ["nothing", "the one before", "an early one", "not kept"])
@pytest.mark.parametrize("draw", ["index-matrix", "replicate"])
@pytest.mark.parametrize("stream", STREAMS)
def test_a_continued_stream_goes_on_where_the_interval_before_ended(
    stream: Stream, draw: Draw, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BLOCK_ENTRIES", 100)
    if known == "not kept":
        monkeypatch.setattr(streams, "KEPT_BYTES", 0)
    forget()
    literal = LiteralGenerator(11, stream)
    for place, (sizes, resamples) in enumerate(CHAIN):
        expected = literal.indices(sizes, resamples, draw)
        draws = Draws(
            sizes=sizes,
            resamples=resamples,
            seed=11,
            stream=stream,
            draw=draw,
            before=CHAIN[:place],
        )
        if known == "nothing" or (known == "an early one" and place > 1):
            forget()
        assert _equal(_drawn(draws), expected)
    if known != "nothing":
        assert _equal(_drawn(draws), expected)


def test_a_position_is_that_of_one_seed_stream_and_way_to_draw() -> None:
    forget()
    before: Spent = (((4, 5), 10),)
    for seed in (1, 2):
        for stream in STREAMS:
            for draw in get_args(Draw):
                _drawn(Draws(sizes=(4, 5), resamples=10, seed=seed, stream=stream, draw=draw))
    literal = LiteralGenerator(2, "pcg64")
    literal.indices((4, 5), 10, "replicate")
    expected = literal.indices((4, 5), 7, "replicate")
    draws = Draws(
        sizes=(4, 5), resamples=7, seed=2, stream="pcg64", draw="replicate", before=before
    )
    assert _equal(_drawn(draws), expected)


def test_a_chain_is_not_drawn_again_for_each_of_its_members(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forget()
    asked: list[tuple[int, int]] = []

    def counted(generator: Any, high: Any, shape: tuple[int, int]) -> IndexArray:
        asked.append(shape)
        return indices(generator, high, shape)

    monkeypatch.setattr(streams, "indices", counted)
    link: Spent = (((3,), 10),)
    for place in range(6):
        _drawn(Draws(sizes=(3,), resamples=10, seed=1, stream="pcg64", before=link * place))
    assert asked == [(10, 3)] * 6


def test_only_the_last_few_positions_are_kept() -> None:
    positions = Positions(2)
    origin = Origin(seed=1, stream="pcg64", draw="index-matrix")
    links: list[Spent] = [(((size,), 1),) for size in (1, 2, 3)]
    for spent in links[:2]:
        positions.remember(origin, spent, seeded(7, "pcg64"))
    positions.remember(origin, links[0], seeded(8, "pcg64"))
    positions.remember(origin, links[2], seeded(9, "pcg64"))
    assert [positions.nearest(origin, spent)[0] for spent in links] == [1, 0, 1]
    expected = np.random.default_rng(8).integers(0, 100, (1, 5))
    for _ in range(2):
        _, generator = positions.nearest(origin, links[0])
        assert np.array_equal(indices(generator, 100, (1, 5)), expected)
    positions.clear()
    assert positions.nearest(origin, links[0])[0] == 0


@pytest.mark.parametrize(
    ("sizes", "resamples", "before", "message"),
    [
        ((3, 0), 5, (), "found 0 and 5"),
        ((), 5, (), "found 0 and 5"),
        ((3,), 5, (((3, -1), 4),), "found -1 and 4"),
        ((3,), 5, (((3,), 0),), "found 3 and 0"),
    ],
)
def test_strata_and_earlier_draws_need_units_and_resamples(
    sizes: tuple[int, ...], resamples: int, before: Spent, message: str
) -> None:
    draws = Draws(sizes=sizes, resamples=resamples, seed=1, stream="pcg64", before=before)
    with pytest.raises(ValueError, match=f"expected at least 1 unit and 1 resample, {message}"):
        blocks(draws)
