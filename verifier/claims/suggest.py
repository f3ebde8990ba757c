"""Propose what each number of a document comes from, for a person to review.

A source is proposed when its value rounds to the printed digits and its words fit what the document
says around the number better than those of every other source that fits, by a clear margin. Values
alone never bind: among many numbers, some number rounds to nearly any three digits. Nor is a value
taken whose words are clearly beaten by another source of another value: that is how a misprint
looks.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from verifier.claims._locators import locators
from verifier.claims._search import Ranked, Search, Status
from verifier.claims.candidates import Candidate
from verifier.claims.places import Places
from verifier.claims.sources_text import Unreadable, source_of
from verifier.errors import UsageError
from verifier.model.claim import Locator, Numeral, Place, QuoteLocator, TableLocator
from verifier.model.document import Document

MOST_NUMBERS = 50_000
MOST_TRIALS = 400_000_000

_SLUG = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """What is proposed for one number.

    Attributes:
        numeral: index of the number.
        text: as printed.
        place: where it stands.
        status: BOUND: ``candidates[0]`` is proposed; AMBIGUOUS: a person has to choose;
            UNBOUND: nothing fits, or nothing is said that tells.
        candidates: the best first.
        reason: why it is ambiguous, as a clause; "" otherwise.
        locator: for BOUND, shared by the numbers of one entry.
    """

    numeral: int
    text: str
    place: Place
    status: Status
    candidates: tuple[Ranked, ...] = ()
    reason: str = ""
    locator: Locator | None = None


def suggest(
    document: Document, numerals: Sequence[Numeral], candidates: Sequence[Candidate]
) -> tuple[Suggestion, ...]:
    """One suggestion for each number, in their order.

    Args:
        document: as read.
        numerals: its numbers; those that are no claims by a rule stay unbound.
        candidates: the pool (``verifier.claims.candidates``).

    Raises:
        UsageError: so many numbers and candidates that the search would take minutes.
    """
    claims = sum(not numeral.rule for numeral in numerals)
    if claims > MOST_NUMBERS or claims * len(candidates) > MOST_TRIALS:
        message = (
            f"{document.name}: {claims} numbers and {len(candidates)} sources are too many to try "
            f"all: expected at most {MOST_NUMBERS} numbers and {MOST_TRIALS} pairs"
        )
        raise UsageError(message, hint="Pass one document, and the data files it speaks of.")
    search, places = Search(document, numerals, candidates), Places(document)
    chosen = [
        Suggestion(
            numeral=index,
            text=numeral.text,
            place=places.place(document.blocks[numeral.block], numeral.start),
            status=choice.status,
            candidates=choice.ranked,
            reason=choice.reason,
        )
        for index, (numeral, choice) in enumerate(zip(numerals, search.choices(), strict=True))
    ]
    chosen = [_nameable(item) for item in chosen]
    units = {item.numeral: item.candidates[0].unit for item in chosen if item.status == "BOUND"}
    found = locators(document, numerals, units)
    return tuple(_located(item, found) for item in chosen)


def as_claims_file(document: str, suggestions: Sequence[Suggestion]) -> dict[str, Any]:
    """What is BOUND, in the format claims/1; what is ambiguous stands as texts under ``review``.

    Args:
        document: its name, as the claims file states it.
        suggestions: of ``suggest``.
    """
    ids: Counter[str] = Counter()
    bound = [item for item in suggestions if item.status == "BOUND"]
    entries = [
        _entry(document, list(members), ids)
        for _, members in groupby(bound, key=lambda item: item.locator)
    ]
    file: dict[str, Any] = {"format": "claims/1", "claims": entries}
    if texts := review(suggestions):
        file["review"] = list(texts)
    return file


def review(suggestions: Sequence[Suggestion]) -> tuple[str, ...]:
    """A line for each ambiguous number: where it stands, why, and its sources, the best first."""
    return tuple(
        f"{item.place.document}:{item.place.line}:{item.place.column}: {item.text}: {item.reason}: "
        + ", ".join(f"{one.candidate.source} ({one.candidate.value})" for one in item.candidates)
        for item in suggestions
        if item.status == "AMBIGUOUS"
    )


def _nameable(item: Suggestion) -> Suggestion:
    """A proposal needs a source that can be written down."""
    if item.status != "BOUND":
        return item
    if isinstance(source_of(item.candidates[0].candidate.source), Unreadable):
        reason = "the name of its source cannot be written in a claims file"
        return replace(item, status="AMBIGUOUS", reason=reason)
    return item


def _located(item: Suggestion, found: Mapping[int, Locator]) -> Suggestion:
    """A proposal needs a place that can be written down."""
    if item.status != "BOUND":
        return item
    locator = found.get(item.numeral)
    if locator is None:
        reason = "no label and no short quote singles out its place"
        return replace(item, status="AMBIGUOUS", reason=reason)
    return replace(item, locator=locator)


def _entry(document: str, members: Sequence[Suggestion], ids: Counter[str]) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": _id(members[0], ids), "document": document}
    first = members[0]
    if isinstance(first.locator, TableLocator):
        entry["at"] = {
            "table": first.locator.table,
            "row": first.locator.row,
            "column": first.locator.column,
        }
    elif isinstance(first.locator, QuoteLocator):
        entry["quote"] = first.locator.quote
    sources = [item.candidates[0].candidate.source for item in members]
    if len(sources) == 1:
        entry["source"] = sources[0]
    else:
        entry["sources"] = sources
    if unit := first.candidates[0].unit:
        entry["unit"] = unit
    return entry


def _id(item: Suggestion, ids: Counter[str]) -> str:
    """From the labels of a cell, in prose from the source; numbered when it is taken."""
    place = item.place
    labels = f"{place.row} {place.column_label}" if place.table is not None else ""
    slug = _slug(labels) or _slug(item.candidates[0].candidate.source) or "claim"
    ids[slug] += 1
    return slug if ids[slug] == 1 else f"{slug}.{ids[slug]}"


def _slug(text: str) -> str:
    return _SLUG.sub("-", text.lower())[:_LONGEST_ID].strip("-")
