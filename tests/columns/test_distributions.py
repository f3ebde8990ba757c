"""Columns from top-k lists: which list is the reference, how many tokens count, what is refused."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from tests.support.columns import derived
from tests.support.topk import Lists, likeliest, log_distributions
from verifier.model.measure import Options

HALVES = Lists(ids=np.array([[4, 9, 2]]), logp=np.log([[0.5, 0.25, 0.125]]))
OTHER = Lists(ids=np.array([[9, 1, 4]]), logp=np.log([[0.5, 0.25, 0.125]]))

KL = 0.5 * math.log(4) + 0.25 * math.log(0.5) + 0.25 * math.log(2 / 3)
KL_BACK = 0.5 * math.log(2) + 0.125 * math.log(0.25) + 0.375 * math.log(1.5)
NORMALISED = 2 / 3 * math.log(10 / 3) + 1 / 3 * math.log(5 / 12)
JS = (
    (0.5 * math.log(0.5 / 0.3125) + 0.25 * math.log(0.25 / 0.375) + 0.25 * math.log(0.8))
    + (0.125 * math.log(0.4) + 0.5 * math.log(0.5 / 0.375) + 0.375 * math.log(0.375 / 0.3125))
) / 2

TEACHER_COLUMNS = ("kl_topk", "kl_topk_normalised", "js_topk", "topk_missing")
ARM_COLUMNS = ("kl_topk_between", "kl_topk_normalised_between", "js_topk_between")


def arrays(student: Lists, teacher: Lists | None = None) -> dict[str, NDArray[Any]]:
    """The stored arrays of an arm."""
    stored: dict[str, NDArray[Any]] = {
        "student_topk_ids": student.ids.copy(),
        "student_topk_logp": student.logp.copy(),
    }
    if teacher is not None:
        stored |= {"teacher_topk_ids": teacher.ids.copy(), "teacher_topk_logp": teacher.logp.copy()}
    return stored


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("kl_topk", KL),
        ("kl_topk_normalised", NORMALISED),
        ("js_topk", JS),
        ("topk_missing", 1.0),
    ],
)
def test_the_teacher_is_the_reference(column: str, expected: float) -> None:
    stored = arrays(student=OTHER, teacher=HALVES)
    assert derived(column, stored) == pytest.approx([expected], rel=1e-14)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("kl_topk_between", KL),
        ("kl_topk_normalised_between", NORMALISED),
        ("js_topk_between", JS),
    ],
)
def test_the_first_of_two_arms_is_the_reference(column: str, expected: float) -> None:
    # The teachers' lists would change every value if they were read.
    first, second = arrays(HALVES, teacher=OTHER), arrays(OTHER, teacher=OTHER)
    assert derived(column, first, second) == pytest.approx([expected], rel=1e-14)


def test_a_divergence_depends_on_the_direction_and_jensen_shannon_does_not() -> None:
    back = arrays(student=HALVES, teacher=OTHER)
    assert derived("kl_topk", back) == pytest.approx([KL_BACK], rel=1e-14)
    assert derived("js_topk", back) == pytest.approx([JS], rel=1e-14)
    assert derived("kl_topk_between", arrays(OTHER), arrays(HALVES)) == pytest.approx(
        [KL_BACK], rel=1e-14
    )


def test_entropy_is_of_the_students_list() -> None:
    student = Lists(ids=np.array([[7]]), logp=np.log([[0.5]]))
    found = derived("topk_entropy", arrays(student, teacher=HALVES))
    assert found == pytest.approx([math.log(2)], rel=1e-15)


def test_top_k_counts_so_many_tokens_of_both_lists() -> None:
    # Of the first two tokens of each list only 9 is shared: 1/4 against 1/2.
    two = Options(top_k=2)
    expected = 0.25 * math.log(0.5) + 0.75 * math.log(1.5)
    stored = arrays(student=OTHER, teacher=HALVES)
    assert derived("kl_topk", stored, options=two) == pytest.approx([expected], rel=1e-14)
    assert derived("kl_topk_normalised", stored, options=two).tolist() == [0.0]
    assert derived("topk_missing", stored, options=two).tolist() == [1.0]
    assert derived("topk_entropy", stored, options=two) == pytest.approx(
        [1.5 * math.log(2)], rel=1e-14
    )
    first, second = arrays(HALVES), arrays(OTHER)
    assert derived("kl_topk_between", first, second, options=two) == pytest.approx(
        [expected], rel=1e-14
    )


@pytest.mark.parametrize("kept", [1, 5, 12, 30])
def test_no_number_of_tokens_tells_more_than_the_whole(kept: int) -> None:
    log_p, log_q = log_distributions(1, 40, 30, 2.0), log_distributions(2, 40, 30, 2.0)
    whole = special.rel_entr(np.exp(log_p), np.exp(log_q)).sum(axis=1)
    stored = arrays(student=likeliest(log_q, 30), teacher=likeliest(log_p, 30))
    found = derived("kl_topk", stored, options=Options(top_k=kept))
    assert (found <= whole + 1e-12).all()
    assert np.allclose(found, whole, rtol=1e-11, atol=1e-12) == (kept == 30)


@pytest.mark.parametrize("column", [*TEACHER_COLUMNS, "topk_entropy"])
def test_more_tokens_than_the_student_kept_are_refused(column: str) -> None:
    stored = arrays(
        student=likeliest(log_distributions(1, 2, 9, 1.0), 3),
        teacher=likeliest(log_distributions(2, 2, 9, 1.0), 5),
    )
    with pytest.raises(
        ValueError,
        match=r"^student_topk: expected a top_k between 1 and the 3 tokens kept, found 4$",
    ):
        derived(column, stored, options=Options(top_k=4))


@pytest.mark.parametrize("column", TEACHER_COLUMNS)
def test_a_broken_list_of_the_teacher_is_named_with_its_row(column: str) -> None:
    fine = likeliest(log_distributions(1, 3, 9, 1.0), 4)
    stored = arrays(student=fine, teacher=fine)
    stored["teacher_topk_ids"][2, 1] = stored["teacher_topk_ids"][2, 0]
    with pytest.raises(
        ValueError, match=r"^teacher_topk, row 2: expected each token once, found one twice$"
    ):
        derived(column, stored)


@pytest.mark.parametrize("column", ARM_COLUMNS)
@pytest.mark.parametrize(("place", "name"), [(0, "first"), (1, "second")])
def test_a_broken_list_of_an_arm_is_named_with_arm_and_row(
    column: str, place: int, name: str
) -> None:
    fine = likeliest(log_distributions(1, 3, 9, 1.0), 4)
    arms = [arrays(fine), arrays(fine)]
    arms[place]["student_topk_logp"][1] = math.log(0.375)
    with pytest.raises(
        ValueError,
        match=rf"^student_topk of the {name} arm, row 1: expected probabilities of at most 1 in "
        r"all, found 1\.5",
    ):
        derived(column, *arms)


@pytest.mark.parametrize("column", [*TEACHER_COLUMNS, "topk_entropy"])
def test_a_row_whose_list_is_not_a_number_is_kept_as_such(column: str) -> None:
    fine = likeliest(log_distributions(1, 3, 9, 1.0), 4)
    stored = arrays(student=fine, teacher=fine)
    stored["student_topk_logp"][1] = math.nan
    assert np.isnan(derived(column, stored)).tolist() == [False, True, False]
