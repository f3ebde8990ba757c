"""What a document says about a number: its labels, its sentence and the headings above it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from verifier.claims.words import Mention, mentions
from verifier.model.claim import Numeral
from verifier.model.document import Block, Cell, Document

# How near each kind of text is to a number, from 0 to 1.
_LABEL = 1.0
_NEIGHBOUR = 0.6
_HEADING = 0.8
_OUTER = 0.25
_CORNER = 0.5
_LEAD = 0.3
_OTHER_SENTENCE = 0.4
_FADING = 6
"""Words on the way to half the weight, in prose."""
_REACH = 30
"""Words before and after a number that are looked at; with fewer, long paragraphs stay linear."""

_LONGEST_LABEL = 400
_MOST_NEIGHBOURS = 16
"""Texts of a row that are read for each number in it."""

_SENTENCE_END = re.compile(r"[.!?;](?=\s)|\n\s*\n")
_NAME = re.compile(r"(?=.*[0-9])(?=.*[^\W\d_])")
"""Letters and digits: an arm, a window, a level."""

_ENDS = {"low": "low", "high": "high"}
_OF_THE_PART = frozenset({"low", "high", "equal"})
_OF_THE_INTERVAL = frozenset({"low", "high", "interval", "bca"}).union(
    f"{name}{level}" for name in ("", "bca", "ci") for level in ("68", "90", "95", "99", "99.9")
)
_UNIT_WORDS = {"percent": "percent", "percentage-point": "percent", "nat": "nat", "bit": "bit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What is said about one number.

    Attributes:
        nearness: word to its weight, 0 to 1.
        tokens: the words as they were written, each with what it stands for; for counting words
            that are said independently.
        demanded: in a table, words that the number's own row and column bear, and names in its
            heading and caption; in prose, the last name before the number in its sentence.
    """

    nearness: dict[str, float]
    tokens: tuple[frozenset[str], ...]
    demanded: frozenset[str]


