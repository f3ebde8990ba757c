"""Files that a claims file cites: named by the user, or lying below one folder, nowhere else."""

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path, PurePosixPath

from verifier.errors import CannotLook, StoreError
from verifier.store.folder import FolderStore, open_store
from verifier.store.limits import DEFAULT
from verifier.store.opening import open_regular, translated
from verifier.store.paths import refuse_unsafe, shown


class NamedFiles:
    """Files that the user named one by one; a citation is their path or the end of it.

    Where the end of a path fits several files it means none of them, unless it is all of one path.

    Args:
        paths: of regular files.

    Raises:
        CannotLook: a path is no regular file.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        endings: dict[str, set[Path]] = {}
        for path in paths:
            _require_file(path)
            for name in _endings(path):
                endings.setdefault(name, set()).add(path)
        self._paths = {name: next(iter(ones)) for name, ones in endings.items() if len(ones) == 1}
        self._paths.update({_endings(path)[0]: path for path in paths})
        # From the longest to the shortest, so that the shortest name of a file is kept.
        longest_first = sorted(self._paths, key=len, reverse=True)
        self._shortest = {self._paths[name]: name for name in longest_first}

    def read(self, path: str) -> bytes | None:
        """The content of a file by its name, None when none of the named files has it.

        Raises:
            StoreError: it cannot be read, or is over the limit.
        """
        real = self._paths.get(path)
        return None if real is None else read_file(real)

    def names(self) -> Collection[str]:
        """The shortest name of each file."""
        return self._shortest.values()

    def path(self, name: str) -> Path | None:
        """Where a file lies."""
        return self._paths.get(name)


def _endings(path: Path) -> list[str]:
    parts = PurePosixPath(path).parts
    return ["/".join(parts[start:]).removeprefix("//") for start in range(len(parts))]


class FilesBelow:
    """Regular files below a folder, opened when they are cited; links are never followed.

    Args:
        root: a folder.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.realpath(root))

    def read(self, path: str) -> bytes | None:
        """The content of a file, None when there is none of that path.

        Raises:
            StoreError: the path leaves the folder, or the file cannot be read.
        """
        if self.path(path) is None:
            return None
        with os.fdopen(open_regular(self._root, path), "rb") as file, translated(path):
            data = file.read(DEFAULT.read_bytes + 1)
        if len(data) > DEFAULT.read_bytes:
            message = f"{shown(path)}: over the limit of {DEFAULT.read_bytes} bytes"
            raise StoreError(message, hint="Cite a smaller file.")
        return data

    def names(self) -> Collection[str]:
        """Nothing: the folder is not listed, because it may hold anything."""
        return ()

    def path(self, name: str) -> Path | None:
        """Where a file lies, None when there is none."""
        refuse_unsafe(name)
        if "\0" in name or {"", ".", ".."} & set(name.split("/")):
            message = f"{shown(name)}: not a plain path below the folder of the claims file"
            raise StoreError(message, hint="Name the file with --data FILE, or cite it from above.")
        real = self._root / name
        return real if os.path.lexists(real) else None


class StoredFiles:
    """Files of a bundle, read once and held against their digests.

    Args:
        store: of the bundle.
        root: where the bundle lies.
    """

    def __init__(self, store: FolderStore, root: Path) -> None:
        self._store = store
        self._root = Path(os.path.realpath(root))

    def read(self, path: str) -> bytes | None:
        """The content of a member, None when there is none of that path.

        Raises:
            StoreError: it is no regular file, over the limit, or not what was hashed.
        """
        return self._store.read(path) if path in self._store.paths else None

    def names(self) -> Collection[str]:
        """Paths of all members."""
        return self._store.paths.keys()

    def path(self, name: str) -> Path | None:
        """Where a member lies on disk."""
        if name not in self._store.paths:
            return None
        return self._root / name if self._root.is_dir() else self._root

    def digests(self) -> Mapping[str, str]:
        """SHA-256 of every regular file, by path."""
        return {name: member.sha256 for name, member in self._store.members.items()}


def read_file(path: Path) -> bytes:
    """The bytes of a regular file that the user named.

    Raises:
        CannotLook: it cannot be read, is a folder, or is over the limit.
    """
    _require_file(path)
    store = open_store(path, blake3=False)
    return store.read(next(iter(store.paths)))


def _require_file(path: Path) -> None:
    if path.is_dir():
        message = f"{path}: a folder where a file was expected"
        raise CannotLook(message, hint="Name the file itself.")
    if not os.path.lexists(path):
        message = f"{path}: no such file"
        raise CannotLook(message, hint="Check the path.")
