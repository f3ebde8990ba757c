"""Where the intervals that share one generator leave it.

A chain of intervals is then drawn once, not once for each of its members.
"""

from collections import OrderedDict
from dataclasses import dataclass

from verifier.model.plugin import Spent
from verifier.model.recipe import Draw, Stream
from verifier.numerics.generators import Generator, fork, seeded


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A generator at its start, and the way in which all its intervals are drawn."""

    seed: int
    stream: Stream
    draw: Draw


class Positions:
    """The generators of the last few intervals, as these left them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._generators: OrderedDict[tuple[Origin, Spent], Generator] = OrderedDict()

    def nearest(self, origin: Origin, spent: Spent) -> tuple[int, Generator]:
        """How many of the spent draws are known to be done, and a generator that has done them.

        The generator is the caller's own.

        Raises:
            ValueError: nothing is known, and the stream does not take the seed.
        """
        for done in range(len(spent), 0, -1):
            generator = self._generators.get((origin, spent[:done]))
            if generator is not None:
                return done, fork(generator)
        return 0, seeded(origin.seed, origin.stream)

    def remember(self, origin: Origin, spent: Spent, generator: Generator) -> None:
        """Keep a generator that has drawn all of ``spent``; it must not be used any more."""
        self._generators[origin, spent] = generator
        self._generators.move_to_end((origin, spent))
        if len(self._generators) > self._most:
            self._generators.popitem(last=False)

    def clear(self) -> None:
        """Forget every generator."""
        self._generators.clear()
