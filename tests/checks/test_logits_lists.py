"""What lists of the likeliest tokens say of the entropy, and of the tokens that are not listed."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special

from verifier.checks._logits_lists import contradictions

Arrays = dict[str, NDArray[Any]]

LOW = "rows whose entropy is below that of the list with everything else as one bucket"
HIGH = "rows whose entropy is above what the list and the vocabulary leave room for"
REST = "rows whose other tokens cannot make up what the list leaves of 1"
VOCABULARY = 40
MASKED = float(np.finfo(np.float32).min)


def scored(logits: NDArray[np.float32], top: int, side: str = "student") -> Arrays:
    """What an honest scorer keeps of logits (rows, vocabulary) of one side, in FP64."""
    logp = special.log_softmax(logits.astype(np.float64), axis=1)
    ids = np.argsort(-logp, axis=1, kind="stable")[:, :top]
    return {
        f"{side}_entropy": special.entr(np.exp(logp)).sum(axis=1),
        f"{side}_top1": ids[:, 0],
        f"{side}_top1_p": np.exp(logp.max(axis=1)),
        f"{side}_topk_ids": ids,
        f"{side}_topk_logp": np.take_along_axis(logp, ids, axis=1),
    }


def found(arrays: Arrays, vocabulary: int | None = VOCABULARY) -> list[tuple[str, str, list[int]]]:
    """Every contradiction: array, what was counted, and the rows."""
    return [
        (contradiction.array, contradiction.what, np.flatnonzero(contradiction.rows).tolist())
        for contradiction in contradictions(arrays, vocabulary)
        if contradiction.rows.any()
    ]


def random_logits(seed: int = 1, *, rows: int = 5, spread: float = 2.0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).standard_normal((rows, VOCABULARY)) * spread
    return drawn.astype(np.float32)


@st.composite
def distributions(draw: st.DrawFn) -> tuple[NDArray[np.float32], int]:
    """Logits with ties, tokens that are ruled out and rows that are nearly certain."""
    vocabulary = draw(st.integers(1, 12))
    rows = draw(st.integers(1, 4))
    values = st.one_of(
        st.floats(-80.0, 80.0, width=32),
        st.sampled_from([0.0, 1.0, -20.0, 20.0, -np.inf, MASKED, -1e30]),
    )
    row = st.lists(values, min_size=vocabulary, max_size=vocabulary)
    drawn = draw(st.lists(row, min_size=rows, max_size=rows))
    logits = np.array(drawn, dtype=np.float32)
    # Some token is possible in every row.
    logits[np.isneginf(logits.max(axis=1)), 0] = 0.0
    return logits, draw(st.integers(1, vocabulary))


@given(distributions())
@example((np.array([[0.0, -np.inf, -np.inf]], dtype=np.float32), 2))
@example((np.array([[MASKED, MASKED, MASKED]], dtype=np.float32), 1))
def test_no_distribution_contradicts_its_own_list(held: tuple[NDArray[np.float32], int]) -> None:
    logits, top = held
    assert found(scored(logits, top), logits.shape[1]) == []
    assert found(scored(logits, top), None) == []


@pytest.mark.parametrize("spread", [0.0, 1e-6, 0.1, 2.0, 10.0, 100.0])
@pytest.mark.parametrize("top", [1, 20, 5000])
def test_nor_does_one_over_a_large_vocabulary(spread: float, top: int) -> None:
    drawn = np.random.default_rng(5).standard_normal((8, 5000)) * spread
    assert found(scored(drawn.astype(np.float32), top), 5000) == []


@given(
    st.integers(0, 2**32 - 1), st.integers(1, VOCABULARY), st.sampled_from([0.0, 0.5, 3.0, 30.0])
)
def test_a_shifted_entropy_is_found_as_soon_as_no_distribution_with_this_list_has_it(
    seed: int, top: int, spread: float
) -> None:
    arrays = scored(random_logits(seed, rows=3, spread=spread), top)
    logp = arrays["student_topk_logp"]
    least, most = bounds(logp)
    for shifted, what in ((least - 1e-8, LOW), (most + 1e-8, HIGH)):
        marked = {**arrays, "student_entropy": shifted}
        assert found(marked) == [("student_entropy", what, [0, 1, 2])]
    for inside in (least, most, np.minimum(least + 1e-3, most)):
        assert found({**arrays, "student_entropy": inside}) == []


def bounds(logp: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The least and the largest entropy (rows,), token by token in plain floats."""
    least, most = [], []
    others = VOCABULARY - logp.shape[1]
    for row in np.exp(logp).tolist():
        rest = max(0.0, 1.0 - math.fsum(row)) if others else 0.0
        listed = math.fsum(-p * math.log(p) for p in row if p > 0.0)
        least.append(listed - (rest * math.log(rest) if rest else 0.0))
        most.append(listed + (rest * math.log(others / rest) if rest else 0.0))
    return np.array(least), np.minimum(most, math.log(VOCABULARY))


