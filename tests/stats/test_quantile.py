import math
from typing import Any

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.model.recipe import QUANTILE_RULES
from verifier.stats.quantile import STATISTIC

PROBABILITIES = (0.0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0)
NUMPY_NAMES: dict[str, Any] = {
    rule: "linear" if rule == "linear-lerp" else rule
    for rule in QUANTILE_RULES
    if rule not in {"truncate", "closest_observation"}
}


@pytest.mark.parametrize(
    ("rule", "value"),
    [
        ("linear", 3.25),
        ("linear-lerp", 3.25),
        ("truncate", 4.0),
        ("lower", 3.0),
        ("higher", 4.0),
        ("nearest", 3.0),
        ("midpoint", 3.5),
        ("inverted_cdf", 3.0),
        ("averaged_inverted_cdf", 3.5),
        ("interpolated_inverted_cdf", 3.0),
        ("hazen", 3.5),
        ("weibull", 3.75),
    ],
)
def test_the_third_quartile_of_four_units_moves_with_the_rule(rule: str, value: float) -> None:
    values = units(4.0, 1.0, 3.0, 2.0)
    assert STATISTIC.estimate(values, probability=0.75, rule=rule) == value


@pytest.mark.parametrize("rule", NUMPY_NAMES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_quantiles_are_those_of_numpy(sample: str, rule: str) -> None:
    values = SAMPLES[sample]
    for probability in PROBABILITIES:
        expected = float(np.quantile(values, probability, method=NUMPY_NAMES[rule]))
        value = STATISTIC.estimate(values, probability=probability, rule=rule)
        assert value == pytest.approx(expected, rel=1e-13), probability


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_closest_observation_takes_halves_to_the_even_unit(sample: str) -> None:
    # NumPy 1.26 takes the wrong neighbour of a half; Hyndman and Fan's definition 3 decides.
    ordered = sorted(SAMPLES[sample].tolist())
    for probability in PROBABILITIES:
        expected = ordered[max(round(probability * len(ordered)), 1) - 1]
        value = STATISTIC.estimate(
            SAMPLES[sample], probability=probability, rule="closest_observation"
        )
        assert value == expected, probability


@pytest.mark.parametrize("sample", SAMPLES)
def test_truncation_takes_the_sorted_unit_at_the_whole_part(sample: str) -> None:
    ordered = sorted(SAMPLES[sample].tolist())
    for probability in PROBABILITIES[:-1]:
        expected = ordered[int(probability * len(ordered))]
        value = STATISTIC.estimate(SAMPLES[sample], probability=probability, rule="truncate")
        assert value == expected, probability


@pytest.mark.parametrize(
    ("probability", "shown"),
    [(-0.01, "-0.01"), (1.01, "1.01"), (99.0, "99.0"), (math.nan, "nan"), ("p99", "'p99'")],
)
def test_a_probability_outside_zero_to_one_is_refused(probability: float | str, shown: str) -> None:
    assert refusal(STATISTIC, units(1.0), probability=probability, rule="linear") == (
        f"probability: expected a number of at least 0 and at most 1, found {shown}"
    )


@pytest.mark.parametrize(("rule", "shown"), [("type 7", "'type 7'"), (7.0, "7.0")])
def test_an_unknown_rule_is_refused_with_those_that_are_known(
    rule: float | str, shown: str
) -> None:
    sentence = refusal(STATISTIC, units(1.0), probability=0.5, rule=rule)
    assert sentence == f"rule: expected one of {', '.join(QUANTILE_RULES)}, found {shown}"


def test_probability_and_rule_have_to_be_named() -> None:
    assert [(rule.name, rule.default) for rule in STATISTIC.parameters] == [
        ("probability", None),
        ("rule", None),
    ]
