"""The report: what was compared, what it gave, and the verdict derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Verdict = Literal["PASSED", "WARNED", "FAILED"]
Status = Literal["PASSED", "WARNED", "FAILED", "ERROR", "NOT_APPLICABLE"]
FigureStatus = Literal["REPRODUCED", "MISMATCH", "NOT_RECOMPUTABLE", "DEGENERATE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mismatch or one thing that could not be verified, with its place.

    ``severity`` is ``failure`` or ``warning``; ``expected`` and ``actual`` are texts, "" for a gap.
    """

    severity: Literal["failure", "warning"]
    location: str
    expected: str
    actual: str
    basis: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one check gave.

    Attributes:
        check: id of the check.
        status: derived from the findings.
        compared: number of comparisons made.
        declared: how many of them rest on nothing but the bundle's word.
        findings: failures and warnings, in the order of the check.
        reason: why it was not applicable or crashed, "" otherwise.
        optional: whether a bundle may lack what the check compares, so that not applicable says
            nothing of it.
    """

    check: str
    status: Status
    compared: int
    declared: int
    findings: tuple[Finding, ...]
    reason: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureResult:
    """What became of one published number. Numbers are texts: digits are part of the claim.

    ``measure`` says what it was held against, "" when nothing is known to give it; ``n`` is the
    number of units (windows or rows) that were reduced, None when nothing was.
    """

    id: str
    status: FigureStatus
    published: str
    recomputed: str | None
    how: str
    difference: str | None
    basis: str
    level: str | None
    location: str
    measure: str = ""
    n: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A file that the verdict speaks of: attestations name it by sha256."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleIdentity:
    """Which bundle was looked at. ``root`` is the seal's root hash, None without one."""

    format: str
    id: str
    title: str
    root: str | None
    subjects: tuple[Subject, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyIdentity:
    """Which policy judged. ``sha256`` is over its RFC 8785 form, allowances included."""

    name: str
    sha256: str
    allowed_missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifierIdentity:
    """Which program judged. ``sha256`` is over the sources of the installed package."""

    name: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything a reader needs; renderers and the attestation take nothing else."""

    bundle: BundleIdentity
    policy: PolicyIdentity
    verifier: VerifierIdentity
    outcomes: tuple[Outcome, ...]
    figures: tuple[FigureResult, ...]
    evidence: Mapping[str, str]
    """Evidence level by arm id."""
    raw_windows: Mapping[str, int] = field(default_factory=dict)
    """Windows whose raw logits are kept, by arm id; arms that keep none are left out."""
    reference: BundleIdentity | None = None

    @property
    def verdict(self) -> Verdict:
        """Derived, never stored: the worst outcome decides.

        PASSED means that every check ran on something and found nothing, so a check that was not
        applicable makes the verdict WARNED at best, unless a bundle may lack what it compares.
        """
        statuses = {
            outcome.status
            for outcome in self.outcomes
            if not (outcome.optional and outcome.status == "NOT_APPLICABLE")
        }
        if not statuses or statuses & {"FAILED", "ERROR"}:
            return "FAILED"
        return "PASSED" if statuses == {"PASSED"} else "WARNED"

    @property
    def coverage(self) -> Mapping[str, int]:
        """How many figures ended in each status; every status is present."""
        counts = dict.fromkeys(("REPRODUCED", "MISMATCH", "NOT_RECOMPUTABLE", "DEGENERATE"), 0)
        for figure in self.figures:
            counts[figure.status] += 1
        return counts
