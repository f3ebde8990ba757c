import math
import statistics

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.model.plugin import FloatArray
from verifier.stats.standard_deviation import STATISTIC


@pytest.mark.parametrize(
    ("values", "ddof", "deviation"),
    [
        ((2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0), 0, 2.0),
        ((2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0), 1, math.sqrt(32 / 7)),
        ((1.0, 3.0), 0, 1.0),
        ((1.0, 3.0), 1, math.sqrt(2.0)),
        ((-1.0, 0.0, 1.0), 1, 1.0),
        ((5.0,), 0, 0.0),
    ],
)
def test_hand_computed_values(values: tuple[float, ...], ddof: int, deviation: float) -> None:
    assert STATISTIC.estimate(units(*values), ddof=ddof) == pytest.approx(deviation, rel=1e-15)


def exact(values: FloatArray, ddof: int) -> float:
    """By exact fractions, as the standard library does it."""
    numbers: list[float] = values.tolist()
    return statistics.stdev(numbers) if ddof else statistics.pstdev(numbers)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("sample", sorted(SAMPLES.keys() - {"one"}))
def test_it_is_the_one_of_exact_fractions(sample: str, ddof: int) -> None:
    deviation = STATISTIC.estimate(SAMPLES[sample], ddof=ddof)
    assert deviation == pytest.approx(exact(SAMPLES[sample], ddof), rel=4e-16)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("sample", ["both signs", "with ties", "even and long-tailed"])
def test_it_is_the_one_of_numpy(sample: str, ddof: int) -> None:
    deviation = STATISTIC.estimate(SAMPLES[sample], ddof=ddof)
    assert deviation == pytest.approx(float(np.std(SAMPLES[sample], ddof=ddof)), rel=1e-14)


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e300, 5e-324, -0.7])
def test_equal_units_deviate_by_exactly_zero(constant: float) -> None:
    assert STATISTIC.estimate(np.full(11, constant), ddof=1) == 0.0


def test_equal_units_deviate_by_zero_even_when_their_mean_rounds_to_a_neighbour() -> None:
    values = np.full(3, 0.1)
    assert math.fsum(values) / 3 != 0.1
    assert STATISTIC.estimate(values, ddof=1) == 0.0


@pytest.mark.parametrize(
    "values",
    [
        pytest.param((1.0, math.nextafter(1.0, 2.0)), id="the mean rounds to a unit"),
        pytest.param((0.1, 0.1, math.nextafter(0.1, 1.0)), id="one of three is a neighbour"),
        pytest.param((1e-200, 3e-200, 4e-200), id="squares would underflow"),
        pytest.param((1e200, -3e200, 4e200), id="squares would overflow"),
        pytest.param((5e-324, 0.0, 0.0), id="the smallest number there is"),
        pytest.param((8e307, -8e307), id="nearly the largest numbers there are"),
    ],
)
@pytest.mark.parametrize("ddof", [0, 1])
def test_rounding_at_the_edge_of_fp64_loses_nothing(values: tuple[float, ...], ddof: int) -> None:
    deviation = STATISTIC.estimate(units(*values), ddof=ddof)
    assert deviation == pytest.approx(exact(units(*values), ddof), rel=4e-16, abs=0.0)


@pytest.mark.parametrize(
    "values", [(1.5e308, -1.5e308), (1.7e308, -1.7e308, -1.7e308, 1e308)], ids=["result", "step"]
)
def test_a_deviation_beyond_fp64_is_refused(values: tuple[float, ...]) -> None:
    assert refusal(STATISTIC, units(*values), ddof=1) == (
        "the standard deviation is undefined: it exceeds FP64"
    )


def test_one_unit_has_no_sample_deviation() -> None:
    assert refusal(STATISTIC, units(3.0), ddof=1) == (
        "the standard deviation is undefined: needs at least 2 units, found 1"
    )


@pytest.mark.parametrize(
    ("ddof", "shown"),
    [(2.0, "2.0"), (-1.0, "-1.0"), (0.5, "0.5"), (math.nan, "nan"), ("1", "'1'")],
)
def test_another_divisor_is_refused(ddof: float | str, shown: str) -> None:
    assert refusal(STATISTIC, units(1.0, 2.0), ddof=ddof) == (
        f"ddof: expected a whole number of at least 0 and at most 1, found {shown}"
    )


def test_the_divisor_has_to_be_named() -> None:
    (rule,) = STATISTIC.parameters
    assert rule.default is None
    with pytest.raises(TypeError, match="ddof"):
        STATISTIC.estimate(units(1.0, 2.0))
