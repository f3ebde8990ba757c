"""Small numbers written as words, zero to twenty: read where something binds them."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from verifier.claims._context import lead
from verifier.model.claim import Numeral
from verifier.model.document import Block

RULE = "word"
"""Id of the rule by which they are no claims: "one of them" hardly ever measures anything."""

_WORDS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
)
_VALUES = {word: value for value, word in enumerate(_WORDS)}

# It begins with a set of letters, so that the search skips whatever begins no number word.
_WORD = re.compile(r"[EFNOSTZefnostz](?<![\w.\-].)[A-Za-z]{2,8}+(?![\w\-]|\.\w)")

# A part of a larger number is none by itself: "sixty six", "six hundred", "two point five".
_SCALES = frozenset({"hundred", "thousand", "million", "billion"})
_BEFORE = _SCALES | frozenset(
    {"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety", "point"}
)
_BEHIND = _SCALES | {"point", "dozen"}
_UNITS = frozenset(_WORDS[1:10])
_TWENTY = len(_WORDS) - 1
_PUNCTUATION = ".,;:!?)]"
_REACH = 13
"""Characters of "thousand and "."""


class Word(NamedTuple):
    """A number word as it stands in a text.

    Attributes:
        start: first character.
        end: one past the last.
        value: from 0 to 20.
    """

    start: int
    end: int
    value: int


def spelled(text: str) -> Iterator[Word]:
    """Every number word of a text, in order, but for those that are part of a larger number.

    Args:
        text: text of a block.
    """
    for match in _WORD.finditer(text):
        value = _VALUES.get(match[0].lower())
        if value is None:
            continue
        start, end = match.span()
        if not (_continues(text, start) or _goes_on(text, end, value)):
            yield Word(start, end, value)


def spelled_numerals(index: int, block: Block, group: int) -> list[Numeral]:
    """The numbers of a block that are written as words, each in a group of its own.

    Args:
        index: of the block in its document.
        block: the block; code has none.
        group: number of the first group.
    """
    text, found = block.text, list[Numeral]()
    if block.kind == "code":
        return found
    quotes = block.kind == "text"
    for word in spelled(text):
        before = lead(text, word.start, quotes=quotes)
        found.append(
            Numeral(
                block=index,
                start=word.start,
                end=word.end,
                text=text[word.start : word.end],
                literal=str(word.value),
                value=Decimal(word.value),
                place=0,
                relation=before.relation,
                approximate=before.approximate,
                group=group + len(found),
                rule=RULE,
            )
        )
    return found


def word_like(value: Decimal, printed: str) -> str:
    """The word for a value, in capitals or with a capital where another word has them.

    Args:
        value: a whole number, after rounding.
        printed: the word in whose place it is to stand.

    Returns:
        The word, "" where there is none: ``printed`` is no number word, or the value is beyond
        twenty.
    """
    if printed.lower() not in _VALUES or not 0 <= value <= _TWENTY:
        return ""
    word = _WORDS[int(value)]
    if printed.isupper():
        return word.upper()
    return word.capitalize() if printed[0].isupper() else word


def _continues(text: str, start: int) -> bool:
    """Whether the words before belong to the same number."""
    before = text[max(0, start - _REACH) : start].lower().split()
    if before[-1:] == ["and"]:
        return before[-2:-1] != [] and before[-2] in _SCALES
    return before != [] and before[-1] in _BEFORE


def _goes_on(text: str, end: int, value: int) -> bool:
    """Whether the word behind belongs to the same number."""
    if not text[end : end + 1].isspace():
        return False
    behind = text[end : end + _REACH].lower().split()[:1]
    word = behind[0].rstrip(_PUNCTUATION) if behind else ""
    return word in _BEHIND or (value == _TWENTY and word in _UNITS)
