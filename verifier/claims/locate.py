"""Which numbers and identities of a document each binding speaks of."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import assert_never

from verifier.claims._cells import Cells, Lost
from verifier.claims._parts import larger
from verifier.claims._quotes import BRACES, Quotes, Slot
from verifier.claims.places import Places, context
from verifier.claims.sources_text import brief
from verifier.model.claim import (
    Binding,
    Identity,
    Numeral,
    Problem,
    QuoteLocator,
    TableLocator,
)
from verifier.model.document import Block, Document

_NAMES = frozenset({"name", "identity", "file-name", "url", "word"})
"""Rules of numbers that a reader takes for parts of a name: ``FP8`` before a mark is not meant."""

_WHAT = {"number": "numbers", "identity": "digests, commit ids or file names"}
_PREFIX = "sha256:"
_NAMED = 3
_NEAR_WORDS = 3
_NEAR = 40
"""A mark stands directly behind a number when a unit and punctuation lie between at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """What bindings speak of.

    Attributes:
        numbers: indexes of numerals, in the order of the sources, by the id of the binding.
        identities: index of the identity, by the id of the binding.
        problems: bindings that speak of nothing, or of nothing in particular.
    """

    numbers: Mapping[str, tuple[int, ...]]
    identities: Mapping[str, int]
    problems: tuple[Problem, ...]


def located(
    document: Document,
    numerals: Sequence[Numeral],
    identities: Sequence[Identity],
    bindings: Sequence[Binding],
) -> Located:
    """Find what each binding speaks of; one that is a problem is in neither mapping.

    Each source has a number, in order: those in the braces of a quote, the first ones of a cell
    (of those that claim something, if they are enough), the last ones before a mark. Only a quote
    with several braces may have one source for all of them: that is a list, whose values are dealt
    out in order; ``numbers`` then has more indexes than the binding has sources.

    Args:
        document: as read.
        numerals: all of the document, in its order.
        identities: all of the document, in its order.
        bindings: that are meant for this document (``matches``).
    """
    finder = _Finder(document, numerals, identities)
    numbers: dict[str, tuple[int, ...]] = {}
    names: dict[str, int] = {}
    owners: dict[tuple[str, int], Binding] = {}
    problems: list[Problem] = []
    taken: dict[str, Binding] = {}
    for binding in bindings:
        first = taken.setdefault(binding.id, binding)
        if first is not binding:
            found: tuple[int, ...] | Lost = Lost(reason=f"has the id of {first.location}")
        else:
            found = finder.find(binding)
        if not isinstance(found, Lost):
            found = finder.whole(binding.kind, found)
        if not isinstance(found, Lost):
            found = _owned(found, binding, owners, finder)
        if isinstance(found, Lost):
            message = f"claim {binding.id} {found.reason}"
            problems.append(Problem(location=binding.location, message=message))
        elif binding.kind == "number":
            numbers[binding.id] = found
        else:
            names[binding.id] = found[0]
    return Located(numbers=numbers, identities=names, problems=tuple(problems))


def matches(binding: Binding, name: str) -> bool:
    """Whether a binding is meant for the document of a name: the last parts of both are equal."""
    wanted, given = _parts(binding.document), _parts(name)
    shared = min(len(wanted), len(given))
    return not binding.document or (shared > 0 and wanted[-shared:] == given[-shared:])


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _owned(
    found: tuple[int, ...],
    binding: Binding,
    owners: dict[tuple[str, int], Binding],
    finder: "_Finder",
) -> tuple[int, ...] | Lost:
    """What was found, unless another binding has some of it; then that one keeps it."""
    for index in found:
        owner = owners.get((binding.kind, index))
        if owner is not None:
            there = finder.shown(binding.kind, index)
            return Lost(reason=f"binds {there}, which claim {owner.id} ({owner.location}) binds")
    owners.update({(binding.kind, index): binding for index in found})
    return found


