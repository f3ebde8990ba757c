"""The report for people: the verdict first, then what went wrong, then everything else.

Readable in 80 columns without colour, and printable ASCII alone, whatever the bundle holds.
"""

from collections.abc import Iterator

from verifier.model.plugin import Renderer
from verifier.model.report import BundleIdentity, Outcome, Report
from verifier.render._figures import figure_table
from verifier.render._findings import findings
from verifier.render._layout import field, heading, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._table import Row, table
from verifier.render._words import (
    CHECK_COUNT,
    DECLARED,
    FIGURE_COUNT,
    MEANING,
    NOTHING_RAN,
    NOTICE,
    STATUS,
)


def render(report: Report) -> str:
    """The report as lines of printable ASCII, at most 80 columns wide.

    A longer line is one name or digest that cannot be broken. The verdict stands alone on the first
    line, and its word appears nowhere else unless it is the verdict.
    """
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield from _verdict(report)
    yield from findings(report.outcomes, "failure", "FAILURES")
    yield from findings(report.outcomes, "warning", "WARNINGS")
    yield from _checks(report.outcomes)
    yield from figure_table(report.figures)
    yield from _evidence(report)
    yield from _allowances(report)
    if report.reference is not None:
        yield ""
        yield "REFERENCE, the bundle that figures across bundles were taken from"
        yield from _identity(report.reference)
    yield ""
    yield from paragraph(NOTICE)


def _verdict(report: Report) -> Iterator[str]:
    yield f"VERDICT: {report.verdict}"
    yield from paragraph(MEANING[report.verdict] if report.outcomes else NOTHING_RAN)
    yield ""
    yield from _identity(report.bundle)
    yield from field("policy", f"{safe(report.policy.name)}, sha256 {_brief(report.policy.sha256)}")
    program = f"{safe(report.verifier.name)} {safe(report.verifier.version)}"
    yield from field("verifier", f"{program}, sha256 {_brief(report.verifier.sha256)}")
    yield from field("checks", _check_counts(report.outcomes))
    counts = [f"{report.coverage[status]} {word}" for status, word in FIGURE_COUNT.items()]
    yield from field("figures", ", ".join(counts))


def _identity(bundle: BundleIdentity) -> Iterator[str]:
    yield from field("bundle", safe(bundle.id))
    yield from field("title", safe(bundle.title))
    yield from field("format", safe(bundle.format))
    yield from field("seal root", "no seal root" if bundle.root is None else safe(bundle.root))


def _brief(sha256: str) -> str:
    return safe(sha256[:16]) + "..."


def _check_counts(outcomes: tuple[Outcome, ...]) -> str:
    statuses = [outcome.status for outcome in outcomes]
    return ", ".join(
        f"{statuses.count(status)} {word}"
        for status, word in CHECK_COUNT.items()
        if status != "ERROR" or status in statuses
    )


def _checks(outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    yield ""
    yield heading("CHECKS", len(outcomes))
    rows = [
        Row(
            name=safe(item.check),
            cells=(STATUS[item.status], str(item.compared), str(item.declared)),
            details=tuple(_details(item)),
        )
        for item in outcomes
    ]
    if rows:
        yield from table(("check", "status", "compared", "declared"), rows)


def _details(item: Outcome) -> Iterator[str]:
    if item.reason:
        yield from paragraph(safe(item.reason, MESSAGE_LIMIT), indent=8)
    if item.declared:
        yield from paragraph(f"{item.declared} of {item.compared}: {DECLARED}", indent=8)


def _evidence(report: Report) -> Iterator[str]:
    yield ""
    yield "EVIDENCE, the deepest that every window of an arm retains"
    if not report.evidence:
        yield from paragraph("No arm is retained.")
    for arm, level in report.evidence.items():
        mark = f" ({DECLARED})" if level == "declared" else ""
        yield from paragraph(f"{safe(arm)}: {safe(level)}{mark}{_raw(report, arm, level)}")


def _raw(report: Report, arm: str, level: str) -> str:
    """Raw logits that are kept of some windows only do not raise the level of the arm."""
    kept = report.raw_windows.get(arm, 0)
    if not kept or level == "raw-logits":
        return ""
    return f", and the raw logits of {kept} window{'s' if kept > 1 else ''}"


def _allowances(report: Report) -> Iterator[str]:
    allowed = report.policy.allowed_missing
    yield ""
    yield "ALLOWANCES of the policy: files that may be missing"
    if not allowed:
        yield from paragraph("none")
    for name in allowed:
        yield from paragraph(safe(name))


RENDERER = Renderer(id="text", title="A report for people, 80 columns, no colour", render=render)
