"""Opening files without ever following a link or waiting for a pipe.

The listing is a promise about names only: between listing and opening, any component of a path
may be swapped for a symbolic link, a FIFO or a device. So every component is opened relative to
its parent, and what was opened is looked at before a byte is read.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from verifier.errors import StoreError
from verifier.store.paths import shown

# O_PATH, where the system has it, needs no permission to list the folders on the way.
_STEP = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_REPLACED = frozenset({errno.ELOOP, errno.ENOTDIR, errno.ENXIO})


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn the operating system's errors into one that names the path and the next step.

    Raises:
        StoreError: for every ``OSError`` inside the block.
    """
    try:
        yield
    except OSError as error:
        what, hint = _explained(error)
        message = f"{shown(path)}: {what}"
        raise StoreError(message, hint=hint) from error


def real_path(path: Path) -> Path:
    """The absolute path behind what the user named; links are followed here and nowhere else.

    Raises:
        StoreError: nothing is there, or it cannot be reached.
    """
    try:
        with translated(str(path)):
            return Path(os.path.realpath(path, strict=True))
    except ValueError as error:
        message = f"{shown(str(path))}: not a path"
        raise StoreError(message, hint="Pass a folder or a file.") from error


def open_folder(name: str | Path, *, parent: int | None = None) -> int:
    """A descriptor of a folder for listing; the caller closes it.

    Raises:
        OSError: absent, unreadable, or no folder (any more).
    """
    return os.open(name, _FOLDER, dir_fd=parent)


def open_regular(root: Path, path: str) -> int:
    """A descriptor of a regular file below ``root``; the caller closes it.

    Args:
        root: a real path.
        path: relative, from the listing.

    Raises:
        StoreError: absent, unreadable, or no regular file (any more).
    """
    *folders, name = path.split("/")
    with translated(path):
        step = os.open(root, _STEP)
        try:
            for folder in folders:
                inner = os.open(folder, _STEP, dir_fd=step)
                os.close(step)
                step = inner
            handle = os.open(name, _FILE, dir_fd=step)
        finally:
            os.close(step)
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return handle
        os.close(handle)
    raise changed(path, "it is no regular file any more")


def changed(path: str, what: str) -> StoreError:
    """The error for bytes that are not the ones somebody else looked at a moment ago."""
    message = f"{shown(path)}: changed while it was read: {what}"
    return StoreError(message, hint="Nothing may write to the bundle during an audit; run again.")


def _explained(error: OSError) -> tuple[str, str]:
    if error.errno == errno.ENOENT:
        return "no such file or folder", "Check the path."
    if error.errno in {errno.EACCES, errno.EPERM}:
        return "permission denied", "Make it readable for this user."
    if error.errno in _REPLACED:
        return (
            "a link or special file where a file or folder was expected",
            "Nothing may write to the bundle during an audit; check the path and run again.",
        )
    return f"cannot be read: {error.strerror or error}", "Check the disk and run again."
