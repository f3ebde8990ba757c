"""Git repositories, good and bad, made object by object without the git program."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha1
from io import BytesIO
from pathlib import Path

from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.pack import write_pack_index_v2
from dulwich.repo import Repo

Files = Mapping[str, bytes | tuple[int, bytes]]
"""Contents by path; with a mode where it is no plain file."""


class Repository:
    """A checkout under construction; commits are a minute apart unless they say otherwise."""

    def __init__(self, folder: Path, *, object_format: str = "sha1") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.git = folder / ".git"
        self._made = 0
        with Repo.init(str(folder), object_format=object_format):
            pass

    def commit(
        self, files: Files, *parents: str, time: int | None = None, checked_out: bool = True
    ) -> str:
        """Commit these files, and no others, on top of the parents; the id in hex."""
        self._made += 1
        with Repo(str(self.folder)) as repo:
            form = repo.object_format
            commit = Commit()
            commit.object_format = form
            commit.tree = self._tree(repo, files)
            commit.parents = [ObjectID(parent.encode()) for parent in parents]
            commit.author = commit.committer = b"A <a@example.org>"
            commit.commit_time = commit.author_time = 60 * self._made if time is None else time
            commit.commit_timezone = commit.author_timezone = 0
            commit.message = b"m"
            repo.object_store.add_object(commit)
            name = commit.get_id(form)
            if checked_out:
                (self.git / "HEAD").write_bytes(name + b"\n")
        return name.decode()

    def line(self, *versions: Files) -> list[str]:
        """One commit after another; ids, oldest first."""
        made: list[str] = []
        for files in versions:
            made.append(self.commit(files, *made[-1:]))
        return made

    def pack(self) -> None:
        """Move all objects into a pack."""
        with Repo(str(self.folder)) as repo:
            repo.object_store.pack_loose_objects()

    def loose(self, name: str) -> Path:
        """Where a loose object lies."""
        return self.git / "objects" / name[:2] / name[2:]

    def add_pack(self, entries: "Sequence[Entry]", *, name: str = "made") -> None:
        """Write a pack byte by byte."""
        folder = self.git / "objects" / "pack"
        body = b"PACK" + struct.pack(">LL", 2, len(entries))
        offsets: list[tuple[bytes, int, int | None]] = []
        for entry in entries:
            offsets.append((entry.name, len(body), zlib.crc32(entry.data)))
            body += entry.data
        digest = sha1(body, usedforsecurity=False).digest()
        (folder / f"{name}.pack").write_bytes(body + digest)
        index = BytesIO()
        write_pack_index_v2(index, sorted(offsets), digest)
        (folder / f"{name}.idx").write_bytes(index.getvalue())

    def _tree(self, repo: Repo, files: Files) -> ObjectID:
        tree = Tree()
        tree.object_format = repo.object_format
        folders: dict[str, dict[str, bytes | tuple[int, bytes]]] = {}
        for path, content in files.items():
            first, _, rest = path.partition("/")
            if rest:
                folders.setdefault(first, {})[rest] = content
                continue
            mode, data = content if isinstance(content, tuple) else (0o100644, content)
            blob = Blob.from_string(data)
            blob.object_format = repo.object_format
            repo.object_store.add_object(blob)
            tree.add(first.encode(), mode, ObjectID(blob.get_id(repo.object_format)))
        for name, inner in folders.items():
            tree.add(name.encode(), 0o040000, self._tree(repo, inner))
        repo.object_store.add_object(tree)
        return ObjectID(tree.get_id(repo.object_format))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a pack: the id that the index gives it, in bytes, and its bytes."""

    name: bytes
    data: bytes


def blob_id(data: bytes) -> str:
    """What git calls this content."""
    return sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def header(kind: int, size: int) -> bytes:
    """Type and size as an entry of a pack begins with them."""
    byte, size = kind << 4 | size & 15, size >> 4
    made = bytearray()
    while size:
        made.append(byte | 0x80)
        byte, size = size & 0x7F, size >> 7
    return bytes([*made, byte])


def varint(value: int) -> bytes:
    """A size as a delta begins with it."""
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])
