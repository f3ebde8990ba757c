"""Find a figure, and what its bundle offers in the place of its choices."""

from verifier.explain.variation import Surroundings
from verifier.model.bundle import Bundle
from verifier.model.figure import Figure
from verifier.model.plugin import Case, Missing, Units


def figure_of(bundle: Bundle, figure_id: str) -> Figure:
    """The figure with this id."""
    return next(figure for figure in bundle.figures if figure.id == figure_id)


def surroundings(case: Case, units: Units | Missing) -> Surroundings:
    """What the bundle offers in the place of the choices of a measure with these units."""
    windows = () if isinstance(units, Missing) else units.window_ids
    return Surroundings(arms={arm.id: arm for arm in case.bundle.arms}, windows=windows)
