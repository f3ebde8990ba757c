"""Numbers in the documents that the bundle lists are what its data say.

Compared, for each document in Markdown, HTML, reStructuredText or plain text that `bundle.json`
lists: every number that its claims file or an inline mark binds, with what it is bound to (a
recomputed figure or measure, a value in a file of the bundle, or a safe form over them or over
other numbers of the document); every digest, commit id and file name that the bundle names
otherwise; and the bindings themselves, each of which has to fit one place. Printed digits decide,
as in `verifier claims`.

Numbers that nothing binds, and bound numbers whose source is not there, are gaps: "declared-only",
because nothing retained could contradict them. Numbers that a rule says are no claims (dates,
versions, names, code) are passed over; `verifier claims` lists them. Of a document without a number
that needs a source just that is compared.

Basis: RECOMPUTED where figures or measures give the value, SEALED where a file of the bundle
records it, SPEC for bindings.

Why it matters: readers take the numbers from the prose, and prose drifts from its data: a table
that was regenerated in one place, a bound rounded the wrong way, percent for a fraction.

A mismatch names line and column, and the right value in the document's own format. Correct the
document (`verifier claims fix DOC --bundle PATH` writes the numbers) and seal again.
"""

from collections.abc import Iterable

from verifier.model.comparison import Fact
from verifier.model.plugin import Case, Check


def _applies(case: Case) -> str:
    return "" if case.documents else "the bundle lists no document that is read"


def _run(case: Case) -> Iterable[Fact]:
    # Most bundles list no prose, and what reads it loads slowly.
    from verifier.checks._document_facts import facts  # noqa: PLC0415 - as above

    return facts(case)


CHECK = Check(
    id="document-claims",
    title="Numbers in the documents of the bundle are what its data say",
    applies=_applies,
    run=_run,
    optional=True,
)
