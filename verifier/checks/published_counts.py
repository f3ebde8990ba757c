"""Published counts of windows and rows equal what is retained.

Compared: every published number of things with the same measure evaluated on the deepest evidence
retained: windows, in all or those in which one arm is lower; rows, predicted, scored or within
bounds; bytes of raw files; sums and extremes of such numbers; and the rows and windows in which an
extreme lies.

Basis: RECOMPUTED. Counts are compared exactly; 22 of 32 never rounds to 23. What else is a number
of things stands in docs/format.md, section 9.

Why it matters: a count that is off by one is a window or a row that was dropped, added or counted
twice.

A mismatch means that the record speaks of other windows or rows than the ones it retains. For the
first 20 mismatches the report names what else gives the count, if any of the usual alternatives
does; small numbers are soon met by chance.
"""

from collections.abc import Iterable

from verifier.figures import recompute
from verifier.model.comparison import Exact, Fact
from verifier.model.plugin import Case, Check


def _applies(case: Case) -> str:
    if any(figure.kind == "count" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no count"


def _run(case: Case) -> Iterable[Fact]:
    for figure in case.bundle.figures:
        if figure.kind == "count":
            yield recompute(case, figure, Exact())


def _explain(case: Case, figure_id: str) -> str:
    from verifier.explain.value import explain  # noqa: PLC0415 - only a mismatch needs its imports

    return explain(case, figure_id)


CHECK = Check(
    id="published-counts",
    title="Published counts of windows and rows equal what is retained",
    applies=_applies,
    run=_run,
    explain=_explain,
)
