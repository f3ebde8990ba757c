"""The figure table as text: what became of each published number, the worst first."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from verifier.model.report import FigureResult, FigureStatus
from verifier.render._layout import WIDTH, field, fill, heading, paragraph
from verifier.render._safe import MESSAGE_LIMIT, safe
from verifier.render._table import Row, stacked, table
from verifier.render._words import DECLARED

_HEAD = ("figure", "published", "recomputed", "matched", "difference")
_BY_RULE = re.compile(r"(exact|tolerance|printed|degenerate|different)(?:; (.+))?", re.DOTALL)


class _Notes:
    """Long recipes, numbered where they are first needed and written out once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def matched(self, how: str) -> str:
        """The rule that accepted a figure, with the number of its recipe."""
        by_rule = _BY_RULE.fullmatch(how)
        rule, recipe = by_rule.groups() if by_rule else ("", how)
        if not recipe:
            return rule
        number = self._numbers.setdefault(recipe, len(self._numbers) + 1)
        return f"{rule} [{number}]".lstrip()

    def lines(self) -> Iterator[str]:
        """The legend."""
        if self._numbers:
            yield ""
        for recipe, number in self._numbers.items():
            yield from field(f"[{number}]", safe(recipe, MESSAGE_LIMIT), width=5)


def figure_table(figures: Sequence[FigureResult]) -> Iterator[str]:
    """The whole section."""
    yield ""
    yield heading("FIGURES", len(figures))
    if not figures:
        yield from paragraph("The bundle publishes no figure, or none could be read.")
    yield from _mismatches(_with_status(figures, "MISMATCH"))
    yield from _not_recomputable(_with_status(figures, "NOT_RECOMPUTABLE"))
    notes = _Notes()
    yield from _tables(_with_status(figures, "DEGENERATE"), "DEGENERATE, constant data", notes)
    yield from _tables(_with_status(figures, "REPRODUCED"), "REPRODUCED", notes)
    yield from notes.lines()


def _with_status(figures: Iterable[FigureResult], status: FigureStatus) -> list[FigureResult]:
    return [figure for figure in figures if figure.status == status]


def _mismatches(figures: Sequence[FigureResult]) -> Iterator[str]:
    if not figures:
        return
    yield ""
    yield from paragraph(heading("MISMATCH", len(figures)))
    for figure in figures:
        by_rule = _BY_RULE.fullmatch(figure.how)
        fields = (
            ("published", figure.published),
            ("recomputed", figure.recomputed),
            ("difference", figure.difference),
            ("measure", f"{figure.measure}{_units(figure)}" if figure.measure else None),
            ("recipe", by_rule.group(2) if by_rule else figure.how),
            ("basis", _from(figure)),
            ("at", figure.location if figure.location != figure.id else None),
        )
        yield from paragraph(safe(figure.id), indent=4)
        yield from stacked((label, safe(text, MESSAGE_LIMIT)) for label, text in fields if text)


def _not_recomputable(figures: Sequence[FigureResult]) -> Iterator[str]:
    if not figures:
        return
    yield ""
    yield from paragraph(heading(f"NOT RECOMPUTABLE, {DECLARED}", len(figures)))
    for reason, alike in _grouped(figures, lambda figure: figure.how):
        why = safe(reason, MESSAGE_LIMIT) if reason else "nothing says what would be needed"
        yield from fill(f"missing: {why}", first="    ", rest=" " * 6)
        for figure in alike:
            line = f"    - {safe(figure.id)}  published {safe(figure.published)}"
            if len(line) <= WIDTH:
                yield line
                continue
            yield from fill(safe(figure.id), first="    - ", rest=" " * 6)
            yield from paragraph(f"published {safe(figure.published)}", indent=6)


def _tables(figures: Sequence[FigureResult], title: str, notes: _Notes) -> Iterator[str]:
    for source, alike in _grouped(figures, _from):
        yield ""
        yield from paragraph(heading(f"{title}{source and ', '}{source}", len(alike)))
        yield from table(_HEAD, [_row(figure, notes) for figure in alike])


def _from(figure: FigureResult) -> str:
    """What a recomputed number was computed from, marked when it is but the bundle's word."""
    if figure.basis == "DECLARED":
        return DECLARED
    return f"from {safe(figure.level)}" if figure.level else ""


def _row(figure: FigureResult, notes: _Notes) -> Row:
    cells = (
        safe(figure.published),
        safe(figure.recomputed) if figure.recomputed else "",
        notes.matched(figure.how),
        _short(figure.difference),
    )
    # The author chose the id, so what the number was held against stands beside it.
    note = f"= {safe(figure.measure)}{_units(figure)}" if figure.measure else ""
    return Row(name=safe(figure.id), note=note, cells=cells)


def _units(figure: FigureResult) -> str:
    return "" if figure.n is None else f" (n = {figure.n})"


def _short(difference: str | None) -> str:
    """Two digits of a difference: its size matters here, the JSON report has it in full."""
    if not difference:
        return ""
    try:
        number = float(difference)
    except ValueError:
        return safe(difference)
    return f"{number:.1e}" if number else "0"


def _grouped(
    figures: Iterable[FigureResult], key: Callable[[FigureResult], str]
) -> Iterable[tuple[str, Sequence[FigureResult]]]:
    groups: dict[str, list[FigureResult]] = {}
    for figure in figures:
        groups.setdefault(key(figure), []).append(figure)
    return groups.items()
