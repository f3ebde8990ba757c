"""Which measures give a number of things: nothing rounds it, so it is compared exactly.

Readers ask so that "22 of 32" is never held to a tolerance, and decisions so that a count on its
threshold is not said to depend on rounding.
"""

from verifier.model.column import WINDOW_COLUMNS
from verifier.model.measure import Measure
from verifier.stats import common, count, largest, maximum, minimum, size
from verifier.stats import range as range_
from verifier.stats import sum as sum_

COUNTING = frozenset(module.STATISTIC.id for module in (count, size))
"""Statistics whose result counts units (``Statistic.exact``), whatever the units are."""

WHOLE_OF_WHOLE = frozenset(
    module.STATISTIC.id for module in (common, largest, maximum, minimum, range_, sum_)
)
"""Statistics that give a whole number when every unit is one."""

_WHOLE_COLUMNS = frozenset({"row", "window", "history", "one"})


def counts_things(measure: Measure) -> bool:
    """Whether the measure's number is one of things, and whole by how it is made.

    It is when nothing scales it, divides it or weighs windows or groups, and

    - the statistic counts units, or is one of ``WHOLE_OF_WHOLE`` over units that are whole: the
      recorded rows or bytes of windows, numbers of rows (``within`` counts them, matched row by
      row if two arms are paired), or the columns ``row``, ``window``, ``history`` and ``one``,
      unpaired, reduced within windows by one of ``WHOLE_OF_WHOLE`` or not at all; and
    - over several arms, one of ``WHOLE_OF_WHOLE`` reduces their numbers.
    """
    if measure.scale or measure.relative_to or measure.weights != "equal-window":
        return False
    if measure.over is not None and measure.over not in WHOLE_OF_WHOLE:
        return False
    if measure.statistic in COUNTING:
        return True
    return measure.statistic in WHOLE_OF_WHOLE and _whole_units(measure)


def _whole_units(measure: Measure) -> bool:
    """Whether the units are whole numbers: the mean of a window or of runs is none."""
    if any(not isinstance(operand, str) for operand in measure.arms):
        return False
    if measure.within in COUNTING:
        return measure.pair is None or measure.by == "row"
    if measure.pair is not None:
        return False
    if measure.column in WINDOW_COLUMNS:
        return True
    kept = measure.within == "none" or measure.within in WHOLE_OF_WHOLE
    return measure.column in _WHOLE_COLUMNS and kept
