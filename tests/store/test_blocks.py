"""Files that are read piece by piece."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from verifier.errors import StoreError
from verifier.store.folder import open_store
from verifier.store.limits import Limits

_PEAK = """
import sys
from pathlib import Path
from verifier.store.folder import open_store
count = 0
for block in open_store(Path(sys.argv[1])).blocks("raw", 4 * 1024 * 1024):
    count += len(block)
status = Path("/proc/self/status").read_text(encoding="ascii")
print(count, next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))
"""


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    path = tmp_path / "raw"
    path.write_bytes(bytes(range(10)))
    return path


@pytest.mark.parametrize(
    ("size", "lengths"), [(4, [4, 4, 2]), (5, [5, 5]), (10, [10]), (11, [10]), (1, [1] * 10)]
)
def test_blocks_make_up_the_file(raw: Path, size: int, lengths: list[int]) -> None:
    blocks = list(open_store(raw.parent).blocks("raw", size))
    assert [len(block) for block in blocks] == lengths
    assert b"".join(blocks) == bytes(range(10))


def test_an_empty_file_has_no_blocks(raw: Path) -> None:
    raw.write_bytes(b"")
    assert list(open_store(raw.parent).blocks("raw", 4)) == []


def test_a_file_over_the_limit_for_reading_whole_has_blocks(raw: Path) -> None:
    store = open_store(raw.parent, limits=Limits(read_bytes=9))
    with pytest.raises(StoreError, match="over the limit of 9"):
        store.read("raw")
    assert b"".join(store.blocks("raw", 4)) == bytes(range(10))


def test_blocks_are_those_that_were_hashed(raw: Path) -> None:
    store = open_store(raw.parent)
    assert store.members["raw"].sha256 == hashlib.sha256(bytes(range(10))).hexdigest()
    assert b"".join(store.blocks("raw", 3)) == bytes(range(10))
    raw.write_bytes(bytes(10))
    blocks = store.blocks("raw", 4)
    assert [next(blocks), next(blocks), next(blocks)] == [bytes(4), bytes(4), bytes(2)]
    with pytest.raises(StoreError, match="raw: changed while it was read: sha256"):
        next(blocks)


def test_blocks_pin_what_a_later_look_has_to_give(raw: Path) -> None:
    store = open_store(raw.parent)
    assert len(list(store.blocks("raw", 3))) == 4
    raw.write_bytes(bytes(10))
    with pytest.raises(StoreError, match="changed while it was read"):
        _ = store.members


@pytest.mark.parametrize("size", [5, 30])
def test_a_file_that_changes_between_two_blocks(raw: Path, size: int) -> None:
    blocks = open_store(raw.parent).blocks("raw", 4)
    assert next(blocks) == bytes(range(4))
    os.truncate(raw, size)
    with pytest.raises(StoreError, match="raw: changed while it was read: 10 bytes when opened"):
        list(blocks)


def test_a_file_that_grows_without_end_is_given_up(raw: Path) -> None:
    seen = 0

    def follow() -> None:
        nonlocal seen
        for block in open_store(raw.parent).blocks("raw", 5):
            seen += len(block)
            with raw.open("ab") as file:
                file.write(bytes(8192))

    with pytest.raises(StoreError, match="changed while it was read"):
        follow()
    assert seen < 3 * 8192


@pytest.mark.parametrize(
    ("path", "message"), [("absent", "no such file"), ("link", "a symlink, which is never opened")]
)
def test_what_is_no_file_has_no_blocks(raw: Path, path: str, message: str) -> None:
    (raw.parent / "link").symlink_to("raw")
    with pytest.raises(StoreError, match=message):
        next(open_store(raw.parent).blocks(path, 4))


def test_a_file_that_is_gone_has_no_blocks(raw: Path) -> None:
    store = open_store(raw.parent)
    raw.unlink()
    with pytest.raises(StoreError, match="no such file or folder"):
        next(store.blocks("raw", 4))


def test_memory_does_not_grow_with_the_file(raw: Path) -> None:
    size = 400 * 1024 * 1024
    os.truncate(raw, size)
    ran = subprocess.run(  # noqa: S603 - this very Python runs the text above
        [sys.executable, "-c", _PEAK, str(raw.parent)], capture_output=True, text=True, check=True
    )
    count, kibibytes = (int(number) for number in ran.stdout.split())
    assert count == size
    assert kibibytes < 200_000