class Surroundings:
    """Looks up what is said about the numbers of one document; each text is read once."""

    def __init__(self, document: Document, numerals: Sequence[Numeral]) -> None:
        self._blocks = document.blocks
        self._read: dict[str, tuple[Mention, ...]] = {}
        self._prose: dict[int, tuple[list[Mention], list[int]]] = {}
        self._numbers: dict[int, list[Numeral]] = {}
        for numeral in numerals:
            if numeral.rule == "word":
                continue
            self._numbers.setdefault(numeral.block, []).append(numeral)
        self._with_interval = {item.block for item in numerals if item.role == "low"}
        self._rows: dict[tuple[int, int], list[tuple[int, str]]] = {}
        self._corners: dict[int, str] = {}
        self._leads: dict[int, str] = {}
        self._read_tables()

    def said(self, numeral: Numeral) -> Said:
        """Everything that is said about a number, each word as near as it is said best."""
        block = self._blocks[numeral.block]
        nearness: dict[str, float] = {}
        tokens: list[frozenset[str]] = []
        for weight, found in self._around(numeral, block):
            tokens.append(found)
            for word in found:
                if nearness.get(word, 0.0) < weight:
                    nearness[word] = weight
        for table, key in ((_ENDS, numeral.role), (_UNIT_WORDS, numeral.unit)):
            if key in table:
                nearness[table[key]] = _LABEL
        alien = self._alien(numeral)
        return Said(
            nearness={word: near for word, near in nearness.items() if word not in alien},
            tokens=tuple(tokens),
            demanded=self._demanded(numeral, block) - alien,
        )

    def _alien(self, numeral: Numeral) -> frozenset[str]:
        """Words that speak of the numbers beside this one."""
        if numeral.role == "whole":
            # "lower in 26/32 windows": lower are the 26.
            return _OF_THE_PART
        if numeral.role == "value" and numeral.block in self._with_interval:
            return _OF_THE_INTERVAL
        return frozenset()

    def is_label(self, numeral: Numeral) -> bool:
        """Whether a number is part of what names a row or column, such as "first 6 windows"."""
        cell = self._blocks[numeral.block].cell
        if cell is None or (cell.row > 0 and cell.column > 1):
            return False
        return cell.row == 0 or bool(self._inside_words(numeral.block)[0])

    def _demanded(self, numeral: Numeral, block: Block) -> frozenset[str]:
        if (cell := block.cell) is None:
            # In "FP8 is lower in 26/32 windows", the 32 are not of FP8.
            return frozenset() if numeral.role == "whole" else self._last_name(numeral)
        found: set[str] = set()
        for text in (cell.row_label, cell.column_label):
            found.update(*(mention.words for mention in self._mentions(text[:_LONGEST_LABEL])))
        for text in (cell.caption, *block.heading[-1:]):
            for mention in self._mentions(text[:_LONGEST_LABEL]):
                found.update(word for word in mention.words if _NAME.match(word))
        return frozenset(found)

    def _last_name(self, numeral: Numeral) -> frozenset[str]:
        found, ends = self._inside_words(numeral.block)
        at = bisect_left(found, numeral.start, key=lambda mention: mention.start)
        sentence = bisect_right(ends, numeral.start)
        for mention in reversed(found[max(at - _REACH, 0) : at]):
            if bisect_right(ends, mention.start) != sentence:
                break
            if names := frozenset(filter(_NAME.match, mention.words)):
                return names
        return frozenset()

    def _around(self, numeral: Numeral, block: Block) -> Iterator[tuple[float, frozenset[str]]]:
        yield from self._inside(numeral, block)
        if block.cell:
            yield from self._of_table(block.cell)
        *outer, inner = ("", *block.heading)
        yield from self._weighted((inner,), _HEADING)
        yield from self._weighted(outer, _OUTER)

    def _of_table(self, cell: Cell) -> Iterator[tuple[float, frozenset[str]]]:
        yield from self._weighted((cell.row_label, cell.column_label), _LABEL)
        others = self._rows.get((cell.table, cell.row), ())
        yield from self._weighted(
            (text for column, text in others if column != cell.column), _NEIGHBOUR
        )
        yield from self._weighted((cell.caption,), _HEADING)
        yield from self._weighted((self._corners.get(cell.table, ""),), _CORNER)
        yield from self._weighted((self._leads.get(cell.table, ""),), _LEAD)

    def _inside(self, numeral: Numeral, block: Block) -> Iterator[tuple[float, frozenset[str]]]:
        """The words of the block itself; in prose, the nearer the heavier."""
        found, ends = self._inside_words(numeral.block)
        at = bisect_left(found, numeral.start, key=lambda mention: mention.start)
        sentence = bisect_right(ends, numeral.start)
        for place in range(max(at - _REACH, 0), min(at + _REACH, len(found))):
            weight = _LABEL
            if block.cell is None:
                distance = at - 1 - place if place < at else place - at
                weight = _LABEL / (1 + distance / _FADING)
                if bisect_right(ends, found[place].start) != sentence:
                    weight *= _OTHER_SENTENCE
            yield weight, found[place].words

    def _inside_words(self, index: int) -> tuple[list[Mention], list[int]]:
        """Words of a block that are no printed numbers, and where its sentences end."""
        if index not in self._prose:
            self._prose[index] = self._read_block(index)
        return self._prose[index]

    def _read_block(self, index: int) -> tuple[list[Mention], list[int]]:
        text, numbers = self._blocks[index].text, self._numbers[index]
        found = []
        for mention in mentions(text):
            before = bisect_right(numbers, mention.start, key=lambda numeral: numeral.start) - 1
            if before < 0 or mention.end > numbers[before].end:
                found.append(mention)
        return found, [end.start() for end in _SENTENCE_END.finditer(text)]

    def _weighted(
        self, texts: Iterable[str], weight: float
    ) -> Iterator[tuple[float, frozenset[str]]]:
        for text in texts:
            for mention in self._mentions(text[:_LONGEST_LABEL]):
                yield weight, mention.words

    def _mentions(self, text: str) -> tuple[Mention, ...]:
        if text not in self._read:
            self._read[text] = tuple(mentions(text))
        return self._read[text]

    def _read_tables(self) -> None:
        """Texts beside the numbers of a row, the header of the labels, what leads to a table."""
        lead = ""
        for index, block in enumerate(self._blocks):
            if (cell := block.cell) is None:
                lead = block.text if block.kind == "text" else ""
                continue
            self._leads.setdefault(cell.table, lead[-_LONGEST_LABEL:])
            if cell.row == 0:
                if cell.column == 1:
                    self._corners[cell.table] = block.text
            elif cell.column > 1 and all(item.rule for item in self._numbers.get(index, ())):
                texts = self._rows.setdefault((cell.table, cell.row), [])
                if len(texts) < _MOST_NEIGHBOURS:
                    texts.append((cell.column, block.text))
