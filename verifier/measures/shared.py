"""Replicates that several intervals of one sample share."""

from collections.abc import Sequence
from dataclasses import replace

from verifier.model.plugin import FloatArray
from verifier.numerics.operands import Stratum, drawn_means
from verifier.numerics.streams import Draws


class SharedDraws:
    """Draws as ``drawn_means`` and keeps what it drew; one object serves one sample alone."""

    def __init__(self) -> None:
        self._kept: dict[Draws, list[FloatArray]] = {}

    def __call__(self, strata: Sequence[Stratum], draws: Draws) -> list[FloatArray]:
        """Each operand's mean (resamples,) of the drawn units."""
        # Rows are drawn one after the other, so fewer resamples are the first of more; strata that
        # are drawn as one matrix each begin where the matrix before them ended.
        by_row = len(draws.sizes) == 1 or draws.draw == "replicate"
        key = replace(draws, resamples=1) if by_row else draws
        kept = self._kept.get(key)
        if kept is None or kept[0].size < draws.resamples:
            kept = self._kept[key] = drawn_means(strata, draws)
        return [means[: draws.resamples] for means in kept]
