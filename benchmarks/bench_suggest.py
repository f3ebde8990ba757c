"""How many numbers of a generated document ``verifier claims suggest`` binds, and how many wrongly.

Run it from the root of the project: ``python -m benchmarks.bench_suggest``.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from benchmarks.claims_document import NAME, Generated, generated, meanings, pool
from verifier.claims.candidates import Candidate
from verifier.claims.numerals import numerals
from verifier.claims.suggest import Suggestion, suggest
from verifier.documents.markdown import DOCUMENT
from verifier.model.document import Document

SHARE = 0.9
"""Least share of the table numbers that has to be bound to the right source."""


def rows() -> list[tuple[str, float, float]]:
    """Rows (label, measured, required): shares of numbers, and 1 where nothing is wrong."""
    whole, sources = generated(), pool()
    right = _counts(whole, whole.text, sources)
    misprinted = _counts(whole, whole.wrong, sources)
    tabled = len(whole.sources) - whole.spoken
    share = right["table", "right"] / tabled
    wrong = sum(count for (_, came), count in right.items() if came == "wrong")
    caught = sum(misprinted[kind, "misprint bound"] for kind in ("table", "prose"))
    return [
        (f"share of {tabled} table numbers that suggest binds correctly", share, SHARE),
        (f"suggest binds none wrongly (it bound {wrong} so)", float(wrong == 0), 1.0),
        (f"suggest binds no misprint (it bound {caught})", float(caught == 0), 1.0),
    ]


def _counts(whole: Generated, text: str, sources: Sequence[Candidate]) -> Counter[tuple[str, str]]:
    """Numbers by where they stand and what came of them.

    A number that is no claim of the document counts as bound wrongly when it is bound at all.
    """
    document = Document(name=NAME, format=DOCUMENT.id, source=text, blocks=DOCUMENT.read(text))
    found = numerals(document)
    at = {start: index for index, start in enumerate(whole.starts)}
    misprints = frozenset(whole.errors if text == whole.wrong else ())
    meaning = meanings()
    counts: Counter[tuple[str, str]] = Counter()
    for numeral, suggestion in zip(found, suggest(document, found, sources), strict=True):
        start = document.blocks[numeral.block].offsets[numeral.start]
        index = at.get(start)
        if index is None:
            counts["other", "wrong" if suggestion.status == "BOUND" else "unbound"] += 1
            continue
        kind = "prose" if index < whole.spoken else "table"
        came = _judged(suggestion, whole.sources[index], meaning)
        misprint = index in misprints and suggestion.status == "BOUND"
        counts[kind, "misprint bound" if misprint else came] += 1
    return counts


def _judged(suggestion: Suggestion, source: str, meaning: Mapping[str, str]) -> str:
    if suggestion.status != "BOUND":
        return suggestion.status.lower()
    proposed = suggestion.candidates[0].candidate.source
    same = proposed == source or meaning.get(proposed, proposed) == meaning.get(source, source)
    return "right" if same else "wrong"


def _lines() -> Iterator[str]:
    whole, sources = generated(), pool()
    for title, text in (("right", whole.text), ("misprinted", whole.wrong)):
        yield f"the {title} document:"
        for (kind, came), count in sorted(_counts(whole, text, sources).items()):
            yield f"  {kind:<6} {came:<16} {count:>5}"


def main() -> int:
    """Print what came of the numbers, and the table; 1 when something is below what is required."""
    for line in _lines():
        print(line)
    table = rows()
    for label, measured, required in table:
        print(f"{label}  {measured:.3f}  {required:.1f}")
    return int(any(measured < required for _, measured, required in table))


if __name__ == "__main__":
    sys.exit(main())
