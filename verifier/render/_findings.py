"""Failures and warnings as text: every one is listed, and what they share is said once."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from verifier.model.report import Finding, Outcome
from verifier.render._layout import fill, heading, pair, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._words import BASIS


def findings(
    outcomes: Iterable[Outcome], severity: Literal["failure", "warning"], title: str
) -> Iterator[str]:
    """One section: the findings of this severity by check, in the order of the report."""
    chosen = [
        (outcome.check, [item for item in outcome.findings if item.severity == severity])
        for outcome in outcomes
    ]
    total = sum(len(items) for _, items in chosen)
    if not total:
        return
    yield ""
    yield heading(title, total)
    for check, items in chosen:
        if items:
            yield ""
            yield from paragraph(f"{safe(check)}: {len(items)}")
            for number, alike in enumerate(_alike(items)):
                if number:
                    yield ""
                yield from _group(alike)


def _alike(items: Iterable[Finding]) -> Iterable[Sequence[Finding]]:
    """Findings that say the same about different places, in order of first appearance."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for item in items:
        groups.setdefault((item.basis, item.message), []).append(item)
    return groups.values()


def _group(alike: Sequence[Finding]) -> Iterator[str]:
    first = alike[0]
    if first.message:
        yield from paragraph(safe(first.message, MESSAGE_LIMIT), indent=4)
    if first.basis:
        explained = f": {BASIS[first.basis]}" if first.basis in BASIS else ""
        yield from paragraph(f"basis {safe(first.basis)}{explained}", indent=4)
    shared = len(alike) > 1 and len({(item.expected, item.actual) for item in alike}) == 1
    if shared:
        yield from _values(first, indent=4)
    for item in alike:
        yield from _place(item)
        if not shared:
            yield from _values(item, indent=6)


def _place(item: Finding) -> Iterator[str]:
    if item.location:
        yield from fill(safe(item.location), first="    - ", rest=" " * 6)


def _values(item: Finding, *, indent: int) -> Iterator[str]:
    """Expected and actual; a gap has neither, an unverified figure only what was published."""
    if item.expected and not item.actual:
        yield from paragraph(f"expected {safe(item.expected)}", indent=indent)
    elif item.expected or item.actual:
        expected, actual = safe(item.expected), safe(item.actual)
        yield from pair(("expected", expected), ("actual", actual), indent=indent)
