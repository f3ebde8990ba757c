"""What the reports say in their own words; everything else in them comes from the bundle."""

from collections.abc import Mapping
from types import MappingProxyType

from verifier.model.report import FigureStatus, Status, Verdict

NOTICE = (
    "This report recomputes aggregates from retained scores and holds them against what was "
    "published. Nothing was measured again: it is not an independent recapture."
)

DECLARED = "declared, not verified"

MEANING: Mapping[Verdict, str] = MappingProxyType(
    {
        "PASSED": "What was kept supports everything that was published.",
        "WARNED": "Nothing contradicts what was published, but not all of it could be verified.",
        "FAILED": "What was kept contradicts what was published, or falls short of the policy.",
    }
)

NOTHING_RAN = "No check ran, so nothing is known about this bundle."

STATUS: Mapping[Status, str] = MappingProxyType(
    {
        "PASSED": "agrees",
        "WARNED": "WARNED",
        "FAILED": "FAILED",
        "ERROR": "ERROR",
        "NOT_APPLICABLE": "n/a",
    }
)
"""A check that found nothing says ``agrees``: the word of the verdict belongs to the verdict."""

CHECK_COUNT: Mapping[Status, str] = MappingProxyType(
    {
        "PASSED": "agree",
        "WARNED": "warned",
        "FAILED": "failed",
        "ERROR": "in error",
        "NOT_APPLICABLE": "not applicable",
    }
)

FIGURE_COUNT: Mapping[FigureStatus, str] = MappingProxyType(
    {
        "REPRODUCED": "reproduced",
        "MISMATCH": "mismatch",
        "NOT_RECOMPUTABLE": "not recomputable",
        "DEGENERATE": "degenerate",
    }
)

BASIS: Mapping[str, str] = MappingProxyType(
    {
        "POLICY": "what the policy demands",
        "SEALED": "a recorded hash",
        "RECOMPUTED": "our own arithmetic over what was kept",
        "SPEC": "a rule of the format",
        "DECLARED": DECLARED,
    }
)
