"""The measure language as a list: statistics and row columns, with definition and source."""

from collections.abc import Iterable, Iterator

from verifier.model.column import RowColumn
from verifier.model.plugin import ParameterRule, Statistic
from verifier.render._layout import field, paragraph


def listing(statistics: Iterable[Statistic], columns: Iterable[RowColumn]) -> str:
    """Every statistic and every column with definition, unit and source."""
    return "\n".join(_listing(statistics, columns)) + "\n"


def statistic_page(statistic: Statistic) -> str:
    """Definition, formula, unit, parameters and source of a statistic."""
    return "\n".join(_statistic(statistic)) + "\n"


def column_page(column: RowColumn) -> str:
    """Definition, unit, stored arrays and source of a column."""
    return "\n".join(_column(column)) + "\n"


def _listing(statistics: Iterable[Statistic], columns: Iterable[RowColumn]) -> Iterator[str]:
    for statistic in statistics:
        yield from _statistic(statistic)
        yield ""
    for column in columns:
        yield from _column(column)
        yield ""
    yield "columns of windows"
    yield from paragraph(
        "predicted_rows, scored_rows and raw_bytes are recorded of each window; any name that the "
        "record gives to window scores is a column too"
    )


def _statistic(statistic: Statistic) -> Iterator[str]:
    yield f"statistic {statistic.id}"
    yield from paragraph(statistic.title)
    yield from field("formula", statistic.formula)
    yield from field("unit", statistic.unit)
    operands = {1: "one arm, or a pair of arms", 2: "two arms", 3: "three arms"}
    yield from field("takes", operands.get(statistic.arms, f"{statistic.arms} arms"))
    for parameter in statistic.parameters:
        yield from field("parameter", _parameter(parameter))
    drawn = "yes" if statistic.of_means is not None else "no: it is no function of means"
    yield from field("interval", drawn)
    yield from field("source", statistic.source)


def _parameter(parameter: ParameterRule) -> str:
    words = [f"{parameter.name}: {parameter.title}"]
    if parameter.choices:
        words.append(f"one of {', '.join(parameter.choices)}")
    if parameter.default is None:
        words.append("required")
    return "; ".join(words)


def _column(column: RowColumn) -> Iterator[str]:
    yield f"column {column.name}"
    yield from paragraph(column.definition)
    yield from field("unit", column.unit)
    if column.needs_logits:
        yield from field("logits", f"raw files of {' and '.join(column.needs_logits)}")
    else:
        yield from field("needs", ", ".join(column.needs) or "nothing stored")
    if column.takes:
        yield from field("options", ", ".join(column.takes))
    if column.needs_tokens:
        yield from field("tokens", "inputs/<window>.tokens.npy")
    yield from field("takes", {1: "one arm", 2: "two arms, compared row by row"}[column.arms])
    yield from field("source", column.source)
