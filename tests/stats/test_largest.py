import math

import numpy as np
import pytest

from tests.support.units import SAMPLES, refusal, units
from verifier.stats.largest import STATISTIC


@pytest.mark.parametrize(("rank", "value"), [(1, 9.0), (2, 9.0), (3, 4.0), (4, -1.0)])
def test_equal_units_take_a_rank_each(rank: int, value: float) -> None:
    assert STATISTIC.estimate(units(9.0, -1.0, 9.0, 4.0), rank=rank) == value


@pytest.mark.parametrize("sample", SAMPLES)
def test_ranks_are_places_from_the_end_of_the_sorted_units(sample: str) -> None:
    ordered = np.sort(SAMPLES[sample])
    for rank in {1, (ordered.size + 1) // 2, ordered.size}:
        assert STATISTIC.estimate(SAMPLES[sample], rank=float(rank)) == ordered[-rank]


@pytest.mark.parametrize(("rank", "shown"), [(3.0, "3"), (1e300, "1e+300")])
def test_a_rank_beyond_the_units_is_refused(rank: float, shown: str) -> None:
    assert refusal(STATISTIC, units(1.0, 2.0), rank=rank) == (
        f"rank: expected at most 2, the number of units, found {shown}"
    )


@pytest.mark.parametrize(
    ("rank", "shown"),
    [(0.0, "0.0"), (-1.0, "-1.0"), (1.5, "1.5"), (math.inf, "inf"), (math.nan, "nan")],
)
def test_a_rank_that_is_none_is_refused(rank: float, shown: str) -> None:
    assert refusal(STATISTIC, units(1.0, 2.0), rank=rank) == (
        f"rank: expected a whole number of at least 1, found {shown}"
    )
