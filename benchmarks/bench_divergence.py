"""KL from logits against a plain FP64 log-softmax, and the memory of reading a long raw file.

Run it from the root of the project: ``python -m benchmarks.bench_divergence [MEBIBYTES]``. Both
sides run on one thread: none of the reference's operations starts another, and ours keeps its dot
products below the length at which BLAS would.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.numerics.divergence import divergence
from verifier.store.limits import MEBIBYTE

VOCABULARY = 154_880
ROWS = 16
PAIRS = 25
FILE_MEBIBYTES = 1024
MEMORY_BYTES = 300e6
CLOSE = 1e-12

_PEAK = """
import sys
from pathlib import Path
from verifier.numerics.divergence import divergence
from verifier.scores import StoreRows
from verifier.store.folder import open_store
rows = StoreRows(open_store(Path(sys.argv[1])))
blocks = rows.logits("raw.bin", vocabulary=int(sys.argv[2]), dtype="float32")
done = 0
for block in blocks:
    if not done:
        divergence(block, block)
    done += block.nbytes
status = Path("/proc/self/status").read_text(encoding="ascii")
print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")), done)
"""


def rows(mebibytes: int = FILE_MEBIBYTES) -> list[tuple[str, float, float]]:
    """Rows of (label, measured, required): times faster than the reference, and memory to spare.

    Raises:
        ValueError: the two disagree, or the file was not read to its end.
    """
    return [
        (f"KL from logits, vocabulary {VOCABULARY:,}, one thread", _faster(), 2.0),
        (
            f"300 MB over peak memory, {mebibytes} MiB of logits",
            MEMORY_BYTES / _peak(mebibytes),
            1.0,
        ),
    ]


def main() -> int:
    """Print the table; the status is 1 when a row is below what is required."""
    table = rows(*(int(argument) for argument in sys.argv[1:2]))
    print(f"{'against a plain FP64 log-softmax':<52}{'measured':>10}{'required':>10}")
    for label, measured, required in table:
        print(f"{label:<52}{measured:>9.2f}x{required:>9.1f}x")
    return int(any(measured < required for _, measured, required in table))


def _reference(teacher: NDArray[Any], student: NDArray[Any]) -> NDArray[np.float64]:
    log_p, log_q = _log_softmax(teacher), _log_softmax(student)
    kl: NDArray[np.float64] = (np.exp(log_p) * (log_p - log_q)).sum(axis=1)
    return kl


def _log_softmax(logits: NDArray[Any]) -> NDArray[np.float64]:
    shifted = logits.astype(np.float64)
    shifted -= shifted.max(axis=1, keepdims=True)
    shifted -= np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return shifted


def _faster() -> float:
    """The reference's best time over ours, from calls that alternate so that both see one load."""
    generator = np.random.default_rng(1)
    teacher = generator.normal(0.0, 3.0, (ROWS, VOCABULARY)).astype(np.float32)
    student = (teacher + generator.normal(0.0, 0.3, teacher.shape)).astype(np.float32)
    apart = np.abs(_reference(teacher, student) - divergence(teacher, student).kl).max()
    if not apart <= CLOSE:
        message = f"the two differ by {apart}"
        raise ValueError(message)
    theirs, ours = [], []
    for _ in range(PAIRS):
        start = perf_counter()
        _reference(teacher, student)
        middle = perf_counter()
        divergence(teacher, student)
        theirs.append(middle - start)
        ours.append(perf_counter() - middle)
    return min(theirs) / min(ours)


def _peak(mebibytes: int) -> float:
    """Peak memory of a process that reads a raw file, as Linux counts it."""
    row = 4 * VOCABULARY
    count = mebibytes * MEBIBYTE // row
    with TemporaryDirectory() as name:
        block = os.urandom(row)
        with (Path(name) / "raw.bin").open("wb") as file:
            for _ in range(count):
                file.write(block)
        command = [sys.executable, "-c", _PEAK, name, str(VOCABULARY)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kibibytes, done = (int(number) for number in printed.split())
    if done != count * row:
        message = f"{done} of {count * row} bytes were read"
        raise ValueError(message)
    return 1024.0 * kibibytes


if __name__ == "__main__":
    sys.exit(main())
