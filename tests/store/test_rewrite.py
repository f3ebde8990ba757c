"""Documents that are rewritten: all of the old or all of the new, and nothing beside it."""

import errno
import os
import stat
from pathlib import Path

import pytest

from verifier.errors import StoreError
from verifier.store import rewrite as module
from verifier.store.rewrite import rewrite

OLD = b"\xef\xbb\xbfThe mean is 0.0318.\r\n"
NEW = b"\xef\xbb\xbfThe mean is 0.0319.\r\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "README.md"
    path.write_bytes(OLD)
    return path


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def untouched(document: Path) -> bool:
    return document.read_bytes() == OLD and names(document.parent) == [document.name]


def test_content_is_replaced_byte_for_byte(document: Path) -> None:
    rewrite(document, OLD, NEW)
    assert document.read_bytes() == NEW
    assert names(document.parent) == ["README.md"]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o666])
def test_permissions_stay_whatever_the_umask(document: Path, mode: int) -> None:
    document.chmod(mode)
    before = os.umask(0o077)
    try:
        rewrite(document, OLD, NEW)
    finally:
        os.umask(before)
    assert stat.S_IMODE(document.stat().st_mode) == mode


def test_path_may_be_relative(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(document.parent)
    rewrite(Path("README.md"), OLD, NEW)
    assert document.read_bytes() == NEW


@pytest.mark.parametrize("now", [b"", OLD[:-1], OLD + b"\n", OLD.replace(b"8", b"7")])
def test_text_that_was_edited_since_it_was_checked_is_left_alone(
    document: Path, now: bytes
) -> None:
    document.write_bytes(now)
    with pytest.raises(StoreError, match=r"README\.md: no longer holds the text") as caught:
        rewrite(document, OLD, NEW)
    assert caught.value.hint == "Run the check again on the file as it is now."
    assert document.read_bytes() == now
    assert names(document.parent) == ["README.md"]


def test_text_that_is_saved_while_the_new_one_is_written_is_left_alone(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def saving(handle: int) -> None:
        sync(handle)
        monkeypatch.undo()
        document.write_bytes(b"saved by an editor")

    monkeypatch.setattr(os, "fsync", saving)
    with pytest.raises(StoreError, match="no longer holds"):
        rewrite(document, OLD, NEW)
    assert document.read_bytes() == b"saved by an editor"
    assert names(document.parent) == ["README.md"]


@pytest.mark.parametrize("target", ["README.md", "absent.md"])
def test_symbolic_link_is_neither_followed_nor_replaced(document: Path, target: str) -> None:
    link = document.with_name("link.md")
    link.symlink_to(target)
    with pytest.raises(StoreError, match=r"link\.md: a link or no regular file") as caught:
        rewrite(link, OLD, NEW)
    assert caught.value.hint == "Name the document's file itself."
    assert link.is_symlink()
    assert document.read_bytes() == OLD


def test_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="a link or no regular file"):
        rewrite(tmp_path, OLD, NEW)


def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with pytest.raises(StoreError, match=r"pipe\.md: a link or no regular file"):
        rewrite(tmp_path / "pipe.md", b"", NEW)


def test_device_is_refused() -> None:
    with pytest.raises(StoreError, match="null: a link or no regular file"):
        rewrite(Path(os.devnull), b"", NEW)


def test_absent_file_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.md: no such file"):
        rewrite(tmp_path / "gone.md", b"", NEW)
    assert names(tmp_path) == []


def test_name_that_no_file_can_have_is_an_error() -> None:
    with pytest.raises(StoreError, match=r"a\\x00b: cannot be rewritten: embedded null byte"):
        rewrite(Path("a\0b"), OLD, NEW)


@pytest.mark.parametrize(
    ("call", "number", "message"),
    [
        ("fsync", errno.ENOSPC, "cannot be rewritten: No space left on device"),
        ("fchmod", errno.EIO, "cannot be rewritten: Input/output error"),
        ("open", errno.EACCES, "permission denied"),
    ],
)
def test_failure_half_way_leaves_the_old_text_and_nothing_beside_it(
    document: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, message: str
) -> None:
    def failing(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patched:
        patched.setattr(os, call, failing)
        with pytest.raises(StoreError, match=f"README.md: {message}") as caught:
            rewrite(document, OLD, NEW)
    assert caught.value.hint.endswith(".")
    assert untouched(document)


def test_failing_rename_leaves_the_old_text_and_nothing_beside_it(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(StoreError, match="cannot be rewritten"):
        rewrite(document, OLD, NEW)
    assert untouched(document)


def test_interruption_leaves_the_old_text_and_nothing_beside_it(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_handle: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            rewrite(document, OLD, NEW)
    assert untouched(document)


def test_owner_that_cannot_be_kept_is_no_error(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "fchown", refused)
    rewrite(document, OLD, NEW)
    assert document.read_bytes() == NEW


def test_text_that_is_in_its_place_is_no_error_when_the_folder_cannot_be_synced(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_folder: Path) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(module, "_sync_folder", refused)
    rewrite(document, OLD, NEW)
    assert document.read_bytes() == NEW
