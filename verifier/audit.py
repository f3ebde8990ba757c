"""Run the checks, count and judge their comparisons, and build the report.

This is the only place that turns facts into verdicts, so nothing can pass here vacuously: a check
that applies and yields nothing is an ERROR, a check that crashes is that check's ERROR while the
others still run, and a published number that no check answered for fails figure coverage.
"""

from collections.abc import Iterable, Iterator, Mapping

from verifier.coverage import CHECK_ID, FigureLedger, nothing_compared, status_of
from verifier.judge import judge
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle
from verifier.model.comparison import Comparison, Fact, Gap, Value
from verifier.model.plugin import Case, Check
from verifier.model.policy import Policy
from verifier.model.report import (
    BundleIdentity,
    Finding,
    Outcome,
    PolicyIdentity,
    Report,
    Subject,
    VerifierIdentity,
)
from verifier.seal import vouching

# An explanation tries other recipes, which takes longer than finding the mismatch.
_MOST_EXPLAINED = 20


def run(
    case: Case,
    checks: Mapping[str, Check],
    *,
    policy: PolicyIdentity,
    verifier: VerifierIdentity,
) -> Report:
    """Audit one bundle.

    Args:
        case: the bundle with everything a check may look at.
        checks: every check, by id; they run in the order of their ids.
        policy: identity of ``case.policy``, for the report.
        verifier: identity of this program, for the report.
    """
    ledger = FigureLedger(case.bundle.figures)
    outcomes = [_outcome(case, checks[check_id], ledger) for check_id in sorted(checks)]
    missing = set(case.policy.required_checks) - checks.keys() - {CHECK_ID}
    outcomes.extend(_unknown_check(check_id) for check_id in missing)
    failed = any(outcome.status in ("FAILED", "ERROR") for outcome in outcomes)
    outcomes.append(ledger.outcome(case, failed=failed))
    return Report(
        bundle=identify(case.bundle),
        policy=policy,
        verifier=verifier,
        outcomes=tuple(sorted(outcomes, key=lambda outcome: outcome.check)),
        figures=ledger.results(),
        evidence={arm.id: arm.level.label for arm in case.bundle.arms},
        raw_windows={
            arm.id: kept
            for arm in case.bundle.arms
            if (kept := sum(window.raw_path is not None for window in arm.windows))
        },
        reference=identify(case.reference) if case.reference else None,
    )


def identify(bundle: Bundle) -> BundleIdentity:
    """Name a bundle by its published records and its seal, with the hashes of the actual files.

    Without a seal nothing but the files themselves says which bundle it is: each is named.
    """
    members = bundle.members
    published = {record.path for record in bundle.records if record.published}
    # Only regular files have a digest; a link in the place of a record names nothing.
    present = {path for path in published if path in members and members[path].sha256}
    return BundleIdentity(
        format=bundle.format,
        id=bundle.id,
        title=bundle.title,
        root=bundle.seal.computed_root if bundle.seal else None,
        subjects=tuple(
            Subject(name=path, sha256=members[path].sha256)
            for path in sorted(present | vouching(members, bundle.seal))
        ),
    )


def _outcome(case: Case, check: Check, ledger: FigureLedger) -> Outcome:
    if check.reads_records and not case.bundle.readable:
        return _not_applicable(case.policy, check, "a record breaks its schema", required=False)
    try:
        return _looked(case, check, ledger)
    except Exception as error:  # noqa: BLE001 - a bug in a check is neither a finding nor a pass
        ledger.crashed(check.id)
        return _error(check.id, f"the check crashed: {type(error).__name__}: {error}")


def _looked(case: Case, check: Check, ledger: FigureLedger) -> Outcome:
    reason = check.applies(case)
    if reason:
        required = check.id in case.policy.required_checks
        return _not_applicable(case.policy, check, reason, required=required)
    facts = tuple(check.run(case))
    if not facts:
        return _error(check.id, "the check applies but compared nothing")
    return _judged(case, check, facts, ledger)


