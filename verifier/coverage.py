"""Account for every published number: what became of it, and which one nobody answered for."""

from collections.abc import Iterable

from verifier.judge import Judgement
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, Gap
from verifier.model.figure import Figure
from verifier.model.plugin import Case
from verifier.model.report import FigureResult, FigureStatus, Finding, Outcome, Status
from verifier.model.wording import described

CHECK_ID = "figure-coverage"


class FigureLedger:
    """Collects what the checks say about each figure; a mismatch is never overwritten."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._figures: dict[str, Figure] = {}
        self._repeated: list[Figure] = []
        for figure in figures:
            if self._figures.setdefault(figure.id, figure) is not figure:
                self._repeated.append(figure)
        self._results: dict[str, FigureResult] = {}
        self._crashed: list[str] = []

    def compared(self, fact: Comparison, judgement: Judgement) -> None:
        """Record the comparison of a figure; others are none of the ledger's business.

        Raises:
            KeyError: the bundle publishes no such figure, so the check is wrong.
        """
        if not fact.figure:
            return
        figure = self._figures[fact.figure]
        if self._is_mismatch(figure.id):
            return
        status: FigureStatus = "REPRODUCED" if judgement.agrees else "MISMATCH"
        if judgement.how == "degenerate":
            status = "DEGENERATE"
        self._results[figure.id] = FigureResult(
            id=figure.id,
            status=status,
            published=figure.published.text,
            recomputed=str(fact.actual),
            how=f"{judgement.how}; {fact.how}" if fact.how else judgement.how,
            difference=_difference(fact, judgement),
            basis=fact.basis.value,
            level=fact.level.label if fact.level is not None else None,
            location=figure.location,
            measure=described(figure),
            n=fact.n,
        )

    def gap(self, fact: Gap) -> None:
        """Record that a figure could not be recomputed.

        Raises:
            KeyError: the bundle publishes no such figure, so the check is wrong.
        """
        figure = self._figures[fact.figure]
        if figure.id not in self._results:
            self._results[figure.id] = _not_recomputable(figure, fact.reason)

    def crashed(self, check_id: str) -> None:
        """Remember a crash, so that the figures it left behind are explained."""
        self._crashed.append(check_id)

    def results(self) -> tuple[FigureResult, ...]:
        """One result per figure, in the order of the record."""
        return tuple(
            self._results.get(figure.id) or _not_recomputable(figure, self._reason(figure))
            for figure in self._figures.values()
        )

    def outcome(self, case: Case, *, failed: bool) -> Outcome:
        """Figure coverage as an outcome of its own.

        Args:
            case: the bundle and the policy.
            failed: whether a check has failed already. Nothing in an unreadable bundle is covered:
                that is left to the check that says what is broken, and fails here without one.
        """
        if not case.bundle.readable:
            broken = _failure("", "A record breaks its schema, so no figure was looked at.")
            reason = "a record breaks its schema"
            return _outcome(() if failed else (broken,), compared=0, reason=reason)
        if not self._figures:
            return _outcome((_failure("", "The bundle publishes no figure."),), compared=0)
        findings = [
            _failure(figure.location, f"Another figure has the id {figure.id!r} too.")
            for figure in self._repeated
        ]
        for figure in self._figures.values():
            result = self._results.get(figure.id)
            if result is None and figure.measure is not None:
                findings.append(_failure(figure.location, f"{self._reason(figure)}."))
            elif result is None or result.status == "NOT_RECOMPUTABLE":
                reason = result.how if result else figure.missing
                findings.append(_not_verified(case, figure, reason))
        results = self._results.values()
        compared = sum(result.status != "NOT_RECOMPUTABLE" for result in results)
        if not compared and CHECK_ID in case.policy.required_checks:
            findings.append(nothing_compared("figure coverage", "no figure was recomputed"))
        return _outcome(tuple(findings), compared=compared)

    def _is_mismatch(self, figure_id: str) -> bool:
        result = self._results.get(figure_id)
        return result is not None and result.status == "MISMATCH"

    def _reason(self, figure: Figure) -> str:
        if figure.measure is None:
            return figure.missing
        if self._crashed:
            return f"a check crashed before it answered for this figure ({self._crashed[0]})"
        return "no check answered for this figure"


def status_of(findings: Iterable[Finding]) -> Status:
    """FAILED with any failure, WARNED with any warning, PASSED otherwise."""
    severities = {finding.severity for finding in findings}
    if "failure" in severities:
        return "FAILED"
    return "WARNED" if severities else "PASSED"


def nothing_compared(demanded: str, reason: str) -> Finding:
    """The failure of a check that the policy demands and that compared nothing."""
    return Finding(
        severity="failure",
        location="",
        expected="something to compare",
        actual="nothing",
        basis=Basis.POLICY.value,
        message=f"The policy requires {demanded}, but it compared nothing: {reason}.",
    )


def _not_recomputable(figure: Figure, reason: str) -> FigureResult:
    return FigureResult(
        id=figure.id,
        status="NOT_RECOMPUTABLE",
        published=figure.published.text,
        recomputed=None,
        how=reason,
        difference=None,
        basis="DECLARED",
        level=None,
        location=figure.location,
        measure=described(figure),
    )


def _difference(fact: Comparison, judgement: Judgement) -> str | None:
    if judgement.difference is not None:
        return repr(judgement.difference)
    if isinstance(fact.actual, int) and isinstance(fact.expected, int):
        return str(fact.actual - fact.expected)
    return None


def _not_verified(case: Case, figure: Figure, reason: str) -> Finding:
    tolerated = case.policy.tolerates("not-recomputable", figure.id)
    return Finding(
        severity="warning" if tolerated else "failure",
        location=figure.location,
        expected=figure.published.text,
        actual="",
        basis="DECLARED",
        message=f"Not recomputable: {reason}. [not-recomputable]",
    )


def _failure(location: str, message: str) -> Finding:
    return Finding(
        severity="failure", location=location, expected="", actual="", basis="", message=message
    )


def _outcome(findings: tuple[Finding, ...], *, compared: int, reason: str = "") -> Outcome:
    status = status_of(findings)
    return Outcome(
        check=CHECK_ID,
        status="NOT_APPLICABLE" if reason and status != "FAILED" else status,
        compared=compared,
        declared=0,
        findings=findings,
        reason=reason,
    )
