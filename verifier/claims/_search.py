"""The decision behind a suggestion: which source a number may be bound to, and why not."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Literal

import numpy as np

from verifier.claims._pool import Fitting, Floats, Indexes, Pool
from verifier.claims._rounding import significant_digits
from verifier.claims._surroundings import Said, Surroundings
from verifier.claims.candidates import Candidate
from verifier.model.claim import Numeral
from verifier.model.document import Document

Status = Literal["BOUND", "AMBIGUOUS", "UNBOUND"]

CLEAR = 1.5
"""Bits by which the best source must lead."""

TELLING = 2
"""Words, said independently of each other, that must speak for a source."""

FEW_DIGITS = 3
"""Significant digits up to which a value soon fits by chance."""

RARE = 3.0
"""Bits of a word that at most one source in eight carries."""

MOST_LISTED = 5
"""Sources listed for one number."""

SEVERAL = "several sources fit as well"
BEATEN = "the words around it fit another source better, whose value differs"
OF_THE_PART = "its words fit the source of the count before it"

_AUDIBLE = 0.3
"""Nearness from which a word counts as one of the two."""

_ENDS = frozenset({"low", "high", "interval"})
_DIGIT = re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A source for a number.

    Attributes:
        candidate: the source.
        score: how well its words fit, in bits.
        unit: what a claims file has to state as the unit of its values, "" for nothing.
        fits: whether its value rounds to the printed digits.
    """

    candidate: Candidate
    score: float
    unit: str
    fits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What came of one number.

    Attributes:
        status: BOUND: the first source is proposed; AMBIGUOUS: a person has to choose; UNBOUND:
            nothing fits, or nothing is said that tells.
        ranked: sources, the best first.
        reason: why it is ambiguous, as a clause; "" otherwise.
    """

    status: Status
    ranked: tuple[Ranked, ...] = ()
    reason: str = ""


NOTHING = Choice(status="UNBOUND")


class Search:
    """One document against one pool."""

    def __init__(
        self, document: Document, numerals: Sequence[Numeral], candidates: Sequence[Candidate]
    ) -> None:
        self._numerals = numerals
        self._pool = Pool(candidates)
        self._around = Surroundings(document, numerals)
        pairs = np.array(list(self._pool.pairs.values()), dtype=np.intp).reshape(-1, 2)
        self._lows, self._highs = pairs[:, 0], pairs[:, 1]

    def choices(self) -> Iterator[Choice]:
        """A choice for each number, in their order; the two ends of an interval agree."""
        before = NOTHING
        index = 0
        while index < len(self._numerals):
            numeral = self._numerals[index]
            following = self._numerals[index + 1 : index + 2]
            both = None
            if following and _is_interval(numeral, following[0]):
                both = self._interval(numeral, following[0])
            for choice in both or (self._single(numeral),):
                before = _apart(numeral, before, choice)
                yield before
                index += 1

    def _single(self, numeral: Numeral) -> Choice:
        if numeral.rule or self._around.is_label(numeral):
            return NOTHING
        fits = self._pool.fitting(numeral)
        if not fits:
            return NOTHING
        said = self._around.said(numeral)
        scores = self._pool.scores(said.nearness)
        fitting = fits.indexes
        order = fitting[np.argsort(-scores[fitting], kind="stable")]
        best = int(order[0])
        if not self._told(said, self._words(best)):
            return NOTHING
        close = order[scores[order] > scores[best] - CLEAR][:MOST_LISTED]
        ranked = tuple(self._ranked(int(at), scores, fits) for at in close)
        if len(close) > 1:
            return Choice(status="AMBIGUOUS", ranked=ranked, reason=SEVERAL)
        if (rival := self._rival(numeral, best, fitting, scores, said)) is not None:
            beaten = (self._ranked(rival, scores, fits), *ranked)
            return Choice(status="AMBIGUOUS", ranked=beaten, reason=BEATEN)
        reason = self._lacking(numeral, said, self._words(best))
        return Choice(status="AMBIGUOUS" if reason else "BOUND", ranked=ranked, reason=reason)

    def _rival(
        self, numeral: Numeral, best: int, fitting: Indexes, scores: Floats, said: Said
    ) -> int | None:
        """A source that does not fit, and of which the words clearly rather speak."""
        rivals = scores.copy()
        rivals[fitting] = -np.inf
        if _ENDS.isdisjoint(said.nearness):
            rivals[self._pool.ends] = -np.inf
        # What the labels say weighs more than what stands around: a source that bears less of it
        # is no rival.
        carried = self._pool.carried(said.demanded)
        rivals[carried < carried[best]] = -np.inf
        other = int(np.argmax(rivals))
        lead = CLEAR + self._told_by_value(numeral)
        return other if rivals[other] > scores[best] + lead else None

    def _interval(self, low: Numeral, high: Numeral) -> tuple[Choice, Choice] | None:
        """Both ends from one group of the pool; None when no group fits."""
        lows, highs = self._pool.fitting(low), self._pool.fitting(high)
        if not lows or not highs:
            return None
        fitting = np.flatnonzero(
            np.isin(self._lows, lows.indexes) & np.isin(self._highs, highs.indexes)
        )
        if not len(fitting):
            return None
        said = self._around.said(low)
        scores = self._pool.scores({**said.nearness, **dict.fromkeys(_ENDS, 1.0)})
        means = (scores[self._lows] + scores[self._highs]) / 2
        order = fitting[np.argsort(-means[fitting], kind="stable")]
        best = int(order[0])
        words = self._words(self._lows[best]) & self._words(self._highs[best])
        if not self._told(said, words):
            return NOTHING, NOTHING
        close = order[means[order] > means[best] - CLEAR][:MOST_LISTED]
        if len(close) > 1:
            reason = SEVERAL
        elif self._is_beaten((low, high), best, fitting, means, said):
            reason = BEATEN
        else:
            reason = self._lacking(low, said, words | _ENDS)
        status: Status = "AMBIGUOUS" if reason else "BOUND"
        first, second = (
            tuple(self._ranked(int(ends[place]), scores, fits) for place in close)
            for ends, fits in ((self._lows, lows), (self._highs, highs))
        )
        return (
            Choice(status=status, ranked=first, reason=reason),
            Choice(status=status, ranked=second, reason=reason),
        )

    def _is_beaten(
        self,
        ends: tuple[Numeral, Numeral],
        best: int,
        fitting: Indexes,
        means: Floats,
        said: Said,
    ) -> bool:
        """Whether the words rather speak of another interval, as in ``_rival``."""
        carried = self._pool.carried(said.demanded)[self._lows]
        rivals = means.copy()
        rivals[fitting] = -np.inf
        rivals[carried < carried[best]] = -np.inf
        lead = CLEAR + sum(map(self._told_by_value, ends))
        return bool(rivals.max() > means[best] + lead)

    def _told(self, said: Said, words: frozenset[str]) -> bool:
        """Whether at least two words speak for a candidate, none of them a part of the other."""
        telling = {
            word
            for word in words
            if said.nearness.get(word, 0.0) >= _AUDIBLE and self._pool.tells(word)
        }
        count = 0
        for token in sorted(said.tokens, key=len, reverse=True):
            if not telling.isdisjoint(token):
                telling -= token
                count += 1
        return count >= TELLING

    def _lacking(self, numeral: Numeral, said: Said, words: frozenset[str]) -> str:
        """Why a source is not what the labels say: a word that others carry and it does not.

        Names always count: kv-fp8-p1 is not kv-fp8-p2. Rare other words do where the value has so
        few digits that it tells little.
        """
        few = significant_digits(numeral.value, numeral.place) <= FEW_DIGITS
        for word in sorted(said.demanded - words):
            bits = self._pool.bits(word)
            if bits > 0 and (_DIGIT.search(word) or (few and bits >= RARE)):
                return f"the document says {word!a}, which this source does not"
        return ""

    def _told_by_value(self, numeral: Numeral) -> float:
        """Bits by which the digits single out one of so many sources; 0 for few digits.

        The first digit is left out, since the values of one pool are mostly alike in it.
        """
        digits = significant_digits(numeral.value, numeral.place) - 1
        return max(digits * log2(10) - log2(len(self._pool.candidates)), 0.0)

    def _words(self, index: int) -> frozenset[str]:
        return self._pool.candidates[index].words

    def _ranked(self, index: int, scores: Floats, fits: Fitting) -> Ranked:
        return Ranked(
            candidate=self._pool.candidates[index],
            score=round(float(scores[index]), 2),
            unit=fits.unit(index),
            fits=index in fits,
        )


def _apart(numeral: Numeral, before: Choice, choice: Choice) -> Choice:
    """A part and its whole are two quantities, also where all of n are counted."""
    if numeral.role != "whole" or not choice.ranked or not before.ranked:
        return choice
    if before.ranked[0].candidate is not choice.ranked[0].candidate:
        return choice
    return replace(choice, status="AMBIGUOUS", reason=OF_THE_PART)


def _is_interval(first: Numeral, second: Numeral) -> bool:
    return (
        not (first.rule or second.rule)
        and (first.role, second.role) == ("low", "high")
        and (first.block, first.group) == (second.block, second.group)
    )
