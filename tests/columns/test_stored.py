"""Stored arrays as columns: widened, never changed, and whole numbers kept exact."""

import math

import numpy as np
import pytest
from numpy.typing import DTypeLike

from tests.support.columns import array, derived, whole
from verifier.columns.stored import COLUMNS

NAMES = [column.name for column in COLUMNS]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int64, np.uint8])
def test_stored_columns_are_widened_to_fp64(name: str, dtype: DTypeLike) -> None:
    stored = {"other": array(7.0, 8.0, 9.0), name: np.array([1, 2, 3], dtype=dtype)}
    assert derived(name, stored).tolist() == [1.0, 2.0, 3.0]


def test_a_flag_counts_as_zero_or_one() -> None:
    assert derived("kld", {"kld": np.array([True, False])}).tolist() == [1.0, 0.0]


def test_rows_that_are_not_finite_are_never_dropped() -> None:
    found = derived("kld", {"kld": array(1.0, math.nan, math.inf, -math.inf)})
    assert found.tolist() == pytest.approx([1.0, math.nan, math.inf, -math.inf], nan_ok=True)


@pytest.mark.parametrize("largest", [2**53, -(2**53)])
def test_the_largest_whole_numbers_stay_exact(largest: int) -> None:
    found = derived("realized_token", {"realized_token": whole(0, largest)})
    assert [int(value) for value in found] == [0, largest]


@pytest.mark.parametrize("beyond", [2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)])
def test_a_whole_number_that_fp64_would_round_is_refused_with_its_row(beyond: int) -> None:
    message = f"history, row 1: expected a whole number up to 2\\*\\*53, found {beyond}"
    with pytest.raises(ValueError, match=f"^{message}$"):
        derived("history", {"history": whole(5, beyond, beyond)})


def test_an_unsigned_number_beyond_int64_is_refused() -> None:
    with pytest.raises(ValueError, match=r"found 18446744073709551615$"):
        derived("history", {"history": np.array([2**64 - 1], dtype=np.uint64)})
