"""Failures and warnings as text: every one is listed, and what they share is said once."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from verifier.model.report import Finding, Outcome
from verifier.render._layout import fill, heading, pair, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._words import BASIS

_LISTED_BELOW = (
    "These published numbers cannot be recomputed; FIGURES lists each with what is missing."
)


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
            yield from _of_check(items, severity)


def _of_check(items: Sequence[Finding], severity: Literal["failure", "warning"]) -> Iterator[str]:
    # The figure table names a tolerated one with its reason; failures are all written out here.
    here = [item for item in items if severity == "failure" or not _is_unverified_figure(item)]
    for number, alike in enumerate(_alike(here)):
        if number:
            yield ""
        yield from _group(alike)
    if len(here) < len(items):
        if here:
            yield ""
        yield from paragraph(_LISTED_BELOW, indent=4)


def _is_unverified_figure(item: Finding) -> bool:
    """A published number that nothing was held against: there is no actual value at all."""
    return item.basis == "DECLARED" and item.expected != "" and item.actual == ""


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
    if _is_unverified_figure(item):
        yield from paragraph(f"published {safe(item.expected)}", indent=indent)
    elif item.expected or item.actual:
        expected, actual = safe(item.expected), safe(item.actual)
        yield from pair(("expected", expected), ("actual", actual), indent=indent)
