"""Which numbers are no claims, and by which rule.

A rule only says what a number is unless somebody binds it: a bound number is judged like any other.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from verifier.claims._compounds import has_leading_zeros, is_name
from verifier.claims._context import Lead
from verifier.claims._dates import date_end, is_date_part
from verifier.claims._digits import Printed
from verifier.claims._references import (
    is_list_number,
    is_reference,
    is_version,
    section_end,
    thing_before,
)
from verifier.claims._spans import Cover, Span, file_names, marked, paths, position_end, urls
from verifier.claims.identities import hex_runs
from verifier.claims.units import canonical
from verifier.model.document import Block

RULES: Mapping[str, str] = MappingProxyType(
    {
        "code-block": "It stands in a block of code or literal text.",
        "code": "It stands in a code mark that holds more than a number.",
        "url": "It stands in an address.",
        "identity": "It is part of a digest, a commit id or a UUID.",
        "file-name": "It is part of the name of a file or of a path.",
        "date": "It is part of a date or a time.",
        "version": "It is part of a version.",
        "reference": "It numbers a section, table, figure, step, issue, footnote or the like.",
        "list-number": "It numbers an item of a list.",
        "name": "It is part of a name, an ordinal or a compound word.",
        "word": "It is written as a word.",
        "length": "It has more digits than any measurement, so it was not read to its end.",
    }
)
"""Id of each rule to what it says of a number."""

# Only signs, digits and what stands between numbers; a unit may follow.
_NUMERIC = re.compile(r"[\s0-9.,;:+\-\u2212\u2013±\u00d7^/%()\[\]~≈<>=≤≥eE⁰¹²³⁴⁵⁶⁷⁸⁹⁻]*+")
_PAIR = re.compile(
    r"[\[(]?[-+\u2212]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
    r"(?:[,;] |/| [/\u00b1] )"
    r"[-+\u2212]?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[\])]?"
)
_LONGEST_PAIR = 100
_LETTER = re.compile(r"[A-Za-z]")
_SHORT = 6
"""Most characters of a text too short for hex digits of a commit."""
_QUIET = frozenset(" \n()[]|,;")
_DIGIT = re.compile(r"[0-9]")

_Covers = tuple[tuple[str, Cover], ...]


def is_plain(block: Block, printed: Sequence[Printed]) -> bool:
    """Whether a block is a number with its unit, or an interval or count, and nothing else.

    So are most cells of tables. Their numbers are claims, whose surroundings say nothing of them.
    """
    text = block.text
    if block.marks or block.kind == "code" or len(printed) not in {1, 2}:
        return False
    first = printed[0]
    if len(printed) == 1:
        whole = first.start == 0 and first.stop == len(text)
        return whole and not (first.cut or has_leading_zeros(first))
    return len(text) < _LONGEST_PAIR and _PAIR.fullmatch(text) is not None


def rules(block: Block, printed: Sequence[Printed], leads: Sequence[Lead]) -> list[str]:
    """The rule of each number of a block, "" for those that are claims.

    Args:
        block: the block.
        printed: its numbers, in order.
        leads: what stands before each.
    """
    if block.kind == "code":
        return ["code-block"] * len(printed)
    reading = _Reading(block)
    return [reading.rule(number, lead) for number, lead in zip(printed, leads, strict=True)]


class _Reading:
    """The numbers of a block from first to last; what a number is can depend on those before."""

    __slots__ = (
        "_before",
        "_covers",
        "_date_end",
        "_item",
        "_last",
        "_section",
        "_text",
        "_thing",
    )

    def __init__(self, block: Block) -> None:
        self._text = block.text
        self._covers = _covers(block, letters=_LETTER.search(block.text) is not None)
        self._section = section_end(block)
        self._date_end = 0
        self._item = -1
        self._thing = ""
        self._before: Printed | None = None
        self._last = ""

    def rule(self, number: Printed, lead: Lead) -> str:
        rule = self._covered(number) if self._covers else ""
        if not rule:
            rule = (
                "length" if number.cut else self._by_digits(number) or self._by_words(number, lead)
            )
        self._before, self._last = number, rule
        return rule

    def _covered(self, number: Printed) -> str:
        last = number.end - 1
        for rule, cover in self._covers:
            if last in cover:
                return rule
        return ""

    def _by_digits(self, number: Printed) -> str:
        """The rule that digits alone tell, or where they stand."""
        if number.first < self._section:
            return "reference"
        if number.first >= self._date_end:
            self._date_end = date_end(self._text, number)
        if number.first < self._date_end:
            return "date"
        if is_list_number(self._text, number, self._item):
            self._item = int(number.literal)
            return "list-number"
        return ""

    def _by_words(self, number: Printed, lead: Lead) -> str:
        """The rule that the characters and words around a number tell.

        Most numbers stand free, with no word before them that says anything; every question that
        this settles is left out, for speed.
        """
        text, before, last = self._text, self._before, self._last
        start, stop = number.start, number.stop
        left = text[start - 1] if start else " "
        free = left in _QUIET and (stop == len(text) or text[stop] in _QUIET)
        spoken = not free or last or lead.word
        if number.whole and is_date_part(text, number, lead, before if last == "date" else None):
            return "date"
        if spoken and is_version(text, number, lead, before if last == "version" else None):
            return "version"
        if spoken or left == "[":
            thing = thing_before(lead)
            listed = (before, self._thing) if before and last == "reference" else None
            if is_reference(text, number, thing, listed):
                self._thing = thing or self._thing
                return "reference"
        if free:
            return "name" if has_leading_zeros(number) else ""
        return "name" if is_name(text, number, before, named=last == "name") else ""


def _covers(block: Block, *, letters: bool) -> _Covers:
    """The stretches of a block in which no number is a claim, the strongest rule first."""
    text = block.text
    spans: dict[str, list[Span]] = {}
    if letters and (len(text) > _SHORT or "." in text or "/" in text):
        # All of these need letters, which most cells of tables have not.
        files = [(name.start, position_end(text, name.end)) for name in file_names(block)]
        spans["url"] = urls(block)
        spans["identity"] = [(start, end) for start, end, _ in hex_runs(text)]
        spans["file-name"] = files + paths(text)
    if block.marks:
        spans.setdefault("url", urls(block))
        spans["code"] = _code(block)
    return tuple((rule, Cover(found)) for rule, found in spans.items() if found)


def _code(block: Block) -> list[Span]:
    return [
        (start, end)
        for start, end in marked(block, "code")
        if not _is_numeric(block.text[start:end])
    ]


def _is_numeric(content: str) -> bool:
    """Whether a code mark holds nothing but numbers and a unit."""
    match = _NUMERIC.match(content)
    rest = content[match.end() :] if match else content
    return bool(_DIGIT.search(content)) and (not rest or bool(canonical(rest)))
