"""Older contents of a file, from the history of the git checkout that it lies in.

Nothing is run: objects are read by dulwich, a library, so no hook, filter or program that the
repository names ever starts, whoever made the repository. A broken repository is no history.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from typing import TYPE_CHECKING, cast

from verifier.store._git_folder import Checkout, find_checkout, head, object_folders
from verifier.store._git_objects import Objects
from verifier.store.limits import MEBIBYTE

if TYPE_CHECKING:
    from dulwich.objects import Commit, ObjectID, ShaFile, Tree

MOST_VISITED = 2_000
"""Commits that are looked at for one file."""

# A history of a large file is searched as far back as this reaches.
_MOST_TOTAL_BYTES = 256 * MEBIBYTE


class History:
    """What was committed before; finds nothing outside git and in a broken repository."""

    def __init__(self, folder: Path) -> None:
        """Find the checkout.

        Args:
            folder: in it, at any depth.
        """
        self._checkout = find_checkout(folder)

    def older(self, path: Path, *, most: int = 200) -> Iterator[tuple[str, bytes]]:
        """Committed contents of a file, newest first, each different one once.

        All commits that the one checked out comes from are followed, through merges too, by the
        time that they give; those count that change the file against all of their parents. The
        content of the newest such commit comes first, also when the file still holds it. At most
        2,000 commits are looked at and 256 MiB handed out; contents over 32 MiB are left out, as
        are links. What cannot be read ends the history there, without an error.

        Args:
            path: the file, which need not exist any more; links are followed.
            most: contents that are handed out at most.

        Yields:
            Commit id in hex and content.
        """
        inside = self._inside(path)
        if self._checkout is None or not inside:
            return
        start = head(self._checkout)
        if not start:
            return
        walk = _Walk(self._checkout, start, inside)
        total = 0
        try:
            for number, (commit, content) in enumerate(walk.changes(), start=1):
                total += len(content)
                if number > most or total > _MOST_TOTAL_BYTES:
                    return
                yield commit, content
        finally:
            walk.close()

    def _inside(self, path: Path) -> tuple[bytes, ...]:
        """The steps from the root of the checkout to the file; none when it lies elsewhere."""
        if self._checkout is None:
            return ()
        try:
            real = Path(os.path.realpath(path))
            return tuple(map(os.fsencode, real.relative_to(self._checkout.root).parts))
        except ValueError:
            return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    id: "ObjectID"
    time: int
    tree: "ObjectID"
    parents: "tuple[ObjectID, ...]"


class _Walk:
    """A walk from one commit back, along one path; to be closed.

    Exceptions are suppressed whatever they are: a library that parses hostile bytes raises what
    its innermost parts raise.
    """

    def __init__(self, checkout: Checkout, start: str, path: tuple[bytes, ...]) -> None:
        from dulwich.objects import ObjectID  # noqa: PLC0415 - only with a repository

        self._objects = Objects(object_folders(checkout), hex_length=len(start))
        self._start = ObjectID(start.encode("ascii"))
        self._path = path
        self._commits: dict[ObjectID, _Commit | None] = {}
        self._steps: dict[tuple[ObjectID, int], tuple[int, ObjectID] | None] = {}

    def close(self) -> None:
        """Close what is open of the repository."""
        self._objects.close()

    def changes(self) -> Iterator[tuple[str, bytes]]:
        """Contents as ``History.older`` gives them, but for its limits on how many."""
        handed: set[ObjectID] = set()
        for commit, parents in self._from_newest():
            content = self._entry(commit)
            if content is None or content in handed:
                continue
            if content not in {self._entry(parent) for parent in parents}:
                handed.add(content)
                blob = self._read(content, b"blob")
                if blob is not None:
                    yield commit.id.decode("ascii"), blob.as_raw_string()

    def _from_newest(self) -> Iterator[tuple[_Commit, list[_Commit]]]:
        """Commits with those parents that can be read."""
        first = self._commit(self._start)
        queue = [] if first is None else [(-first.time, 0, first)]
        queued = {commit.id for _, _, commit in queue}
        while queue:
            _, _, commit = heappop(queue)
            parents = [self._commit(parent) for parent in commit.parents]
            if len(self._commits) > MOST_VISITED:
                return
            known = [parent for parent in parents if parent is not None]
            for parent in known:
                if parent.id not in queued:
                    queued.add(parent.id)
                    heappush(queue, (-parent.time, len(queued), parent))
            yield commit, known

    def _commit(self, sha: "ObjectID") -> _Commit | None:
        if sha not in self._commits:
            self._commits[sha] = self._parsed(sha)
        return self._commits[sha]

    def _parsed(self, sha: "ObjectID") -> _Commit | None:
        with suppress(Exception):
            commit = cast("Commit", self._objects.read(sha))
            if commit.type_name == b"commit":
                # A hostile commit gives no time, or more parents than are ever looked at.
                return _Commit(
                    id=sha,
                    time=commit.commit_time or 0,
                    tree=commit.tree,
                    parents=tuple(commit.parents[:MOST_VISITED]),
                )
        return None

    def _entry(self, commit: _Commit) -> "ObjectID | None":
        """Id of the file's content in a commit; None where it has no such file."""
        mode, sha = stat.S_IFDIR, commit.tree
        for depth in range(len(self._path)):
            step = self._step(sha, depth) if stat.S_ISDIR(mode) else None
            if step is None:
                return None
            mode, sha = step
        return sha if stat.S_ISREG(mode) else None

    def _step(self, tree: "ObjectID", depth: int) -> "tuple[int, ObjectID] | None":
        """Mode and id of one entry of a tree, which most commits share with their parents."""
        key = (tree, depth)
        if key not in self._steps:
            self._steps[key] = None
            found = self._read(tree, b"tree")
            if found is not None:
                with suppress(Exception):
                    self._steps[key] = cast("Tree", found)[self._path[depth]]
        return self._steps[key]

    def _read(self, sha: "ObjectID", kind: bytes) -> "ShaFile | None":
        with suppress(Exception):
            found = self._objects.read(sha)
            return found if found.type_name == kind else None
        return None
