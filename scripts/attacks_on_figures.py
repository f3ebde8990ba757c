"""Attacks on published numbers and on the scores behind them; the seal is always redone."""

import json
from typing import Any

from scripts.example_bootstrap import end_points
from scripts.example_figures import INTERVALS
from scripts.tampering import ALPHA, BETA, Attack, Change, chain, edit, figure
from tests.support.build import Files

_PART = 1 + 1e-9


def _scaled_score(arm: str) -> Change:
    def change(document: Any) -> None:
        document["windows"][0]["values"]["kld"] *= _PART

    return edit(f"arms/{arm}/windows.json", change)


def _drawn(recipe: dict[str, Any]) -> Change:
    """Publish the ends of one interval as another recipe gives them."""

    def change(content: Files) -> Files:
        entries = json.loads(content[f"arms/{ALPHA}/windows.json"])["windows"]
        values = [entry["values"]["nll"] for entry in entries]
        low, high = end_points(values, {**INTERVALS["percentile95"], **recipe})
        return chain(
            figure(f"{ALPHA}/nll/percentile95-low", lambda _: low),
            figure(f"{ALPHA}/nll/percentile95-high", lambda _: high),
        )(content)

    return change


def _declared(recipe: dict[str, Any]) -> Change:
    def change(document: Any) -> None:
        document["protocol"]["intervals"]["percentile95"].update(recipe)

    return edit("bundle.json", change)


def _other_digit(printed: str) -> str:
    return printed[:-1] + str((int(printed[-1]) + 1) % 10)


ATTACKS = (
    Attack(
        check="published-aggregates",
        name="window-score-off-by-1e-9",
        description="A window score was raised by one part in 1,000,000,000.",
        change=_scaled_score(ALPHA),
        message="The window score is not the mean of its scored rows",
        also=("row-masks",),
    ),
    Attack(
        check="published-aggregates",
        name="mean-off-by-1e-9",
        description="A published mean was lowered by one part in 1,000,000,000.",
        change=figure(f"{BETA}/kld", lambda value: value / _PART),
        message="do not give this number",
    ),
    Attack(
        check="published-aggregates",
        name="printed-digit",
        description="The last printed digit of a mean is another one.",
        change=figure(f"{ALPHA}/kld/printed", _other_digit),
        message="do not give this number",
    ),
    Attack(
        check="published-aggregates",
        name="sign-of-difference",
        description="A paired difference was published with the other sign.",
        change=figure(f"{ALPHA}-minus-{BETA}/kld", lambda value: -value),
        message="do not give this number",
    ),
    Attack(
        check="published-counts",
        name="one-window-more",
        description="The number of windows in which one arm is lower is off by one.",
        change=figure(f"{ALPHA}-lower-than-{BETA}/windows", lambda value: value + 1),
        message="do not give this number",
    ),
    Attack(
        check="published-counts",
        name="rows-of-the-prefill",
        description="The number of scored rows counts the prefill rows.",
        change=figure(f"{ALPHA}/scored_rows", lambda value: value + 2),
        message="do not give this number",
    ),
    Attack(
        check="published-intervals",
        name="end-point-moved",
        description="An end point was moved by a millionth.",
        change=figure(f"{ALPHA}/kld/bca95-high", lambda value: value * (1 + 1e-6)),
        message="do not give this end point",
    ),
    Attack(
        check="published-intervals",
        name="ten-resamples",
        description="The author drew ten resamples with a seed that suits, and says so.",
        change=chain(_drawn({"resamples": 10, "seed": 3}), _declared({"resamples": 10, "seed": 3})),
        message="does not permit this interval recipe",
    ),
)
