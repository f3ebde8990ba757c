"""Measures over raw logits: the same as stored scores, and what is missing when a file is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from tests.support.bundles import MemoryStore, digest, member, members, npz
from verifier import catalog
from verifier.measures import evaluator as evaluators
from verifier.measures.evaluator import Evaluator
from verifier.measures.logits import LOGITS_PER_STEP
from verifier.measures.work import Work
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Hash, Protocol, WindowScore
from verifier.model.measure import Measure
from verifier.model.plugin import Missing, Value
from verifier.numerics.logit_bytes import LOGIT_TYPES
from verifier.scores import StoreRows

Array = NDArray[Any]

ROWS, VOCABULARY = 6, 11
SIZE = 4 * ROWS * VOCABULARY
STUDENT_RAW, TEACHER_RAW, SCORES = "arms/fp8/raw/w1", "arms/bf16/raw/w1", "arms/fp8/w1.npz"
PLACE = "arms/fp8/windows.json#/windows/0"
TYPES = ", ".join(LOGIT_TYPES)
GONE = (
    "the teacher's logits of window w1 are not retained "
    f"(no raw file with SHA-256 {digest('gone')})"
)


def logits() -> tuple[Array, Array]:
    generator = np.random.default_rng(3)
    teacher = generator.normal(0.0, 2.0, (ROWS, VOCABULARY)).astype(np.float32)
    return teacher, (teacher + generator.normal(0.0, 0.4, teacher.shape)).astype(np.float32)


def scored() -> dict[str, Array]:
    """Plain FP64 scores of the logits."""
    log_p, log_q = (special.log_softmax(x.astype(np.float64), axis=1) for x in logits())
    p, q = np.exp(log_p), np.exp(log_q)
    tokens = np.arange(ROWS)
    return {
        "kld": special.rel_entr(p, q).sum(axis=1),
        "teacher_entropy": special.entr(p).sum(axis=1),
        "student_entropy": special.entr(q).sum(axis=1),
        "student_logp_realized": log_q[np.arange(ROWS), tokens],
        "realized_token": tokens,
    }


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A bundle of a teacher and one arm with raw logits and rows, and its files."""

    bundle: Bundle
    content: Mapping[str, bytes]

    def value(self, column: str, **changes: Any) -> Value | Missing:
        """The mean of a column over the scored rows."""
        measure = Measure(statistic="mean", arms=("fp8",), column=column)
        return Evaluator(
            bundle=self.bundle,
            rows=StoreRows(MemoryStore(files=self.content)),
            statistics=catalog.statistics(),
        ).value(replace(measure, **changes))

    def reason(self, column: str) -> str:
        """Why there is no mean."""
        found = self.value(column)
        assert isinstance(found, Missing)
        return found.reason

    def number(self, column: str, **changes: Any) -> float:
        """The mean, from raw logits."""
        found = self.value(column, **changes)
        assert isinstance(found, Value), found
        assert found.level is Level.RAW_LOGITS
        return found.number

    def with_windows(self, arm: str, **changes: Any) -> "Sample":
        """The same with other fields in the windows of an arm."""
        arms = tuple(
            replace(each, windows=tuple(replace(item, **changes) for item in each.windows))
            if each.id == arm
            else each
            for each in self.bundle.arms
        )
        return replace(self, bundle=replace(self.bundle, arms=arms))


def sample(files: Mapping[str, bytes] | None = None, **protocol: Any) -> Sample:
    teacher, student = logits()
    content = {
        SCORES: npz(scored()),
        STUDENT_RAW: student.tobytes(),
        TEACHER_RAW: teacher.tobytes(),
        **(files or {}),
    }
    named = Hash(value=member("", content[TEACHER_RAW]).sha256, location="here")
    arms = tuple(
        Arm(
            id=name,
            name=name,
            location=f"bundle.json#/arms/{name}",
            level=Level.RAW_LOGITS,
            windows=(
                WindowScore(
                    window="w1",
                    location=f"arms/{name}/windows.json#/windows/0",
                    groups={},
                    predicted_rows=ROWS,
                    scored_rows=ROWS - 1,
                    excluded=(0,),
                    values={},
                    teacher=named,
                    rows_path=SCORES,
                    raw_path=raw,
                ),
            ),
        )
        for name, raw in (("bf16", TEACHER_RAW), ("fp8", STUDENT_RAW))
    )
    held = Bundle(
        format="measurement-bundle/1",
        id="sample",
        title="A synthetic bundle",
        members=members(content),
        records=(),
        protocol=Protocol(**{"vocabulary": VOCABULARY, "excluded": (0,), **protocol}),
        arms=arms,
    )
    return Sample(bundle=held, content=content)


@pytest.mark.parametrize(
    ("column", "stored", "sign"),
    [
        ("kl_logits", "kld", 1.0),
        ("teacher_entropy_logits", "teacher_entropy", 1.0),
        ("student_entropy_logits", "student_entropy", 1.0),
        ("nll_logits", "student_logp_realized", -1.0),
    ],
)
def test_a_measure_over_raw_logits_is_that_over_honest_scores(
    column: str, stored: str, sign: float
) -> None:
    expected = sign * scored()[stored][1:].mean()
    assert sample().number(column) == pytest.approx(expected, abs=1e-13)
    assert sample().number(column, within="none") == pytest.approx(expected, abs=1e-13)


