"""What the figures of the synthetic bundle speak of, and how one is written down."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scripts.example_scores import Columns, window_means

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

EXCLUDED_ROWS = 1
"""Rows at the start of a window that do not count: the prefill row."""

_FEWEST_FOR_INTERVALS = 2
_PRINTED_PLACES = 10

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What the figures speak of.

    Attributes:
        domains: domain of every window, in manifest order.
        arms: by arm the windows in manifest order, each with its columns of predicted rows.
    """

    domains: Sequence[str]
    arms: Mapping[str, Sequence[Columns]]

    @property
    def has_intervals(self) -> bool:
        """Whether there are windows enough for an interval."""
        return len(self.domains) >= _FEWEST_FOR_INTERVALS

    @property
    def predicted(self) -> int:
        """Captured rows per window."""
        return len(next(iter(self.arms.values()))[0]["kld"])

    def means(self, arm: str) -> dict[str, list[float]]:
        """Window means over the scored rows, in manifest order, by column of windows.json."""
        windows = [window_means(columns, EXCLUDED_ROWS) for columns in self.arms[arm]]
        return {column: [window[column] for window in windows] for column in windows[0]}

    def rows(self, arm: str, column: str) -> list[list[float]]:
        """The scored rows of every window, in manifest order."""
        return [columns[column][EXCLUDED_ROWS:] for columns in self.arms[arm]]

    def holds(self, arm: str, column: str) -> bool:
        """Whether the arm's row files keep what the column needs."""
        return column in self.arms[arm][0]


def pooled(windows: Sequence[Sequence[float]]) -> list[float]:
    """The rows of all windows, one window after the other."""
    return [row for window in windows for row in window]


def figure(name: str, published: float | str | bool, **measure: Any) -> Entry:  # noqa: FBT001 - a value
    """A published number with its measure (docs/format.md, figures.json)."""
    return {"id": name, "published": published, "measure": measure}


def printed(value: float) -> str:
    """As a table would print it: ten digits after the point."""
    return f"{value:.{_PRINTED_PLACES}f}"


def ends(
    name: str,
    interval: tuple[float, float],
    recipe: str,
    measure: Mapping[str, Any],
    *,
    as_text: bool = False,
) -> Iterator[Entry]:
    """Both ends of an interval around a measure, in full or as a table would print them."""
    for end, value in zip(("low", "high"), interval, strict=True):
        yield {
            **figure(
                f"{name}/{recipe}-{end}" + ("/printed" if as_text else ""),
                printed(value) if as_text else value,
                **measure,
            ),
            "interval": {"recipe": recipe, "end": end},
        }
