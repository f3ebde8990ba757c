"""Inline marks: comments of a document that bind the number directly before them.

``0.0318 <!-- claim: comparison.json#/arms/fp8/kld -->`` renders as the number alone. A mark may
name itself (``claim: kld = ...``), bind several numbers (sources separated by commas) and state
what a claims file can: ``; unit=ms``, ``; sign=flipped``, ``; kind=identity``, ``; n=SOURCE``. Its
sources are texts without commas and semicolons; anything else belongs in a claims file.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from verifier.claims._entries import (
    Refused,
    read_id,
    read_kind,
    read_sign,
    read_text_source,
    read_unit,
    shown,
)
from verifier.claims.places import Places
from verifier.model.claim import Binding, Problem
from verifier.model.document import NO_PLACE, Block, Document, Mark

_BEGINS = "claim:"
_NAMED = re.compile(r"([A-Za-z0-9._+/-]+) ?= ?(.*)")
_OPTIONS = frozenset({"unit", "sign", "kind", "n"})
_MOST_SOURCES = 64
_FAR = 64
"""How many characters without a place are passed over to find one for a mark."""


def marked(document: Document) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    """The bindings that the comments of a document state, and the comments that are none.

    A comment is a mark when it begins with ``claim:``. A mark without an id is called
    ``mark-LINE-COLUMN`` after its place, the second one there ``mark-LINE-COLUMN-2``.

    Args:
        document: as read.
    """
    places = Places(document)
    bindings: dict[str, Binding] = {}
    standing: Counter[str] = Counter()
    problems: list[Problem] = []
    for index, block, mark in _comments(document):
        line, column = _line_column(places, block, mark)
        location = f"{document.name}:{line}:{column}"
        own = f"mark-{line}-{column}"
        standing[own] += 1
        if standing[own] > 1:
            own = f"{own}-{standing[own]}"
        try:
            binding = _binding(mark, (index, mark.start), own, location)
        except Refused as refusal:
            problems.append(_problem(location, refusal.message))
            continue
        if binding.id in bindings:
            first = bindings[binding.id].location
            problems.append(_problem(location, f"the id {binding.id} is taken by that at {first}"))
            continue
        bindings[binding.id] = binding
    return tuple(bindings.values()), tuple(problems)


def _comments(document: Document) -> Iterator[tuple[int, Block, Mark]]:
    for index, block in enumerate(document.blocks):
        for mark in block.marks:
            if mark.kind == "comment" and mark.value.lstrip().startswith(_BEGINS):
                yield index, block, mark


def _line_column(places: Places, block: Block, mark: Mark) -> tuple[int, int]:
    """Line and column behind the last character before the mark that has a place."""
    for at in range(mark.start - 1, max(mark.start - 1 - _FAR, -1), -1):
        if block.offsets[at] != NO_PLACE:
            place = places.place(block, at)
            ends_line = block.text[at] == "\n"
            return (place.line + 1, 1) if ends_line else (place.line, place.column + 1)
    return (block.line, 1)


def _binding(mark: Mark, place: tuple[int, int], own: str, location: str) -> Binding:
    body, *options = " ".join(mark.value.split()).removeprefix(_BEGINS).strip().split(";")
    if named := _NAMED.fullmatch(body.strip()):
        own, body = read_id(named[1]), named[2]
    texts = body.split(",")
    if len(texts) > _MOST_SOURCES:
        message = f"{len(texts)} sources; a mark has at most {_MOST_SOURCES}"
        raise Refused(message)
    sources = tuple(read_text_source(text.strip(), place="") for text in texts)
    stated = _stated(options)
    return Binding(
        id=own,
        document="",
        at=None,
        mark=place,
        sources=sources,
        unit=read_unit(stated["unit"]) if "unit" in stated else "",
        sign=read_sign(stated.get("sign", "same")),
        kind=read_kind(stated, sources),
        n=read_text_source(stated["n"], place="") if "n" in stated else None,
        location=location,
    )


def _stated(options: list[str]) -> Mapping[str, str]:
    stated: dict[str, str] = {}
    for option in options:
        name, _, value = (part.strip() for part in option.partition("="))
        if name not in _OPTIONS or name in stated:
            again = " a second time" if name in stated else ""
            message = f"expected unit=, sign=, kind= or n= once each, found {shown(name)}{again}"
            raise Refused(message)
        stated[name] = value
    return stated


def _problem(location: str, message: str) -> Problem:
    """Says what a mark should look like: its author has no schema at hand."""
    hint = "a mark reads `claim: SOURCE` or `claim: ID = SOURCE, SOURCE; unit=ms`"
    return Problem(location=location, message=f"{message}; {hint}")
