"""Hashing a folder against one plain ``hashlib`` loop, measured side by side in one process.

Run it from the root of the project: ``python -m benchmarks.bench_hashing [MEBIBYTES]``. The files
are written to the temporary folder and removed afterwards. The row with two jobs means something
only while nothing else wants the processor.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from verifier.store.folder import open_store
from verifier.store.limits import MEBIBYTE

FILES = 32
TOTAL_MEBIBYTES = 2048
ROUNDS = 5
MEMORY_BYTES = 200e6

_PEAK = """
import sys
from pathlib import Path
from verifier.store.folder import open_store
open_store(Path(sys.argv[1]), jobs=2, blake3=True).members
status = Path("/proc/self/status").read_text(encoding="ascii")
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")))
"""


def rows(mebibytes: int = TOTAL_MEBIBYTES) -> list[tuple[str, float, float]]:
    """Rows of (label, measured, required): times faster than the loop, and memory to spare.

    At most 1.1 times the loop's time is at least 1 / 1.1 times its speed; under 200 MB is more
    than one peak in 200 MB.
    """
    with _folder(mebibytes) as folder:
        plain, one, two = _best(
            lambda: _plain_loop(folder),
            lambda: _members(folder, jobs=1),
            lambda: _members(folder, jobs=2),
        )
        peak = _peak_bytes(folder)
    return [
        (f"hashing {mebibytes} MiB, one job", plain / one, 1 / 1.1),
        (f"hashing {mebibytes} MiB, two jobs", plain / two, 1.6),
        ("200 MB over peak memory, two jobs", MEMORY_BYTES / peak, 1.0),
    ]


def main() -> int:
    """Print the table; the status is 1 when a row is below what is required."""
    table = rows(*(int(argument) for argument in sys.argv[1:2]))
    print(f"{'against a plain hashlib loop':<38}{'measured':>10}{'required':>10}")
    for label, measured, required in table:
        print(f"{label:<38}{measured:>9.2f}x{required:>9.2f}x")
    return int(any(measured < required for _, measured, required in table))


@contextmanager
def _folder(mebibytes: int) -> Iterator[Path]:
    """Equal files of random bytes, no two alike; the page cache holds them from being written."""
    block = os.urandom(MEBIBYTE)
    with TemporaryDirectory() as name:
        for index in range(FILES):
            with (Path(name) / f"{index:02}.npz").open("wb") as file:
                file.write(index.to_bytes(4))
                for _ in range(mebibytes // FILES):
                    file.write(block)
        yield Path(name)


def _best(*tasks: Callable[[], None]) -> list[float]:
    """Seconds of the best round of each task; every round runs all of them."""
    seconds = [[_seconds(task) for task in tasks] for _ in range(ROUNDS)]
    return [min(column) for column in zip(*seconds, strict=True)]


def _seconds(task: Callable[[], None]) -> float:
    start = perf_counter()
    task()
    return perf_counter() - start


def _plain_loop(folder: Path) -> None:
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            hashlib.file_digest(file, "sha256").hexdigest()


def _members(folder: Path, *, jobs: int) -> None:
    _ = open_store(folder, jobs=jobs, blake3=False).members


def _peak_bytes(folder: Path) -> float:
    """Peak memory of a process of its own, as Linux counts it from the start of the program."""
    command = [sys.executable, "-c", _PEAK, str(folder)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return 1024 * float(printed)


if __name__ == "__main__":
    sys.exit(main())
