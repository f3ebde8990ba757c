"""A policy is the bar that the user sets; nothing inside a bundle can lower it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from verifier.model.basis import Level
from verifier.model.comparison import Concern
from verifier.model.recipe import Method, Stream

Reaction = Literal["fail", "warn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How close a recomputed number has to be (docs/adr/0002-tolerance-rule.md).

    Attributes:
        mean_relative: relative difference of an aggregate.
        mean_ulp: or this many units in the last place.
        interval_standard_errors: difference of an end point in bootstrap standard errors.
        interval_relative: or this relative difference.
    """

    mean_relative: float
    mean_ulp: int
    interval_standard_errors: float
    interval_relative: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRules:
    """Which interval recipes a bundle may choose among, and which are tried when none is declared.

    Attributes:
        methods: permitted methods.
        streams: permitted random streams.
        min_resamples: fewest permitted resamples.
        min_level: lowest permitted coverage, because a narrower interval looks more certain.
        seeds: seeds to try when a record declares no recipe.
        resamples: resample counts to try then.
        level: coverage to try then.
    """

    methods: tuple[Method, ...]
    streams: tuple[Stream, ...]
    min_resamples: int
    min_level: float
    seeds: tuple[int, ...]
    resamples: tuple[int, ...]
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the user demands.

    Attributes:
        name: built-in name, or the name a policy file gives itself.
        required_checks: checks that must apply and compare something.
        not_applicable: what a check with nothing to compare does to the verdict otherwise.
        reactions: what each tolerable concern does to the verdict.
        required_evidence: an arm below this level fails.
        expected_evidence: an arm below this level is a warning.
        intervals: permitted and tried recipes.
        tolerance: how close is close enough.
        images: manifest or config digests that must be among the bundle's, empty for no demand.
        allowed_missing: names of files that may be absent although the seal lists them.
    """

    name: str
    required_checks: tuple[str, ...]
    not_applicable: Reaction
    reactions: Mapping[Concern, Reaction]
    required_evidence: Level
    expected_evidence: Level
    intervals: IntervalRules
    tolerance: Tolerance
    images: tuple[str, ...] = ()
    allowed_missing: tuple[str, ...] = ()

    def tolerates(self, concern: str, subject: str) -> bool:
        """Whether a mismatch or gap with this concern is a warning rather than a failure."""
        if concern == "missing-member" and subject in self.allowed_missing:
            return True
        return any(name == concern and how == "warn" for name, how in self.reactions.items())
