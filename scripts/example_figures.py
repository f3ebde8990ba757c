"""The published figures of the synthetic bundle, computed without the verifier's arithmetic."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal

from scripts.example_bootstrap import end_points
from scripts.example_pairs import pair_figures
from scripts.example_panel import EXCLUDED_ROWS, INTERVALS, Entry, Panel, ends, figure, printed
from scripts.example_row_figures import row_figures
from scripts.example_scores import mean

GATE = 0.05
"""What the mean divergence of an arm is held against, in nats."""


def figures(panel: Panel) -> list[Entry]:
    """Every published number with its measure (docs/format.md, figures.json)."""
    found = [*_panel(panel)]
    for arm in panel.arms:
        found += _arm(panel, arm, panel.means(arm))
        found += row_figures(panel, arm)
    first, *others = panel.arms
    for other in others:
        found += pair_figures(panel, first, other)
    return found


def _panel(panel: Panel) -> Iterator[Entry]:
    yield figure("windows", len(panel.domains), statistic="size")
    for domain in dict.fromkeys(panel.domains):
        yield figure(
            f"windows/{domain}",
            list(panel.domains).count(domain),
            statistic="size",
            windows={"group": "domain", "value": domain},
        )


def _arm(panel: Panel, arm: str, means: Mapping[str, Sequence[float]]) -> Iterator[Entry]:
    size, kld = len(panel.domains), list(means["kld"])
    yield figure(f"{arm}/windows", size, statistic="size", arm=arm)
    scored = panel.predicted - EXCLUDED_ROWS
    for column, rows in (("predicted_rows", panel.predicted), ("scored_rows", scored)):
        yield figure(f"{arm}/{column}", size * rows, statistic="sum", column=column, arm=arm)
        yield figure(f"{arm}/{column}-per-window", rows, statistic="common", column=column, arm=arm)
    yield figure(f"{arm}/kld", mean(kld), statistic="mean", column="kld", arm=arm)
    yield figure(f"{arm}/kld/printed", printed(mean(kld)), statistic="mean", column="kld", arm=arm)
    for domain in dict.fromkeys(panel.domains):
        yield figure(
            f"{arm}/kld/{domain}",
            mean([value for value, at in zip(kld, panel.domains, strict=True) if at == domain]),
            statistic="mean",
            column="kld",
            arm=arm,
            windows={"group": "domain", "value": domain},
        )
    for column in [column for column in means if column != "kld"]:
        yield figure(
            f"{arm}/{column}", mean(list(means[column])), statistic="mean", column=column, arm=arm
        )
    perplexity = float(Decimal(mean(list(means["nll"]))).exp(Context(prec=40)))
    yield figure(
        f"{arm}/perplexity", perplexity, statistic="mean", column="nll", arm=arm, scale="exp"
    )
    yield {
        **figure(
            f"{arm}/kld/below-gate", mean(kld) <= GATE, statistic="mean", column="kld", arm=arm
        ),
        "decide": {"rule": "gate", "operator": "<=", "threshold": GATE},
    }
    if panel.has_intervals:
        yield from _intervals(arm, kld, list(means["nll"]))


def _intervals(arm: str, kld: list[float], nll: list[float]) -> Iterator[Entry]:
    measure = {"statistic": "mean", "column": "kld", "arm": arm}
    drawn = end_points(kld, INTERVALS["bca95"])
    yield from ends(f"{arm}/kld", drawn, "bca95", measure)
    yield from ends(f"{arm}/kld", drawn, "bca95", measure, as_text=True)
    measure = {"statistic": "mean", "column": "nll", "arm": arm}
    drawn = end_points(nll, INTERVALS["percentile95"])
    yield from ends(f"{arm}/nll", drawn, "percentile95", measure)
