"""Writing files so that nothing is lost: neither what was there nor half of what is new."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from verifier.errors import OutputError
from verifier.store.paths import shown

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file that must not exist yet; a link in its place counts as existing.

    Args:
        path: where to write; its folder must exist.
        data: the whole content.
        mode: permissions, narrowed by the process's umask, from the first byte on.

    Raises:
        OutputError: something is there already, or it cannot be written; nothing is left behind.
    """
    with _translated(path):
        _create(path, data, mode)


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Write a file in one step, replacing an older one: readers see all of either, never a mix.

    A symbolic link stays, and the file that it names is replaced.

    Args:
        path: where to write; its folder must exist.
        data: the whole content.
        mode: permissions, narrowed by the process's umask.

    Raises:
        OutputError: what is there is no regular file, or it cannot be written; the older file is
            untouched then.
    """
    with _translated(path):
        real = Path(os.path.realpath(path))
        _refuse_special(path)
        draft = real.with_name(f".{secrets.token_hex(8)}.tmp")
        _create(draft, data, mode)
        try:
            draft.replace(real)
        except BaseException:
            draft.unlink()
            raise
        _sync_folder(real.parent)


def _create(path: Path, data: bytes, mode: int) -> None:
    handle = os.open(path, _NEW, mode)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        # Half a key or half an attestation is worse than none.
        path.unlink()
        raise


def _refuse_special(path: Path) -> None:
    """Renaming over a terminal, a pipe or a folder would destroy it."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            message = f"{shown(str(path))}: not a regular file, so it is not replaced"
            raise OutputError(message, hint="Name a file, or leave the option out to print.")


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last through a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    place = shown(str(path))
    try:
        yield
    except FileExistsError as error:
        message = f"{place}: exists already, and is never overwritten"
        raise OutputError(message, hint="Name another file, or move this one away.") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        message = f"{place}: there is no such folder to write into"
        raise OutputError(message, hint="Create the folder first.") from error
    except PermissionError as error:
        message = f"{place}: permission denied"
        raise OutputError(message, hint="Choose a folder that you may write to.") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        message = f"{place}: cannot be written: {reason}"
        raise OutputError(message, hint="Check the disk and the path.") from error
