"""Every usual alternative to a measure, one choice at a time."""

from collections.abc import Iterator

from verifier.explain import operands, reductions, selections
from verifier.explain.variation import Surroundings, Variation
from verifier.model.measure import Measure


def variations(measure: Measure, around: Surroundings) -> Iterator[Variation]:
    """The alternatives, the likeliest first."""
    yield from operands.exchanged(measure)
    yield from selections.masked(measure)
    yield from reductions.scales(measure)
    yield from reductions.weights(measure, around)
    yield from reductions.statistics(measure)
    yield from operands.relative(measure)
    yield from operands.compared(measure)
    yield from selections.windows(measure, around)
    yield from operands.replaced(measure, around)
    yield from selections.rows(measure)
    yield from reductions.columns(measure, around)
