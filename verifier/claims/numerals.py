"""Reading the numbers of a document: one pass over the digits of each block."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from verifier.claims._context import FREE, Lead, lead
from verifier.claims._digits import Printed, scan
from verifier.claims._groups import Membership, memberships
from verifier.claims.number_words import spelled_numerals
from verifier.claims.rules import is_plain, rules
from verifier.model.claim import Numeral
from verifier.model.document import Block, Document

_GROUPABLE = frozenset({"", "code-block", "code"})
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
_WIDE = str.maketrans("\uff0b\uff0c\uff0d\uff0e\uff05\u066b\u066c", "+,-.%.,")
"""Signs that belong to such digits."""

_COUNTED = frozenset({"", "K", "M", "G", "T"})


def numerals(document: Document) -> tuple[Numeral, ...]:
    """Every number of a document, the ones that claim nothing included.

    A minus is a sign only where no digit or word character stands directly before it. Groups of
    three digits take a comma or a thin or unbreakable blank between them, never a comma and a
    blank. A power of ten, with superscript digits as well, belongs to its number. Digits
    beyond the 400th are not read. Words from zero to twenty are numbers by the rule ``word``,
    except in code.

    Args:
        document: as a reader gives it.

    Returns:
        In the order of the document; groups are numbered from 0.
    """
    found: list[Numeral] = []
    foreign = False
    # Tables repeat their labels, which take longer to read than their numbers.
    labels: dict[str, _Read] = {}
    for index, shown in enumerate(document.blocks):
        block = _in_ascii(shown)
        foreign = foreign or block is not shown
        first = len(found)
        printed = list(scan(block.text))
        if is_plain(block, printed):
            if len(printed) == 1:
                alone = Membership("value", 0, printed[0].unit)
                found.append(_numeral(index, block.text, printed[0], FREE, "", alone, first))
            else:
                _add(found, index, block, printed, [FREE, FREE], ["", ""])
            continue
        read = labels.get(block.text) if block.kind == "cell" and not block.marks else None
        if read is None:
            read = _read(block, printed)
            if block.kind == "cell" and not block.marks:
                labels[block.text] = read
        leads, by_rule, spelled = read
        if printed:
            _add(found, index, block, printed, leads, by_rule)
        if spelled and (words := spelled_numerals(index, block, len(found))):
            found[first:] = sorted((*found[first:], *words), key=lambda numeral: numeral.start)
    return tuple(_as_printed(document, found) if foreign else found)


_Read = tuple[Sequence[Lead], Sequence[str], bool]
"""What stands before each number of a block, its rule, and whether numbers are spelled out."""


def _read(block: Block, printed: Sequence[Printed]) -> _Read:
    quotes = block.kind == "text"
    leads = [
        lead(block.text, number.start, quotes=quotes, measured=_is_measured(number))
        for number in printed
    ]
    by_rule = rules(block, printed, leads) if printed else []
    return leads, by_rule, bool(spelled_numerals(0, block, 0))


def _in_ascii(block: Block) -> Block:
    """The block with the decimal digits of every script as ASCII ones, each in its place."""
    if block.text.isascii() or not _FOREIGN_DIGIT.search(block.text):
        return block
    text = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), block.text)
    return replace(block, text=text.translate(_WIDE))


def _as_printed(document: Document, found: Iterable[Numeral]) -> Iterator[Numeral]:
    """The numbers with the digits that the document has."""
    for item in found:
        yield item._replace(text=document.blocks[item.block].text[item.start : item.end])


def _add(  # noqa: PLR0913, PLR0917 - what is known of the numbers of one block
    found: list[Numeral],
    index: int,
    block: Block,
    printed: Sequence[Printed],
    leads: Sequence[Lead],
    by_rule: Sequence[str],
) -> None:
    text, first = block.text, len(found)
    label = block.cell.column_label if block.cell else ""
    free = [rule in _GROUPABLE for rule in by_rule]
    members = memberships(text, printed, free, label=label)
    for number, before, rule, member in zip(printed, leads, by_rule, members, strict=True):
        found.append(_numeral(index, text, number, before, rule, member, first))


def _numeral(  # noqa: PLR0913, PLR0917 - what is known of one number
    index: int,
    text: str,
    number: Printed,
    before: Lead,
    rule: str,
    member: Membership,
    first: int,
) -> Numeral:
    return Numeral(
        block=index,
        start=number.start,
        end=number.end,
        text=text[number.start : number.end],
        literal=number.literal,
        value=number.value,
        place=number.place,
        unit=member.unit,
        relation=before.relation,
        approximate=before.approximate,
        role=member.role,
        group=first + member.leader,
        rule=rule,
    )


def _is_measured(number: Printed) -> bool:
    return number.place < 0 or number.unit not in _COUNTED
