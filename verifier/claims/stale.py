"""Numbers that were right once: those that agree with an older version of their data file.

Everything that is looked at comes in as a function, so that this is no more than a search.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.claims._rounding import decisive_place, significant_digits
from verifier.model.claim import (
    Absent,
    Binding,
    Derived,
    Found,
    Numeral,
    Pointer,
    Source,
    Verdict,
)

Versions = Callable[[str], Iterable[tuple[str, bytes]]]
"""Older contents of a data file, newest first, each with its commit."""

Lookup = Callable[[Source], Found | Absent]

Judge = Callable[[Numeral, Found, Binding], Verdict]

# One digit agrees with every tenth value, and a history holds many.
_LEAST_DIGITS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A number that does not agree with its source as it is now.

    Attributes:
        numeral: as printed.
        binding: what binds it.
        source: where its value comes from.
        element: which value it is, from 0, of a source that is a list; None for one value.
    """

    numeral: Numeral
    binding: Binding
    source: Source
    element: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Older:
    """The newest version of the data that a number agrees with.

    Attributes:
        commit: id in hex of the commit that brought it.
        value: what the source gave then, as text.
    """

    commit: str
    value: str


def stale(
    suspects: Sequence[Suspect],
    versions: Versions,
    *,
    judge: Judge,
    lookup: Callable[[str, bytes], Lookup],
) -> dict[int, Older]:
    """Which numbers agree with an older version of their data file, and with which.

    All numbers of one file are looked up in one pass over its versions, so that each version is
    read and parsed once, one at a time, and none after the last number has been found.

    A number is passed over when its source takes values from no file or from several, and when it
    shows fewer than two significant digits, which agree with too much by chance. A bound has to
    be the older value, rounded: that it merely holds for one says nothing.

    Args:
        suspects: numbers that their sources contradict.
        versions: gives the older contents of a data file, by its path in the sources.
        judge: as ``verifier.claims.verdicts.judge``.
        lookup: from a path and the file's content to the values that sources have in it.

    Returns:
        What was found, by index of the suspect.
    """
    pending: dict[str, set[int]] = {}
    for index, suspect in enumerate(suspects):
        file = data_file(suspect.source)
        if file and _digits(suspect.numeral) >= _LEAST_DIGITS:
            pending.setdefault(file, set()).add(index)
    found: dict[int, Older] = {}
    for file, indexes in pending.items():
        for commit, data in versions(file):
            values = lookup(file, data)
            hits = _agreeing({index: suspects[index] for index in indexes}, values, judge)
            found |= {index: Older(commit=commit, value=value) for index, value in hits.items()}
            indexes.difference_update(hits)
            if not indexes:
                break
    return found


def data_file(source: Source) -> str:
    """The one data file that a source takes values from; "" for none, several or other sources."""
    files = set(_files(source))
    return files.pop() if len(files) == 1 else ""


def _files(source: Source) -> Iterator[str]:
    """Files of the pointers; "" stands for what no data file gives."""
    if isinstance(source, Derived):
        for operand in source.operands:
            yield from _files(operand)
    else:
        yield source.file if isinstance(source, Pointer) else ""


def _digits(numeral: Numeral) -> int:
    """Significant digits that are printed; final zeros of an approximate number are none."""
    value = numeral.value
    if not value.is_finite():
        return 0
    place = decisive_place(value, numeral.place, approximate=numeral.approximate)
    return significant_digits(value, place)


def _agreeing(suspects: Mapping[int, Suspect], values: Lookup, judge: Judge) -> dict[int, str]:
    hits: dict[int, str] = {}
    for index, suspect in suspects.items():
        told = _element(values(suspect.source), suspect.element)
        if told is not None and _agrees(suspect, told, judge):
            hits[index] = str(told.value)
    return hits


def _element(told: Found | Absent, element: int | None) -> Found | None:
    if isinstance(told, Absent):
        return None
    if element is None:
        return None if told.values else told
    if element >= len(told.values):
        return None
    return told._replace(value=told.values[element], values=())


def _agrees(suspect: Suspect, told: Found, judge: Judge) -> bool:
    numeral, binding = suspect.numeral, suspect.binding
    if judge(numeral, told, binding).status != "SUPPORTED":
        return False
    if numeral.relation == "=":
        return True
    rounded = judge(numeral._replace(relation="="), told, binding)
    return rounded.status == "SUPPORTED"
