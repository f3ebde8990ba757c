"""One pass over many files, and what happens when somebody writes meanwhile."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from verifier.errors import StoreError
from verifier.store import hashing
from verifier.store.folder import FolderStore, open_store
from verifier.store.hashing import Meter
from verifier.store.limits import MEBIBYTE

LONG_AGO = 946_684_800


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of three buffers, old enough that any write moves its time."""
    path = tmp_path / "scores.npz"
    path.write_bytes(b"a" * (3 * MEBIBYTE))
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def members_while(target: Path, act: Callable[[], None], *, jobs: int = 1) -> StoreError:
    """Hash the folder while ``act`` is called once, in the middle of the file."""
    calls: list[int] = []

    def progress(done: int, _total: int) -> None:
        calls.append(done)
        if len(calls) == 1:
            act()

    store = open_store(target.parent, jobs=jobs, progress=progress)
    with pytest.raises(StoreError, match=r"^scores\.npz: changed while it was read: ") as caught:
        _ = store.members
    assert "Nothing may write to the bundle" in caught.value.hint
    return caught.value


@pytest.mark.parametrize("jobs", [1, 2, 3, 100])
def test_digests_do_not_depend_on_the_number_of_jobs(tmp_path: Path, jobs: int) -> None:
    contents = {f"f{index}": os.urandom(index * 70_000) for index in range(9)}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    members = open_store(tmp_path, jobs=jobs).members
    assert {name: member.sha256 for name, member in members.items()} == {
        name: hashlib.sha256(data).hexdigest() for name, data in contents.items()
    }


@pytest.mark.parametrize("jobs", [1, 4])
def test_progress_rises_to_the_total(tmp_path: Path, jobs: int) -> None:
    sizes = [0, 1, 5, MEBIBYTE + 1, 2 * MEBIBYTE]
    for index, size in enumerate(sizes):
        (tmp_path / str(index)).write_bytes(b"x" * size)
    seen: list[tuple[int, int]] = []
    store = open_store(tmp_path, jobs=jobs, progress=lambda done, total: seen.append((done, total)))
    assert seen == []
    _ = store.members
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (sum(sizes), sum(sizes))
    assert {total for _, total in seen} == {sum(sizes)}


def test_largest_file_is_hashed_first(tmp_path: Path) -> None:
    for name, size in (("a", 1), ("b", 3), ("c", 2), ("d", 3)):
        (tmp_path / name).write_bytes(b"x" * size)
    steps: list[int] = []
    store = open_store(tmp_path, progress=lambda done, _: steps.append(done))
    _ = store.members
    assert steps == [3, 6, 8, 9]


