"""Other weights, statistics, parameters, scales and columns."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

from verifier.columns.registry import ROW_COLUMNS
from verifier.explain.variation import STRICTNESS, Surroundings, Variation
from verifier.model.column import WINDOW_COLUMNS
from verifier.model.measure import Measure, Parameter
from verifier.model.recipe import QUANTILE_RULES
from verifier.stats import (
    count,
    fraction,
    geometric_mean,
    maximum,
    mean,
    median,
    minimum,
    standard_deviation,
    standard_error,
    top_share,
)
from verifier.stats import sum as total

_MOST_COLUMNS = 8
_MOST_GROUPS = 4
_UNITS = MappingProxyType(
    {"mean": "window means", "median": "window medians", "none": "pooled rows"}
)
_MEAN, _SUM = mean.STATISTIC.id, total.STATISTIC.id
_MEDIAN, _GEOMETRIC = median.STATISTIC.id, geometric_mean.STATISTIC.id
_COUNT, _FRACTION = count.STATISTIC.id, fraction.STATISTIC.id
_DEVIATION, _ERROR = standard_deviation.STATISTIC.id, standard_error.STATISTIC.id
_INSTEAD: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        _MEAN: (_MEDIAN, _GEOMETRIC, _SUM),
        _MEDIAN: (_MEAN,),
        _GEOMETRIC: (_MEAN,),
        _SUM: (_MEAN,),
        _COUNT: (_FRACTION,),
        _FRACTION: (_COUNT,),
        _DEVIATION: (_ERROR,),
        minimum.STATISTIC.id: (maximum.STATISTIC.id,),
        maximum.STATISTIC.id: (minimum.STATISTIC.id,),
    }
)
(_COUNTINGS,) = (rule.choices for rule in top_share.STATISTIC.parameters if rule.choices)
_CHOICES: Mapping[str, tuple[tuple[str, ...], str]] = MappingProxyType(
    {"rule": (QUANTILE_RULES, "under quantile rule"), "counting": (_COUNTINGS, "counting by")}
)


def scales(measure: Measure) -> Iterator[Variation]:
    """With and without the exponential; percent is one of the forms of a number."""
    if measure.scale == "exp":
        yield Variation(words="without the exponential", measure=replace(measure, scale=None))
    elif measure.scale is None and "nll" in measure.column:
        yield Variation(words="as a perplexity", measure=replace(measure, scale="exp"))


def weights(measure: Measure, around: Surroundings) -> Iterator[Variation]:
    """Windows, rows or groups that weigh the same."""
    plain = replace(measure, weights="equal-window", stratum=None)
    for within, words in _UNITS.items():
        if within != measure.within:
            yield Variation(words=f"over {words}", measure=replace(plain, within=within))
    if measure.weights != "equal-window":
        yield Variation(words="with equal weights for the windows", measure=plain)
    if measure.weights != "pooled-rows" and measure.within != "none":
        by_rows = replace(plain, weights="pooled-rows")
        yield Variation(words="with windows that weigh as their rows", measure=by_rows)
    if measure.weights != "equal-group":
        for name in _group_names(measure, around):
            by_group = replace(plain, weights="equal-group", stratum=name)
            yield Variation(words=f"with equal weights for each {name}", measure=by_group)


def statistics(measure: Measure) -> Iterator[Variation]:
    """Another statistic, or another parameter of the same."""
    given = dict(measure.parameters)
    for name, value in given.items():
        for words, changed in _parameters(name, value, given):
            parameters = tuple(sorted(changed.items()))
            yield Variation(words=words, measure=replace(measure, parameters=parameters))
    for other in _INSTEAD.get(measure.statistic, ()):
        words = f"with the {_plain(other)} instead of the {_plain(measure.statistic)}"
        kept = measure.parameters if _FRACTION in {other, measure.statistic} else ()
        yield Variation(words=words, measure=replace(measure, statistic=other, parameters=kept))
    if measure.statistic == _ERROR:
        for ddof in (1, 0):
            deviation = replace(measure, statistic=_DEVIATION, parameters=(("ddof", ddof),))
            words = f"with the standard deviation (ddof {ddof}) instead of the standard error"
            yield Variation(words=words, measure=deviation)


def columns(measure: Measure, around: Surroundings) -> Iterator[Variation]:
    """Another column that the first arm retains."""
    if measure.column in WINDOW_COLUMNS:
        known = list(WINDOW_COLUMNS)
    else:
        arm = around.first_arm(measure)
        recorded = () if arm is None or not arm.windows else arm.windows[0].values
        stored = () if arm is None else (name for name in arm.row_columns if name in ROW_COLUMNS)
        known = list(islice(dict.fromkeys((*recorded, *stored)), _MOST_COLUMNS))
    for other in known:
        if other != measure.column:
            words = f"of {other} instead of {measure.column}"
            yield Variation(words=words, measure=replace(measure, column=other))


def _parameters(
    name: str, value: Parameter, given: Mapping[str, Parameter]
) -> Iterator[tuple[str, dict[str, Parameter]]]:
    if name in _CHOICES:
        choices, words = _CHOICES[name]
        for choice in choices:
            if choice != value:
                yield f"{words} {choice}", {**given, name: choice}
    elif name == "ddof" and value in {0, 1}:
        other = 1 - int(value)
        yield f"with ddof {other}", {**given, name: other}
    elif not isinstance(value, str) and STRICTNESS.get(name, name) not in given:
        bound = STRICTNESS[name]
        words = f"of units {_plain(bound)} {value:g}, not {_plain(name)} it"
        yield words, {bound: value, **{key: given[key] for key in given if key != name}}


def _group_names(measure: Measure, around: Surroundings) -> list[str]:
    arm = around.first_arm(measure)
    windows = () if arm is None else arm.windows[:1]
    return [name for window in windows for name in islice(window.groups, _MOST_GROUPS)]


def _plain(name: str) -> str:
    return name.replace("-", " ").replace("_", " ")
