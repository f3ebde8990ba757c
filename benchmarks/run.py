"""Every benchmark in one table; ``make bench`` runs ``python -m benchmarks.run``.

Each row is a ratio of two things measured side by side in this run, so that the machine cancels
out, and larger is better. The status is 1 when a ratio is below its bar.
"""

import sys
from collections.abc import Callable, Iterator

from benchmarks import (
    bench_bootstrap,
    bench_claims,
    bench_cli,
    bench_divergence,
    bench_explain,
    bench_hashing,
    bench_rows,
    bench_suggest,
)

Row = tuple[str, float, float]

BENCHMARKS: tuple[tuple[str, Callable[[], list[Row]]], ...] = (
    ("scipy.stats.bootstrap", bench_bootstrap.rows),
    ("a plain hashlib loop", bench_hashing.rows),
    ("a plain FP64 log-softmax", bench_divergence.rows),
    ("import scipy.stats", bench_cli.rows),
    ("reading the npz files with NumPy", bench_rows.rows),
    ("one second", bench_explain.rows),
    ("a generated document", bench_claims.rows),
    ("its full claims file", bench_suggest.rows),
)


def table(rows: list[Row]) -> Iterator[str]:
    """The lines of the table."""
    width = max(len(label) for label, _, _ in rows)
    yield f"{'what':<{width}}  {'ratio':>7}  {'bar':>7}  holds"
    for label, ratio, bar in rows:
        yield f"{label:<{width}}  {ratio:>6.2f}x  {bar:>6.2f}x  {'yes' if ratio >= bar else 'no'}"


def main() -> int:
    """Print the table; the status is 1 when a bar does not hold."""
    rows: list[Row] = []
    for peer, measure in BENCHMARKS:
        print(f"measuring against {peer} ...", file=sys.stderr)
        rows += [(f"{label} (against {peer})", ratio, bar) for label, ratio, bar in measure()]
    for line in table(rows):
        print(line)
    return int(any(ratio < bar for _, ratio, bar in rows))


if __name__ == "__main__":
    sys.exit(main())
