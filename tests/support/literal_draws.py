"""Index draws written as published scripts write them: one call after the other, no sharing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.model.recipe import Draw, Stream

Indices = list[NDArray[np.int64]]
"""One matrix (resamples, size) for each stratum."""


class LiteralGenerator:
    """A seeded generator that goes on from draw to draw."""

    def __init__(self, seed: int, stream: Stream) -> None:
        if stream == "randomstate":
            legacy = np.random.RandomState(seed)
            self.numpy: Any = legacy
            self._draw: Any = legacy.randint
        else:
            self.numpy = np.random.default_rng(seed)
            self._draw = self.numpy.integers

    def indices(self, sizes: tuple[int, ...], resamples: int, draw: Draw) -> Indices:
        """All draws of one interval."""
        if draw == "index-matrix":
            return [self._draw(0, size, (resamples, size)) for size in sizes]
        rows: list[list[NDArray[np.int64]]] = [[] for _ in sizes]
        for _ in range(resamples):
            for stratum, size in zip(rows, sizes, strict=True):
                stratum.append(self._draw(0, size, size))
        return [np.array(stratum) for stratum in rows]
