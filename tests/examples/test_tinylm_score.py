"""Scoring in FP64: distributions by hand, ties, digests, and files that depend on nothing else."""

import hashlib
import io
import math
import zipfile

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special, stats

from examples.tinylm.score import (
    TOP,
    Arrays,
    divergence,
    entropy,
    log_softmax,
    packed,
    row_digests,
    score,
)


def logits(rows: int = 3, vocabulary: int = 256, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).standard_normal((rows, vocabulary), dtype=np.float32) * 4


def scored(teacher: npt.NDArray[np.float32], student: npt.NDArray[np.float32]) -> Arrays:
    realized = np.arange(len(teacher), dtype=np.int32)
    return score(teacher, student, realized=realized, first_history=7)


def test_two_equal_logits_are_a_fair_coin() -> None:
    log_p = log_softmax(np.array([[3.0, 3.0]], np.float32))
    assert log_p.tolist() == [[-math.log(2), -math.log(2)]]
    assert entropy(log_p).tolist() == [math.log(2)]


def test_the_divergence_of_a_coin_from_a_fair_one_is_the_formula() -> None:
    log_p, log_q = (np.log(np.array([row])) for row in ([0.75, 0.25], [0.5, 0.5]))
    by_hand = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    assert divergence(log_p, log_q)[0] == pytest.approx(by_hand, rel=1e-15)


def test_scores_are_those_of_scipy() -> None:
    teacher, student = logits(seed=1), logits(seed=2)
    found = scored(teacher, student)
    p, q = (special.softmax(part.astype(np.float64), axis=1) for part in (teacher, student))
    assert found["kld"] == pytest.approx(stats.entropy(p, q, axis=1), rel=1e-12)
    assert found["teacher_entropy"] == pytest.approx(stats.entropy(p, axis=1), rel=1e-12)
    assert found["student_entropy"] == pytest.approx(stats.entropy(q, axis=1), rel=1e-12)
    assert found["teacher_top1_p"] == pytest.approx(p.max(axis=1), rel=1e-12)
    assert found["student_logp_realized"] == pytest.approx(np.log(q[[0, 1, 2], [0, 1, 2]]))


def test_an_arm_diverges_from_itself_by_exactly_nothing() -> None:
    found = scored(logits(), logits())
    assert found["kld"].tolist() == [0.0, 0.0, 0.0]
    assert found["teacher_topk_ids"].tolist() == found["student_topk_ids"].tolist()


def test_logits_in_the_thousands_do_not_overflow() -> None:
    log_p = log_softmax(np.array([[30000.0, 29999.0]], np.float32))
    assert np.exp(log_p).sum() == pytest.approx(1.0, rel=1e-15)


def test_history_counts_on_from_the_prompt() -> None:
    found = scored(logits(), logits())
    assert found["history"].tolist() == [7, 8, 9]
    assert found["realized_token"].tolist() == [0, 1, 2]


def test_equal_logits_are_listed_by_token() -> None:
    flat = np.zeros((1, 256), np.float32)
    flat[0, 200] = 1.0
    found = scored(flat, flat)
    assert found["student_topk_ids"].tolist() == [[200, *range(TOP - 1)]]
    assert found["student_top1"].tolist() == [200]


def test_lists_hold_the_likeliest_tokens_in_order() -> None:
    found = scored(logits(seed=1), logits(seed=2))
    expected = np.sort(log_softmax(logits(seed=2)), axis=1)[:, ::-1][:, :TOP]
    assert found["student_topk_logp"].tolist() == expected.tolist()


def test_types_are_those_of_the_format() -> None:
    found = scored(logits(), logits(seed=2))
    kinds = {name: array.dtype.str for name, array in found.items()}
    whole = {"realized_token", "history", "teacher_top1", "student_top1"}
    whole |= {"teacher_topk_ids", "student_topk_ids"}
    for name, kind in kinds.items():
        wanted = "<i4" if name in whole else "|V32" if name == "row_sha256" else "<f8"
        assert (name, kind) == (name, wanted)


def test_a_row_digest_is_that_of_its_bytes() -> None:
    rows = logits(rows=2)
    wanted = [hashlib.sha256(row.tobytes()).digest() for row in rows]
    assert [digest.tobytes() for digest in row_digests(rows)] == wanted


def test_a_packed_file_depends_on_the_arrays_alone() -> None:
    arrays: Arrays = {"b": np.arange(3), "a": np.zeros(2)}
    data = packed(arrays)
    assert data == packed(dict(sorted(arrays.items())))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert [info.filename for info in archive.infolist()] == ["a.npy", "b.npy"]
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        assert stored["b"].tolist() == [0, 1, 2]
