"""Right numbers for wrong ones, as edits of a document's source that touch nothing else.

An edit is made only where nothing is left to judge: one place in the source that reads what is
printed, and one right text for it. Everything else is refused with the reason, for a person.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from verifier.model.claim import Binding, ClaimResult, Derived, Displayed, DocumentResult, Source
from verifier.model.document import Document

_WRONG = frozenset({"CONTRADICTED", "UNIT", "STALE"})

# With these a value from a data file could open a tag, a link or a cell of its own.
_MARKUP = frozenset("<>&|`*[]\\{}")

# Not printable for Python, but digits are grouped with them.
_GROUPING = frozenset("\u00a0\u2009\u202f")

_CONTEXT_LINES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One correction.

    Attributes:
        start: first character in the source of the document.
        end: one past the last.
        old: what stands there.
        new: what has to stand there.
        claim: id of the binding that says so, "" for an identity that the bundle names.
    """

    start: int
    end: int
    old: str
    new: str
    claim: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A wrong number or identity that is left for a person.

    Attributes:
        claim: id of its binding, "" without one.
        line: where it stands, from 1.
        column: where it stands, from 1.
        text: as printed.
        reason: why it is not corrected, in a sentence.
    """

    claim: str
    line: int
    column: int
    text: str
    reason: str


def dependencies(bindings: Sequence[Binding]) -> dict[str, frozenset[str]]:
    """Ids of the claims that each claim is derived from, directly, by id."""
    found: dict[str, set[str]] = {}
    for binding in bindings:
        named = found.setdefault(binding.id, set())
        for source in (*binding.sources, *(() if binding.n is None else (binding.n,))):
            named.update(_displayed(source))
    return {claim: frozenset(named) for claim, named in found.items()}


def corrections(
    document: Document,
    result: DocumentResult,
    *,
    depends: Mapping[str, Collection[str]] | None = None,
) -> tuple[tuple[Edit, ...], tuple[Refusal, ...]]:
    """What to write where, and what is left for a person.

    A claim that is derived from other claims of the document waits until those are right: apply
    the edits, check again, and ask again; each round settles one more step of such a chain.

    Args:
        document: as it was checked.
        result: what came of the check.
        depends: as ``dependencies`` gives it; None where no claim is derived from another.

    Returns:
        Edits in the order of their places, none overlapping; refusals in the order of the results.
    """
    wrong = [item for item in result.results if item.status in _WRONG]
    waiting = _waiting({item.claim for item in wrong} - {""}, depends or {})
    reasons = [_refused(document.source, item, waiting) for item in wrong]
    fit = [index for index, reason in enumerate(reasons) if not reason]
    for index in _clashing(wrong, fit):
        reasons[index] = "Another correction of the same place says something else."
    edits = {
        Edit(
            start=item.span[0], end=item.span[1], old=item.text, new=item.expected, claim=item.claim
        )
        for item, reason in zip(wrong, reasons, strict=True)
        if not reason
    }
    refusals = tuple(
        Refusal(
            claim=item.claim,
            line=item.place.line,
            column=item.place.column,
            text=item.text,
            reason=reason,
        )
        for item, reason in zip(wrong, reasons, strict=True)
        if reason
    )
    return _one_each(edits), refusals


def apply(source: str, edits: Sequence[Edit]) -> str:
    """The source with the edits made.

    Raises:
        ValueError: the edits are not in order, overlap, or are not of this source.
    """
    pieces: list[str] = []
    done = 0
    for edit in edits:
        fits = edit.end - edit.start == len(edit.old) and source.startswith(edit.old, edit.start)
        if edit.start < done or not fits:
            message = f"the edit at {edit.start} does not fit: {edit.old!r} was expected there"
            raise ValueError(message)
        pieces += (source[done : edit.start], edit.new)
        done = edit.end
    pieces.append(source[done:])
    return "".join(pieces)


def patches(source: str, edits: Sequence[Edit]) -> tuple[tuple[int, str, str], ...]:
    """Each line that the edits change, as (line number from 1, old line, new line), without ends.

    Raises:
        ValueError: as ``apply``.
    """
    before = source.split("\n")
    after = apply(source, edits).split("\n")
    return tuple(
        (number, old.removesuffix("\r"), new.removesuffix("\r"))
        for number, (old, new) in enumerate(zip(before, after, strict=True), start=1)
        if old != new
    )


def unified(name: str, source: str, edited: str) -> str:
    """A unified diff, with three lines of context, that ``patch -p1`` and ``git apply`` take.

    Lines are compared one by one, because edits add and remove none: a general search for common
    lines takes quadratic time on a hostile document.

    Args:
        name: of the document.
        source: before.
        edited: after; with as many lines.

    Raises:
        ValueError: the numbers of lines differ.
    """
    before, after = _lines(source), _lines(edited)
    changed = [
        index for index, (old, new) in enumerate(zip(before, after, strict=True)) if old != new
    ]
    if not changed:
        return ""
    shown = (name if name.isprintable() else name.encode("unicode_escape").decode("ascii")).lstrip(
        "/"
    )
    parts = [f"--- a/{shown}\n", f"+++ b/{shown}\n"]
    for group in _near(changed):
        first = max(group[0] - _CONTEXT_LINES, 0)
        end = min(group[-1] + _CONTEXT_LINES + 1, len(before))
        parts.append(f"@@ -{first + 1},{end - first} +{first + 1},{end - first} @@\n")
        parts.extend(_hunk(before, after, first, end))
    return "".join(parts)


def _displayed(source: Source) -> Iterator[str]:
    if isinstance(source, Displayed):
        yield source.claim
    elif isinstance(source, Derived):
        for operand in source.operands:
            yield from _displayed(operand)


def _waiting(wrong: Collection[str], depends: Mapping[str, Collection[str]]) -> dict[str, str]:
    """Claims that rest on a wrong one, however many steps away, each with one such claim."""
    users: dict[str, list[str]] = {}
    for claim, named in depends.items():
        for other in named:
            users.setdefault(other, []).append(claim)
    found: dict[str, str] = {}
    for root in sorted(wrong):
        pending = [root]
        while pending:
            for user in users.get(pending.pop(), ()):
                if user not in found:
                    found[user] = root
                    pending.append(user)
    return found


def _refused(source: str, item: ClaimResult, waiting: Mapping[str, str]) -> str:
    """Why a person has to look at it, "" where nothing is left to judge."""
    if item.status == "UNIT":
        return "Whether the number or its unit is wrong is for a person to say."
    if item.claim in waiting:
        other = waiting[item.claim]
        return f"It is derived from the claim {other!r}, which has to be right first."
    if not item.expected:
        return "There is no right value in the document's own format."
    if item.expected == item.text:
        return "The right value prints the same: what is around it is wrong."
    start, end = item.span
    if not 0 <= start < end or source[start:end] != item.text:
        return "It does not stand in one piece in the source of the document."
    return _unsafe(item.text, item.expected)


def _unsafe(old: str, new: str) -> str:
    """A correction comes from data that somebody sent, and goes into a document."""
    if "\n" in old or "\r" in old:
        return "It runs over the end of a line."
    added = set(new) - set(old)
    if any(not char.isprintable() and char not in _GROUPING for char in added):
        return "The right value holds characters that cannot be printed."
    if added & _MARKUP:
        return "The right value holds characters that are markup in a document."
    return ""


def _clashing(wrong: Sequence[ClaimResult], fit: Sequence[int]) -> Iterator[int]:
    """Those of ``fit`` whose places overlap, unless all of them say the same of the same place."""
    run: list[int] = []
    reach = -1
    for index in sorted(fit, key=lambda index: wrong[index].span):
        start, end = wrong[index].span
        if start >= reach:
            yield from _disagreeing(wrong, run)
            run, reach = [], end
        run.append(index)
        reach = max(reach, end)
    yield from _disagreeing(wrong, run)


def _disagreeing(wrong: Sequence[ClaimResult], run: Sequence[int]) -> Sequence[int]:
    said = {(wrong[index].span, wrong[index].expected) for index in run}
    return run if len(said) > 1 else ()


def _one_each(edits: Collection[Edit]) -> tuple[Edit, ...]:
    """In order of their places; of equal ones by several claims, that of the first id."""
    first: dict[int, Edit] = {}
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.claim)):
        first.setdefault(edit.start, edit)
    return tuple(first.values())


def _lines(text: str) -> list[str]:
    """Lines with their ends; ``str.splitlines`` would also break at form feeds and the like."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _near(changed: Sequence[int]) -> Iterator[Sequence[int]]:
    """Runs of changed lines whose context touches."""
    start = 0
    for at, (line, following) in enumerate(pairwise(changed), start=1):
        if following - line > 2 * _CONTEXT_LINES:
            yield changed[start:at]
            start = at
    yield changed[start:]


def _hunk(before: Sequence[str], after: Sequence[str], first: int, end: int) -> Iterator[str]:
    at = first
    while at < end:
        stop = at
        while stop < end and before[stop] != after[stop]:
            stop += 1
        for mark, lines in (("-", before[at:stop]), ("+", after[at:stop])):
            yield from (_marked(mark, line) for line in lines)
        if stop < end:
            yield _marked(" ", before[stop])
        at = stop + 1


def _marked(mark: str, line: str) -> str:
    return (
        f"{mark}{line}" if line.endswith("\n") else f"{mark}{line}\n\\ No newline at end of file\n"
    )
