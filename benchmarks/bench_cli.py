"""A whole verification as a process against ``import scipy.stats`` as a process, side by side.

Run it from the root of the project: ``python -m benchmarks.bench_cli``. It checks that imports stay
lazy and that nothing is computed twice: people run the tool in loops and hooks.
"""

import statistics
import sys

from benchmarks.process import timer

BUNDLE = "bundles/kv-cache-kld-20260909"
PAIRS = 9
VERIFY = (sys.executable, "-m", "verifier", "verify", BUNDLE)
IMPORT = (sys.executable, "-c", "import scipy.stats")


def rows() -> list[tuple[str, float, float]]:
    """One row of (label, times faster than the import, times required).

    Raises:
        subprocess.CalledProcessError: the bundle was not verified, so its time says nothing.
    """
    with timer(VERIFY, IMPORT) as clock:
        ratios = [clock.seconds(IMPORT) / clock.seconds(VERIFY) for _ in range(PAIRS)]
    return [("verify a bundle of 64 window scores", statistics.median(ratios), 1.0)]


def main() -> int:
    """Print the row; the status is 1 when the verification is slower."""
    ((label, measured, required),) = rows()
    print(f"{'against import scipy.stats':<38}{'faster':>10}{'required':>10}")
    print(f"{label:<38}{measured:>9.2f}x{required:>9.2f}x")
    return int(measured < required)


if __name__ == "__main__":
    sys.exit(main())
