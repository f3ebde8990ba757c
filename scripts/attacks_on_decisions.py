"""Attacks on the words that readers take away; every number beside them stays right."""

from typing import Any

from scripts.example_panel import INTERVALS
from scripts.tampering import ALPHA, BETA, Attack, Change, chain, edit, entry, figure

_PAIR = f"{ALPHA}-minus-{BETA}/kld/relative"


def _swapped(entry: dict[str, Any]) -> None:
    entry["measure"].update(arms=[BETA, ALPHA])
    entry["measure"]["relative_to"].update(arm=ALPHA)


def _decide(name: str, **fields: Any) -> Change:
    return entry(name, lambda found: found["decide"].update(fields))


def _narrow(document: Any) -> None:
    recipe = {**INTERVALS["bca95"], "level": 0.5}
    document["protocol"]["intervals"]["bca50"] = recipe


ATTACKS = (
    Attack(
        check="published-decisions",
        name="reading-of-swapped-arms",
        description="The arms were swapped, and what was an improvement is still called one.",
        change=entry(f"{_PAIR}/reading", _swapped),
        message='The retained scores give "harm"',
    ),
    Attack(
        check="published-decisions",
        name="equivalence-turned",
        description="Two arms that differ by a quarter were published as equivalent within 10 %.",
        change=figure(f"{_PAIR}/equivalent", lambda value: not value),
        message='The retained scores give "false"',
    ),
    Attack(
        check="published-decisions",
        name="gate-moved",
        description="A gate was moved below the mean, and the arm still passes it.",
        change=_decide(f"{ALPHA}/kld/below-gate", threshold=0.02),
        message='The retained scores give "false"',
    ),
    Attack(
        check="published-decisions",
        name="narrow-interval",
        description="The reading rests on an interval that holds half of what it should.",
        change=chain(edit("bundle.json", _narrow), _decide(f"{_PAIR}/reading", recipe="bca50")),
        message="does not permit this interval recipe",
    ),
)
