"""A claims check as Markdown, for a review comment."""

from collections.abc import Iterator, Sequence

from verifier.claims.summary import Summary, percent
from verifier.model.claim import ClaimResult, DocumentResult
from verifier.render._safe import MESSAGE_LIMIT, safe

_HEAD = ("place", "printed", "verdict", "right", "why")
_FINE = frozenset({"SUPPORTED", "NOT A CLAIM"})


def render(results: Sequence[DocumentResult], summary: Summary) -> str:
    """A heading, the counts, and a table of what is not right; foreign texts stand in code marks.

    Args:
        results: one for each document.
        summary: of all of them.
    """
    return "".join(f"{line}\n" for line in _lines(results, summary))


def _lines(results: Sequence[DocumentResult], summary: Summary) -> Iterator[str]:
    yield f"## Claims: {'FAILED' if summary.failures else 'PASSED'}"
    yield ""
    for failure in summary.failures:
        yield f"- {_code(failure)}"
    if summary.failures:
        yield ""
    coverage = summary.coverage
    held = "no number claims anything" if coverage is None else f"coverage {percent(coverage)} %"
    yield (
        f"{held}: {summary.owned} owned, {summary.missing} without their source, "
        f"{summary.unbound} unbound, {summary.ignored} ignored as no claims."
    )
    for document in results:
        yield ""
        yield f"### {_code(document.document)}"
        for problem in document.problems:
            yield ""
            yield f"- {_code(problem.location)}: {_code(problem.message)}"
        odd = [item for item in document.results if item.status not in _FINE or item.flaws]
        if odd:
            yield ""
            yield f"| {' | '.join(_HEAD)} |"
            yield f"|{'---|' * len(_HEAD)}"
            yield from (_row(item) for item in odd)
        if document.patches:
            yield ""
            yield "```diff"
            for line, old, new in document.patches:
                yield f"@@ line {line} @@"
                yield f"-{_plain(old)}"
                yield f"+{_plain(new)}"
            yield "```"


def _row(item: ClaimResult) -> str:
    place = f"{item.place.line}:{item.place.column}"
    why = "; ".join(filter(None, (item.reason, ", ".join(item.flaws))))
    cells = (place, item.text, item.status, item.expected, why)
    return f"| {' | '.join(_code(cell) if cell else '' for cell in cells)} |"


def _code(text: str) -> str:
    """A foreign text in code marks, where it can neither end a cell nor be markup."""
    return f"`{_plain(text).replace('|', ' ')}`"


def _plain(text: str) -> str:
    return safe(text, MESSAGE_LIMIT).replace("`", "'")
