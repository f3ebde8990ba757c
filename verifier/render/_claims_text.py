"""A claims check for people: the verdict, the counts, then every number that is not right."""

from collections import Counter
from collections.abc import Iterator, Sequence

from verifier.claims.summary import Summary, percent
from verifier.model.claim import ClaimResult, DocumentResult, Status
from verifier.render._layout import WIDTH, field, heading, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe

_LISTED: tuple[Status, ...] = ("CONTRADICTED", "UNIT", "STALE", "UNSUPPORTED", "UNBOUND")


def render(results: Sequence[DocumentResult], summary: Summary) -> str:
    """The check as lines of printable ASCII, most of them within 80 columns.

    Args:
        results: one for each document.
        summary: of all of them.
    """
    return "".join(f"{line}\n" for line in _lines(results, summary))


def _lines(results: Sequence[DocumentResult], summary: Summary) -> Iterator[str]:
    yield f"CLAIMS: {'FAILED' if summary.failures else 'PASSED'}"
    for failure in summary.failures:
        yield from paragraph(safe(failure, MESSAGE_LIMIT))
    yield from counts(summary)
    for document in results:
        yield ""
        yield "=" * WIDTH
        yield from paragraph(safe(document.document))
        yield "=" * WIDTH
        yield from _document(document)


def counts(summary: Summary) -> Iterator[str]:
    """The counts, with what was ignored, so that coverage says what it is of."""
    coverage = summary.coverage
    held = "no number claims anything" if coverage is None else f"{percent(coverage)} %"
    yield from field("coverage", held)
    yield from field(
        "numbers",
        f"{summary.owned} owned, {summary.missing} without their source, {summary.unbound} "
        f"unbound, {summary.ignored} ignored as no claims",
    )
    shown = [f"{count} {status}" for status, count in summary.numbers.items() if count]
    yield from field("verdicts", ", ".join(shown) or "none")
    named = [f"{count} {status}" for status, count in summary.identities.items() if count]
    yield from field("identities", ", ".join(named) or "none")


def _document(document: DocumentResult) -> Iterator[str]:
    yield from _problems(document)
    for status in _LISTED:
        yield from _section(status, [r for r in document.results if r.status == status])
    odd = [r for r in document.results if r.status == "SUPPORTED" and r.flaws]
    yield from _section("SUPPORTED, AND ODD", odd)
    if document.patches:
        yield heading("PATCH")
        for number, old, new in document.patches:
            yield from paragraph(f"line {number}")
            yield f"  - {safe(old, MESSAGE_LIMIT)}"
            yield f"  + {safe(new, MESSAGE_LIMIT)}"
    yield from _rest(document.results)


def _problems(document: DocumentResult) -> Iterator[str]:
    if document.problems:
        yield heading("BINDINGS THAT CANNOT BE USED", len(document.problems))
    for problem in document.problems:
        yield from paragraph(safe(problem.location))
        yield from paragraph(safe(problem.message, MESSAGE_LIMIT), indent=4)


def _section(title: str, results: Sequence[ClaimResult]) -> Iterator[str]:
    if results:
        yield heading(title, len(results))
    for result in results:
        yield from _result(result)


def _result(result: ClaimResult) -> Iterator[str]:
    place = result.place
    yield from paragraph(f"{safe(place.document)}:{place.line}:{place.column}")
    if place.table is not None:
        cell = f"table {place.table}, row {safe(place.row)}, column {safe(place.column_label)}"
        yield from field("cell", cell, indent=4)
    yield from field("printed", safe(result.text), indent=4)
    if result.expected:
        yield from field("right", safe(result.expected), indent=4)
    if result.claim:
        yield from field("claim", safe(result.claim), indent=4)
    if result.origin:
        yield from field("source", safe(result.origin, MESSAGE_LIMIT), indent=4)
    if result.flaws:
        yield from field("odd", ", ".join(result.flaws), indent=4)
    if result.reason:
        yield from field("why", safe(result.reason, MESSAGE_LIMIT), indent=4)
    if result.context:
        yield from field("text", safe(result.context), indent=4)


def _rest(results: Sequence[ClaimResult]) -> Iterator[str]:
    """What is in order, in short; the JSON report lists each one."""
    supported = sum(result.status == "SUPPORTED" for result in results)
    yield heading("SUPPORTED", supported)
    rules = Counter(result.reason for result in results if result.status == "NOT A CLAIM")
    yield heading("NOT A CLAIM", sum(rules.values()))
    for rule, count in sorted(rules.items()):
        yield from field(str(count), safe(rule), width=6)
