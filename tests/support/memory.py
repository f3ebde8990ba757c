"""A bundle in memory: what the store says about a folder, without the folder."""

import hashlib
from collections.abc import Iterator, Mapping

from blake3 import blake3

from verifier.errors import StoreError
from verifier.model.files import FileKind, Member


class MemoryStore:
    """The ``Store`` protocol over bytes by path.

    Attributes:
        name: what the folder would be called.
        paths: every entry by path; ``others`` are entries that are no regular files.
        members: every entry with its digests.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        name: str = "memory",
        others: Mapping[str, FileKind] | None = None,
    ) -> None:
        self._files = dict(files)
        self.name = name
        kinds: dict[str, FileKind] = dict.fromkeys(files, "file")
        self.paths: Mapping[str, FileKind] = {**kinds, **(others or {})}
        self.members: Mapping[str, Member] = {
            path: self._member(path, kind) for path, kind in sorted(self.paths.items())
        }

    def read(self, path: str) -> bytes:
        if self.paths.get(path) != "file":
            message = f"{path}: no such regular file"
            raise StoreError(message, hint="restore the file")
        return self._files[path]

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        data = self.read(path)
        for start in range(0, len(data), size):
            yield data[start : start + size]

    def _member(self, path: str, kind: FileKind) -> Member:
        data = self._files.get(path)
        return Member(
            path=path,
            kind=kind,
            size=len(data or b""),
            sha256="" if data is None else hashlib.sha256(data).hexdigest(),
            blake3="" if data is None else blake3(data).hexdigest(),
        )