def test_folder_of_links_alone_has_members_without_digests(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("absent")
    assert open_store(tmp_path, jobs=2).members["link"].sha256 == ""


def test_file_that_grows_during_the_pass_is_refused(target: Path) -> None:
    def grow() -> None:
        with target.open("ab") as file:
            file.write(b"b")

    error = members_while(target, grow)
    assert "3145728 bytes when opened, 3145729 bytes read, 3145729 bytes at" in error.message


def test_file_that_grows_without_end_is_refused(target: Path) -> None:
    def grow(done: int, _total: int) -> None:
        assert done <= 4 * MEBIBYTE
        with target.open("ab") as file:
            file.write(b"b" * MEBIBYTE)

    store = open_store(target.parent, progress=grow)
    with pytest.raises(StoreError, match="3145728 bytes when opened, 4194304 bytes read"):
        _ = store.members


def test_file_that_shrinks_during_the_pass_is_refused(target: Path) -> None:
    error = members_while(target, lambda: os.truncate(target, MEBIBYTE + 5))
    assert "3145728 bytes when opened, 1048581 bytes read" in error.message


@pytest.mark.parametrize("jobs", [1, 2])
def test_file_rewritten_with_the_same_size_during_the_pass_is_refused(
    target: Path, jobs: int
) -> None:
    (target.parent / "other").write_bytes(b"")

    def rewrite() -> None:
        with target.open("r+b") as file:
            file.write(b"b")

    assert members_while(target, rewrite, jobs=jobs).message.endswith("it was written to")


def test_setting_the_time_back_does_not_hide_a_write(target: Path) -> None:
    def rewrite() -> None:
        with target.open("r+b") as file:
            file.write(b"b")
        os.utime(target, (LONG_AGO, LONG_AGO))

    wait_for_the_clock_of_files(target)
    assert members_while(target, rewrite).message.endswith("it was written to")


def wait_for_the_clock_of_files(path: Path) -> None:
    """It ticks a few hundred times a second; two writes within one tick look like one."""
    probe = path.with_name("probe")
    probe.touch()
    while probe.stat().st_ctime_ns == path.stat().st_ctime_ns:
        probe.touch()
    probe.unlink()


def test_first_failure_stops_the_other_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = Event()
    seen: list[int] = []

    def stop(meter: Meter) -> None:
        original(meter)
        stopped.set()

    def progress(done: int, _total: int) -> None:
        seen.append(done)
        assert stopped.wait(timeout=60)

    original = Meter.stop
    monkeypatch.setattr(Meter, "stop", stop)
    for name, size in (("a", 5), ("b", 4), ("gone", 6)):
        (tmp_path / name).write_bytes(b"x" * (size * MEBIBYTE))
    store = open_store(tmp_path, jobs=2, progress=progress)
    (tmp_path / "gone").unlink()
    with pytest.raises(StoreError, match=r"^gone: no such file or folder"):
        _ = store.members
    assert seen in ([], [MEBIBYTE])


def test_failed_pass_leaves_no_half_result(target: Path) -> None:
    calls: list[int] = []

    def once(done: int, _total: int) -> None:
        calls.append(done)
        if len(calls) == 1:
            os.truncate(target, 5)

    store = open_store(target.parent, progress=once)
    with pytest.raises(StoreError):
        _ = store.members
    assert store.members["scores.npz"].sha256 == hashlib.sha256(b"aaaaa").hexdigest()


class TestBytesParsedAreBytesHashed:
    @pytest.fixture
    def store(self, tmp_path: Path) -> FolderStore:
        (tmp_path / "record.json").write_bytes(b"[1]")
        return open_store(tmp_path)

    def test_rewritten_between_hashing_and_reading(
        self, store: FolderStore, tmp_path: Path
    ) -> None:
        _ = store.members
        (tmp_path / "record.json").write_bytes(b"[2]")
        assert store.read("record.json") == b"[1]"
        with pytest.raises(StoreError, match=r"^record\.json: changed .* sha256 [0-9a-f]{64} at"):
            store.read("record.json")

    def test_what_two_reads_have_overwritten_in_the_buffer_is_read_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hashing, "MEBIBYTE", 4)
        (tmp_path / "scores.npz").write_bytes(b"012345")
        store = open_store(tmp_path)
        assert store.members["scores.npz"].size == 6
        assert store.read("scores.npz") == b"012345"
        (tmp_path / "scores.npz").write_bytes(b"012346")
        with pytest.raises(StoreError, match=r"^scores\.npz: changed while it was read"):
            store.read("scores.npz")

    def test_what_has_no_room_is_read_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(hashing, "_KEPT_BYTES", 5)
        for name in ("a", "b"):
            (tmp_path / name).write_bytes(b"123")
        store = open_store(tmp_path)
        _ = store.members
        for name in ("a", "b"):
            (tmp_path / name).write_bytes(b"124")
        assert store.read("a") == b"123"
        with pytest.raises(StoreError, match=r"^b: changed while it was read"):
            store.read("b")

    def test_rewritten_between_reading_and_hashing(
        self, store: FolderStore, tmp_path: Path
    ) -> None:
        store.read("record.json")
        (tmp_path / "record.json").write_bytes(b"[2]")
        with pytest.raises(StoreError, match=r"^record\.json: changed while it was read"):
            _ = store.members

    def test_rewritten_between_two_reads(self, store: FolderStore, tmp_path: Path) -> None:
        store.read("record.json")
        (tmp_path / "record.json").write_bytes(b"[12]")
        with pytest.raises(StoreError, match=r"^record\.json: changed while it was read"):
            store.read("record.json")

    def test_replaced_by_another_file_with_the_same_bytes(
        self, store: FolderStore, tmp_path: Path
    ) -> None:
        store.read("record.json")
        (tmp_path / "new").write_bytes(b"[1]")
        (tmp_path / "new").rename(tmp_path / "record.json")
        assert store.read("record.json") == b"[1]"

    def test_written_to_while_it_is_read(
        self, store: FolderStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "record.json"
        os.utime(path, (LONG_AGO, LONG_AGO))
        original = os.fstat

        def fstat_then_write(handle: int) -> os.stat_result:
            status = original(handle)
            with path.open("r+b") as file:
                file.write(b"[3]")
            return status

        monkeypatch.setattr("verifier.store.folder.os.fstat", fstat_then_write)
        with pytest.raises(StoreError, match="it was written to"):
            store.read("record.json")
