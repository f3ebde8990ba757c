"""One pass over the bytes of many files, on one thread or several.

SHA-256 with the processor's own instructions is the whole cost, and ``hashlib`` releases the
interpreter while it runs: threads share the files, and each reads into one buffer of its own.
A memory map would be slower, and a file cut short under it kills the process.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from blake3 import blake3 as new_blake3

from verifier.store.limits import MEBIBYTE
from verifier.store.opening import changed, open_regular, translated

# Each thread holds a buffer; more threads than cores gain nothing.
_MOST_THREADS = 64

# Between shorter files (on average) threads wait for the interpreter longer than for bytes.
_WORTH_A_THREAD = MEBIBYTE // 2

# Of files that fit a buffer, so much is kept for whoever parses them next.
_KEPT_BYTES = 64 * MEBIBYTE

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in total, never from two threads at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digests:
    """What one pass over a file found.

    Attributes:
        size: bytes.
        sha256: in hex.
        blake3: in hex, "" where it was not asked for.
        content: of a short file the bytes themselves, None where there was no room for them.
    """

    size: int
    sha256: str
    blake3: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How files are hashed.

    Attributes:
        jobs: most threads.
        blake3: whether BLAKE3 is computed on the same buffers (about a fifth more time).
        progress: called after every buffer.
    """

    jobs: int = 1
    blake3: bool = True
    progress: Progress | None = None


class Cancelled(Exception):  # noqa: N818 - not an error: another file has failed already
    """Another worker has failed, so this one stops in the middle of its file."""


class Meter:
    """Adds up the bytes of all workers, reports them one call at a time, and can stop all."""

    def __init__(self, *, total: int, progress: Progress | None, room: int = 0) -> None:
        self._total = total
        self._progress = progress
        self._room = room
        self._lock = Lock()
        self._done = 0
        self._stopped = False

    def has_room(self, count: int) -> bool:
        """Whether ``count`` bytes more may be kept; they then count as kept."""
        with self._lock:
            fits = count <= self._room
            self._room -= count if fits else 0
        return fits

    def stop(self) -> None:
        """Make every worker give up at its next buffer."""
        self._stopped = True

    def advance(self, count: int) -> None:
        """Note that ``count`` more bytes were hashed.

        Raises:
            Cancelled: the pass was stopped.
        """
        if self._stopped:
            raise Cancelled
        if self._progress is None:
            return
        with self._lock:
            self._done += count
            self._progress(self._done, self._total)


def digest_file(root: Path, path: str, *, buffer: bytearray, blake3: bool, meter: Meter) -> Digests:
    """Hash one regular file below ``root``.

    Raises:
        StoreError: it cannot be opened or read, is no regular file, or changed meanwhile.
    """
    sha = hashlib.sha256()
    blake = new_blake3() if blake3 else None
    view = memoryview(buffer)
    size = reads = 0
    content: bytes | None = None
    with os.fdopen(open_regular(root, path), "rb", buffering=0) as file, translated(path):
        before = os.fstat(file.fileno())
        while count := file.readinto(buffer):
            chunk = view[:count]
            sha.update(chunk)
            if blake is not None:
                blake.update(chunk)
            reads += 1
            size += count
            meter.advance(count)
            # A file that grows as fast as it is read would never end.
            if size > before.st_size:
                break
        refuse_changed(path, before, os.fstat(file.fileno()), size)
        # A second read has overwritten what the first one left in the buffer.
        if reads == 1 and meter.has_room(size):
            content = bytes(view[:size])
    return Digests(
        size=size,
        sha256=sha.hexdigest(),
        blake3="" if blake is None else blake.hexdigest(),
        content=content,
    )


def refuse_changed(path: str, before: os.stat_result, after: os.stat_result, count: int) -> None:
    """Refuse a file whose status or length moved between opening it and reading its end.

    Args:
        path: for the message.
        before: status right after opening.
        after: status after the last byte.
        count: bytes that were read.

    Raises:
        StoreError: any of them differs.
    """
    if not count == before.st_size == after.st_size:
        raise changed(
            path,
            f"{before.st_size} bytes when opened, {count} bytes read, "
            f"{after.st_size} bytes at the end",
        )
    # The second time cannot be set back by whoever wrote.
    if (after.st_mtime_ns, after.st_ctime_ns) != (before.st_mtime_ns, before.st_ctime_ns):
        raise changed(path, "it was written to")


def digest_files(root: Path, sizes: Mapping[str, int], plan: Plan) -> dict[str, Digests]:
    """Hash regular files below ``root``, the largest first so that no thread ends alone with it.

    Args:
        root: a real path.
        sizes: paths to hash with their sizes in bytes, which only set order and progress.
        plan: threads, digests and progress.

    Raises:
        StoreError: the first problem with any file; the other threads stop.
    """
    pending = deque(sorted(sizes, key=lambda path: (-sizes[path], path)))
    meter = Meter(total=sum(sizes.values()), progress=plan.progress, room=_KEPT_BYTES)
    found: dict[str, Digests] = {}

    def drain() -> None:
        buffer = bytearray(MEBIBYTE)
        while True:
            # Asking first would race with the other threads.
            try:
                path = pending.popleft()
            except IndexError:
                return
            found[path] = digest_file(root, path, buffer=buffer, blake3=plan.blake3, meter=meter)

    threads = min(plan.jobs, len(sizes), _MOST_THREADS)
    if sum(sizes.values()) < len(sizes) * _WORTH_A_THREAD:
        threads = 1
    if threads > 1:
        _run(drain, meter, threads=threads)
    else:
        drain()
    return found


def _run(drain: Callable[[], None], meter: Meter, *, threads: int) -> None:
    """Run ``drain`` on every thread; the first real error stops all, and so does an interrupt."""
    with ThreadPoolExecutor(max_workers=threads) as pool:
        workers = [pool.submit(drain) for _ in range(threads)]
        try:
            wait(workers, return_when=FIRST_EXCEPTION)
        finally:
            meter.stop()
    for error in (worker.exception() for worker in workers):
        if error is not None and not isinstance(error, Cancelled):
            raise error
