"""A full claims file against a document of 2,000 numbers: what it finds, and what that costs.

Run it from the root of the project: ``python -m benchmarks.bench_claims``. One digit is wrong in
each of 100 numbers. The values are known beforehand (recomputing figures is measured elsewhere), so
that reading numbers, finding what binds them and judging them is held against parsing alone.
"""

import gc
import json
import statistics
import sys
import time
from collections.abc import Collection, Mapping
from typing import Any

from benchmarks.claims_document import BUNDLE, NAME, Generated, generated, pool
from verifier import catalog
from verifier.claims.check import Evidence, check
from verifier.claims.data import DataFiles
from verifier.claims.files import bindings
from verifier.claims.resolve import Resolver
from verifier.documents.markdown import DOCUMENT
from verifier.model.claim import Absent, Binding, DocumentResult, Found
from verifier.model.document import Document

REPEATS = 7
WRONG = frozenset({"CONTRADICTED", "UNIT", "STALE"})


class _Files:
    """Files of the bundle, straight from the disk."""

    def read(self, path: str) -> bytes | None:
        place = BUNDLE / path
        return place.read_bytes() if place.is_file() else None

    def names(self) -> Collection[str]:
        return ()


class _Figures:
    """Values of the figures, which are known."""

    def __init__(self) -> None:
        self._values = {
            candidate.source: Found(value=candidate.value, unit=candidate.unit)
            for candidate in pool()
        }

    def figure(self, id: str) -> Found | Absent:  # noqa: A002 - the word of the protocol
        return self._values.get(f"figure:{id}") or Absent(reason="no such figure")

    def measure(self, measure: Mapping[str, Any]) -> Found | Absent:
        return Absent(reason=f"no measure is typed here: {measure}")


def rows() -> list[tuple[str, float, float]]:
    """Rows (label, measured, required): misprints found, false alarms, and the cost."""
    whole = generated()
    bound, problems = bindings(
        json.dumps(whole.claims).encode(), name="claims.json", schemas=catalog.SCHEMAS
    )
    if problems:
        message = f"the generated claims file is broken: {problems[0]}"
        raise ValueError(message)
    data, figures = DataFiles(_Files()), _Figures()
    right = _checked(whole.text, bound, data, figures)
    wrong = _checked(whole.wrong, bound, data, figures)
    alarms = sum(item.status != "SUPPORTED" for item in right.results if item.claim)
    alarms += len(right.problems)
    found = _found(whole, wrong)
    ratio = _ratio(whole.text, bound, data, figures)
    return [
        (f"share of {len(whole.errors)} misprints found", found / len(whole.errors), 1.0),
        (f"no false alarm ({alarms} of {len(whole.sources)})", float(alarms == 0), 1.0),
        (f"checking {len(whole.sources)} claims, times faster than parsing", ratio, 0.5),
    ]


def main() -> int:
    """Print the rows; the status is 1 when one does not hold."""
    measured = rows()
    for label, value, required in measured:
        print(f"{label:<60}{value:>8.2f}{required:>8.2f}")
    return int(any(value < required for _, value, required in measured))


def _document(text: str) -> Document:
    return Document(name=NAME, format=DOCUMENT.id, source=text, blocks=DOCUMENT.read(text))


def _checked(
    text: str, bound: tuple[Binding, ...], data: DataFiles, figures: _Figures
) -> DocumentResult:
    evidence = Evidence(resolver=Resolver(data=data, figures=figures, digests={}))
    return check(_document(text), bound, evidence).result


def _found(whole: Generated, result: DocumentResult) -> int:
    """Misprints that are called wrong; a right number that is called wrong takes one away."""
    misprints = {whole.starts[index] for index in whole.errors}
    called = {item.span[0] for item in result.results if item.status in WRONG}
    return len(misprints & called) - len(called - misprints)


def _ratio(text: str, bound: tuple[Binding, ...], data: DataFiles, figures: _Figures) -> float:
    """Median of parsing over checking, taken in turns, without the collector as in the command."""
    ratios = []
    gc.disable()
    for _ in range(REPEATS):
        start = time.perf_counter()
        document = _document(text)
        parsed = time.perf_counter()
        evidence = Evidence(resolver=Resolver(data=data, figures=figures, digests={}))
        check(document, bound, evidence)
        ratios.append((parsed - start) / (time.perf_counter() - parsed))
    gc.enable()
    return statistics.median(ratios)


if __name__ == "__main__":
    sys.exit(main())