@pytest.mark.parametrize("side", ["teacher", "student"])
@pytest.mark.parametrize(("entropy", "what"), [(0.0, LOW), (99.0, HIGH)])
def test_an_entropy_that_no_list_allows(side: str, entropy: float, what: str) -> None:
    arrays = scored(random_logits(), 4, side)
    arrays[f"{side}_entropy"][[1, 4]] = entropy
    assert found(arrays) == [(f"{side}_entropy", what, [1, 4])]


def test_without_a_vocabulary_an_entropy_has_no_upper_bound() -> None:
    arrays = scored(random_logits(), 4)
    arrays["student_entropy"][1:3] = [0.0, 99.0]
    assert found(arrays, None) == [("student_entropy", LOW, [1])]


def test_no_entropy_exceeds_that_of_the_vocabulary_whatever_its_list_is() -> None:
    arrays = scored(random_logits(), 4)
    arrays["student_topk_ids"][2, 1] = arrays["student_topk_ids"][2, 0]
    arrays["student_entropy"][2] = math.log(VOCABULARY) + 5e-9
    assert ("student_entropy", HIGH, [2]) in found(arrays)
    arrays["student_entropy"][2] = math.log(VOCABULARY) + 1e-9
    assert "student_entropy" not in {name for name, _, _ in found(arrays)}


def test_an_entropy_without_a_number_is_left_to_score_arrays() -> None:
    arrays = scored(random_logits(), 4)
    arrays["student_entropy"][:3] = [np.nan, np.inf, -np.inf]
    assert found(arrays) == []
    arrays["student_entropy"][:] = np.nan
    assert found(arrays) == []


@pytest.mark.parametrize("row", [0, 3])
def test_a_list_of_all_tokens_with_half_the_probability(row: int) -> None:
    arrays = scored(random_logits(), VOCABULARY)
    del arrays["student_entropy"], arrays["student_top1_p"]
    arrays["student_topk_logp"][row] -= math.log(2.0)
    assert found(arrays) == [("student_topk_logp", REST, [row])]


@pytest.mark.parametrize(("short", "rows"), [(0.5e-9, []), (2e-9, [0])])
def test_a_list_that_leaves_more_than_the_other_tokens_can_make_up(
    short: float, rows: list[int]
) -> None:
    # Two listed tokens, and three others that are as likely as the second.
    logp = np.log(np.array([[0.6 - short, 0.1]]))
    arrays: Arrays = {
        "teacher_topk_ids": np.array([[0, 1]]),
        "teacher_topk_logp": logp,
    }
    expected = [("teacher_topk_logp", REST, rows)] if rows else []
    assert found(arrays, 5) == expected
    assert found(arrays, 6) == []
    assert found(arrays, None) == []


def test_a_rest_that_a_ruled_out_token_ends_has_to_be_nothing() -> None:
    arrays: Arrays = {
        "teacher_topk_ids": np.array([[0, 1], [0, 1]]),
        "teacher_topk_logp": np.array([[0.0, -np.inf], [math.log(0.5), -np.inf]]),
    }
    assert found(arrays, 9) == [("teacher_topk_logp", REST, [1])]


def test_a_vocabulary_that_is_shorter_than_the_list_makes_no_room_negative() -> None:
    arrays = scored(random_logits(), VOCABULARY)
    names = {what for _, what, _ in found(arrays, 3)}
    assert REST not in names
    assert LOW not in names
