"""Written files: never over another by accident, never half."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from verifier.errors import OutputError
from verifier.store.output import write_atomic, write_new

Write = Callable[[Path, bytes], None]


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def no_space(_handle: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_new_file_has_the_content_and_the_mode(tmp_path: Path) -> None:
    write_new(tmp_path / "key.pem", b"secret", mode=0o600)
    write_new(tmp_path / "key.pub", b"public")
    assert (tmp_path / "key.pem").read_bytes() == b"secret"
    assert (mode_of(tmp_path / "key.pem"), mode_of(tmp_path / "key.pub")) == (0o600, 0o644)


def test_new_file_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"old")
    with pytest.raises(OutputError, match="key: exists already, and is never over") as caught:
        write_new(tmp_path / "key", b"new")
    assert "another file" in caught.value.hint
    assert (tmp_path / "key").read_bytes() == b"old"


@pytest.mark.parametrize("target", ["elsewhere", "absent"])
def test_new_file_is_not_written_through_a_link(tmp_path: Path, target: str) -> None:
    (tmp_path / "elsewhere").write_bytes(b"old")
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(OutputError, match="link: exists already"):
        write_new(tmp_path / "link", b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "link"]
    assert (tmp_path / "elsewhere").read_bytes() == b"old"


@pytest.mark.parametrize("write", [write_new, write_atomic])
@pytest.mark.parametrize("path", ["absent/file", "file/below"])
def test_missing_folder_is_named(tmp_path: Path, write: Write, path: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match=f"{path}: there is no such folder") as caught:
        write(tmp_path / path, b"")
    assert caught.value.hint == "Create the folder first."


@pytest.mark.parametrize("write", [write_new, write_atomic])
def test_full_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    monkeypatch.setattr("verifier.store.output.os.fsync", no_space)
    with pytest.raises(OutputError, match="out: cannot be written: No space left on device"):
        write(tmp_path / "out", b"data")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [write_new, write_atomic])
def test_path_with_a_nul_is_refused(tmp_path: Path, write: Write) -> None:
    with pytest.raises(OutputError, match=r"a\\x00b: cannot be written: embedded null byte"):
        write(tmp_path / "a\x00b", b"")


@pytest.mark.parametrize("write", [write_new, write_atomic])
def test_missing_permission_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    def denied(*_args: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("verifier.store.output.os.open", denied)
    with pytest.raises(OutputError, match="out: permission denied") as caught:
        write(tmp_path / "out", b"")
    assert caught.value.hint == "Choose a folder that you may write to."


def test_atomic_write_creates_and_replaces(tmp_path: Path) -> None:
    write_atomic(tmp_path / "report.json", b"one")
    assert mode_of(tmp_path / "report.json") == 0o644
    write_atomic(tmp_path / "report.json", b"two", mode=0o600)
    assert (tmp_path / "report.json").read_bytes() == b"two"
    assert mode_of(tmp_path / "report.json") == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_atomic_write_keeps_a_link_and_replaces_its_target(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a").write_bytes(b"old")
    (tmp_path / "latest").symlink_to("runs/a")
    write_atomic(tmp_path / "latest", b"new")
    assert (tmp_path / "latest").is_symlink()
    assert (tmp_path / "runs/a").read_bytes() == b"new"


def test_failed_atomic_write_keeps_the_older_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_args: object) -> Path:
        raise OSError(errno.EBUSY, "Device or resource busy")

    (tmp_path / "report").write_bytes(b"old")
    monkeypatch.setattr(Path, "replace", busy)
    with pytest.raises(OutputError, match="report: cannot be written: Device or resource busy"):
        write_atomic(tmp_path / "report", b"new")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"report": b"old"}


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_atomic_write_never_replaces_a_pipe_or_a_folder(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "out")
    kind = stat.S_IFMT((tmp_path / "out").stat().st_mode)
    with pytest.raises(OutputError, match="out: not a regular file, so it is not replaced"):
        write_atomic(tmp_path / "out", b"new")
    assert stat.S_IFMT((tmp_path / "out").stat().st_mode) == kind
