"""Rows of a store: arrays that are kept, token streams and raw logits."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.bundles import MemoryStore, npy, npz
from verifier.errors import StoreError
from verifier.numerics.logit_bytes import row_bytes
from verifier.scores import StoreRows
from verifier.scores import rows as row_files
from verifier.scores import zip as archives
from verifier.scores.cache import ArrayCache


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file was read."""
    counted: Counter[str] = Counter()
    read = MemoryStore.read

    def noted(self: MemoryStore, path: str) -> bytes:
        counted[path] += 1
        return read(self, path)

    monkeypatch.setattr(MemoryStore, "read", noted)
    return counted


@pytest.fixture
def unpacked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each entry was unpacked."""
    counted: Counter[str] = Counter()
    content = archives.Archive.content

    def noted(self: archives.Archive, info: Any) -> bytes:
        counted[info.filename] += 1
        return content(self, info)

    monkeypatch.setattr(archives.Archive, "content", noted)
    return counted


def pair(start: float = 0.0) -> Mapping[str, NDArray[Any]]:
    return {"kld": np.arange(start, start + 3), "nll": np.arange(start, start + 3) * 2}


def store_of(**files: bytes) -> MemoryStore:
    return MemoryStore(files={f"{name}.npz": data for name, data in files.items()})


def test_each_file_is_read_and_unpacked_once(reads: Counter[str], unpacked: Counter[str]) -> None:
    rows = StoreRows(store_of(a=npz(pair())))
    for _ in range(3):
        assert [column.name for column in rows.columns("a.npz")] == ["kld", "nll"]
        assert rows.load("a.npz", ["kld"])["kld"].tolist() == [0.0, 1.0, 2.0]
        assert rows.load("a.npz", ["nll", "kld", "absent"]).keys() == {"kld", "nll"}
    assert reads == {"a.npz": 1}
    assert unpacked == {"kld.npy": 1, "nll.npy": 1}


def test_loading_first_describes_the_file_too(reads: Counter[str]) -> None:
    rows = StoreRows(store_of(a=npz(pair())))
    assert rows.load("a.npz", iter(["nll"])).keys() == {"nll"}
    assert [column.name for column in rows.columns("a.npz")] == ["kld", "nll"]
    assert reads == {"a.npz": 1}


def test_what_had_to_make_room_is_unpacked_again_alone(
    reads: Counter[str], unpacked: Counter[str]
) -> None:
    rows = StoreRows(store_of(a=npz(pair()), b=npz(pair(5.0))), kept_bytes=2 * 24)
    assert rows.load("a.npz", ["kld"])["kld"].tolist() == [0.0, 1.0, 2.0]
    assert rows.load("b.npz", ["kld"])["kld"].tolist() == [5.0, 6.0, 7.0]
    assert rows.load("a.npz", ["kld"])["kld"].tolist() == [0.0, 1.0, 2.0]
    assert rows.load("b.npz", ["nll"])["nll"].tolist() == [10.0, 12.0, 14.0]
    assert rows.load("a.npz", ["kld"])["kld"].tolist() == [0.0, 1.0, 2.0]
    assert reads == {"a.npz": 2, "b.npz": 1}
    assert unpacked == {"kld.npy": 3, "nll.npy": 2}


def test_an_array_over_the_limit_is_loaded_and_not_kept(reads: Counter[str]) -> None:
    rows = StoreRows(store_of(a=npz(pair())), kept_bytes=23)
    for _ in range(2):
        assert rows.load("a.npz", ["kld"])["kld"].tolist() == [0.0, 1.0, 2.0]
    assert reads == {"a.npz": 2}


def test_what_cannot_be_loaded_is_not_read_for_again(reads: Counter[str]) -> None:
    data = npz({"kld": np.arange(3.0).astype(">f8"), "bad": np.array([None])})
    rows = StoreRows(store_of(a=data))
    assert rows.load("a.npz", ["kld", "bad", "absent"]) == {}
    assert rows.load("a.npz", ["kld", "bad", "absent"]) == {}
    assert reads == {"a.npz": 1}


def test_a_file_that_is_gone_when_it_is_needed_again_gives_nothing() -> None:
    store = store_of(a=npz(pair()))
    rows = StoreRows(store, kept_bytes=0)
    assert rows.load("a.npz", ["kld"]).keys() == {"kld"}
    files: Any = store.files
    del files["a.npz"]
    assert rows.load("a.npz", ["kld"]) == {}


def test_kept_arrays_cannot_be_written() -> None:
    rows = StoreRows(store_of(a=npz(pair())))
    for _ in range(2):
        loaded: Any = rows.load("a.npz", ["kld"])
        with pytest.raises(ValueError, match="read-only"):
            loaded["kld"][0] = 9.0
        with pytest.raises(TypeError, match="item assignment"):
            loaded["kld"] = 9.0


@pytest.mark.parametrize("dtype", ["<i8", "<i4", "<u2", "|u1"])
def test_tokens_are_whole_numbers_of_any_size(dtype: str) -> None:
    rows = StoreRows(MemoryStore(files={"w.tokens.npy": npy(np.array([3, 1, 2], dtype))}))
    tokens = rows.tokens("w.tokens.npy")
    assert tokens is not None
    assert tokens.dtype == np.int64
    assert tokens.tolist() == [3, 1, 2]
    assert not tokens.flags.writeable


@pytest.mark.parametrize(
    "data",
    [
        npy(np.array([1.0])),
        npy(np.array([[1, 2]])),
        npy(np.array(1)),
        npy(np.array([2**64 - 1], dtype=np.uint64)),
        npy(np.array([1], dtype=">i4")),
        npy(np.array([True])),
        npy(np.array([print], dtype=object)),
        npy(np.array([1, 2]))[:-1],
        b"",
    ],
)
def test_what_is_no_token_stream(data: bytes) -> None:
    assert StoreRows(MemoryStore(files={"w": data})).tokens("w") is None


def test_a_stream_that_is_too_long_to_look_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MOST_TOKENS", 3)
    store = MemoryStore(files={"fits.npy": npy(np.arange(3)), "long.npy": npy(np.arange(4))})
    fits = StoreRows(store).tokens("fits.npy")
    assert fits is not None
    assert fits.tolist() == [0, 1, 2]
    assert StoreRows(store).tokens("long.npy") is None


def test_tokens_of_a_file_that_is_not_there() -> None:
    assert StoreRows(MemoryStore(files={})).tokens("w") is None


def read_logits(data: bytes, *, vocabulary: int = 3, dtype: str = "float32") -> list[NDArray[Any]]:
    blocks = StoreRows(MemoryStore(files={"raw": data})).logits(
        "raw", vocabulary=vocabulary, dtype=dtype
    )
    assert blocks is not None
    return list(blocks)


def test_raw_logits_come_in_blocks_of_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "_BLOCK_BYTES", 2 * row_bytes(3, "float32") + 5)
    written = np.arange(15, dtype="<f4").reshape(5, 3)
    blocks = read_logits(written.tobytes())
    assert [len(block) for block in blocks] == [2, 2, 1]
    assert np.concatenate(blocks).tolist() == written.tolist()
    assert not any(block.flags.writeable for block in blocks)


def test_a_row_longer_than_a_block_is_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "_BLOCK_BYTES", 4)
    blocks = read_logits(np.arange(6, dtype="<f4").tobytes())
    assert [block.shape for block in blocks] == [(1, 3), (1, 3)]


def test_bfloat16_logits_come_as_single_precision() -> None:
    [block] = read_logits(bytes.fromhex("803f00c00000"), dtype="bfloat16")
    assert block.dtype == np.float32
    assert block.tolist() == [[1.0, -2.0, 0.0]]


def test_no_logits_at_all_are_no_blocks() -> None:
    assert read_logits(b"") == []


@pytest.mark.parametrize("size", [1, 11, 13, 23])
def test_a_raw_file_that_ends_within_a_row(size: int) -> None:
    blocks = StoreRows(MemoryStore(files={"raw": bytes(size)})).logits(
        "raw", vocabulary=3, dtype="float32"
    )
    assert blocks is not None
    message = f"raw does not end with a row: {size % 12} of 12 bytes are left over"
    with pytest.raises(ValueError, match=message):
        list(blocks)


def test_a_raw_file_that_cannot_be_opened() -> None:
    rows = StoreRows(MemoryStore(files={}))
    assert rows.logits("raw", vocabulary=3, dtype="float32") is None


@pytest.mark.parametrize(("vocabulary", "dtype"), [(0, "float32"), (3, "float8")])
def test_logits_that_no_file_can_hold(vocabulary: int, dtype: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        StoreRows(MemoryStore(files={})).logits("raw", vocabulary=vocabulary, dtype=dtype)


class ChangingStore(MemoryStore):
    """Notices after the last block that the file was written to."""

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        yield from super().blocks(path, size)
        message = f"{path}: changed while it was read"
        raise StoreError(message)


def test_a_raw_file_that_changes_while_it_is_read() -> None:
    blocks = StoreRows(ChangingStore(files={"raw": bytes(24)})).logits(
        "raw", vocabulary=3, dtype="float32"
    )
    assert blocks is not None
    assert next(blocks).shape == (2, 3)
    with pytest.raises(ValueError, match="raw: changed while it was read"):
        next(blocks)


def test_the_array_used_longest_ago_makes_room() -> None:
    one, two, three, four = (np.full(3, float(number)) for number in range(4))
    cache = ArrayCache(3 * 24)
    for name, array in (("one", one), ("two", two), ("three", three)):
        cache.put(("a", name), array)
    assert cache.get(("a", "one")) is one
    cache.put(("a", "four"), four)
    assert cache.get(("a", "two")) is None
    held = [cache.get(("a", name)) for name in ("one", "three", "four")]
    assert [array is kept for array, kept in zip(held, (one, three, four), strict=True)] == [
        True
    ] * 3


def test_an_array_that_is_replaced_counts_once() -> None:
    cache = ArrayCache(2 * 24)
    for number in range(3):
        cache.put(("a", "kld"), np.full(3, float(number)))
    other = np.zeros(3)
    cache.put(("a", "nll"), other)
    kept = cache.get(("a", "kld"))
    assert kept is not None
    assert kept.tolist() == [2.0, 2.0, 2.0]
    assert cache.get(("a", "nll")) is other
