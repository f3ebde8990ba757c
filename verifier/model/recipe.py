"""An interval recipe names every choice that moves an end point."""

from dataclasses import dataclass
from typing import Literal

Method = Literal["bca", "percentile"]
Stream = Literal["randomstate", "pcg64"]
Ties = Literal["midrank", "strict"]
Quantile = Literal["linear"]

METHODS: tuple[Method, ...] = ("bca", "percentile")
STREAMS: tuple[Stream, ...] = ("randomstate", "pcg64")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a bootstrap interval was drawn (docs/adr/0001-estimator-conventions.md).

    Attributes:
        method: ``bca`` (bias-corrected and accelerated) or ``percentile``.
        level: coverage, a fraction between 0 and 1.
        resamples: number of replicates.
        seed: seed of the stream.
        stream: ``randomstate`` is NumPy's frozen legacy MT19937 (what SciPy's ``random_state=int``
            gives), ``pcg64`` is ``numpy.random.default_rng``.
        ties: how replicates equal to the estimate count in z0: ``midrank`` (SciPy >= 1.10) or
            ``strict`` (SciPy <= 1.9).
        quantile: rule of the end points; ``linear`` is type 7.
    """

    method: Method
    level: float
    resamples: int
    seed: int
    stream: Stream
    ties: Ties = "midrank"
    quantile: Quantile = "linear"

    @property
    def label(self) -> str:
        """One line for people, for example ``BCa 95 %, 20000 resamples, RandomState(20260902)``."""
        method = {"bca": "BCa", "percentile": "percentile"}[self.method]
        stream = {"randomstate": "RandomState", "pcg64": "PCG64"}[self.stream]
        ties = "" if self.ties == "midrank" else ", strict ties"
        return (
            f"{method} {self.level * 100:g} %, {self.resamples} resamples, "
            f"{stream}({self.seed}){ties}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """End points in the unit of the data, and the bootstrap standard error that scales them.

    ``degenerate`` is true for constant data (max == min): then low == high == that value and
    the standard error is 0.
    """

    low: float
    high: float
    standard_error: float
    degenerate: bool