class _Finder:
    """Looks things up in one document; each index is made when it is first asked for."""

    def __init__(
        self, document: Document, numerals: Sequence[Numeral], identities: Sequence[Identity]
    ) -> None:
        self._document = document
        self._numerals = numerals
        self._identities = identities
        self._quotes: dict[str, Quotes] = {}
        self._blocks: dict[str, dict[int, list[int]]] = {}

    def find(self, binding: Binding) -> tuple[int, ...] | Lost:
        """Indexes of the numerals or identities that a binding speaks of."""
        match binding.at:
            case QuoteLocator(quote=quote):
                return self._quoted(binding, quote)
            case TableLocator():
                return self._in_cell(binding, binding.at)
            case None:
                return self._marked(binding)
            case _:
                assert_never(binding.at)

    def whole(self, kind: str, found: tuple[int, ...]) -> tuple[int, ...] | Lost:
        """What was found, unless a number of it is only a part of what a reader sees."""
        if kind != "number":
            return found
        for index in found:
            number = self._numerals[index]
            block = self._document.blocks[number.block]
            if number.start == 0 and number.end == len(block.text):
                # Most cells of tables hold one number and nothing else.
                continue
            seen = larger(
                block.text,
                number,
                self._neighbour(index, index - 1, found),
                self._neighbour(index, index + 1, found),
                cell=block.cell is not None,
            )
            if seen:
                there = self.shown(kind, index)
                return Lost(reason=f"binds {there}, which is only a part of {brief(seen)}")
        return found

    def _neighbour(self, index: int, other: int, found: tuple[int, ...]) -> Numeral | None:
        """The number beside another, unless the binding has both or they are an interval."""
        if not 0 <= other < len(self._numerals) or other in found:
            return None
        number, beside = self._numerals[index], self._numerals[other]
        same = number.block == beside.block and number.group != beside.group
        return beside if same else None

    def shown(self, kind: str, index: int) -> str:
        """A number or identity and its line, for a person."""
        item = self._items(kind)[index]
        return f"{brief(item.text)} in line {self._line(item)}"

    def _quoted(self, binding: Binding, quote: str) -> tuple[int, ...] | Lost:
        braces, sources = quote.count(BRACES), len(binding.sources)
        if not braces or (sources > 1 and sources != braces):
            reason = f"needs as many sources as {BRACES}, or one: has {sources} for {braces}"
            return Lost(reason=reason)
        fits = self._quotes_of(binding.kind).find(quote)
        if len(fits.places) == 1 and not fits.common:
            return fits.places[0]
        items = self._items(binding.kind)
        if len(fits.places) > 1:
            lines = _listed([self._line(items[place[0]]) for place in fits.places])
            return Lost(reason=f"fits several places: its quote stands in {lines}; quote more")
        if fits.common:
            return Lost(reason="has words that stand beside too many numbers; quote others")
        reason = f"fits no place: nowhere does its quote stand around {_WHAT[binding.kind]}"
        if fits.nearest is None:
            return Lost(reason=reason)
        near = items[fits.nearest]
        words = context(self._document.blocks[near.block], near.start, near.end)
        return Lost(reason=f"{reason}; nearest is {brief(words)} in line {self._line(near)}")

    def _in_cell(self, binding: Binding, at: TableLocator) -> tuple[int, ...] | Lost:
        blocks = self._cells.find(at)
        if isinstance(blocks, Lost):
            return blocks
        found = [index for block in blocks for index in self._in_block(binding.kind, block)]
        wanted = len(binding.sources)
        if len(found) == wanted:
            return tuple(found)
        claiming = [index for index in found if binding.kind != "number" or self._claims(index)]
        if len(claiming) >= wanted:
            found = claiming
        if len(found) >= wanted:
            return tuple(found[:wanted])
        line = self._document.blocks[blocks[0]].line
        return _too_few(binding, len(found), f"in its cell (line {line})")

    def _marked(self, binding: Binding) -> tuple[int, ...] | Lost:
        """The last items before the mark, if nothing but a few words lies between."""
        block, place = binding.mark
        items, wanted = self._items(binding.kind), len(binding.sources)
        found: list[int] = []
        before = self._in_block(binding.kind, block)
        last = bisect_right(before, place, key=lambda index: items[index].end)
        for index in reversed(before[:last]):
            item = items[index]
            if not self._near(block, item.end, place):
                break
            glued = binding.kind == "number" and self._numerals[index].rule in _NAMES
            if item.end == place or not glued:
                found.append(index)
                place = item.start
            if len(found) == wanted:
                return tuple(reversed(found))
        return _too_few(binding, len(found), "directly before the mark")

    def _near(self, block: int, start: int, end: int) -> bool:
        between = self._document.blocks[block].text[start : min(end, start + _NEAR + 1)]
        return len(between) <= _NEAR and len(between.split()) <= _NEAR_WORDS

    def _claims(self, index: int) -> bool:
        return not self._numerals[index].rule

    def _items(self, kind: str) -> Sequence[Numeral | Identity]:
        return self._numerals if kind == "number" else self._identities

    def _in_block(self, kind: str, block: int) -> Sequence[int]:
        if kind not in self._blocks:
            blocks: dict[int, list[int]] = {}
            for index, item in enumerate(self._items(kind)):
                blocks.setdefault(item.block, []).append(index)
            self._blocks[kind] = blocks
        return self._blocks[kind].get(block, ())

    def _quotes_of(self, kind: str) -> Quotes:
        if kind not in self._quotes:
            slots = _number_slots(self._numerals)
            if kind == "identity":
                slots = list(_identity_slots(self._document.blocks, self._identities))
            self._quotes[kind] = Quotes(self._document.blocks, slots)
        return self._quotes[kind]

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self._document.blocks)

    @cached_property
    def _places(self) -> Places:
        return Places(self._document)

    def _line(self, item: Numeral | Identity) -> int:
        return self._places.place(self._document.blocks[item.block], item.start).line


def _number_slots(numerals: Sequence[Numeral]) -> list[Slot]:
    return [(item.block, item.start, item.end, index) for index, item in enumerate(numerals)]


def _identity_slots(blocks: Sequence[Block], identities: Sequence[Identity]) -> Iterator[Slot]:
    """All of each identity, and of a digest also with ``sha256:`` before it."""
    for index, item in enumerate(identities):
        yield item.block, item.start, item.end, index
        if blocks[item.block].text.endswith(_PREFIX, 0, item.start):
            yield item.block, item.start - len(_PREFIX), item.end, index


def _too_few(binding: Binding, found: int, where: str) -> Lost:
    what, sources = _WHAT[binding.kind], len(binding.sources)
    return Lost(reason=f"needs as many {what} as sources: has {sources}, found {found} {where}")


def _listed(lines: Sequence[int]) -> str:
    shown = ", ".join(f"line {line}" for line in lines[:_NAMED])
    return f"{shown} and elsewhere" if len(lines) > _NAMED else shown
