"""A measure is data, never code: one pipeline of fixed stages (docs/format.md, section 9).

The stages are select, within, pair, across, over, scale; a reader sees at which one two figures
differ. Interval and decision belong to the figure (``verifier/model/figure.py``).
"""

from dataclasses import dataclass
from typing import Literal, get_args

from verifier.model.recipe import QuantileRule

Operand = str | tuple[str, ...]
"""An arm id, or several runs of which the mean is taken row by row or window by window."""

Pair = Literal[
    "difference",
    "absolute-difference",
    "ratio",
    "log-ratio",
    "lower",
    "equal",
    "higher",
    "minimum",
    "maximum",
]
By = Literal["window", "row"]
Weights = Literal["equal-window", "pooled-rows", "equal-group"]
Mask = Literal["scored", "all"]
Scale = Literal["exp", "percent"]
Parameter = float | str

PAIRS: tuple[Pair, ...] = get_args(Pair)
REFERENCE = "reference:"
"""Stands before the name of an arm of the reference bundle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Choices inside a derived column.

    Attributes:
        top_k: how many of the retained top-k tokens count, None for all of them.
        ngram: length in tokens of what counts as copied.
        distance: a copy's source ends more than this many tokens before the copy.
    """

    top_k: int | None = None
    ngram: int = 12
    distance: int = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Keep the rows in which a column lies within bounds; all bounds that are set must hold.

    Attributes:
        column: stored or derived.
        arms: of which arms, empty for the first of the measure (the first two for a column that
            compares two arms).
        pair: how two arms are combined row by row.
    """

    column: str
    arms: tuple[Operand, ...] = ()
    pair: Pair | None = None
    options: Options = Options()
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    equals: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trim:
    """Drop the rows above a pooled quantile of the measure's column.

    The quantile is that of all selected rows of all arms of the measure together; a row above it
    in one arm is dropped from every arm.
    """

    probability: float
    rule: QuantileRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Keep one row: that with the ``rank``-th largest value (1 is the largest) of a column.

    Among equal values the row that comes first counts as the larger one.
    """

    column: str
    rank: int
    arms: tuple[Operand, ...] = ()
    pair: Pair | None = None
    options: Options = Options()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSelection:
    """Which rows of a window count.

    Attributes:
        mask: ``scored`` leaves the excluded rows out, ``all`` keeps them.
        first: number of the first row, counted from 0 as in the row mask; None for the start.
        last: number of the last row, inclusive; None for the end.
        part: (index from 1, of): one of so many parts of the rows that the mask leaves, in order;
            row i of n lies in part floor(i * of / n) + 1.
        where: conditions that all must hold.
        trim: applied after everything above.
        ranked: applied last.
    """

    mask: Mask = "scored"
    first: int | None = None
    last: int | None = None
    part: tuple[int, int] | None = None
    where: tuple[Condition, ...] = ()
    trim: Trim | None = None
    ranked: Ranked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowSelection:
    """Which windows count: those for which everything that is set holds.

    Attributes:
        group: (group name, value), for example ("domain", "axis2_legal").
        ids: a named subset.
        first: the first so many windows of the arm.
        omit: all but these.
    """

    group: tuple[str, str] | None = None
    ids: tuple[str, ...] | None = None
    first: int | None = None
    omit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What produces a number.

    Attributes:
        statistic: id of the statistic in ``verifier/stats`` that reduces the units to a number.
        parameters: (name, value) of the statistic's parameters, sorted by name.
        column: which per-window or per-row quantity: ``kld``, ``nll``, ``scored_rows``...
        options: choices inside a derived column.
        arms: operands. An arm of a reference bundle is written ``reference:NAME``. A statistic of
            several arms takes one vector of each; else several arms without a pair are taken one
            after the other, and no arm at all means the windows of the panel.
        pair: how two arms are combined while they are still matched.
        by: whether they are matched window by window (after ``within``) or row by row (before).
        rows: which rows of a window.
        windows: which windows.
        within: id of the statistic that makes one value of the rows of a window; ``none`` keeps
            all rows as units.
        within_parameters: parameters of ``within``, sorted by name.
        weights: ``equal-window``; ``pooled-rows``: windows weigh as their rows; ``equal-group``:
            the statistic is taken in each group, and the groups' values are averaged; a function
            of means is that of the operands' averaged group means.
        stratum: name of the group, for ``equal-group``.
        over: id of the statistic that reduces one number per arm, for several runs of an arm.
        over_parameters: parameters of ``over``, sorted by name.
        relative_to: divide by the number that this measure gives.
        scale: ``exp`` turns a mean NLL into a perplexity; ``percent`` multiplies by 100.
    """

    statistic: str
    parameters: tuple[tuple[str, Parameter], ...] = ()
    column: str = "kld"
    options: Options = Options()
    arms: tuple[Operand, ...] = ()
    pair: Pair | None = None
    by: By = "window"
    rows: RowSelection = RowSelection()
    windows: WindowSelection = WindowSelection()
    within: str = "mean"
    within_parameters: tuple[tuple[str, Parameter], ...] = ()
    weights: Weights = "equal-window"
    stratum: str | None = None
    over: str | None = None
    over_parameters: tuple[tuple[str, Parameter], ...] = ()
    relative_to: "Measure | None" = None
    scale: Scale | None = None

    @property
    def arm_names(self) -> tuple[str, ...]:
        """Every arm that the measure, its conditions or its base name, each once."""
        operands = [*self.arms]
        for condition in self.rows.where:
            operands += condition.arms
        if self.rows.ranked is not None:
            operands += self.rows.ranked.arms
        names = [
            name
            for operand in operands
            for name in ((operand,) if isinstance(operand, str) else operand)
        ]
        if self.relative_to is not None:
            names += self.relative_to.arm_names
        return tuple(dict.fromkeys(names))
