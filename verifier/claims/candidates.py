"""The pool of what a number of a document may mean: figures, and every number of the data files.

A candidate says what it is by words alone; ``verifier.claims.suggest`` holds them against the words
around a printed number.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from verifier.claims.words import words
from verifier.errors import UsageError
from verifier.jsontext import NumberText, pointer

MOST = 200_000
"""Most candidates of one pool; the words of more would take memory and minutes."""

_LONGEST_LIST = 256
"""Numbers of a longer list of plain numbers are data; nobody prints one of them by its index."""

_LONGEST_TEXT = 60
_LONGEST_LITERAL = 400
_MOST_WORDS = 120
_LITERAL = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,340})?(?:[eE][+-]?[0-9]{1,4})?")
_NO_NAME = re.compile(
    r"(?:sha256:)?[0-9a-f]{12,}|.*[/\\]|[0-9]{4}-[0-9]{2}-[0-9]{2}|https?:", re.IGNORECASE
)
_INTERVAL = frozenset({"interval", "bca", "bca95", "ci95", "ci90", "ci99", "bound", "range", "end"})
_ENDS = ("low", "high")
_END_WORDS = {"low": "low", "lower": "low", "high": "high", "upper": "high"}
_SEPARATED = re.compile(r"[/_-]")

_UNITS = {
    "bytes": "B",
    "kb": "kB",
    "mb": "MB",
    "gb": "GB",
    "kib": "KiB",
    "mib": "MiB",
    "gib": "GiB",
    "ms": "ms",
    "us": "us",
    "ns": "ns",
    "seconds": "s",
    "minutes": "min",
    "hours": "h",
    "nats": "nat",
    "bits": "bit",
    "percent": "percent",
    "pct": "percent",
}
"""Last part of a key, behind an underscore or hyphen, to the canonical unit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A number that a document may print.

    Attributes:
        source: in the text form of a claims file: ``figure:ID`` or ``FILE#/pointer``.
        value: finite, exactly as the data have it.
        unit: canonical unit where the data say one, "" otherwise.
        words: what it is, in the words of ``verifier.claims.words``.
        group: shared by the two ends of one interval and by nothing else; "" for other numbers.
    """

    source: str
    value: Decimal
    unit: str
    words: frozenset[str]
    group: str


def from_figures(rows: Iterable[tuple[str, str, Decimal, str]]) -> Iterator[Candidate]:
    """Candidates for the figures of a bundle.

    Args:
        rows: id, description, value and canonical unit of each figure; the ids of the two ends of
            an interval differ in nothing but a last part ``low`` and ``high``.
    """
    for name, description, value, unit in rows:
        if value.is_finite():
            yield Candidate(
                source=f"figure:{name}",
                value=value,
                unit=unit,
                words=words(f"{name.replace('/', ' / ')} ; {description}"),
                group=_stem(name, "figure:"),
            )


def from_json(file: str, document: Any) -> Iterator[Candidate]:
    """Candidates for the numbers of a decoded data file, in its order.

    Its words are the keys on the way to it, the file's name and short texts beside it and beside
    whatever encloses it (ids, names, labels). Digit strings are numbers too. Members of a list of
    more than 256 plain numbers are left out.

    Args:
        file: its path, as a claims file names it.
        document: JSON, or a list of records of JSONL or CSV, or TOML.
    """
    # A stack instead of recursion: TOML nests deeper than the interpreter's limit.
    stack = [_Node(value=document, path=(), words=words(file.replace("/", " ")))]
    while stack:
        node = stack.pop()
        if isinstance(node.value, Mapping):
            stack += reversed(list(_members(node, file)))
        elif isinstance(node.value, list | tuple):
            stack += reversed(list(_items(node, file)))
        elif (value := _number(node.value)) is not None:
            yield Candidate(
                source=f"{file}#{pointer(*node.path)}",
                value=value,
                unit=node.unit,
                words=node.words,
                group=node.group,
            )


def gathered(*sources: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """One pool of several sources of candidates.

    Raises:
        UsageError: more than ``MOST`` candidates.
    """
    found: list[Candidate] = []
    for source in sources:
        for candidate in source:
            if len(found) == MOST:
                message = f"the data hold more than {MOST} numbers, the last in {candidate.source}"
                raise UsageError(message, hint="Pass the files that the document speaks of.")
            found.append(candidate)
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Node:
    """A value on the way to a number; ``path``, ``words`` and ``unit`` are what led there.

    Its own words are those of its key alone.
    """

    value: Any
    path: tuple[str | int, ...]
    words: frozenset[str]
    own: frozenset[str] = frozenset()
    group: str = ""
    unit: str = ""


def _members(node: _Node, file: str) -> Iterator[_Node]:
    beside = {key: text for key, value in node.value.items() if (text := _name(value))}
    here = _bounded(node.words, *(words(text) for text in beside.values()))
    said = str(node.value.get("unit", "")).lower()
    ends = {_END_WORDS[key] for key in node.value if key in _END_WORDS}
    group = f"{file}#{pointer(*node.path)}" if len(ends) == len(_ENDS) else ""
    for key, value in node.value.items():
        if key in beside and _number(value) is None:
            continue
        name = str(key)
        own = words(name)
        yield _Node(
            value=value,
            path=(*node.path, name),
            words=_bounded(here, own, frozenset({"interval"}) if name in _END_WORDS else own),
            own=own,
            group=(group if name in _END_WORDS else "") or _sibling(node, file, name),
            unit=_UNITS.get(_SEPARATED.split(name.lower())[-1], "") or _UNITS.get(said, node.unit),
        )


def _items(node: _Node, file: str) -> Iterator[_Node]:
    items = node.value
    plain = all(not isinstance(item, Mapping | list | tuple) for item in items)
    if plain and len(items) > _LONGEST_LIST:
        return
    interval = plain and len(items) == len(_ENDS) and not _INTERVAL.isdisjoint(node.own)
    for index, item in enumerate(items):
        told = frozenset({_ENDS[index], "interval"}) if interval else frozenset({str(index + 1)})
        yield _Node(
            value=item,
            path=(*node.path, index),
            # The place in a list of records says nothing: their own texts do.
            words=_bounded(node.words, told) if plain else node.words,
            own=node.own,
            group=f"{file}#{pointer(*node.path)}" if interval else "",
            unit=node.unit,
        )


def _sibling(node: _Node, file: str, name: str) -> str:
    """The group of ``kld_low`` where ``kld_high`` stands beside it."""
    parts = _SEPARATED.split(name)
    if len(parts) == 1 or (end := _END_WORDS.get(parts[-1])) is None:
        return ""
    stem = name[: -len(parts[-1])]
    others = (other for other, kind in _END_WORDS.items() if kind != end)
    if any(f"{stem}{other}" in node.value for other in others):
        return f"{file}#{pointer(*node.path, stem)}"
    return ""


def _stem(name: str, prefix: str) -> str:
    stem, _, last = name.rpartition("/")
    return f"{prefix}{stem}" if stem and last in _ENDS else ""


def _bounded(*bags: frozenset[str]) -> frozenset[str]:
    """All words, unless a hostile file piles up more than anybody could read."""
    first, *rest = bags
    if len(first) >= _MOST_WORDS:
        return first
    return first.union(*rest)


def _name(value: Any) -> str:
    """A text that may name what stands beside it: short, and no digest, path or date."""
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT or _LITERAL.fullmatch(value):
        return ""
    return "" if _NO_NAME.match(value) else value


def _number(value: Any) -> Decimal | None:
    if isinstance(value, NumberText):
        text = value.text
    elif isinstance(value, Decimal):
        return value if value.is_finite() else None
    elif isinstance(value, str):
        text = value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        text = repr(value)
    else:
        return None
    if len(text) > _LONGEST_LITERAL or not _LITERAL.fullmatch(text):
        return None
    return Decimal(text)


def pairs(candidates: Sequence[Candidate]) -> dict[str, list[int]]:
    """Members of each group that has exactly two, the lower value first."""
    groups: dict[str, list[int]] = {}
    for index, candidate in enumerate(candidates):
        if candidate.group:
            groups.setdefault(candidate.group, []).append(index)
    return {
        group: sorted(members, key=lambda index: candidates[index].value)
        for group, members in groups.items()
        if len(members) == len(_ENDS)
    }
