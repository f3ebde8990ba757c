"""The KV cache: records are what is stored, and attention reads nothing else."""

import numpy as np
import numpy.typing as npt
import pytest

from examples.tinylm import formats
from examples.tinylm.cache import KVCache
from examples.tinylm.formats import PRECISIONS, Precision
from examples.tinylm.model import Config

CONFIG = Config(layers=2, width=32, heads=4, hidden=48)


def vectors(count: int, seed: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((count, 32), np.float32)


def filled(precision: Precision, *counts: int) -> KVCache:
    cache = KVCache(CONFIG, precision)
    for index, count in enumerate(counts):
        for layer in range(CONFIG.layers):
            seed = 10 * index + 2 * layer
            cache.append(layer, vectors(count, seed), vectors(count, seed + 1))
    return cache


def by_head(flat: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return flat.reshape(len(flat), 4, 8).swapaxes(0, 1)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_attention_reads_exactly_what_the_records_say(precision: Precision) -> None:
    cache = filled(precision, 1, 16, 600, 1, 700)  # grows twice on the way
    assert cache.length == 1318
    records = cache.records(0, cache.length)
    assert records.shape == (2, 2, 1318, formats.record_bytes(precision, 32))
    for layer in range(CONFIG.layers):
        for read, stored in zip(cache.read(layer), records[layer], strict=True):
            assert read.tolist() == by_head(formats.decode(precision, stored)).tolist()


def test_float32_keeps_every_layer_and_part_apart() -> None:
    cache = filled("float32", 3, 2)
    for layer in range(CONFIG.layers):
        for part, read in enumerate(cache.read(layer)):
            seed = 2 * layer + part
            wanted = np.concatenate((vectors(3, seed), vectors(2, 10 + seed)))
            assert read.tolist() == by_head(wanted).tolist()


@pytest.mark.parametrize("precision", ["fp8-e4m3", "nvfp4"])
def test_narrow_precisions_store_less_and_read_back_something_else(precision: Precision) -> None:
    exact, narrow = filled("float32", 9), filled(precision, 9)
    assert narrow.records(0, 9).nbytes <= exact.records(0, 9).nbytes / 4
    for wanted, read in zip(exact.read(1), narrow.read(1), strict=True):
        assert 0 < np.abs(wanted - read).max() < 0.6


@pytest.mark.parametrize("precision", PRECISIONS)
def test_restored_records_are_the_same_cache(precision: Precision) -> None:
    cache = filled(precision, 40)
    copy = KVCache(CONFIG, precision)
    copy.restore(cache.records(0, 16))
    copy.restore(cache.records(16, 40))
    assert copy.length == 40
    assert copy.records(0, 40).tobytes() == cache.records(0, 40).tobytes()
    for layer in range(CONFIG.layers):
        for wanted, read in zip(cache.read(layer), copy.read(layer), strict=True):
            assert wanted.tobytes() == read.tobytes()


def test_records_are_copies() -> None:
    cache = filled("float32", 2)
    before = cache.records(0, 2).tobytes()
    cache.records(0, 2)[:] = 0
    assert cache.records(0, 2).tobytes() == before


def test_a_position_counts_when_the_last_layer_has_it() -> None:
    cache = KVCache(CONFIG, "float32")
    cache.append(0, vectors(1, 0), vectors(1, 1))
    assert cache.length == 0
    cache.append(1, vectors(1, 2), vectors(1, 3))
    assert cache.length == 1


def test_two_thousand_appends_move_the_cache_twice() -> None:
    cache = KVCache(CONFIG, "fp8-e4m3")
    moves = 0
    before, _ = cache.read(0)
    for index in range(2000):
        cache.append(0, vectors(1, 0), vectors(1, 1))
        after, _ = cache.read(0)
        moves += index > 0 and not np.shares_memory(before, after)
        before = after
    assert moves == 2
