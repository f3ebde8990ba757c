"""A bundle that lies in a folder, or is a single file."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from verifier.errors import StoreError, UsageError
from verifier.model.files import FileKind, Member
from verifier.store.hashing import Plan, Progress, digest_files, refuse_changed
from verifier.store.limits import DEFAULT, Limits
from verifier.store.listing import Entry, entry_of, list_folder
from verifier.store.opening import changed, open_regular, real_path, translated
from verifier.store.paths import refuse_unsafe, shown

Paths = Mapping[str, FileKind]


class FolderStore:
    """Implements ``verifier.model.files.Store`` on a folder: listed once, hashed once.

    The first SHA-256 seen of a file, by ``read`` or by hashing, is the one that every later look
    has to give again: the bytes that were parsed are the bytes that were hashed.
    """

    def __init__(
        self,
        *,
        root: Path,
        name: str,
        entries: Mapping[str, Entry],
        limits: Limits,
        plan: Plan,
    ) -> None:
        self._root = root
        self._name = name
        self._entries = entries
        self._limits = limits
        self._plan = plan
        self._paths = _kinds(entries)
        self._members: Mapping[str, Member] | None = None
        self._sha256: dict[str, str] = {}
        self._contents: dict[str, bytes] = {}

    @property
    def name(self) -> str:
        """Printable name of the folder or file that was opened, without its parents."""
        return self._name

    @property
    def paths(self) -> Paths:
        """Every entry below the root, by path, sorted by code points."""
        return self._paths

    @property
    def members(self) -> Mapping[str, Member]:
        """Every entry with its digests; the first use hashes all files in one pass.

        Raises:
            StoreError: a file cannot be read, changed while it was hashed, or is not what
                ``read`` gave before.
        """
        if self._members is None:
            self._members = MappingProxyType(self._hash())
        return self._members

    def read(self, path: str) -> bytes:
        """The whole content of one regular file: the very bytes that were hashed, if still held.

        Raises:
            StoreError: no such file, not a regular file, over the limit, or its bytes are not
                those that were hashed or read before.
        """
        self._refuse_irregular(path)
        held = self._contents.pop(path, None)
        if held is not None and len(held) <= self._limits.read_bytes:
            return held
        with os.fdopen(open_regular(self._root, path), "rb") as file, translated(path):
            before = os.fstat(file.fileno())
            if before.st_size > self._limits.read_bytes:
                message = (
                    f"{shown(path)}: {before.st_size} bytes, over the limit of "
                    f"{self._limits.read_bytes} for a file that is read whole"
                )
                raise StoreError(message, hint="Split the file into one per window.")
            data = file.read(before.st_size + 1)
            refuse_changed(path, before, os.fstat(file.fileno()), len(data))
        self._pin(path, hashlib.sha256(data).hexdigest())
        return data

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        """The content of one regular file of any length, in blocks of ``size`` bytes.

        Raises:
            StoreError: no such file, not a regular file, or unreadable; after the last block, that
                its bytes are not those that were hashed or read before, or that it changed.
        """
        self._refuse_irregular(path)
        sha = hashlib.sha256()
        count = 0
        with os.fdopen(open_regular(self._root, path), "rb") as file:
            with translated(path):
                before = os.fstat(file.fileno())
            # A file that grows as fast as it is read would never end.
            while count <= before.st_size:
                with translated(path):
                    block = file.read(size)
                if not block:
                    break
                sha.update(block)
                count += len(block)
                yield block
            with translated(path):
                after = os.fstat(file.fileno())
        refuse_changed(path, before, after, count)
        self._pin(path, sha.hexdigest())

    def _refuse_irregular(self, path: str) -> None:
        entry = self._entries.get(path)
        if entry is None:
            message = f"{shown(path)}: no such file in {self._name}"
            raise StoreError(message, hint="Restore the file.")
        if entry.kind != "file":
            message = f"{shown(path)}: a {entry.kind}, which is never opened"
            raise StoreError(message, hint="Put a regular file in its place.")

    def _hash(self) -> dict[str, Member]:
        sizes = {path: e.size for path, e in self._entries.items() if e.kind == "file"}
        digests = digest_files(self._root, sizes, self._plan)
        for path, digest in digests.items():
            self._pin(path, digest.sha256)
            if digest.content is not None:
                self._contents[path] = digest.content
        members: dict[str, Member] = {}
        for path, entry in self._entries.items():
            found = digests.get(path)
            members[path] = Member(
                path=path,
                kind=entry.kind,
                size=found.size if found else 0,
                sha256=found.sha256 if found else "",
                blake3=found.blake3 if found else "",
            )
        return members

    def _pin(self, path: str, sha256: str) -> None:
        first = self._sha256.setdefault(path, sha256)
        if first != sha256:
            raise changed(path, f"sha256 {first} at first, {sha256} later")


def open_store(
    path: Path,
    *,
    limits: Limits = DEFAULT,
    jobs: int = 1,
    blake3: bool | Callable[[Paths], bool] = True,
    progress: Progress | None = None,
) -> FolderStore:
    """Open a folder, or one file as a bundle of its own, and list it; nothing is hashed yet.

    Args:
        path: what the user named; a symbolic link here is followed, links below it never are.
        limits: bounds on what is looked at.
        jobs: threads that hash.
        blake3: whether members get a BLAKE3 digest too, or the rule that tells from the listing
            (a fifth more time, so only where a seal may ask for it).
        progress: called while hashing with bytes done and bytes in total.

    Raises:
        StoreError: nothing there, unreadable, empty, neither folder nor file, an unsafe name,
            or over a limit.
        UsageError: fewer than one job.
    """
    if jobs < 1:
        message = f"{jobs} jobs: at least one is needed"
        raise UsageError(message, hint="Pass 1, or the number of processor cores.")
    real = real_path(path)
    root, entries = _listed(real, path, limits)
    both = blake3 if isinstance(blake3, bool) else blake3(_kinds(entries))
    return FolderStore(
        root=root,
        name=shown(real.name or str(real)),
        entries=entries,
        limits=limits,
        plan=Plan(jobs=jobs, blake3=both, progress=progress),
    )


def _kinds(entries: Mapping[str, Entry]) -> Paths:
    return MappingProxyType({path: entry.kind for path, entry in entries.items()})


def _listed(real: Path, path: Path, limits: Limits) -> tuple[Path, dict[str, Entry]]:
    """The root and its entries; a single file lies in a root that is never listed."""
    place = shown(str(path))
    with translated(str(path)):
        status = os.lstat(real)
    if stat.S_ISDIR(status.st_mode):
        entries = list_folder(real, limits)
        if not entries:
            message = f"{place}: the folder holds no files"
            raise StoreError(message, hint="Pass the folder that holds the records of a bundle.")
        return real, entries
    entry = entry_of(status)
    if entry.kind != "file":
        message = f"{place}: a {entry.kind}, expected a folder or a regular file"
        raise StoreError(message, hint="Pass a folder or one record file such as comparison.json.")
    refuse_unsafe(real.name)
    if entry.size > limits.total_bytes:
        message = f"{place}: over the limit: more than {limits.total_bytes} bytes"
        raise StoreError(message, hint="Pass a record file, not raw data.")
    return real.parent, {real.name: entry}
