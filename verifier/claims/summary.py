"""Counts of a claims check, so that coverage cannot look better than it is, and its verdict."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from typing import Literal, get_args

from verifier.model.claim import ClaimResult, DocumentResult, Status

FailOn = Literal["contradicted", "unit", "stale", "unsupported", "unbound", "flaw"]

FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)

DEFAULT_FAIL_ON: frozenset[FailOn] = frozenset(
    {"contradicted", "unit", "stale", "unsupported", "flaw"}
)

_STATUS: Mapping[FailOn, Status] = {
    "contradicted": "CONTRADICTED",
    "unit": "UNIT",
    "stale": "STALE",
    "unsupported": "UNSUPPORTED",
    "unbound": "UNBOUND",
}

_HELD = frozenset[Status]({"SUPPORTED", "CONTRADICTED", "UNIT", "STALE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a check of documents came to.

    Attributes:
        numbers: how many numbers have each status.
        identities: how many digests, commit ids and file names have each status.
        flaws: numbers with a finding of their own, such as a truncated one.
        problems: bindings that could not be used.
        failures: why the check failed, one sentence each; none when it passed.
    """

    numbers: Mapping[Status, int]
    identities: Mapping[Status, int]
    flaws: int
    problems: int
    failures: tuple[str, ...]

    @property
    def owned(self) -> int:
        """Numbers that were held against a value."""
        return sum(self.numbers[status] for status in _HELD)

    @property
    def missing(self) -> int:
        """Bound numbers whose source is not there."""
        return self.numbers["UNSUPPORTED"]

    @property
    def unbound(self) -> int:
        """Numbers that nothing binds."""
        return self.numbers["UNBOUND"]

    @property
    def ignored(self) -> int:
        """Numbers that a rule says are no claims, and that nothing binds."""
        return self.numbers["NOT A CLAIM"]

    @property
    def coverage(self) -> Decimal | None:
        """Owned numbers in percent of all that claim something; None where none does."""
        claims = self.owned + self.missing + self.unbound
        return Decimal(100 * self.owned) / claims if claims else None


def summarised(
    results: Sequence[DocumentResult],
    *,
    fail_on: Collection[FailOn] = DEFAULT_FAIL_ON,
    min_coverage: Decimal | None = None,
) -> Summary:
    """Count the results of documents and say whether they fail.

    A binding that cannot be used fails always: what it should have checked was not.

    Args:
        results: one for each document.
        fail_on: what fails the check.
        min_coverage: percent that must be owned.
    """
    every = [result for document in results for result in document.results]
    summary = Summary(
        numbers=_counted(result for result in every if result.what == "number"),
        identities=_counted(result for result in every if result.what != "number"),
        flaws=sum(bool(result.flaws) for result in every),
        problems=sum(len(document.problems) for document in results),
        failures=(),
    )
    return replace(summary, failures=tuple(_failures(summary, fail_on, min_coverage)))


def _counted(results: Iterable[ClaimResult]) -> Mapping[Status, int]:
    counts = Counter(result.status for result in results)
    return {status: counts[status] for status in get_args(Status)}


def _failures(
    summary: Summary, fail_on: Collection[FailOn], min_coverage: Decimal | None
) -> Iterator[str]:
    if summary.problems:
        yield f"{_many(summary.problems, 'binding')} cannot be used"
    named = sum(summary.identities.values()) - summary.identities["UNBOUND"]
    if not (summary.owned or summary.missing or named):
        # A check that compared nothing has found nothing out.
        yield "nothing binds any number, so nothing was compared"
    for name in FAIL_ON:
        if name == "flaw":
            count = summary.flaws
        else:
            status: Status = _STATUS[name]
            count = summary.numbers[status]
            # An identity that nothing names is no number left unbound.
            count += summary.identities[status] if name != "unbound" else 0
        if name in fail_on and count:
            yield f"{_many(count, name)}"
    coverage = summary.coverage
    if min_coverage is not None and (coverage is None or coverage < min_coverage):
        held = "no number claims anything" if coverage is None else f"{percent(coverage)} %"
        yield f"coverage: {held}, at least {min_coverage} % is asked for"


def percent(coverage: Decimal) -> str:
    """A coverage with one digit, rounded down: 99.96 % of a document is not all of it."""
    return str(coverage.quantize(Decimal("0.1"), rounding=ROUND_FLOOR))


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' if what == 'binding' and count != 1 else ''}"
