"""Every arm keeps evidence at least as deep as the policy demands.

Compared: for each arm, the deepest evidence that every one of its windows retains with the level
the policy requires, in the order `declared`, `window-scores`, `row-scores`, `row-distributions`,
`raw-logits`. An arm that meets the requirement but not the level that the policy expects is a gap
that says what is kept and what would be needed.

Basis: POLICY.

Why it matters: a mean recomputed from per-window means shows that the table was added up
correctly. Only row scores show that each window's mean is the mean of its rows, and only
distributions show that the rows are what the metric says.

A mismatch means that figures of this arm rest on less than the user asked for, however well they
are reproduced. Ask the author for the deeper files, or judge by another policy and say so.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from verifier.model.basis import Basis, Level
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check

_NEEDED: Mapping[Level, str] = MappingProxyType(
    {
        Level.DECLARED: "a statement",
        Level.WINDOW_SCORES: "a score for every window",
        Level.ROW_SCORES: "row arrays (scores/<window>.npz) for every window",
        Level.ROW_DISTRIBUTIONS: "top-k ids and log probabilities in every window's row arrays",
        Level.RAW_LOGITS: "the raw logits of every window",
    }
)


def _applies(case: Case) -> str:
    return "" if case.bundle.arms else "the bundle holds no arm"


def _run(case: Case) -> Iterable[Fact]:
    required, desired = case.policy.required_evidence, case.policy.expected_evidence
    for arm in case.bundle.arms:
        enough = arm.level >= required
        yield Comparison(
            location=arm.location,
            expected=arm.level.label if enough else f"at least {required.label}",
            actual=arm.level.label,
            basis=Basis.POLICY,
            message=f"Arm {arm.name!r} would have to keep {_NEEDED[required]}.",
        )
        if enough and arm.level < desired:
            yield Gap(
                location=arm.location,
                reason=f"arm {arm.name!r} keeps {arm.level.label}; {desired.label} would need "
                f"{_NEEDED[desired]}",
                concern="no-evidence",
            )


CHECK = Check(
    id="evidence-level",
    title="Every arm keeps evidence as deep as the policy demands",
    applies=_applies,
    run=_run,
)
