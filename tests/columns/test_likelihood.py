"""Columns of the realised token's probability, by hand; the two-bucket KL against SciPy."""

import math

import numpy as np
import pytest
from numpy.typing import DTypeLike
from scipy import special

from tests.support.columns import array, derived

INF, NAN = math.inf, math.nan


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_negative_log_likelihood_is_the_realized_log_probability_negated(
    dtype: DTypeLike,
) -> None:
    stored = {"student_logp_realized": np.array([-0.5, 0.0, -2.25, -INF], dtype=dtype)}
    assert derived("nll", stored).tolist() == [0.5, 0.0, 2.25, INF]


def test_each_side_is_read_from_its_own_array() -> None:
    stored = {
        "student_logp_realized": array(-0.5, -2.0),
        "teacher_logp_realized": array(-0.25, -3.0),
    }
    assert derived("nll", stored).tolist() == [0.5, 2.0]
    assert derived("teacher_nll", stored).tolist() == [0.25, 3.0]
    assert derived("excess_nll", stored).tolist() == [0.25, -1.0]
    assert derived("realized_p", stored) == pytest.approx([math.exp(-0.5), math.exp(-2.0)])
    assert derived("teacher_realized_p", stored) == pytest.approx([math.exp(-0.25), math.exp(-3.0)])


def test_excess_of_a_token_that_is_ruled_out() -> None:
    stored = {
        "student_logp_realized": array(-INF, -1.0, -INF, NAN),
        "teacher_logp_realized": array(-1.0, -INF, -INF, -1.0),
    }
    assert derived("excess_nll", stored).tolist() == pytest.approx(
        [INF, -INF, NAN, NAN], nan_ok=True
    )


def test_a_hostile_log_probability_becomes_an_infinity_that_can_be_located() -> None:
    stored = {"student_logp_realized": array(1000.0, -INF, 0.0)}
    assert derived("realized_p", stored).tolist() == [INF, 0.0, 1.0]


def test_two_bucket_divergence_is_that_of_scipy_with_the_teacher_first() -> None:
    p, q = np.array([0.9, 0.2, 1e-5, 0.5]), np.array([0.7, 0.4, 1e-2, 0.5])
    stored = {"teacher_logp_realized": np.log(p), "student_logp_realized": np.log(q)}
    expected = special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q)
    assert derived("kl_two_bucket", stored) == pytest.approx(expected, rel=1e-12, abs=1e-16)


def test_two_bucket_divergence_where_the_student_gives_nothing() -> None:
    stored = {
        "teacher_logp_realized": np.log(array(0.5, 0.5, 1.0)),
        "student_logp_realized": array(-INF, 0.0, 0.0),
    }
    assert derived("kl_two_bucket", stored).tolist() == [INF, INF, 0.0]


def test_two_bucket_divergence_refuses_a_probability_above_one() -> None:
    stored = {
        "teacher_logp_realized": array(-1.0, -1.0),
        "student_logp_realized": array(-1.0, 2.0),
    }
    with pytest.raises(
        ValueError, match=r"^row 1: expected a log probability of at most 0, found 2\.0$"
    ):
        derived("kl_two_bucket", stored)
