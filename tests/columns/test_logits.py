"""Columns of raw logits: by hand, against SciPy, and what logits that are no numbers do."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special
from scipy.spatial import distance

from tests.support.columns import array, derived, whole
from verifier.columns.registry import ROW_COLUMNS
from verifier.model.plugin import FloatArray

Array = NDArray[Any]

TEACHER = np.log(np.array([[0.75, 0.25], [0.5, 0.5]])) + 3.0
STUDENT = np.log(np.array([[0.5, 0.5], [0.25, 0.75]])) - 40.0
NONE: dict[str, Array] = {}
BOTH = ("kl_logits", "js_logits")
ONE = ("teacher_entropy_logits", "student_entropy_logits")


def between(column: str, *blocks: tuple[Array, Array]) -> FloatArray:
    """A column of both files, which come in these blocks."""
    return derived(column, NONE, rows=sum(len(teacher) for teacher, _ in blocks), logits=blocks)


def of_one(column: str, *blocks: Array, **arrays: Array) -> FloatArray:
    """A column of one file."""
    rows = sum(len(block) for block in blocks)
    return derived(column, arrays, rows=rows, logits=[(block,) for block in blocks])


def test_kl_of_two_tokens_by_hand() -> None:
    first = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    second = 0.5 * math.log(2.0) + 0.5 * math.log(2.0 / 3.0)
    assert between("kl_logits", (TEACHER, STUDENT)) == pytest.approx([first, second], rel=1e-13)


def test_jensen_shannon_of_two_tokens_by_hand() -> None:
    first = 0.5 * (
        0.75 * math.log(0.75 / 0.625)
        + 0.25 * math.log(0.25 / 0.375)
        + 0.5 * math.log(0.5 / 0.625)
        + 0.5 * math.log(0.5 / 0.375)
    )
    found = between("js_logits", (TEACHER, STUDENT))
    # The second row mirrors the first: teacher and student change places, and so do the tokens.
    assert found == pytest.approx([first, first], rel=1e-13)


@pytest.mark.parametrize("column", ONE)
def test_entropy_of_two_tokens_by_hand(column: str) -> None:
    lopsided = -0.75 * math.log(0.75) - 0.25 * math.log(0.25)
    assert of_one(column, TEACHER) == pytest.approx([lopsided, math.log(2.0)], rel=1e-14)


def test_nll_is_that_of_the_realised_token() -> None:
    found = of_one("nll_logits", STUDENT, realized_token=whole(1, 0))
    assert found == pytest.approx([math.log(2.0), math.log(4.0)], rel=1e-14)


def logits(rows: int, vocabulary: int, dtype: str) -> tuple[Array, Array]:
    generator = np.random.default_rng(vocabulary)
    teacher = generator.normal(0.0, 3.0, (rows, vocabulary)).astype(dtype)
    return teacher, (teacher + generator.normal(0.0, 0.5, teacher.shape)).astype(dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("cut", [1, 4, 9])
def test_every_column_agrees_with_scipy_however_the_files_are_cut(dtype: str, cut: int) -> None:
    teacher, student = logits(9, 700, dtype)
    pair = [x.astype(np.float64) for x in (teacher, student)]
    log_p, log_q = (special.log_softmax(x, axis=1) for x in pair)
    p, q = np.exp(log_p), np.exp(log_q)
    tokens = np.arange(9, dtype=np.int32) * 7

    def blocks() -> Iterator[tuple[Array, Array]]:
        for start in range(0, 9, cut):
            yield teacher[start : start + cut], student[start : start + cut]

    close: Any = {"rtol": 0.0, "atol": 1e-12}
    expected = special.rel_entr(p, q).sum(axis=1)
    np.testing.assert_allclose(between("kl_logits", *blocks()), expected, **close)
    expected = distance.jensenshannon(p, q, axis=1) ** 2
    np.testing.assert_allclose(between("js_logits", *blocks()), expected, **close)
    found = of_one("teacher_entropy_logits", *(block for block, _ in blocks()))
    np.testing.assert_allclose(found, special.entr(p).sum(axis=1), **close)
    found = of_one("student_entropy_logits", *(block for _, block in blocks()))
    np.testing.assert_allclose(found, special.entr(q).sum(axis=1), **close)
    found = of_one("nll_logits", *(block for _, block in blocks()), realized_token=tokens)
    np.testing.assert_allclose(found, -log_q[np.arange(9), tokens], **close)


def test_divergences_of_near_equals_keep_their_digits() -> None:
    # KL = log(cosh(h)), and Jensen-Shannon is h^2 / 8 up to terms of h^4.
    h = 2.0**-20
    teacher, student = np.array([[0.0, 0.0]]), np.array([[h, -h]])
    kl = h**2 / 2.0 - h**4 / 12.0
    assert between("kl_logits", (teacher, student)) == pytest.approx([kl], rel=1e-13)
    assert between("js_logits", (teacher, student)) == pytest.approx([h**2 / 8.0], rel=1e-11)


def test_a_token_that_the_teacher_rules_out_adds_nothing() -> None:
    teacher, student = array(0.0, -np.inf, 0.0)[np.newaxis], np.zeros((1, 3))
    expected = distance.jensenshannon([0.5, 0.0, 0.5], [1 / 3] * 3) ** 2
    assert between("kl_logits", (teacher, student)) == pytest.approx([math.log(1.5)], rel=1e-14)
    assert between("js_logits", (teacher, student)) == pytest.approx([expected], rel=1e-14)
    found = of_one("teacher_entropy_logits", teacher)
    assert found == pytest.approx([math.log(2.0)], rel=1e-14)


def test_a_token_that_the_student_alone_rules_out_is_infinitely_far() -> None:
    teacher, student = np.zeros((1, 2)), array(0.0, -np.inf)[np.newaxis]
    assert between("kl_logits", (teacher, student)).tolist() == [math.inf]
    expected = 0.5 * math.log(4.0 / 3.0) + 0.25 * math.log(2.0 / 3.0) + 0.25 * math.log(2.0)
    assert between("js_logits", (teacher, student)) == pytest.approx([expected], rel=1e-14)
    found = of_one("nll_logits", student, realized_token=whole(1))
    assert found.tolist() == [math.inf]


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf]])
def test_what_is_no_distribution_has_no_value_and_spoils_no_other_row(bad: list[float]) -> None:
    spoiled = np.array([bad, [0.0, 1.0]])
    for column in BOTH:
        for pair in ((spoiled, STUDENT), (TEACHER, spoiled)):
            assert np.isnan(between(column, pair)).tolist() == [True, False]
    for column in ONE:
        assert np.isnan(of_one(column, spoiled)).tolist() == [True, False]
    found = of_one("nll_logits", spoiled, realized_token=whole(0, 0))
    assert np.isnan(found).tolist() == [True, False]


@pytest.mark.parametrize("token", [-1, 2, 2**62])
def test_a_realised_token_outside_the_vocabulary_has_no_likelihood(token: int) -> None:
    found = of_one("nll_logits", STUDENT, realized_token=whole(token, 0))
    assert np.isnan(found).tolist() == [True, False]


def test_realised_tokens_are_whole_numbers() -> None:
    message = "^realized_token: expected whole numbers, found float64$"
    with pytest.raises(ValueError, match=message):
        of_one("nll_logits", STUDENT, realized_token=array(0.0, 1.0))


@pytest.mark.parametrize("held", [0, 1, 3, 4])
@pytest.mark.parametrize("column", BOTH)
def test_files_of_another_number_of_rows_are_refused(column: str, held: int) -> None:
    block = np.zeros((1, 2))
    message = f"^expected raw logits of 2 rows, found {held}$"
    with pytest.raises(ValueError, match=message):
        derived(column, NONE, rows=2, logits=[(block, block)] * held)


def test_without_any_logits_there_is_no_column() -> None:
    with pytest.raises(ValueError, match=r"^expected raw logits of 2 rows, found 0$"):
        derived("kl_logits", NONE, rows=2)


@pytest.mark.parametrize(
    "name", [name for name, column in ROW_COLUMNS.items() if "teacher" in column.needs_logits]
)
def test_a_column_of_the_teacher_says_which_file_that_is(name: str) -> None:
    assert "whose SHA-256 is the window's teacher hash." in ROW_COLUMNS[name].definition
