"""What may enter the arithmetic, and the exactly rounded mean."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.model.plugin import FloatArray
from verifier.numerics.vector import exact_sum, finite_vector, fsum_mean


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, 2], dtype=np.int32), [1.0, 2.0]),
        (np.array([True, False]), [1.0, 0.0]),
        (np.array([0.1], dtype=np.float32), [0.10000000149011612]),
        (np.array([1.5, 2.5], dtype=">f8"), [1.5, 2.5]),
        (np.array([1.0, 9.0, 2.0, 9.0])[::2], [1.0, 2.0]),
        ([1, 2.5], [1.0, 2.5]),
    ],
)
def test_narrow_swapped_and_strided_values_become_native_fp64(
    values: Any, expected: list[float]
) -> None:
    vector = finite_vector(values)
    assert vector.dtype == np.float64
    assert vector.dtype.isnative
    assert vector.flags.c_contiguous
    assert vector.tolist() == expected


def test_an_fp64_vector_is_not_copied() -> None:
    values = np.array([1.0, 2.0])
    assert finite_vector(values) is values


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.array([]), "means: expected at least one number, found none"),
        (np.zeros((2, 1)), r"means: expected one dimension, found shape \(2, 1\)"),
        (np.array(1.0), r"means: expected one dimension, found shape \(\)"),
        (np.array([1j]), "means: expected real numbers, found dtype complex128"),
        (np.array(["1.0"]), "means: expected real numbers, found dtype <U3"),
        (np.array([None]), "means: expected real numbers, found dtype object"),
        (np.array([0.0, math.nan]), "means: expected finite numbers, found nan at index 1"),
        (np.array([math.inf, 0.0]), "means: expected finite numbers, found inf at index 0"),
        (np.array([0.0, 0.0, -math.inf]), "means: expected finite numbers, found -inf at index 2"),
        (
            np.array([np.finfo(np.longdouble).max]),
            "means: expected finite numbers, found .* at index 0",
        ),
    ],
)
def test_what_is_no_finite_vector_is_refused(values: Any, message: str) -> None:
    if values.dtype == np.longdouble and np.finfo(np.longdouble).max == np.finfo(np.float64).max:
        pytest.skip("long double is FP64 on this machine")
    with pytest.raises(ValueError, match=f"^{message}$"):
        finite_vector(values, name="means")


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [([1e16, 1.0, -1e16], 1 / 3), ([0.1] * 10, 0.1), ([2.0], 2.0), ([-1.0, 1.0], 0.0)],
)
def test_mean_loses_nothing_to_cancellation(numbers: list[float], expected: float) -> None:
    assert fsum_mean(numbers) == expected
    assert fsum_mean(np.array(numbers)) == expected
    assert fsum_mean(iter(numbers)) == expected


@given(st.lists(st.floats(-1e290, 1e290), min_size=1, max_size=40), st.randoms())
def test_mean_is_the_exact_sum_rounded_in_any_order(numbers: list[float], random: Any) -> None:
    expected = float(sum(map(Fraction, numbers))) / len(numbers)
    random.shuffle(numbers)
    assert fsum_mean(numbers) == expected


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([], "the mean of no values is undefined"),
        ([1e308, 1e308], "the mean of 2 values is undefined: .*overflow"),
        ([math.inf, -math.inf], "the mean of 2 values is undefined: "),
        ([1.0, math.inf], "the mean of 2 values is undefined: not every value is finite"),
        ([math.nan], "the mean of 1 values is undefined: not every value is finite"),
    ],
)
def test_a_mean_that_does_not_exist_is_refused(numbers: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fsum_mean(numbers)


def test_a_mean_of_many_rows_crosses_its_blocks() -> None:
    numbers = np.arange(2**16 + 3, dtype=np.float64)
    assert fsum_mean(numbers) == math.fsum(numbers.tolist()) / numbers.size
    assert fsum_mean(numbers[:0:-1]) == math.fsum(numbers.tolist()) / (numbers.size - 1)


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32),
    size=st.sampled_from([511, 512, 2046, 70_000]),
    spread=st.sampled_from([0.0, 1.0, 10.0, 60.0, 300.0]),
    signs=st.booleans(),
)
def test_a_long_sum_has_the_bits_of_fsum(seed: int, size: int, spread: float, signs: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    generator = np.random.default_rng(seed)
    values = generator.normal(size=size) * 2.0 ** generator.uniform(-spread, spread, size)
    if not signs:
        values = np.abs(values)
    assert exact_sum(values) == math.fsum(values.tolist())
    cancelling = np.concatenate([values, -values[::-1], [1e-300]])
    assert exact_sum(cancelling) == math.fsum(cancelling.tolist())


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(600),
        np.full(600, 5e-324),
        np.full(600, 0.1),
        np.concatenate([np.full(300, 1e16), [1.0], np.full(300, -1e16)]),
        np.concatenate([np.full(600, 2.0**-1074), [2.0**52]]),
        np.full(600, 1e300),
        np.concatenate([[1e300], np.full(600, 1e-300)]),
    ],
)
def test_sums_that_a_running_sum_would_lose(values: FloatArray) -> None:
    assert exact_sum(values) == math.fsum(values.tolist())


def test_a_long_sum_that_is_none_fails_as_fsum_does() -> None:
    with pytest.raises(OverflowError):
        exact_sum(np.full(600, 1.7e308))
    with pytest.raises(ValueError, match="inf"):
        exact_sum(np.array([math.inf, -math.inf] * 300))
    assert math.isnan(exact_sum(np.full(600, math.nan)))
    assert exact_sum(np.full(600, math.inf)) == math.inf
