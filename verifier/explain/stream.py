"""The place of an interval in a stream that is not seeded again for it."""

from itertools import takewhile

from verifier import intervals
from verifier.explain.spending import Spending
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Missing, Spent
from verifier.model.recipe import Recipe


def before(
    spending: Spending, figures: tuple[Figure, ...], measure: Measure, recipe: Recipe
) -> Spent | Missing:
    """What the stream of a recipe gave to the intervals before that of a measure.

    Args:
        spending: pays for the units of every interval before it.
        figures: of the bundle, in the order of publication.
        measure: whose interval is placed.
        recipe: its recipe; one that restarts its stream has nothing before it.
    """
    if recipe.start == "restart":
        return ()
    ends = [figure for figure in figures if figure.kind == "interval" and figure.recipe == recipe]
    earlier = list(takewhile(lambda figure: figure.measure != measure, ends))
    measures = list(dict.fromkeys(figure.measure for figure in earlier if figure.measure))
    if len(measures) > intervals.MOST_CONTINUED:
        spending.budget.refuse()
        return Missing(reason="too many intervals share the stream")
    if not spending.may_build(measures):
        return Missing(reason="the intervals before it would take too long")
    # Intervals of other recipes take nothing from this stream.
    drawings = intervals.Drawings(
        measures=spending.case.measures, figures=tuple(ends[: len(earlier) + 1])
    )
    return drawings.before(measure, recipe)
