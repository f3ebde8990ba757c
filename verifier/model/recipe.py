"""An interval recipe names every choice that moves an end point."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

Method = Literal["bca", "percentile", "basic", "normal-bootstrap", "normal", "student-t"]
Stream = Literal["randomstate", "pcg64"]
Ties = Literal["midrank", "strict"]
Draw = Literal["index-matrix", "replicate"]
Start = Literal["restart", "continue"]
Unit = Literal["window", "row", "cluster"]
Convention = Literal["scipy-1.9", "scipy-1.16", "scipy-1.17"]
QuantileRule = Literal[
    "linear",
    "linear-lerp",
    "truncate",
    "lower",
    "higher",
    "nearest",
    "midpoint",
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "interpolated_inverted_cdf",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
]
"""``linear`` is type 7 with SciPy's weights (1 - g) y[j] + g y[j+1]; ``linear-lerp`` is NumPy's
y[j] + g (y[j+1] - y[j]), as ``numpy.quantile`` and SciPy <= 1.16 compute it; ``truncate`` is
``sorted[int(p * n)]``; the others are NumPy's names of the rules of Hyndman and Fan (1996)."""

METHODS: tuple[Method, ...] = get_args(Method)
STREAMS: tuple[Stream, ...] = get_args(Stream)
QUANTILE_RULES: tuple[QuantileRule, ...] = get_args(QuantileRule)
CONVENTIONS: Mapping[Convention, tuple[Ties, QuantileRule]] = MappingProxyType(
    {
        "scipy-1.9": ("strict", "linear-lerp"),
        "scipy-1.16": ("midrank", "linear-lerp"),
        "scipy-1.17": ("midrank", "linear"),
    }
)
"""Tie and quantile rules of ``scipy.stats.bootstrap`` by the last release that has them."""

ANALYTIC: frozenset[Method] = frozenset({"normal", "student-t"})
"""Methods that draw nothing: resamples, seed and stream do not matter to them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """Which windows are resampled together.

    Attributes:
        lists: window ids of each cluster; empty when they are computed from the tokens.
        shared: windows that share at least this many distinct spans lie in one cluster (connected
            components), when no lists are given.
        span: length in tokens of a span.
    """

    lists: tuple[tuple[str, ...], ...] = ()
    shared: int = 1
    span: int = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How an interval was made (docs/adr/0001-estimator-conventions.md).

    Attributes:
        method: ``bca`` (bias-corrected and accelerated), ``percentile``, ``basic`` (reflected
            percentile), ``normal-bootstrap`` (z times the bootstrap standard error), ``normal``
            (z times s / sqrt(n)) or ``student-t`` (t with n - 1 degrees of freedom).
        level: coverage, a fraction between 0 and 1, before any adjustment.
        resamples: number of replicates, 0 for a method that draws nothing.
        seed: seed of the stream.
        stream: ``randomstate`` is NumPy's frozen legacy MT19937 (what SciPy's ``random_state=int``
            gives), ``pcg64`` is ``numpy.random.default_rng``.
        ties: how replicates equal to the estimate count in z0: ``midrank`` (SciPy >= 1.10) or
            ``strict`` (SciPy <= 1.9).
        quantile: rule of the end points.
        unit: what is drawn: windows, clusters of windows, or single rows of a pooled measure.
        clusters: for the unit ``cluster``.
        strata: name of the group whose values are drawn apart and weigh the same; None for none.
        draw: ``index-matrix`` draws one matrix (resamples, n), with strata one after the other in
            sorted order; ``replicate`` draws, for each replicate, the strata in sorted order.
        start: ``restart`` seeds the stream for each interval; ``continue`` goes on where the
            interval before it under the same recipe ended.
        comparisons: Bonferroni: the level becomes 1 - (1 - level) / comparisons.
        name: of a recipe whose stream is continued, because each has a stream of its own; "" for
            all others, so that alike recipes are one.
    """

    method: Method
    level: float
    resamples: int = 0
    seed: int = 0
    stream: Stream = "randomstate"
    ties: Ties = "midrank"
    quantile: QuantileRule = "linear"
    unit: Unit = "window"
    clusters: Clusters | None = None
    strata: str | None = None
    draw: Draw = "index-matrix"
    start: Start = "restart"
    comparisons: int = 1
    name: str = ""

    @property
    def draws(self) -> bool:
        """Whether replicates are drawn at all."""
        return self.method not in ANALYTIC

    @property
    def coverage(self) -> float:
        """The level after the Bonferroni adjustment."""
        if self.comparisons == 1:
            return self.level
        return 1.0 - (1.0 - self.level) / self.comparisons

    @property
    def label(self) -> str:
        """One line for people, for example ``BCa 95 %, 20000 resamples, RandomState(20260902)``."""
        return ", ".join(self._parts())

    def _parts(self) -> list[str]:
        method = {"bca": "BCa", "normal-bootstrap": "normal with bootstrap error"}
        parts = [f"{method.get(self.method, self.method)} {self.level * 100:g} %"]
        if self.comparisons > 1:
            parts.append(f"Bonferroni for {self.comparisons}")
        if self.draws:
            stream = {"randomstate": "RandomState", "pcg64": "PCG64"}[self.stream]
            parts += [f"{self.resamples} resamples", f"{stream}({self.seed})"]
        parts += self._rules()
        for plain, choice, words in (
            ("window", self.unit, f"resampling {self._units}"),
            (None, self.strata, f"strata by {self.strata}"),
            ("index-matrix", self.draw, "drawn replicate by replicate"),
            ("restart", self.start, "stream continued"),
        ):
            if choice != plain:
                parts.append(words)
        return parts

    def _rules(self) -> list[str]:
        """How ties and quantiles are taken, where that is not what the newest SciPy does."""
        rules = (self.ties, self.quantile)
        newest = CONVENTIONS["scipy-1.17"]
        names = [name for name, convention in CONVENTIONS.items() if convention == rules]
        if self.method == "bca" and names and rules != newest:
            return [f"{names[0].replace('scipy-', 'SciPy ')} convention"]
        ties, quantile = newest
        strict = [] if self.ties == ties else [f"{self.ties} ties"]
        return strict if self.quantile == quantile else [*strict, f"quantile rule {self.quantile}"]

    @property
    def _units(self) -> str:
        """What is drawn, in words."""
        if self.clusters is None:
            return f"{self.unit}s"
        if self.clusters.lists:
            number = len(self.clusters.lists)
            return f"{number} listed {'cluster' if number == 1 else 'clusters'}"
        spans = "1 span" if self.clusters.shared == 1 else f"{self.clusters.shared} spans"
        return f"clusters that share {spans} of {self.clusters.span} tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """End points in the unit of the data, and the standard error that scales them.

    ``degenerate`` is true for constant data (max == min): then low == high == that value and
    the standard error is 0. ``units`` is the number of units that were resampled.
    """

    low: float
    high: float
    standard_error: float
    degenerate: bool
    units: int = 0
