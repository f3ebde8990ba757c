"""The published figures of the synthetic bundle, computed without the verifier's arithmetic."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

from scripts.example_bootstrap import end_points
from scripts.example_scores import mean

INTERVALS: dict[str, dict[str, str | int | float]] = {
    name: {
        "method": method,
        "level": 0.95,
        "resamples": resamples,
        "seed": seed,
        "stream": stream,
        "draw": "index-matrix",
        "quantile": "linear",
        "ties": "midrank",
        "order": "manifest",
    }
    for name, method, resamples, seed, stream in (
        ("bca95", "bca", 20_000, 20260902, "randomstate"),
        ("percentile95", "percentile", 10_000, 7, "pcg64"),
    )
}
"""Interval recipes by name, as ``bundle.json`` declares them."""

_PRINTED_PLACES = 10

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the figures speak of.

    Attributes:
        domains: domain of every window, in manifest order.
        predicted: captured rows per window.
        scored: rows that count per window.
        means: window means by arm and column, in manifest order.
    """

    domains: Sequence[str]
    predicted: int
    scored: int
    means: Mapping[str, Mapping[str, Sequence[float]]]


def figures(panel: Panel) -> list[Entry]:
    """Every published number with its measure (docs/format.md, figures.json)."""
    found = [*_panel(panel)]
    for arm, means in panel.means.items():
        found += _arm(panel, arm, means)
    arms = list(panel.means)
    for other in arms[1:]:
        found += _pair(panel, arms[0], other)
    return found


def _panel(panel: Panel) -> Iterator[Entry]:
    yield _figure("windows", len(panel.domains), statistic="size")
    for domain in dict.fromkeys(panel.domains):
        yield _figure(
            f"windows/{domain}",
            list(panel.domains).count(domain),
            statistic="size",
            windows={"group": "domain", "value": domain},
        )


def _arm(panel: Panel, arm: str, means: Mapping[str, Sequence[float]]) -> Iterator[Entry]:
    size, kld = len(panel.domains), list(means["kld"])
    yield _figure(f"{arm}/windows", size, statistic="size", arm=arm)
    for column, rows in (("predicted_rows", panel.predicted), ("scored_rows", panel.scored)):
        yield _figure(f"{arm}/{column}", size * rows, statistic="sum", column=column, arm=arm)
        yield _figure(
            f"{arm}/{column}-per-window", rows, statistic="common", column=column, arm=arm
        )
    yield _figure(f"{arm}/kld", mean(kld), statistic="mean", column="kld", arm=arm)
    yield _figure(
        f"{arm}/kld/printed", _printed(mean(kld)), statistic="mean", column="kld", arm=arm
    )
    for domain in dict.fromkeys(panel.domains):
        yield _figure(
            f"{arm}/kld/{domain}",
            mean([value for value, at in zip(kld, panel.domains, strict=True) if at == domain]),
            statistic="mean",
            column="kld",
            arm=arm,
            windows={"group": "domain", "value": domain},
        )
    for column in [column for column in means if column != "kld"]:
        yield _figure(
            f"{arm}/{column}", mean(list(means[column])), statistic="mean", column=column, arm=arm
        )
    perplexity = float(Decimal(mean(list(means["nll"]))).exp(Context(prec=40)))
    yield _figure(
        f"{arm}/perplexity", perplexity, statistic="mean", column="nll", arm=arm, scale="exp"
    )
    measure = {"statistic": "mean", "column": "kld", "arm": arm}
    yield from _ends(f"{arm}/kld", kld, "bca95", measure)
    yield from _ends(f"{arm}/kld", kld, "bca95", measure, printed=True)
    measure = {"statistic": "mean", "column": "nll", "arm": arm}
    yield from _ends(f"{arm}/nll", list(means["nll"]), "percentile95", measure)


def _pair(panel: Panel, arm: str, other: str) -> Iterator[Entry]:
    pairs = list(zip(panel.means[arm]["kld"], panel.means[other]["kld"], strict=True))
    differences = [left - right for left, right in pairs]
    measure = {
        "statistic": "mean",
        "column": "kld",
        "arms": [arm, other],
        "pair": "difference",
    }
    yield _figure(f"{arm}-minus-{other}/kld", mean(differences), **measure)
    yield from _ends(f"{arm}-minus-{other}/kld", differences, "bca95", measure)
    yield _figure(
        f"{arm}-lower-than-{other}/windows",
        sum(left < right for left, right in pairs),
        statistic="count",
        column="kld",
        arms=[arm, other],
        pair="lower",
    )


def _ends(
    name: str,
    values: list[float],
    recipe: str,
    measure: Mapping[str, Any],
    *,
    printed: bool = False,
) -> Iterable[Entry]:
    for end, value in zip(("low", "high"), end_points(values, INTERVALS[recipe]), strict=True):
        yield {
            **_figure(
                f"{name}/{recipe}-{end}" + ("/printed" if printed else ""),
                _printed(value) if printed else value,
                **measure,
            ),
            "interval": {"recipe": recipe, "end": end},
        }


def _figure(name: str, published: float | str, **measure: Any) -> Entry:
    return {"id": name, "published": published, "measure": measure}


def _printed(value: float) -> str:
    """As a table would print it: ten digits after the point."""
    return f"{value:.{_PRINTED_PLACES}f}"
