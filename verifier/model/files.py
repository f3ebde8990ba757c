"""What the edge tells the core about the files of a bundle."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

FileKind = Literal["file", "symlink", "fifo", "socket", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One entry of a bundle as it lies on disk.

    Attributes:
        path: POSIX path relative to the bundle's root, exactly as stored.
        kind: only ``file`` entries are ever opened.
        size: bytes (0 for anything that is not a regular file).
        sha256: lower-case hex, or "" for anything that is not a regular file.
        blake3: lower-case hex, or "" where not computed.
    """

    path: str
    kind: FileKind
    size: int
    sha256: str
    blake3: str


class Store(Protocol):
    """The files of one bundle: listed once, hashed once, read on demand."""

    @property
    def name(self) -> str:
        """Name of the folder or file that was opened, without its parents."""
        ...

    @property
    def paths(self) -> Mapping[str, FileKind]:
        """Every entry below the root, by path, without hashing anything."""
        ...

    @property
    def members(self) -> Mapping[str, Member]:
        """Every entry with its digests; the first use hashes all files in one pass."""
        ...

    def read(self, path: str) -> bytes:
        """The whole content of one regular file, never more than the limit for records.

        Raises:
            verifier.errors.StoreError: no such file, not a regular file, over the limit, or
                its bytes are not those that were hashed.
        """
        ...

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        """The content of one regular file of any length, in blocks of ``size`` bytes.

        The last block may be shorter; an empty file has none. The first block is not read before
        it is asked for.

        Raises:
            verifier.errors.StoreError: no such file, not a regular file, or unreadable; after the
                last block, that the bytes are not those that were hashed, or changed meanwhile.
        """
        ...
