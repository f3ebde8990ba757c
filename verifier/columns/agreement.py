"""Whether two distributions, or two runs, name the same token or give the same row."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from verifier.model.column import RowColumn, RowInput
from verifier.model.plugin import FloatArray

_DIGEST_BYTES: Final = 32
_PREDICATE = "0 or 1"


def _top1_agreement(given: RowInput) -> FloatArray:
    (arrays,) = given.arrays
    return _equal(arrays["student_top1"], arrays["teacher_top1"])


def _actual_token_top1_hit(given: RowInput) -> FloatArray:
    (arrays,) = given.arrays
    return _equal(arrays["student_top1"], arrays["realized_token"])


def _same_top1(given: RowInput) -> FloatArray:
    first, second = given.arrays
    return _equal(first["student_top1"], second["student_top1"])


def _equal(first: NDArray[Any], second: NDArray[Any]) -> FloatArray:
    same: FloatArray = np.equal(first, second).astype(np.float64)
    return same


def _top1_top2_swap(given: RowInput) -> FloatArray:
    first, second = (_first_two(arrays["student_topk_ids"]) for arrays in given.arrays)
    crossed = (first == second[:, ::-1]).all(axis=1)
    swapped: FloatArray = (crossed & (first[:, 0] != first[:, 1])).astype(np.float64)
    return swapped


def _first_two(ids: NDArray[Any]) -> NDArray[Any]:
    least = len(("first", "second"))
    if ids.ndim != len(("rows", "k")) or ids.shape[1] < least:
        message = f"student_topk_ids: expected rows x k with k of 2 or more, found {ids.shape}"
        raise ValueError(message)
    return ids[:, :least]


def _rows_identical(given: RowInput) -> FloatArray:
    first, second = (_digests(arrays["row_sha256"], given.rows) for arrays in given.arrays)
    identical: FloatArray = (first == second).all(axis=1).astype(np.float64)
    return identical


def _digests(stored: NDArray[Any], rows: int) -> NDArray[np.uint8]:
    """The 32 bytes of each row (rows, 32).

    NumPy strips trailing zero bytes from ``|S32`` as soon as it compares, so only bytes compare.
    """
    is_text = stored.dtype.kind in "SV" and stored.dtype.itemsize == _DIGEST_BYTES
    if is_text and stored.shape == (rows,):
        return np.ascontiguousarray(stored).view(np.uint8).reshape(rows, _DIGEST_BYTES)
    if stored.dtype == np.uint8 and stored.shape == (rows, _DIGEST_BYTES):
        return stored
    message = (
        f"row_sha256: expected 32 bytes for each of {rows} rows (|V32, |S32 or |u1), "
        f"found {stored.dtype} {stored.shape}"
    )
    raise ValueError(message)


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="top1_agreement",
        needs=("student_top1", "teacher_top1"),
        unit=_PREDICATE,
        definition="1 where the student's likeliest token is the teacher's, else 0. Ties were "
        "broken by the scorer.",
        source="top-1 agreement as a measure of fidelity, Stanton et al. (2021)",
        derive=_top1_agreement,
    ),
    RowColumn(
        name="actual_token_top1_hit",
        needs=("student_top1", "realized_token"),
        unit=_PREDICATE,
        definition="1 where the student's likeliest token is the realised one, else 0. Ties were "
        "broken by the scorer.",
        source="zero-one loss, complemented",
        derive=_actual_token_top1_hit,
    ),
    RowColumn(
        name="same_top1",
        needs=("student_top1",),
        unit=_PREDICATE,
        definition="1 where the students of both arms have the same likeliest token, else 0. Ties "
        "were broken by the scorer.",
        source="top-1 agreement as a measure of fidelity, Stanton et al. (2021)",
        derive=_same_top1,
        arms=2,
    ),
    RowColumn(
        name="top1_top2_swap",
        needs=("student_topk_ids",),
        unit=_PREDICATE,
        definition="1 where the first token of each arm's list is the second of the other's, else "
        "0; lists are read in the order in which they were retained, so ties stand as they were "
        "written. A list that names one token twice is no swap.",
        source="transposition of the two highest ranks of two rankings",
        derive=_top1_top2_swap,
        arms=2,
    ),
    RowColumn(
        name="rows_identical",
        needs=("row_sha256",),
        unit=_PREDICATE,
        definition="1 where all 32 bytes of row_sha256 are equal in both arms, else 0: so raw rows "
        "that are equal byte for byte still show when the raw files are gone.",
        source="SHA-256, FIPS 180-4",
        derive=_rows_identical,
        arms=2,
    ),
)
