"""A figure is a published number together with the measure that produces it."""

from dataclasses import dataclass
from typing import Literal

from verifier.model.number import Published
from verifier.model.recipe import Recipe

Kind = Literal["aggregate", "count", "interval"]
Pair = Literal["difference", "lower"]
End = Literal["low", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure is data, never code: select, within, pair, across, scale (docs/format.md).

    Attributes:
        statistic: id of the statistic in ``verifier/stats`` that reduces the units to a number.
        column: which per-window (or per-row) quantity: ``kld``, ``nll``, ``top1_agreement``,
            ``scored_rows``, ``predicted_rows``...
        arms: one arm id, or two for a paired measure (first minus second, first lower).
            An arm of a reference bundle is written ``reference:NAME``. Several arms without a
            pair are taken one after the other; no arm at all means the windows of the panel.
        pair: how two arms are combined window by window.
        group: (group name, value): only windows in that group, for example
            ("domain", "axis2_legal"). Empty for all windows.
        scale: ``exp`` turns a mean NLL into a perplexity.
    """

    statistic: str
    column: str = "kld"
    arms: tuple[str, ...]
    pair: Pair | None = None
    group: tuple[str, str] | None = None
    scale: Literal["exp"] | None = None

    @property
    def label(self) -> str:
        """One line for people, for example ``mean of kld, fp8 minus nvfp4, domain legal``.

        A report has to say what a number was held against: the id is only what its author calls it.
        """
        joint = {"difference": " minus ", "lower": " lower than ", None: " and "}[self.pair]
        counted = self.statistic == "size" or not self.arms
        statistic = {"size": "number", "common": "common value"}.get(self.statistic, self.statistic)
        parts = [
            f"{statistic} of {'windows' if counted else self.column}",
            joint.join(self.arms) or "panel",
        ]
        if self.group is not None:
            parts.append(" ".join(self.group))
        label = ", ".join(parts)
        return f"{self.scale}({label})" if self.scale else label


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One published number.

    Attributes:
        id: stable id; for a published record the file and JSON pointer.
        location: where it stands: ``file#/json/pointer``.
        published: the number as printed.
        kind: which check answers for it.
        measure: what produces it; None when nothing known does.
        end: which end of an interval, when it is one.
        interval: id shared by the two ends of one interval, "" otherwise.
        recipe: the declared interval recipe; None when it has to be found.
        hints: seeds and resample counts that the record itself names, for the search.
        missing: what would be needed to recompute it, when ``measure`` is None.
    """

    id: str
    location: str
    published: Published
    kind: Kind
    measure: Measure | None
    end: End | None = None
    interval: str = ""
    recipe: Recipe | None = None
    hints: tuple[int, ...] = ()
    missing: str = ""
