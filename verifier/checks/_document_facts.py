"""Hold the documents of a bundle against it, number by number."""

from collections.abc import Collection, Iterable, Iterator

from verifier.claims.bundle_figures import BundleFigures
from verifier.claims.check import Evidence, check
from verifier.claims.data import DataFiles
from verifier.claims.known import known_identities
from verifier.claims.resolve import Resolver
from verifier.errors import UsageError
from verifier.model.basis import Basis
from verifier.model.claim import ClaimResult, HeldDocument, Problem
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.figure import Figure
from verifier.model.plugin import Case

_LISTED_LINES = 8
_COMPARED = frozenset({"SUPPORTED", "CONTRADICTED", "UNIT", "STALE"})


def facts(case: Case) -> Iterator[Fact]:
    """Comparisons and gaps of every document that the bundle lists."""
    evidence = _evidence(case)
    for held in case.documents:
        yield from (_unusable(problem) for problem in held.problems)
        if held.document is None:
            continue
        result = check(held.document, held.bindings, evidence).result
        yield from (_unusable(problem) for problem in result.problems)
        compared = [_compared(item) for item in result.results if item.status in _COMPARED]
        gaps = list(_gaps(held, result.results))
        yield from compared
        yield from gaps
        if not (held.problems or result.problems or compared or gaps):
            yield _silent(held)


def _evidence(case: Case) -> Evidence:
    digests = {path: member.sha256 for path, member in case.bundle.members.items()}
    data = DataFiles(case.files if case.files is not None else _NoFiles())
    return Evidence(
        resolver=Resolver(
            data=data, figures=BundleFigures(case, case.query or _no_query), digests=digests
        ),
        known=known_identities(
            data,
            digests,
            case.bundle.members,
            documents=[held.path for held in case.documents],
        ),
    )


class _NoFiles:
    """Nothing may be cited."""

    def read(self, path: str) -> bytes | None:  # noqa: ARG002 - the protocol has a path
        return None

    def names(self) -> Collection[str]:
        return ()


def _no_query(_: str) -> tuple[Figure, ...]:
    message = "no measure can be asked for here"
    raise UsageError(message, hint="Cite a figure.")


def _unusable(problem: Problem) -> Comparison:
    return Comparison(
        location=problem.location,
        expected="a binding that can be used",
        actual="none",
        basis=Basis.SPEC,
        message=problem.message,
    )


def _silent(held: HeldDocument) -> Comparison:
    """A page without a number to hold is read all the same, and is no fault of the bundle."""
    return Comparison(
        location=held.path,
        expected=0,
        actual=0,
        basis=Basis.SPEC,
        how="numbers in it that would need a source",
    )


def _compared(item: ClaimResult) -> Comparison:
    # "-0.0" rounds the value, and "9 of 8" may repeat its source: neither says what is so.
    fits = item.status == "SUPPORTED" and not item.flaws
    wrong = ", ".join(item.flaws) if item.status == "SUPPORTED" else item.status
    right = item.expected if item.expected and item.expected != item.text else wrong
    flaws = f" Odd: {', '.join(item.flaws)}." if item.flaws else ""
    return Comparison(
        location=f"{item.place.document}:{item.place.line}:{item.place.column}",
        expected=item.text,
        actual=item.text if fits else right,
        basis=Basis.RECOMPUTED if item.origin.startswith("recomputed") else Basis.SEALED,
        message=f"{item.reason}{flaws}".lstrip(),
        how=item.origin,
    )


def _gaps(held: HeldDocument, results: Iterable[ClaimResult]) -> Iterator[Gap]:
    unbound = []
    for item in results:
        if item.status == "UNSUPPORTED":
            yield Gap(
                location=f"{item.place.document}:{item.place.line}:{item.place.column}",
                reason=f"{item.text} has no source: {item.reason}",
                concern="declared-only",
            )
        elif item.status == "UNBOUND" and item.what == "number":
            unbound.append(item.place.line)
    if unbound:
        lines = list(dict.fromkeys(unbound))
        more = ", ..." if len(lines) > _LISTED_LINES else ""
        shown = ", ".join(map(str, lines[:_LISTED_LINES]))
        numbers = "1 number is" if len(unbound) == 1 else f"{len(unbound)} numbers are"
        place = "line" if len(lines) == 1 else "lines"
        yield Gap(
            location=held.path,
            reason=f"{numbers} bound to nothing, in {place} {shown}{more}",
            concern="declared-only",
        )
