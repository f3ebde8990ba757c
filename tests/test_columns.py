"""Derived columns, by hand."""

import numpy as np
import pytest
from numpy.typing import DTypeLike

from tests.support.core import array
from verifier.columns import ROW_COLUMNS


def test_the_columns_are_those_that_measures_may_name() -> None:
    assert {name: (column.needs, column.unit) for name, column in ROW_COLUMNS.items()} == {
        "kld": (("kld",), "nats"),
        "teacher_entropy": (("teacher_entropy",), "nats"),
        "student_entropy": (("student_entropy",), "nats"),
        "nll": (("student_logp_realized",), "nats"),
        "top1_agreement": (("student_top1", "teacher_top1"), "fraction"),
        "actual_token_top1_hit": (("student_top1", "realized_token"), "fraction"),
    }


@pytest.mark.parametrize("name", ["kld", "teacher_entropy", "student_entropy"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_stored_columns_are_widened_to_fp64(name: str, dtype: DTypeLike) -> None:
    stored = np.array([1, 2, 3], dtype=dtype)
    derived = ROW_COLUMNS[name].derive({name: stored})
    assert derived.dtype == np.float64
    assert derived.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_negative_log_likelihood_is_the_realized_log_probability_negated(
    dtype: DTypeLike,
) -> None:
    derived = ROW_COLUMNS["nll"].derive(
        {"student_logp_realized": np.array([-0.5, 0.0, -2.25], dtype=dtype)}
    )
    assert derived.dtype == np.float64
    assert derived.tolist() == [0.5, 0.0, 2.25]


def test_agreement_is_one_where_student_and_teacher_rank_the_same_token_first() -> None:
    derived = ROW_COLUMNS["top1_agreement"].derive(
        {"student_top1": np.array([5, 6, 7]), "teacher_top1": np.array([5, 0, 7], dtype=np.int32)}
    )
    assert derived.dtype == np.float64
    assert derived.tolist() == [1.0, 0.0, 1.0]


def test_a_hit_is_one_where_the_student_ranks_the_realized_token_first() -> None:
    derived = ROW_COLUMNS["actual_token_top1_hit"].derive(
        {"student_top1": np.array([5, 6, 7]), "realized_token": np.array([4, 6, 7])}
    )
    assert derived.tolist() == [0.0, 1.0, 1.0]


def test_derivations_leave_what_is_stored_alone() -> None:
    stored = array(-1.0, -2.0)
    stored.flags.writeable = False
    ROW_COLUMNS["nll"].derive({"student_logp_realized": stored})
    assert stored.tolist() == [-1.0, -2.0]
