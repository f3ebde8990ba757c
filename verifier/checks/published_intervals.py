"""Published interval end points equal the interval drawn again from the retained scores.

Compared: both end points of every published interval with the interval of its measure under the
declared recipe: a bootstrap (BCa, percentile, basic, or normal with the bootstrap standard error)
of windows, clusters of windows or rows, in the record's window order, or a normal or Student t
interval, which draws nothing; and, where a recipe is declared, that the policy permits it. A
published record that declares none is held against the known recipes ({legacy RandomState, PCG64} x
{BCa, percentile} x known seeds and resample counts); the report names the one that came nearest.

Basis: RECOMPUTED for end points, POLICY for the recipe. An end point matches when it is equal,
within the policy's tolerance (1e-9 standard errors or 1e-12 relative by default), or when it rounds
to the printed digits. Constant values make an interval DEGENERATE: null or the constant itself is
accepted.

Why it matters: method, unit, resamples, seed, stream and window order all move the end points, and
an author who may choose them freely may choose the ones that suit.

A mismatch means that the interval belongs to other values, another window order or another recipe.
For the first 20 mismatches the report names what else gives the published end points, if any of the
usual alternatives does (stream, method, conventions, window order, rows, units, float32, exchanged
arms, seed). That shows what gives the digits, not what was done; few printed digits show little.
"""

from collections.abc import Iterable

from verifier.checks._permitted import permitted
from verifier.figures import gap
from verifier.intervals import Answer, Drawings, answer
from verifier.model.basis import Basis
from verifier.model.comparison import Comparison, EndPoint, Fact
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Check, Missing
from verifier.recipes import ends


def _applies(case: Case) -> str:
    if any(figure.kind == "interval" for figure in case.bundle.figures):
        return ""
    return "the bundle publishes no interval"


def _run(case: Case) -> Iterable[Fact]:
    drawings = Drawings(measures=case.measures, figures=case.bundle.figures)
    for pair in ends(case.bundle.figures):
        figures = tuple(pair.values())
        drawn = answer(case, drawings, pair)
        if isinstance(drawn, Missing):
            yield from (gap(figure, drawn.reason) for figure in figures)
            continue
        if drawn.declared:
            yield from permitted(case.policy.intervals, drawn.recipe, figures[0].location)
        for figure in figures:
            yield _end_point(figure, drawn)


def _end_point(figure: Figure, drawn: Answer) -> Comparison:
    interval = drawn.interval
    return Comparison(
        location=figure.location,
        expected=figure.published.value,
        actual=interval.low if figure.end == "low" else interval.high,
        printed=figure.published.text,
        basis=Basis.RECOMPUTED,
        rule=EndPoint(standard_error=interval.standard_error, degenerate=interval.degenerate),
        figure=figure.id,
        how=drawn.how,
        n=interval.units,
        level=drawn.level,
        message="The retained scores do not give this end point.",
    )


def _explain(case: Case, figure_id: str) -> str:
    from verifier.explain.interval import explain  # noqa: PLC0415 - only a mismatch needs its imports

    return explain(case, figure_id)


CHECK = Check(
    id="published-intervals",
    title="Published interval end points equal the interval drawn again",
    applies=_applies,
    run=_run,
    explain=_explain,
)
