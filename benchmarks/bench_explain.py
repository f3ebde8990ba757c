"""Explanations of a mismatch against the second that each may take, at 128 windows.

Run it from the root of the project: ``python -m benchmarks.bench_explain``.
"""

import sys
from time import perf_counter

import numpy as np

from tests.support.core import RECIPE, arm, bundle, case, ends
from verifier.explain.interval import explain
from verifier.explain.wording import NONE
from verifier.model.measure import Measure
from verifier.numerics.streams import forget

UNITS = 128
TIMES = 5
ALLOWED_SECONDS = 1.0


def rows() -> list[tuple[str, float, float]]:
    """One row (label, times faster, times required): the worst case, in which nothing is found.

    The second is absolute, so the least disturbed of a few runs counts.
    """
    generator = np.random.default_rng(1)
    arms = tuple(
        arm(name, generator.gamma(0.5, 0.1, UNITS).tolist()) for name in ("fp8", "nvfp4", "int4")
    )
    difference = Measure(statistic="mean", arms=("fp8", "nvfp4"), pair="difference")
    wrong = ends("i", "-0.9123456789", "0.9123456789", difference, recipe=RECIPE)
    looked_at = bundle(*wrong, arms=arms)
    seconds = []
    for _ in range(TIMES):
        forget()
        anew = case(looked_at)
        start = perf_counter()
        said = explain(anew, "i/low")
        seconds.append(perf_counter() - start)
        if said != NONE:
            message = f"the search did not run to its end: {said}"
            raise RuntimeError(message)
    label = f"explanation of one interval at n = {UNITS}: times faster than one second"
    return [(label, ALLOWED_SECONDS / min(seconds), 1.0)]


def main() -> int:
    """Print the table; the status is 1 when a ratio is below what is required."""
    table = rows()
    for label, measured, required in table:
        print(f"{label}  {measured:.2f}x  {required:.1f}x")
    return int(any(measured < required for _, measured, required in table))


if __name__ == "__main__":
    sys.exit(main())
