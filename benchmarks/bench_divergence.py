"""KL from logits against a plain FP64 log-softmax, and the memory of comparing two raw files.

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
ORDINARY = 0.3
LITTLE = 0.003
"""Standard deviations of what the student's logits differ by: KL of 0.04 and of 5e-6 nats."""
FILE_MEBIBYTES = 512
MEMORY_BYTES = 300e6
CLOSE = 1e-12

_PEAK = """
import sys
from pathlib import Path
from verifier.numerics.divergence import divergence
from verifier.scores import StoreRows
from verifier.store.folder import open_store
rows = StoreRows(open_store(Path(sys.argv[1])))
files = (
    rows.logits(name, vocabulary=int(sys.argv[2]), dtype="float32")
    for name in ("teacher.bin", "student.bin")
)
count, total = 0, 0.0
for teacher, student in zip(*files, strict=True):
    kl = divergence(teacher, student).kl
    count += kl.size
    total += float(kl.sum())
status = Path("/proc/self/status").read_text(encoding="ascii")
peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
print(peak, count, total)
"""


def rows(mebibytes: int = FILE_MEBIBYTES) -> list[tuple[str, float, float]]:
    """Rows of (label, measured, required): times faster than the reference, and memory to spare.

    Raises:
        ValueError: the two disagree, or the files were not read to their end.
    """
    kl = f"KL from logits, vocabulary {VOCABULARY:,}, one thread"
    return [
        (kl, _faster(ORDINARY), 2.0),
        (f"{kl}, nearly equal logits", _faster(LITTLE), 2.0),
        (
            f"300 MB over peak memory, KL of two files of {mebibytes} MiB",
            MEMORY_BYTES / _peak(mebibytes),
            1.0,
        ),
    ]


def main() -> int:
    """Print the table; the status is 1 when a row is below what is required."""
    table = rows(*(int(argument) for argument in sys.argv[1:2]))
    print(f"{'against a plain FP64 log-softmax':<76}{'measured':>10}{'required':>10}")
    for label, measured, required in table:
        print(f"{label:<76}{measured:>9.2f}x{required:>9.1f}x")
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


def _logits(noise: float, count: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    generator = np.random.default_rng(1)
    teacher = generator.normal(0.0, 3.0, (count, VOCABULARY)).astype(np.float32)
    student = (teacher + generator.normal(0.0, noise, teacher.shape)).astype(np.float32)
    return teacher, student


def _faster(noise: float) -> float:
    """The reference's best time over ours, from calls that alternate so that both see one load."""
    teacher, student = _logits(noise, ROWS)
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
    """Peak memory of a process that takes the KL of all rows of two files, as Linux counts it."""
    pair = _logits(ORDINARY, 1)
    count = mebibytes * MEBIBYTE // pair[0].nbytes
    with TemporaryDirectory() as name:
        for path, row in zip(("teacher.bin", "student.bin"), pair, strict=True):
            with (Path(name) / path).open("wb") as file:
                for _ in range(count):
                    file.write(row.tobytes())
        command = [sys.executable, "-c", _PEAK, name, str(VOCABULARY)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        printed = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment
        ).stdout
    peak, done, total = (float(number) for number in printed.split())
    expected = count * float(_reference(*pair)[0])
    if done != count or abs(total - expected) > CLOSE * count:
        message = f"{done:.0f} of {count} rows, with KL {total} of {expected} in all"
        raise ValueError(message)
    return 1024.0 * peak


if __name__ == "__main__":
    sys.exit(main())
