"""A whole verification of many row files as a process against reading them with NumPy alone.

Run it from the root of the project: ``python -m benchmarks.bench_rows``. The bundle has three arms,
128 windows of 2,046 scored rows and about 60 figures: means, intervals, tails, buckets, pairs. The
bar is 2.5 times the time of the reading, so 0.4 times its speed.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from benchmarks import row_bundle
from benchmarks.process import timer

REPEATS = 11
REQUIRED = 1.0 / 2.5
READ = """
import pathlib, sys
import numpy
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.npz")):
    with numpy.load(path) as file:
        for name in file.files:
            file[name]
"""


def rows() -> list[tuple[str, float, float]]:
    """One row of (label, speed in readings, speed required) for stored and for deflated files.

    Raises:
        subprocess.CalledProcessError: the bundle was not verified, so its time says nothing.
    """
    measured = []
    for compressed in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "rows"
            row_bundle.write(target, compressed=compressed)
            kind = "deflated" if compressed else "stored"
            measured.append((f"verify 384 row files, {kind}", _ratio(target), REQUIRED))
    return measured


def main() -> int:
    """Print the rows; the status is 1 when one is too slow."""
    found = rows()
    print(f"{'against reading with NumPy':<34}{'speed':>10}{'required':>10}")
    for label, ratio, required in found:
        print(f"{label:<34}{ratio:>9.2f}x{required:>9.2f}x")
    return int(any(ratio < required for _, ratio, required in found))


def _ratio(target: Path) -> float:
    """Median of reading over verification, each pair taken in turns.

    One lucky run of either moves a quotient of the best times by a quarter on a shared machine.
    """
    read = (sys.executable, "-c", READ, str(target))
    verify = (sys.executable, "-m", "verifier", "verify", "--quiet", str(target))
    with timer(read, verify) as clock:
        ratios = [clock.seconds(read) / clock.seconds(verify) for _ in range(REPEATS)]
    return statistics.median(ratios)


if __name__ == "__main__":
    sys.exit(main())
