"""The candidates, indexed twice: by the words that tell them apart, and by value."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from math import log2

import numpy as np
from numpy.typing import NDArray

from verifier.claims._rounding import decisive_place, power
from verifier.claims.candidates import Candidate, pairs
from verifier.claims.units import factor
from verifier.model.claim import Numeral

UNSAID = 0.25
"""Share of a word's weight that a candidate loses when the document does not say the word."""

_EXACT = Context(prec=60, Emax=999999999, Emin=-999999999, traps=[])
"""More digits than any claim has; what overflows is infinite and fits nothing."""

_FARTHEST_PLACE = 10_000
"""A last digit farther from the point is nobody's measurement, and beyond what decimals hold."""

_LEAST_BITS = 0.4
"""A word that three in four candidates carry tells nothing."""

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitting:
    """Candidates whose value a printed number agrees with.

    Attributes:
        parts: (unit to write down, their indexes): the unit of their values that makes them agree,
            "" for none. Who agrees in two ways stands in two parts, the likelier first.
    """

    parts: tuple[tuple[str, Indexes], ...] = ()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.parts)

    def __contains__(self, index: int) -> bool:
        """Whether a candidate is among them."""
        return any(index in indexes for _, indexes in self.parts)

    @property
    def indexes(self) -> Indexes:
        """All of them, each once."""
        if len(self.parts) == 1:
            return self.parts[0][1]
        return np.unique(np.concatenate([indexes for _, indexes in self.parts]))

    def unit(self, index: int) -> str:
        """The unit to write down for one of them, "" for any other candidate."""
        return next((unit for unit, indexes in self.parts if index in indexes), "")


class Pool:
    """Candidates by word and by value.

    Attributes:
        candidates: as given.
        pairs: group to its low and its high end.
        ends: (candidates,), which ones are ends of an interval.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self.candidates = candidates
        self.pairs = pairs(candidates)
        self.ends = np.array([bool(item.group) for item in candidates], dtype=bool)
        bearers: dict[str, list[int]] = {}
        for index, candidate in enumerate(candidates):
            for word in candidate.words:
                bearers.setdefault(word, []).append(index)
        self._bearers = {word: np.array(indexes) for word, indexes in bearers.items()}
        total = len(candidates) + 1
        self._bits = {word: log2(total / len(indexes)) for word, indexes in bearers.items()}
        self._unsaid = np.zeros(len(candidates))
        for word, indexes in self._bearers.items():
            self._unsaid[indexes] += self._cost(word)
        self._by_unit = {unit: _Values(candidates, unit) for unit in {c.unit for c in candidates}}

    def bits(self, word: str) -> float:
        """How much a word tells, 0 for one that hardly any or every candidate carries."""
        return self._bits.get(word, 0.0)

    def tells(self, word: str) -> bool:
        """Whether some candidates carry the word, and not nearly all."""
        return self._bits.get(word, 0.0) >= _LEAST_BITS

    def scores(self, weights: Mapping[str, float]) -> Floats:
        """How well each candidate's words fit.

        Args:
            weights: word of the context to its nearness, 0 to 1.

        Returns:
            (candidates,), in bits: what the shared words tell, less a part of what the candidate
            says and the context does not.
        """
        scores = -self._unsaid
        for word, weight in weights.items():
            if (indexes := self._bearers.get(word)) is not None:
                scores[indexes] += weight * self._bits[word] + self._cost(word)
        return scores

    def carried(self, words: Iterable[str]) -> Floats:
        """(candidates,): bits of those of the words that each candidate carries."""
        carried = np.zeros(len(self.candidates))
        for word in words:
            if (indexes := self._bearers.get(word)) is not None:
                carried[indexes] += self._bits[word]
        return carried

    def _cost(self, word: str) -> float:
        """What a candidate loses when a word of its own is not said."""
        # A compound repeats its parts, and authors write it with other signs.
        return 0.0 if "-" in word else UNSAID * self._bits[word]

    def fitting(self, numeral: Numeral) -> Fitting:
        """Candidates whose value rounds to the printed digits."""
        if not numeral.value.is_finite() or abs(numeral.place) > _FARTHEST_PLACE:
            return Fitting()
        low, high = _printed(numeral)
        return Fitting(
            parts=tuple(
                (told, indexes)
                for unit, values in self._by_unit.items()
                for times, told in _scales(numeral.unit, unit)
                if len(indexes := values.between(low, high, times))
            )
        )


class _Values:
    """The candidates of one unit, sorted by value."""

    def __init__(self, candidates: Sequence[Candidate], unit: str) -> None:
        order = [index for index, item in enumerate(candidates) if item.unit == unit]
        order.sort(key=lambda index: candidates[index].value)
        self._order = np.array(order, dtype=np.intp)
        self._values = [candidates[index].value for index in order]

    def between(self, low: Decimal, high: Decimal, times: Decimal) -> Indexes:
        """Candidates whose value times ``times`` lies within, ends included."""
        first, last = _EXACT.divide(low, times), _EXACT.divide(high, times)
        if not (first.is_finite() and last.is_finite()):
            return self._order[:0]
        return self._order[bisect_left(self._values, first) : bisect_right(self._values, last)]


def _printed(numeral: Numeral) -> tuple[Decimal, Decimal]:
    """Between which values a printed number may stand for its source, ends included.

    An end may round away by one of the two rules, so a tie is let in: a proposal is reviewed, and
    the check that follows is exact.
    """
    value = numeral.value
    place = decisive_place(value, numeral.place, approximate=numeral.approximate)
    unit = power(place)
    half = _EXACT.divide(unit, Decimal(2))
    below = unit if numeral.relation in {"<", "<="} else half
    above = unit if numeral.relation in {">", ">="} else half
    return _EXACT.subtract(value, below), _EXACT.add(value, above)


def _scales(printed: str, unit: str) -> Iterator[tuple[Decimal, str]]:
    """Factors from a candidate's unit to the printed one, each with the unit to write down."""
    if not printed or printed == unit:
        yield Decimal(1), unit
        return
    times = factor(unit, printed)
    if times is not None:
        yield times, unit
    if not unit and times != 1:
        # The data do not say their unit: it may be the printed one.
        yield Decimal(1), printed
