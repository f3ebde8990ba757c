"""Predicates of one arm and of two, by hand; digests byte by byte however they are stored."""

import hashlib
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.columns import derived, whole

TRAILING_ZEROS = b"\x01" * 30 + b"\x00\x00"
DIGESTS = (
    hashlib.sha256(b"first").digest(),
    hashlib.sha256(b"second").digest(),
    TRAILING_ZEROS,
    bytes(32),
)
CHANGED = (
    DIGESTS[0],
    DIGESTS[1][:-1] + bytes([DIGESTS[1][-1] ^ 1]),
    TRAILING_ZEROS,
    bytes(31) + b"\x01",
)
KINDS = ("V32", "S32", "u1")


def stored(digests: tuple[bytes, ...], kind: str) -> NDArray[Any]:
    """Digests in one of the three forms that bundles keep."""
    raw = np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 32)
    return raw.copy() if kind == "u1" else raw.copy().view(f"|{kind}").reshape(-1)


def test_agreement_is_one_where_student_and_teacher_rank_the_same_token_first() -> None:
    arrays: dict[str, NDArray[Any]] = {
        "student_top1": whole(5, 6, 7),
        "teacher_top1": np.array([5, 0, 7], dtype=np.int32),
    }
    assert derived("top1_agreement", arrays).tolist() == [1.0, 0.0, 1.0]


def test_a_hit_is_one_where_the_student_ranks_the_realized_token_first() -> None:
    arrays = {"student_top1": whole(5, 6, 7), "realized_token": whole(4, 6, 7)}
    assert derived("actual_token_top1_hit", arrays).tolist() == [0.0, 1.0, 1.0]


def test_two_arms_agree_where_their_students_rank_the_same_token_first() -> None:
    first = {"student_top1": whole(5, 6, 7)}
    second = {"student_top1": np.array([5, 7, 6], dtype=np.int32)}
    assert derived("same_top1", first, second).tolist() == [1.0, 0.0, 0.0]


def test_a_swap_is_one_where_first_and_second_changed_places() -> None:
    first = {"student_topk_ids": np.array([[1, 2, 3]] * 6)}
    second = {
        "student_topk_ids": np.array(
            [[2, 1, 9], [1, 2, 3], [2, 3, 1], [3, 1, 2], [9, 1, 2], [2, 1, 3]], dtype=np.int32
        )
    }
    assert derived("top1_top2_swap", first, second).tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]


def test_a_token_named_twice_cannot_pass_for_a_swap() -> None:
    twice = {"student_topk_ids": np.array([[4, 4], [0, 0]])}
    assert derived("top1_top2_swap", twice, twice).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("shape", [(2, 1), (2,), (2, 2, 2)])
@pytest.mark.parametrize("place", [0, 1])
def test_a_swap_needs_two_tokens_of_each_row(shape: tuple[int, ...], place: int) -> None:
    arms = [{"student_topk_ids": np.zeros((2, 2), dtype=np.int64)} for _ in range(2)]
    arms[place] = {"student_topk_ids": np.zeros(shape, dtype=np.int64)}
    message = f"student_topk_ids: expected rows x k with k of 2 or more, found {shape}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        derived("top1_top2_swap", *arms, rows=2)


@pytest.mark.parametrize("first", KINDS)
@pytest.mark.parametrize("second", KINDS)
def test_rows_are_identical_where_every_byte_is(first: str, second: str) -> None:
    found = derived(
        "rows_identical",
        {"row_sha256": stored(DIGESTS, first)},
        {"row_sha256": stored(CHANGED, second)},
    )
    assert found.tolist() == [1.0, 0.0, 1.0, 0.0]


def test_digests_that_do_not_lie_side_by_side_are_read_all_the_same() -> None:
    spread = {"row_sha256": stored(DIGESTS, "V32")[::2]}
    plain = {"row_sha256": stored((DIGESTS[0], DIGESTS[2]), "S32")}
    assert derived("rows_identical", spread, plain).tolist() == [1.0, 1.0]


def test_no_rows_are_not_identical() -> None:
    none = {"row_sha256": stored((), "V32")}
    assert derived("rows_identical", none, none).tolist() == []


@pytest.mark.parametrize(
    "digests",
    [
        np.zeros(4, dtype="|V31"),
        np.zeros(4, dtype="|S64"),
        np.zeros(4, dtype="<U8"),
        np.zeros(4, dtype=np.int64),
        np.zeros((4, 32), dtype=np.int8),
        np.zeros((4, 31), dtype=np.uint8),
        np.zeros(128, dtype=np.uint8),
        np.zeros(3, dtype="|V32"),
        np.zeros((4, 1), dtype="|S32"),
    ],
    ids=lambda array: f"{array.dtype} {array.shape}",
)
def test_what_is_no_digest_per_row_is_refused(digests: NDArray[Any]) -> None:
    message = (
        "row_sha256: expected 32 bytes for each of 4 rows (|V32, |S32 or |u1), "
        f"found {digests.dtype} {digests.shape}"
    )
    fine = {"row_sha256": stored(DIGESTS, "V32")}
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        derived("rows_identical", fine, {"row_sha256": digests}, rows=4)
