"""Replacing the text of a document that a person wrote, so that nothing of it can be lost."""

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from verifier.errors import StoreError
from verifier.store.paths import shown

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def rewrite(path: Path, old: bytes, new: bytes) -> None:
    """Replace the content of a file in one step: whoever reads it sees all of either.

    The new content is on the disk in a file beside it before the name changes hands; until then
    every error leaves the file as it was, and nothing beside it. Permissions and owner stay, as
    far as this user may set them. A symbolic link is neither followed nor replaced, because which
    of the two is meant is unknown.

    Args:
        path: the file; its folder must be writable.
        old: what it holds, as it was read and checked.
        new: what it shall hold.

    Raises:
        StoreError: it is no regular file, is a link, no longer holds ``old``, or cannot be
            written; the file is untouched then.
    """
    place = shown(str(path))
    with _translated(place):
        before = _checked(path, place, old)
        draft = path.with_name(f".{secrets.token_hex(8)}.tmp")
        try:
            _write(draft, new, before)
            # An editor may have saved meanwhile, under the same name.
            _refuse_changed(place, same=_version(path.lstat()) == _version(before))
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink()
            raise
    # The new content is in its place already, so that no error may say that it is not.
    with suppress(OSError):
        _sync_folder(path.parent)


def _checked(path: Path, place: str, old: bytes) -> os.stat_result:
    """Status of the file, which holds what was checked."""
    handle = os.open(path, _READ)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise _irregular(place)
        with os.fdopen(handle, "rb", closefd=False) as file:
            _refuse_changed(place, same=file.read(len(old) + 1) == old)
    finally:
        os.close(handle)
    return before


def _write(path: Path, data: bytes, like: os.stat_result) -> None:
    handle = os.open(path, _NEW, 0o600)
    with os.fdopen(handle, "wb") as file:
        # Changing the owner clears some of the permissions, and the umask narrows those that a
        # file is created with: so they are set last.
        with suppress(OSError):
            os.fchown(handle, like.st_uid, like.st_gid)
        os.fchmod(handle, stat.S_IMODE(like.st_mode))
        file.write(data)
        file.flush()
        os.fsync(handle)


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut."""
    handle = os.open(folder, _FOLDER)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _version(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _refuse_changed(place: str, *, same: bool) -> None:
    if not same:
        message = f"{place}: no longer holds the text that was checked"
        raise StoreError(message, hint="Run the check again on the file as it is now.")


def _irregular(place: str) -> StoreError:
    message = f"{place}: a link or no regular file, so it is not rewritten"
    return StoreError(message, hint="Name the document's file itself.")


@contextmanager
def _translated(place: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        message = f"{place}: no such file"
        raise StoreError(message, hint="Check the path.") from error
    except PermissionError as error:
        message = f"{place}: permission denied"
        raise StoreError(message, hint="Make it and its folder writable for this user.") from error
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in {errno.ELOOP, errno.ENXIO}:
            raise _irregular(place) from error
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{place}: cannot be rewritten: {reason}"
        raise StoreError(message, hint="Check the disk and the path.") from error
