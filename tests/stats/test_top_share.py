import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.support.units import POSITIVE, refusal, units
from verifier.stats.top_share import STATISTIC


@pytest.mark.parametrize(
    ("share", "counting", "value"),
    [
        (0.2, "floor", 0.4),  # 1 unit of 5: 4 of 10
        (0.5, "floor", 0.7),  # 2.5 units
        (0.5, "ceil", 0.9),
        (0.5, "round", 0.7),  # a half goes to the even 2
        (0.3, "round", 0.7),  # 1.5 units, to the even 2
        (0.1, "round", 0.4),  # 0.5 unit, to the even 0, and that is at least 1
        (0.01, "floor", 0.4),
        (0.41, "ceil", 0.9),
        (1.0, "floor", 1.0),
        (1.0, "ceil", 1.0),
    ],
)
def test_hand_computed_values(share: float, counting: str, value: float) -> None:
    values = units(2.0, 0.0, 4.0, 1.0, 3.0)
    assert STATISTIC.estimate(values, share=share, counting=counting) == value


def test_ties_at_the_edge_carry_what_one_of_them_carries() -> None:
    assert STATISTIC.estimate(units(1.0, 1.0, 1.0, 1.0), share=0.25, counting="ceil") == 0.25


def test_the_number_of_units_is_that_of_the_fp64_product() -> None:
    # 0.07 * 100 is 7.000000000000001 and 0.29 * 100 is 28.999999999999996.
    ones = np.ones(100)
    assert STATISTIC.estimate(ones, share=0.07, counting="ceil") == 0.08
    assert STATISTIC.estimate(ones, share=0.29, counting="floor") == 0.28
    assert STATISTIC.estimate(ones, share=0.29, counting="round") == 0.29


COUNTINGS: dict[str, Callable[[float], int]] = {
    "floor": lambda product: int(np.floor(product)),
    "ceil": lambda product: int(np.ceil(product)),
    "round": lambda product: int(np.rint(product)),
}


@pytest.mark.parametrize("counting", COUNTINGS)
@pytest.mark.parametrize("share", [0.001, 0.05, 0.1, 0.333, 0.5, 0.999, 1.0])
@pytest.mark.parametrize("sample", POSITIVE)
def test_shares_are_those_of_sorted_fractions(sample: str, share: float, counting: str) -> None:
    exact = sorted(map(Fraction, POSITIVE[sample].tolist()), reverse=True)
    first = max(COUNTINGS[counting](share * len(exact)), 1)
    value = STATISTIC.estimate(POSITIVE[sample], share=share, counting=counting)
    assert value == pytest.approx(float(sum(exact[:first]) / sum(exact)), rel=4e-16)


def test_the_units_are_left_in_their_order() -> None:
    values = units(3.0, 1.0, 2.0)
    STATISTIC.estimate(values, share=0.5, counting="ceil")
    assert values.tolist() == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("values", "total"), [((0.0, 0.0), "0"), ((1.0, -1.0), "0"), ((1.0, -2.5), "-1.5")]
)
def test_a_total_that_is_not_positive_has_no_shares(values: tuple[float, ...], total: str) -> None:
    assert refusal(STATISTIC, units(*values), share=0.5, counting="floor") == (
        f"the top share is undefined: the units add up to {total}, not above 0"
    )


def test_sums_and_shares_beyond_fp64_are_refused() -> None:
    assert refusal(STATISTIC, units(1.7e308, 1.7e308), share=0.5, counting="floor") == (
        "the top share is undefined: the sum of 2 units exceeds FP64"
    )
    tiny = units(1e300, -1e300, 1e-300)
    assert refusal(STATISTIC, tiny, share=0.3, counting="ceil") == (
        "the top share is undefined: it exceeds FP64"
    )


@pytest.mark.parametrize(
    ("share", "sentence"),
    [
        (0.0, "share: expected a number above 0, found 0"),
        (-0.1, "share: expected a number of at least 0 and at most 1, found -0.1"),
        (5.0, "share: expected a number of at least 0 and at most 1, found 5.0"),
        (math.nan, "share: expected a number of at least 0 and at most 1, found nan"),
    ],
)
def test_a_share_outside_zero_to_one_is_refused(share: float, sentence: str) -> None:
    assert refusal(STATISTIC, units(1.0), share=share, counting="floor") == sentence


def test_an_unknown_counting_is_refused() -> None:
    assert refusal(STATISTIC, units(1.0), share=0.5, counting="half-up") == (
        "counting: expected one of floor, ceil, round, found 'half-up'"
    )
