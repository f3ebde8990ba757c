"""Reading the numbers of a document: one pass over the digits of each block."""

from collections.abc import Sequence

from verifier.claims._context import FREE, Lead, lead
from verifier.claims._digits import Printed, scan
from verifier.claims._groups import Membership, memberships
from verifier.claims.number_words import spelled_numerals
from verifier.claims.rules import is_plain, rules
from verifier.model.claim import Numeral
from verifier.model.document import Block, Document

_GROUPABLE = frozenset({"", "code-block", "code"})
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
    for index, block in enumerate(document.blocks):
        first = len(found)
        printed = list(scan(block.text))
        if is_plain(block, printed):
            if len(printed) == 1:
                alone = Membership("value", 0, printed[0].unit)
                found.append(_numeral(index, block.text, printed[0], FREE, "", alone, first))
            else:
                _add(found, index, block, printed, [FREE, FREE], ["", ""])
            continue
        if printed:
            quotes = block.kind == "text"
            leads = [
                lead(block.text, number.start, quotes=quotes, measured=_is_measured(number))
                for number in printed
            ]
            _add(found, index, block, printed, leads, rules(block, printed, leads))
        if words := spelled_numerals(index, block, len(found)):
            found[first:] = sorted((*found[first:], *words), key=lambda numeral: numeral.start)
    return tuple(found)


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