def test_jensen_shannon_over_raw_logits_is_that_of_scipy() -> None:
    p, q = (special.softmax(x.astype(np.float64), axis=1)[1:] for x in logits())
    middle = (p + q) / 2.0
    expected = (special.rel_entr(p, middle) + special.rel_entr(q, middle)).sum(axis=1).mean() / 2.0
    assert sample().number("js_logits") == pytest.approx(expected, abs=1e-13)


def test_dishonest_scores_do_not_reach_a_measure_over_raw_logits() -> None:
    files = {SCORES: npz({**scored(), "kld": np.zeros(ROWS)})}
    assert sample(files).number("kl_logits") == sample().number("kl_logits") > 0.01


def test_a_difference_of_two_arms_takes_each_arms_own_logits() -> None:
    # The teacher is compared with itself, so that its divergence is 0.
    found = sample().number("kl_logits", arms=("fp8", "bf16"), pair="difference")
    assert found == pytest.approx(sample().number("kl_logits"), abs=1e-15)
    assert sample().number("kl_logits", arms=("bf16",)) == 0.0


@pytest.mark.parametrize(
    ("column", "files"),
    [
        ("kl_logits", 2),
        ("js_logits", 2),
        ("teacher_entropy_logits", 1),
        ("student_entropy_logits", 1),
        ("nll_logits", 1),
    ],
)
def test_only_the_files_that_a_column_needs_have_to_be_there(column: str, files: int) -> None:
    held = sample()
    without_student = held.with_windows("fp8", raw_path=None)
    other = Hash(value=digest("gone"), location="here")
    without_teacher = held.with_windows("fp8", teacher=other)
    reasons = [
        found.reason
        for found in (without_student.value(column), without_teacher.value(column))
        if isinstance(found, Missing)
    ]
    assert len(reasons) == files
    known = {
        f"{PLACE}: the raw logits are not retained",
        f"{PLACE}: {GONE}",
    }
    assert set(reasons) <= known


def test_raw_logits_that_were_retired_are_named_by_their_hash() -> None:
    retired = Hash(value=digest("retired"), location="here")
    found = sample().with_windows("fp8", raw_path=None, raw=retired)
    expected = f"{PLACE}: the raw logits are not retained (SHA-256 {digest('retired')})"
    assert found.reason("student_entropy_logits") == expected


def test_without_a_teacher_hash_no_file_is_guessed() -> None:
    assert sample().with_windows("fp8", teacher=None).reason("kl_logits") == (
        f"{PLACE}: the teacher's logits of window w1 are not retained (no teacher hash is recorded)"
    )


def without(held: Sample) -> Sample:
    kept = {path: item for path, item in held.bundle.members.items() if path != STUDENT_RAW}
    return replace(held, bundle=replace(held.bundle, members=kept))


def linked(held: Sample) -> Sample:
    entries = {**held.bundle.members, STUDENT_RAW: member(STUDENT_RAW, kind="symlink")}
    return replace(held, bundle=replace(held.bundle, members=entries))


@pytest.mark.parametrize("spoil", [without, linked])
def test_a_raw_file_that_is_not_there_or_no_regular_one(spoil: Callable[[Sample], Sample]) -> None:
    expected = f"{STUDENT_RAW} is not there, or no regular file"
    assert spoil(sample()).reason("kl_logits") == expected


@pytest.mark.parametrize("path", [STUDENT_RAW, TEACHER_RAW])
@pytest.mark.parametrize("size", [0, SIZE - 1, SIZE - 4 * VOCABULARY, 2 * SIZE])
def test_a_raw_file_of_another_size_is_not_read(path: str, size: int) -> None:
    found = sample({path: bytes(size)})
    expected = f"{path} has {size} bytes, not the {SIZE} of {ROWS} rows"
    assert found.reason("kl_logits") == expected


@pytest.mark.parametrize(
    ("protocol", "reason"),
    [
        (
            {"vocabulary": None},
            "the record states no vocabulary, so rows of raw logits cannot be told apart",
        ),
        (
            {"logits_dtype": "float8"},
            f"raw logits cannot be read: logits of type 'float8'; expected {TYPES}",
        ),
    ],
)
def test_rows_that_cannot_be_told_apart(protocol: dict[str, Any], reason: str) -> None:
    assert sample(**protocol).reason("kl_logits") == f"{PLACE}: {reason}"


def test_a_file_that_cannot_be_read_is_named() -> None:
    held = sample()
    kept = {path: data for path, data in held.content.items() if path != TEACHER_RAW}
    expected = f"{SCORES}: kl_logits: {TEACHER_RAW} cannot be read"
    assert replace(held, content=kept).reason("kl_logits") == expected


def test_logits_without_a_distribution_make_the_measure_not_recomputable() -> None:
    _, student = logits()
    student[4, 2] = np.nan
    found = sample({STUDENT_RAW: student.tobytes()}).reason("kl_logits")
    assert found == (
        "1 of 5 selected rows of kl_logits of fp8 in window w1 are not finite, the first is row 4"
    )


def test_logits_are_charged_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(column: str, steps: int) -> Value | Missing:
        monkeypatch.setattr(evaluators, "Work", lambda: Work(steps))
        return sample().value(column)

    def least(column: str) -> int:
        return next(steps for steps in range(2_000) if isinstance(answer(column, steps), Value))

    per_file = ROWS * VOCABULARY // LOGITS_PER_STEP
    assert least("kl_logits") - least("student_entropy_logits") == per_file
    assert isinstance(answer("kl_logits", least("kl_logits") - 1), Missing)
