"""What holds for each statistic that the package has, also for one that is added tomorrow."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

from tests.support.units import POSITIVE, refusal, units
from verifier import catalog
from verifier.model.plugin import FloatArray, Statistic

STATISTICS = dict(catalog.discover("verifier.stats", "STATISTIC", Statistic))
OF_MEANS = {name: found for name, found in STATISTICS.items() if found.of_means is not None}
PARAMETERS: dict[str, dict[str, Any]] = {
    "largest": {"rank": 1.0},
    "quantile": {"probability": 0.5, "rule": "linear"},
    "standard-deviation": {"ddof": 1.0},
    "top-share": {"share": 0.05, "counting": "ceil"},
}
BLIND = {"size"}
"""Statistics that do not look at the values of the units."""


def operands(statistic: Statistic, last: FloatArray) -> list[FloatArray]:
    """As many vectors as the statistic takes, all sound but the last."""
    return [units(2.0, 3.0, 5.0)] * (statistic.arms - 1) + [last]


def estimate(statistic: Statistic, *vectors: FloatArray) -> float:
    return statistic.estimate(*vectors, **PARAMETERS.get(statistic.id, {}))


def test_the_statistics_are_those_of_this_table() -> None:
    assert list(STATISTICS) == [
        "common",
        "count",
        "fraction",
        "gap-share",
        "geometric-mean",
        "largest",
        "maximum",
        "mean",
        "median",
        "minimum",
        "quantile",
        "range",
        "ratio-of-means",
        "relative-difference",
        "size",
        "standard-deviation",
        "standard-error",
        "sum",
        "top-share",
    ]
    assert list(OF_MEANS) == ["gap-share", "mean", "ratio-of-means", "relative-difference"]


@pytest.mark.parametrize("name", STATISTICS)
def test_it_says_what_it_computes_in_which_unit_and_by_which_source(name: str) -> None:
    statistic = STATISTICS[name]
    for text in (statistic.title, statistic.formula, statistic.unit, statistic.source):
        assert text == text.strip() != ""
    for rule in statistic.parameters:
        assert rule.title == rule.title.strip() != ""


@pytest.mark.parametrize("name", STATISTICS)
def test_it_takes_the_operands_and_parameters_that_it_declares(name: str) -> None:
    statistic = STATISTICS[name]
    taken = inspect.signature(statistic.estimate).parameters.values()
    vectors = [one for one in taken if one.kind is not inspect.Parameter.KEYWORD_ONLY]
    keywords = {one.name: one.default for one in taken if one not in vectors}
    assert len(vectors) == statistic.arms
    assert keywords == {
        rule.name: inspect.Parameter.empty if rule.default is None else rule.default
        for rule in statistic.parameters
    }


@pytest.mark.parametrize("name", STATISTICS)
def test_no_units_have_no_value(name: str) -> None:
    statistic = STATISTICS[name]
    sentence = refusal(statistic, *operands(statistic, units()), **PARAMETERS.get(name, {}))
    owner = f" of operand {statistic.arms}" if statistic.arms > 1 else ""
    assert sentence.endswith(f" is undefined: there are no units{owner}")


@pytest.mark.parametrize("name", sorted(STATISTICS.keys() - BLIND))
@pytest.mark.parametrize(
    ("values", "place"),
    [
        ((1.0, math.nan), "in 1 of 2 places, first at index 1 (nan)"),
        ((math.inf, 1.0, -math.inf), "in 2 of 3 places, first at index 0 (inf)"),
        ((1.0, 2.0, -math.inf, math.nan), "in 2 of 4 places, first at index 2 (-inf)"),
    ],
)
def test_units_that_are_not_finite_are_counted_and_located(
    name: str, values: tuple[float, ...], place: str
) -> None:
    statistic = STATISTICS[name]
    vectors = operands(statistic, units(*values))
    sentence = refusal(statistic, *vectors, **PARAMETERS.get(name, {}))
    owner = f" of operand {statistic.arms}" if statistic.arms > 1 else ""
    assert sentence.endswith(f" is undefined: units{owner} are not finite {place}")


@pytest.mark.parametrize("name", STATISTICS)
def test_the_order_of_the_units_does_not_matter(name: str) -> None:
    statistic = STATISTICS[name]
    values = POSITIVE["odd and long-tailed"]
    straight = estimate(statistic, *operands(statistic, values))
    assert isinstance(straight, float)
    shuffled = np.random.default_rng(7).permutation(values)
    mixed = estimate(statistic, *operands(statistic, shuffled))
    assert mixed == straight or math.isnan(mixed) == math.isnan(straight) == (name == "common")


@pytest.mark.parametrize("name", STATISTICS)
def test_read_only_units_will_do(name: str) -> None:
    statistic = STATISTICS[name]
    values = POSITIVE["with ties"].copy()
    values.flags.writeable = False
    writeable = operands(statistic, values.copy())
    expected = estimate(statistic, *writeable)
    np.testing.assert_equal(estimate(statistic, *operands(statistic, values)), expected)


@pytest.mark.parametrize("name", OF_MEANS)
@pytest.mark.parametrize("shape", [(), (6,), (2, 3)])
def test_of_means_gives_for_the_means_what_estimate_gives(
    name: str, shape: tuple[int, ...]
) -> None:
    statistic = OF_MEANS[name]
    assert statistic.of_means is not None
    chance = np.random.default_rng(3)
    means = [chance.normal(2.0, 1.0, shape) for _ in range(statistic.arms)]
    values = statistic.of_means(*map(np.asarray, means))
    assert np.shape(values) == shape
    for index in np.ndindex(shape):
        expected = statistic.estimate(*(np.array([np.asarray(mean)[index]]) for mean in means))
        assert np.asarray(values)[index] == expected


@pytest.mark.parametrize("name", sorted(OF_MEANS.keys() - {"mean"}))
def test_of_means_gives_infinity_or_nan_without_a_warning_where_there_is_no_value(
    name: str,
) -> None:
    statistic = OF_MEANS[name]
    assert statistic.of_means is not None
    # The gap of a gap share is the distance to the last mean, the others divide by it.
    first = units(1.0, 1.0, 0.0, 1e308) if statistic.arms == 3 else units(1.0, -1.0, 0.0, 1e308)
    last = units(1.0, 1.0, 0.0, 1e308) if statistic.arms == 3 else units(0.0, 0.0, 0.0, 1e-308)
    middle = [units(0.0, 1.0, 0.0, -1e308)] * (statistic.arms - 2)
    values = statistic.of_means(first, *middle, last)
    assert values.dtype == np.float64
    assert not np.isfinite(values).any()
