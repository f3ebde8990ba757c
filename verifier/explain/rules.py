"""Every usual alternative to the rule of a decision, one choice at a time."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from verifier.model.figure import Decision, GateOf, Operator
from verifier.model.measure import Measure
from verifier.stats import fraction, gap_share, relative_difference, top_share

Ruled = tuple[str, Decision]
"""Words that complete "the same rule gives ...", and the other rule."""

_STRICTNESS: Mapping[Operator, Operator] = MappingProxyType(
    {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
)
_POINTS: Mapping[GateOf, str] = MappingProxyType(
    {"value": "value", "low": "low end", "high": "high end"}
)
_SCALES = (("times 100", 100.0), ("divided by 100", 0.01))
_SHARES = frozenset(
    module.STATISTIC.id for module in (fraction, gap_share, relative_difference, top_share)
)


def others(decision: Decision, measure: Measure) -> Iterator[Ruled]:
    """The alternatives, the likeliest first.

    The opposite of a gate is none: it gives the other word whatever was measured.
    """
    if decision.rule == "reading":
        better = replace(decision, better="higher" if decision.better == "lower" else "lower")
        yield f"with {better.better} as the better direction", better
    elif decision.rule == "equivalent":
        side = "inside" if decision.strict else "outside"
        yield f"with an end on the margin {side}", replace(decision, strict=not decision.strict)
        for words, factor in _units(measure):
            yield f"with the margin {words}", replace(decision, margin=decision.margin * factor)
    elif decision.rule == "gate":
        yield from _gates(decision, measure)


def _gates(decision: Decision, measure: Measure) -> Iterator[Ruled]:
    operator = _STRICTNESS[decision.operator]
    words = f"with {operator} in the place of {decision.operator}"
    yield words, replace(decision, operator=operator)
    for scale, factor in _units(measure):
        threshold = decision.threshold * factor
        yield f"with the threshold {scale}", replace(decision, threshold=threshold)
    for of, name in _POINTS.items():
        if of != decision.of:
            words = f"for the {name} in the place of the {_POINTS[decision.of]}"
            yield words, replace(decision, of=of)


def _units(measure: Measure) -> Iterable[tuple[str, float]]:
    """Fraction and percent in each other's place, for what may be given as either.

    For any other measure a hundredfold margin gives another word, and shows nothing.
    """
    share = measure.scale == "percent" or measure.relative_to or measure.statistic in _SHARES
    return _SCALES if share else ()