def _judged(case: Case, check: Check, facts: Iterable[Fact], ledger: FigureLedger) -> Outcome:
    required = check.id in case.policy.required_checks
    findings: list[Finding] = []
    compared = declared = figure_gaps = 0
    spare = iter(range(_MOST_EXPLAINED))
    for fact in facts:
        if isinstance(fact, Gap):
            if fact.figure:
                figure_gaps += 1
                ledger.gap(fact)
            else:
                findings.append(gap_finding(case.policy, fact))
            continue
        compared += 1
        judged = judge(fact, case.policy.tolerance)
        explanation = "" if judged.agrees else _explanation(case, check, fact, spare)
        ledger.compared(fact, judged)
        if not judged.agrees:
            findings.append(_mismatch(case.policy, fact, explanation))
        elif fact.basis is Basis.DECLARED:
            declared += 1
            findings.append(_declared(case.policy, fact))
    if not compared and not findings:
        reason = f"none of its {figure_gaps} figures can be recomputed; see figure-coverage"
        return _not_applicable(case.policy, check, reason, required=required)
    if not compared and required:
        findings.append(nothing_compared("this check", "see its other findings"))
    return Outcome(
        check=check.id,
        status=status_of(findings),
        compared=compared,
        declared=declared,
        findings=tuple(findings),
    )


def gap_finding(policy: Policy, gap: Gap) -> Finding:
    """What a gap does under the policy; it is never nothing."""
    return Finding(
        severity="warning" if policy.tolerates(gap.concern, gap.location) else "failure",
        location=gap.location,
        expected="",
        actual="",
        basis="",
        message=f"{gap.reason} [{gap.concern}]",
    )


def _mismatch(policy: Policy, fact: Comparison, explanation: str) -> Finding:
    # A figure that differs is never a matter of tolerance, whatever its check says.
    tolerated = not fact.figure and policy.tolerates(fact.concern, fact.subject)
    parts = [fact.message, f"Computed as: {fact.how}." if fact.how else "", explanation]
    if tolerated:
        parts.append("The policy tolerates this.")
    return Finding(
        severity="warning" if tolerated else "failure",
        location=fact.location,
        expected=fact.printed or text(fact.expected),
        actual=text(fact.actual),
        basis=fact.basis.value,
        message=" ".join(part for part in parts if part),
    )


def _declared(policy: Policy, fact: Comparison) -> Finding:
    return Finding(
        severity="warning" if policy.tolerates("declared-only", fact.location) else "failure",
        location=fact.location,
        expected=text(fact.expected),
        actual=text(fact.actual),
        basis=fact.basis.value,
        message="Declared, not verified: nothing retained could contradict it. [declared-only]",
    )


def _explanation(case: Case, check: Check, fact: Comparison, spare: Iterator[int]) -> str:
    if check.explain is None or not fact.figure:
        return ""
    if next(spare, None) is None:
        return f"Not explained: only the first {_MOST_EXPLAINED} mismatches of a check are."
    try:
        return check.explain(case, fact.figure)
    except Exception as error:  # noqa: BLE001 - an explanation that fails leaves the mismatch as it is
        return f"No explanation could be computed ({type(error).__name__}: {error})."


def _not_applicable(policy: Policy, check: Check, reason: str, *, required: bool) -> Outcome:
    fails = required or (policy.not_applicable == "fail" and not check.optional)
    finding = nothing_compared("this check" if required else "every check", reason)
    return Outcome(
        check=check.id,
        status="FAILED" if fails else "NOT_APPLICABLE",
        compared=0,
        declared=0,
        findings=(finding,) if fails else (),
        reason=reason,
        optional=check.optional,
    )


def _unknown_check(check_id: str) -> Outcome:
    return _error(check_id, "the policy requires a check that this version does not have")


def _error(check_id: str, reason: str) -> Outcome:
    finding = Finding(
        severity="failure", location="", expected="", actual="", basis="", message=f"{reason}."
    )
    return Outcome(
        check=check_id, status="ERROR", compared=0, declared=0, findings=(finding,), reason=reason
    )


def text(value: Value) -> str:
    """A value as the report prints it: floats with all their digits, None as ``absent``."""
    if value is None:
        return "absent"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value)) if isinstance(value, float) else str(value)
