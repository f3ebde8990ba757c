"""Published decisions are what their rules make of the retained scores.

Compared: the word of every published decision (improvement, harm, no detectable change; true or
false) with the word that its rule makes of the value recomputed, or of the interval drawn again;
and, where a recipe is declared, that the policy permits it. The rules are: where an interval lies
(`reading`), whether it includes 0, whether it lies within a margin (`equivalent`), and whether a
value or an end passes a threshold (`gate`). The report names the rule, its strictness and the
margin: how far the number that decides is from another word, in the unit of the measure and in
standard errors.

Basis: RECOMPUTED for words, POLICY for the recipe. Words are compared exactly. A word that could
change within the policy's numeric tolerance is a gap, "the decision depends on rounding", and never
a pass; counts, such as 22 of 32 windows, know no rounding. Constant data decide nothing: a gap.

Why it matters: the decision is what readers take away. "No detectable change" never means equal: a
wide interval around 0 says that little was measured. Margin and threshold are the author's own, and
nothing here shows that they were fixed before the measurement.

A mismatch means that the word does not follow from the retained scores under the rule beside it.
Look for a reversed direction (lower or higher is better), arms in the other order, an interval of
another level, or a margin in another unit (a fraction where percent was meant). For the first 20
mismatches the report names what else gives the word, if any of the usual alternatives does; with
two or three words to choose from, that is soon met by chance.
"""

from collections.abc import Iterable, Iterator

from verifier.checks._permitted import permitted
from verifier.decisions import Decided
from verifier.figures import gap
from verifier.intervals import Drawings
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, Fact
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Check, Missing
from verifier.rulings import Evidence, evidence, ruling


def _applies(case: Case) -> str:
    if any(figure.kind == "decision" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no decision"


def _run(case: Case) -> Iterable[Fact]:
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    for figure in case.bundle.figures:
        if figure.kind == "decision":
            yield from _decision(case, drawings, figure)


def _decision(case: Case, drawings: Drawings, figure: Figure) -> Iterator[Fact]:
    held = evidence(case, drawings, figure)
    if isinstance(held, Missing):
        yield gap(figure, held.reason)
        return
    if figure.recipe is not None:
        yield from permitted(case.policy.intervals, figure.recipe, figure.location)
    decided = ruling(case, held)
    if isinstance(decided, Missing):
        yield gap(figure, decided.reason)
        return
    yield _word(held, decided)


def _word(held: Evidence, decided: Decided) -> Comparison:
    errors = decided.standard_errors
    scaled = "" if errors is None else f" ({errors:.3g} standard errors)"
    return Comparison(
        location=held.figure.location,
        expected=held.figure.published.text,
        actual=decided.word,
        basis=Basis.RECOMPUTED,
        figure=held.figure.id,
        how=held.account(decided),
        level=held.level,
        n=held.n,
        message=(
            f'The retained scores give "{decided.word}", '
            f"{decided.margin:.6g}{scaled} from another word."
        ),
    )


def _explain(case: Case, figure_id: str) -> str:
    from verifier.explain.decision import explain  # noqa: PLC0415 - only a mismatch needs its imports

    return explain(case, figure_id)


CHECK = Check(
    id="published-decisions",
    title="Published decisions are what their rules make of the retained scores",
    applies=_applies,
    run=_run,
    explain=_explain,
)
