import math
from typing import Any

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.count import STATISTIC


@pytest.mark.parametrize(
    ("values", "count"),
    [((1.0, 0.0, 1.0), 2.0), ((0.0, 0.0), 0.0), ((-0.0, 0.5, -1.0), 2.0), ((1.0,), 1.0)],
)
def test_without_bounds_units_that_are_not_zero_are_counted(
    values: tuple[float, ...], count: float
) -> None:
    assert STATISTIC.estimate(units(*values)) == count


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        ({"above": 1.0}, 2.0),
        ({"at_least": 1.0}, 4.0),
        ({"below": 1.0}, 3.0),
        ({"at_most": 1.0}, 5.0),
        ({"above": 0.0}, 5.0),
        ({"above": -1.0, "at_most": 1.0}, 4.0),
        ({"at_least": 0.0, "below": 2.0}, 4.0),
        ({"at_least": 1.0, "at_most": 1.0}, 2.0),
        ({"above": 0.0, "at_least": 1.0}, 4.0),
        ({"above": 1.0, "at_least": 1.0}, 2.0),
        ({"below": 1.0, "at_most": 1.0}, 3.0),
        ({"above": 3.0}, 0.0),
    ],
)
def test_units_within_every_bound_are_counted(bounds: dict[str, float], count: float) -> None:
    values = units(-1.0, 0.0, 0.5, 1.0, 1.0, 2.0, 3.0)
    assert STATISTIC.estimate(values, **bounds) == count


@pytest.mark.parametrize("sample", SAMPLES)
def test_counts_are_those_of_plain_comparisons(sample: str) -> None:
    values = SAMPLES[sample]
    low, high = sorted((float(np.quantile(values, 0.1)), float(values[-1])))
    assert STATISTIC.estimate(values, above=low) == sum(x > low for x in values.tolist())
    assert STATISTIC.estimate(values, at_least=low) == sum(x >= low for x in values.tolist())
    assert STATISTIC.estimate(values, below=high) == sum(x < high for x in values.tolist())
    between = sum(low <= x <= high for x in values.tolist())
    assert STATISTIC.estimate(values, at_least=low, at_most=high) == between


def test_bounds_at_their_defaults_are_no_bounds() -> None:
    defaults: dict[str, Any] = {rule.name: rule.default for rule in STATISTIC.parameters}
    assert defaults == {
        "above": -math.inf,
        "at_least": -math.inf,
        "below": math.inf,
        "at_most": math.inf,
    }
    assert STATISTIC.estimate(units(0.0, 5.0), **defaults) == 1.0


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ({"above": 2.0, "below": 1.0}, "above 2 and below 1"),
        ({"above": 1.0, "at_most": 1.0}, "above 1 and at_most 1"),
        ({"at_least": 1.0, "below": 1.0}, "at_least 1 and below 1"),
        ({"above": 1.0, "below": math.nextafter(1.0, 2.0)}, "above 1 and below 1"),
        ({"at_least": 3.0, "at_most": 2.0, "below": 9.0}, "at_least 3 and below 9 and at_most 2"),
        ({"above": math.inf}, "above inf"),
        ({"below": -math.inf}, "below -inf"),
        ({"above": 1.7976931348623157e308}, "above 1.79769e+308"),
    ],
)
def test_a_zero_that_could_be_nothing_else_is_refused(
    bounds: dict[str, float], sentence: str
) -> None:
    assert refusal(STATISTIC, units(1.0), **bounds) == (
        f"no number can lie within the bounds {sentence}"
    )


@pytest.mark.parametrize("bound", ["above", "at_least", "below", "at_most"])
@pytest.mark.parametrize(("value", "shown"), [(math.nan, "nan"), ("1", "'1'")])
def test_a_bound_that_is_no_number_is_refused(bound: str, value: float | str, shown: str) -> None:
    assert refusal(STATISTIC, units(1.0), **{bound: value}) == (
        f"{bound}: expected a number, found {shown}"
    )


def test_a_count_is_compared_exactly() -> None:
    assert STATISTIC.exact
