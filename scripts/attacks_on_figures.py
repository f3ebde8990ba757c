"""Attacks on published numbers and on the scores behind them; the seal is always redone."""

import json
from collections.abc import Callable
from statistics import median
from typing import Any

from scripts.example_bootstrap import end_points
from scripts.example_panel import INTERVALS, Panel, pooled
from scripts.example_row_figures import hits
from scripts.example_scores import mean
from scripts.tampering import ALPHA, BETA, Attack, Change, chain, edit, figure, panel_of
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


def _computed(name: str, compute: Callable[[Panel], float]) -> Change:
    """Publish what another computation makes of the rows."""
    return lambda content: figure(name, lambda _: compute(panel_of(content)))(content)


def _median_with_prefill(panel: Panel) -> float:
    return median(value for columns in panel.arms[ALPHA] for value in columns["kld"])


def _higher_of_two(panel: Panel) -> float:
    """The p90 under the rule ``higher``: of so few rows, the largest."""
    return max(pooled(panel.rows(ALPHA, "kld")))


def _pooled(panel: Panel) -> float:
    return mean(pooled(hits(panel, BETA)))


def _lower_with_prefill(panel: Panel) -> int:
    every = (
        [row for columns in panel.arms[arm] for row in columns["kld"]] for arm in (ALPHA, BETA)
    )
    return sum(one < two for one, two in zip(*every, strict=True))


def _ratio_drawn(over: Callable[[Panel], tuple[float, float]]) -> Change:
    """Publish other ends of the interval of a ratio of means."""

    def change(content: Files) -> Files:
        low, high = over(panel_of(content))
        return chain(
            figure(f"{ALPHA}-over-{BETA}/kld/bca95-low", lambda _: low),
            figure(f"{ALPHA}-over-{BETA}/kld/bca95-high", lambda _: high),
        )(content)

    return change


def _swapped_arms(panel: Panel) -> tuple[float, float]:
    left, right = (panel.means(arm)["kld"] for arm in (ALPHA, BETA))
    return end_points(right, INTERVALS["bca95"], over=left)


def _fixed_denominator(panel: Panel) -> tuple[float, float]:
    left, right = (panel.means(arm)["kld"] for arm in (ALPHA, BETA))
    low, high = end_points(left, INTERVALS["bca95"])
    return low / mean(right), high / mean(right)


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
        check="published-aggregates",
        name="another-quantile-rule",
        description="A p90 was taken by another quantile rule than the one that is named.",
        change=_computed(f"{ALPHA}/rows/kld-p90", _higher_of_two),
        message="do not give this number",
    ),
    Attack(
        check="published-aggregates",
        name="prefill-rows-counted",
        description="A median over scored rows counts the prefill rows.",
        change=_computed(f"{ALPHA}/rows/kld-median", _median_with_prefill),
        message="do not give this number",
    ),
    Attack(
        check="published-aggregates",
        name="rows-pooled",
        description="Windows weigh as their rows where they should weigh alike.",
        change=_computed(f"{BETA}/kld/where-hit", _pooled),
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
        check="published-counts",
        name="prefill-rows-compared",
        description="The rows in which one arm is lower count the prefill rows.",
        change=_computed(f"{ALPHA}-lower-than-{BETA}/rows", _lower_with_prefill),
        message="do not give this number",
    ),
    Attack(
        check="published-counts",
        name="arms-swapped",
        description="The windows are those in which the other arm is lower.",
        change=figure(f"{ALPHA}-lower-than-{BETA}/windows", lambda value: 2 - value),
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
    Attack(
        check="published-intervals",
        name="arms-swapped",
        description="The interval is that of the ratio the other way round.",
        change=_ratio_drawn(_swapped_arms),
        message="do not give this end point",
    ),
    Attack(
        check="published-intervals",
        name="denominator-held-fixed",
        description="The interval of a ratio of means was drawn with the denominator held fixed.",
        change=_ratio_drawn(_fixed_denominator),
        message="do not give this end point",
    ),
)
