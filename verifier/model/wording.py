"""A measure in words: everything that could tell two measures apart is said."""

import json
import re
from collections.abc import Iterator

from verifier.model.figure import Figure
from verifier.model.measure import (
    Condition,
    Measure,
    Operand,
    Options,
    Pair,
    Parameter,
    RowSelection,
    WindowSelection,
)

_JOINTS: dict[Pair | None, str] = {
    "difference": " minus ",
    "absolute-difference": " apart from ",
    "ratio": " over ",
    "log-ratio": " over ",
    "lower": " lower than ",
    "equal": " equal to ",
    "higher": " higher than ",
    "minimum": " and ",
    "maximum": " and ",
    None: " and ",
}
_LEADS: dict[Pair | None, str] = {"minimum": "the lower of ", "maximum": "the higher of "}
_PLAIN = re.compile(r"[\w./+-]+( [\w./+-]+)*")
"""Values that end where they seem to end."""
_STATISTICS = {"size": "number", "common": "common value"}
_BOUNDS = (
    ("above", ">"),
    ("at_least", ">="),
    ("below", "<"),
    ("at_most", "<="),
    ("equals", "="),
)


def label(measure: Measure) -> str:
    """One line, for example ``mean of kld, fp8 minus nvfp4, domain legal``."""
    text = ", ".join(_parts(measure))
    if measure.relative_to is not None:
        base = label(measure.relative_to)
        text = f"{text}, relative to the {f'({base})' if measure.relative_to.scale else base}"
    if measure.scale == "percent":
        return f"{text}, in percent"
    return f"{measure.scale}({text})" if measure.scale else text


def described(figure: Figure) -> str:
    """What a figure is held against, "" when nothing is known to give it."""
    if figure.measure is None:
        return ""
    end = f"{figure.end} end for the " if figure.end else ""
    return f"{end}{label(figure.measure)}"


def _parts(measure: Measure) -> Iterator[str]:
    counts = not measure.arms or (measure.statistic == "size" and measure.within != "none")
    column = "log ratio of " if measure.pair == "log-ratio" else ""
    what = "windows" if counts else f"{column}{measure.column}{_options(measure.options)}"
    statistic = _STATISTICS.get(measure.statistic, measure.statistic.replace("-", " "))
    yield f"{_over(measure)}{statistic}{_parameters(measure.parameters)} of {what}"
    yield _arms(measure.arms, measure.pair) or "panel"
    if measure.within == "none":
        yield "all rows"
    elif measure.within != "mean":
        yield f"{measure.within}{_parameters(measure.within_parameters)} of each window"
    if measure.by == "row" and measure.within != "none":
        yield "row by row"
    if measure.weights == "pooled-rows" and measure.within != "none":
        yield "weighted by rows"
    if measure.weights == "equal-group":
        yield f"equal weight for each {measure.stratum}"
    yield from _windows(measure.windows)
    yield from _rows(measure.rows)


def _over(measure: Measure) -> str:
    if measure.over is None:
        return ""
    return f"{measure.over}{_parameters(measure.over_parameters)} over runs of the "


def _parameters(parameters: tuple[tuple[str, Parameter], ...]) -> str:
    inside = ", ".join(f"{name} {_plain(value)}" for name, value in parameters)
    return f" ({inside})" if inside else ""


def _options(options: Options) -> str:
    plain = Options()
    parts = []
    if options.top_k is not None:
        parts.append(f"top {options.top_k}")
    if options.ngram != plain.ngram:
        parts.append(f"{options.ngram}-grams")
    if options.distance != plain.distance:
        parts.append(f"{options.distance} tokens back")
    return f" ({', '.join(parts)})" if parts else ""


def _arms(arms: tuple[Operand, ...], pair: Pair | None) -> str:
    if len(arms) == 1:
        return _operand(arms[0])
    return _LEADS.get(pair, "") + _JOINTS[pair].join(map(_bracketed, arms))


def _operand(operand: Operand) -> str:
    return operand if isinstance(operand, str) else f"mean of {' and '.join(operand)}"


def _bracketed(operand: Operand) -> str:
    return operand if isinstance(operand, str) else f"({_operand(operand)})"


def _windows(windows: WindowSelection) -> Iterator[str]:
    if windows.group is not None:
        name, value = windows.group
        yield f"{name} {value if _PLAIN.fullmatch(value) else json.dumps(value)}"
    if windows.first is not None:
        yield f"first {windows.first} windows"
    if windows.ids is not None:
        yield f"windows {' '.join(windows.ids)}"
    if windows.omit:
        yield f"without windows {' '.join(windows.omit)}"


def _rows(rows: RowSelection) -> Iterator[str]:
    if rows.mask == "all":
        yield "excluded rows too"
    if rows.first is not None or rows.last is not None:
        yield f"rows {rows.first or 0} to {'the end' if rows.last is None else rows.last}"
    if rows.part is not None:
        yield f"part {rows.part[0]} of {rows.part[1]} of each window"
    for condition in rows.where:
        yield f"where {_condition(condition)}"
    if rows.trim is not None:
        yield f"without rows above quantile {rows.trim.probability:g} ({rows.trim.rule})"
    if rows.ranked is not None:
        ranked = rows.ranked
        source = _source(ranked.column, ranked.options, ranked.arms, ranked.pair)
        yield f"row of rank {ranked.rank} by {source}"


def _condition(condition: Condition) -> str:
    bounds = [
        f"{sign} {_plain(value)}"
        for name, sign in _BOUNDS
        if (value := getattr(condition, name)) is not None
    ]
    source = _source(condition.column, condition.options, condition.arms, condition.pair)
    return f"{source} {' and '.join(bounds)}"


def _source(column: str, options: Options, arms: tuple[Operand, ...], pair: Pair | None) -> str:
    kind = "log ratio of " if pair == "log-ratio" else ""
    named = f" of {_arms(arms, pair)}" if arms else ""
    return f"{kind}{column}{_options(options)}{named}"


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else repr(value).removesuffix(".0")
