"""BCa intervals against ``scipy.stats.bootstrap``, measured side by side in one process.

Run it from the root of the project: ``python -m benchmarks.bench_bootstrap``.
"""

import statistics
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from scipy import stats

from verifier.model.plugin import FloatArray
from verifier.model.recipe import Recipe
from verifier.numerics.bootstrap import interval, intervals
from verifier.numerics.streams import forget

UNITS = 128
PAIRS = 25
RECIPE = Recipe(method="bca", level=0.95, resamples=20_000, seed=20260902, stream="randomstate")


def rows() -> list[tuple[str, float, float]]:
    """Rows of (label, times faster than SciPy, times required), each n=128 and 20,000 resamples."""
    generator = np.random.default_rng(1)
    vectors = [generator.gamma(0.5, 0.1, UNITS) for _ in range(6)]

    def one_cold() -> None:
        forget()
        interval(vectors[0], RECIPE)

    def six_cold() -> None:
        forget()
        intervals(vectors, RECIPE)

    def scipy_six() -> None:
        for vector in vectors:
            _scipy(vector)

    return [
        ("BCa interval, cold", _ratio(one_cold, lambda: _scipy(vectors[0])), 1.3),
        ("six BCa intervals, one stream", _ratio(six_cold, scipy_six), 3.0),
    ]


def main() -> int:
    """Print the table; the status is 1 when a ratio is below what is required."""
    table = rows()
    print(f"{'against scipy.stats.bootstrap':<34}{'faster':>8}{'required':>10}")
    for label, measured, required in table:
        print(f"{label:<34}{measured:>7.2f}x{required:>9.1f}x")
    return int(any(measured < required for _, measured, required in table))


def _scipy(vector: FloatArray) -> None:
    stats.bootstrap(
        (vector,),
        np.mean,
        method="BCa",
        n_resamples=RECIPE.resamples,
        random_state=RECIPE.seed,
    )


def _ratio(ours: Callable[[], None], theirs: Callable[[], None]) -> float:
    """Median of their time over ours, from calls that alternate so that both see the same load."""
    for _ in range(2):
        ours()
        theirs()
    return statistics.median(_seconds(theirs) / _seconds(ours) for _ in range(PAIRS))


def _seconds(call: Callable[[], None]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


if __name__ == "__main__":
    sys.exit(main())
