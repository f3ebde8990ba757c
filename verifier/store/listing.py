"""What lies in a folder, without opening a single file."""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from verifier.errors import StoreError
from verifier.model.files import FileKind
from verifier.store.limits import Limits
from verifier.store.opening import open_folder, translated
from verifier.store.paths import refuse_twin, refuse_unsafe, shown

_KINDS: Mapping[int, FileKind] = {
    stat.S_IFREG: "file",
    stat.S_IFLNK: "symlink",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name that is not a folder; ``size`` is in bytes, 0 unless it is a regular file."""

    kind: FileKind
    size: int


def entry_of(status: os.stat_result) -> Entry:
    """What a status says, with every exotic kind (devices, doors, whiteouts) as ``device``."""
    kind = _KINDS.get(stat.S_IFMT(status.st_mode), "device")
    return Entry(kind=kind, size=status.st_size if kind == "file" else 0)


def list_folder(root: Path, limits: Limits) -> dict[str, Entry]:
    """Every entry below ``root`` that is not a folder, by POSIX path, sorted by code points.

    Symbolic links, to folders too, are entries of their own and are never followed.

    Raises:
        StoreError: a folder cannot be read, a name is unsafe or has a twin, or a limit is crossed.
    """
    walk = _Walk(limits=limits)
    with translated(str(root)):
        handle = open_folder(root)
    walk.visit(handle, "")
    return dict(sorted(walk.found.items()))


@dataclass(slots=True, kw_only=True)
class _Walk:
    limits: Limits
    found: dict[str, Entry] = field(default_factory=dict)
    entries: int = 0
    total: int = 0

    def visit(self, handle: int, prefix: str) -> None:
        """List the folder behind ``handle``, which is closed afterwards, and those below it."""
        try:
            for name in self._scan(handle, prefix):
                with translated(prefix + name):
                    inner = open_folder(name, parent=handle)
                self.visit(inner, f"{prefix}{name}/")
        finally:
            os.close(handle)

    def _scan(self, handle: int, prefix: str) -> list[str]:
        """Take in one folder and return the names of the folders in it, sorted."""
        folders: list[str] = []
        seen: dict[str, str] = {}
        with translated(prefix or "the root folder"), os.scandir(handle) as entries:
            for entry in entries:
                path = prefix + entry.name
                refuse_unsafe(path)
                refuse_twin(entry.name, seen, folder=prefix)
                status = entry.stat(follow_symlinks=False)
                self._count(path, status)
                if stat.S_ISDIR(status.st_mode):
                    folders.append(entry.name)
                else:
                    self.found[path] = entry_of(status)
        return sorted(folders)

    def _count(self, path: str, status: os.stat_result) -> None:
        self.entries += 1
        self.total += entry_of(status).size
        is_folder = stat.S_ISDIR(status.st_mode)
        if self.entries > self.limits.entries:
            raise _over(path, f"more than {self.limits.entries} files and folders")
        if self.total > self.limits.total_bytes:
            raise _over(path, f"more than {self.limits.total_bytes} bytes in all files together")
        if is_folder and path.count("/") >= self.limits.depth:
            raise _over(path, f"more than {self.limits.depth} folders deep")


def _over(path: str, what: str) -> StoreError:
    hint = "Pass the folder of one bundle, not a folder of many."
    return StoreError(f"{shown(path)}: over the limit: {what}", hint=hint)
