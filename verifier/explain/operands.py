"""Other arms, in another order, or compared in another way."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice, permutations
from types import MappingProxyType

from verifier.explain.variation import Surroundings, Variation, named
from verifier.model.measure import Measure, Operand, Pair

_MOST_ARMS = 8
_TWO = 2
_INSTEAD: Mapping[Pair, tuple[Pair, ...]] = MappingProxyType(
    {
        "difference": ("absolute-difference", "ratio", "log-ratio"),
        "absolute-difference": ("difference",),
        "ratio": ("log-ratio", "difference"),
        "log-ratio": ("ratio",),
        "lower": ("higher", "equal"),
        "equal": ("lower", "higher"),
        "higher": ("lower", "equal"),
        "minimum": ("maximum",),
        "maximum": ("minimum",),
    }
)


def exchanged(measure: Measure) -> Iterator[Variation]:
    """The same arms in another order."""
    if not (1 < len(measure.arms) <= 3):  # noqa: PLR2004 - a gap share takes three
        return
    for arms in permutations(measure.arms):
        if arms == measure.arms:
            continue
        words = "with the arms exchanged"
        if len(arms) > _TWO:
            words = f"with the arms in the order {', '.join(map(named, arms))}"
        yield Variation(words=words, measure=replace(measure, arms=arms))


def compared(measure: Measure) -> Iterator[Variation]:
    """The pair combined in another way, or matched at another stage."""
    if measure.pair is None:
        return
    for pair in _INSTEAD[measure.pair]:
        yield Variation(
            words=f"of the {_plain(pair)} instead of the {_plain(measure.pair)}",
            measure=replace(measure, pair=pair),
        )
    if measure.within != "none":
        other = "row" if measure.by == "window" else "window"
        yield Variation(
            words=f"with the arms compared {other} by {other}",
            measure=replace(measure, by="row" if measure.by == "window" else "window"),
        )


def relative(measure: Measure) -> Iterator[Variation]:
    """Relative to another arm, to none, or to one at all."""
    base = measure.relative_to
    if base is not None:
        yield Variation(words="without its base", measure=replace(measure, relative_to=None))
        for arm in measure.arms:
            if base.arms != (arm,):
                yield Variation(
                    words=f"relative to {named(arm)}",
                    measure=replace(measure, relative_to=replace(base, arms=(arm,))),
                )
    elif measure.statistic == "relative-difference" and len(measure.arms) == _TWO:
        difference = replace(measure, statistic="mean", pair="difference")
        yield Variation(words="without its base", measure=difference)
        yield _over(difference, measure.arms[0])
    elif measure.statistic == "mean" and measure.pair == "difference":
        for arm in reversed(measure.arms):
            yield _over(measure, arm)


def replaced(measure: Measure, around: Surroundings) -> Iterator[Variation]:
    """Another arm in the place of one of the measure's, the first few arms of the bundle."""
    for place, operand in enumerate(measure.arms):
        members = () if isinstance(operand, str) else operand
        others = islice((arm for arm in around.arms if arm not in members), _MOST_ARMS)
        for other in (*members, *others):
            if other in measure.arms:
                continue
            arms = (*measure.arms[:place], other, *measure.arms[place + 1 :])
            yield Variation(
                words=f"with {other} in the place of {named(operand)}",
                measure=replace(measure, arms=arms),
            )


def _over(difference: Measure, arm: Operand) -> Variation:
    base = replace(difference, arms=(arm,), pair=None, by="window", scale=None)
    return Variation(
        words=f"relative to {named(arm)}", measure=replace(difference, relative_to=base)
    )


def _plain(pair: Pair) -> str:
    words = {"lower": "windows that are lower", "higher": "windows that are higher"}
    return words.get(pair, pair.replace("-", " "))
