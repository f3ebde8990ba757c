"""Divergences from logits against the same formulas in plain FP64, SciPy and by hand."""

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special
from scipy.spatial import distance

from tests.support import decimal_divergence as exact
from verifier.numerics import _divergence_tiles as tiles
from verifier.numerics import _exponential as exponential
from verifier.numerics.divergence import Divergence, divergence

CLOSE: Any = {"rtol": 0.0, "atol": 1e-12}
WIDE = 80_003
"""A vocabulary that needs several tiles, the last of them narrower."""


@pytest.fixture(params=["table", "library"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once as on a processor without vectorised exponentials, once as on one with them."""
    monkeypatch.setattr(tiles, "is_vectorised", lambda: request.param == "library")


def logits(rows: int, vocabulary: int, dtype: str, *, seed: int = 5) -> NDArray[Any]:
    generator = np.random.default_rng(seed)
    return generator.normal(0.0, 3.0, (rows, vocabulary)).astype(dtype)


def near(block: NDArray[Any], *, seed: int = 6) -> NDArray[Any]:
    noise = np.random.default_rng(seed).normal(0.0, 0.3, block.shape)
    return (block + noise).astype(block.dtype)


def plain(teacher: NDArray[Any], student: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """The textbook formulas, each on whole rows in FP64."""
    log_p = special.log_softmax(teacher.astype(np.float64), axis=1)
    log_q = special.log_softmax(student.astype(np.float64), axis=1)
    p, q = np.exp(log_p), np.exp(log_q)
    return {
        "kl": (p * (log_p - log_q)).sum(axis=1),
        "js": distance.jensenshannon(p, q, axis=1) ** 2,
        "teacher_entropy": special.entr(p).sum(axis=1),
        "student_entropy": special.entr(q).sum(axis=1),
        "teacher_lse": special.logsumexp(teacher.astype(np.float64), axis=1),
        "student_lse": special.logsumexp(student.astype(np.float64), axis=1),
    }


def assert_plain(found: Divergence, teacher: NDArray[Any], student: NDArray[Any]) -> None:
    expected = plain(teacher, student)
    np.testing.assert_allclose(found.kl, expected["kl"], **CLOSE)
    if found.teacher.entropy is not None:
        assert found.student.entropy is not None
        np.testing.assert_allclose(found.teacher.entropy, expected["teacher_entropy"], **CLOSE)
        np.testing.assert_allclose(found.student.entropy, expected["student_entropy"], **CLOSE)
    np.testing.assert_allclose(found.teacher.logsumexp, expected["teacher_lse"], **CLOSE)
    np.testing.assert_allclose(found.student.logsumexp, expected["student_lse"], **CLOSE)
    if found.jensen_shannon is not None:
        np.testing.assert_allclose(found.jensen_shannon, expected["js"], **CLOSE)


def test_two_tokens_by_hand() -> None:
    teacher = np.log(np.array([[0.75, 0.25]]))
    student = np.log(np.array([[0.5, 0.5]]))
    found = divergence(teacher, student, np.array([1]), with_jensen_shannon=True)
    kl = 0.75 * math.log(1.5) + 0.25 * math.log(0.5)
    middle = 0.5 * (
        0.75 * math.log(0.75 / 0.625)
        + 0.25 * math.log(0.25 / 0.375)
        + 0.5 * math.log(0.5 / 0.625)
        + 0.5 * math.log(0.5 / 0.375)
    )
    assert found.kl == pytest.approx([kl], abs=1e-15)
    assert found.jensen_shannon == pytest.approx([middle], abs=1e-15)
    assert found.student.entropy == pytest.approx([math.log(2.0)], abs=1e-15)
    assert found.teacher.logp == pytest.approx([math.log(0.25)], abs=1e-15)
    assert found.teacher.top1_p == pytest.approx([0.75], abs=1e-15)
    assert found.teacher.top1.tolist() == [0]


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("rows", "vocabulary"), [(1, 1), (3, 2), (200, 97), (3, WIDE)])
def test_every_number_agrees_with_plain_fp64(dtype: str, rows: int, vocabulary: int) -> None:
    teacher = logits(rows, vocabulary, dtype)
    student = near(teacher)
    found = divergence(teacher, student, with_jensen_shannon=True)
    assert found.teacher.entropy is not None
    assert_plain(found, teacher, student)
    assert found.teacher.top1.tolist() == teacher.argmax(axis=1).tolist()
    assert np.isnan(found.teacher.logp).all()


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("offset", [-1e4, -128.0, -100.0, 90.0, 128.0, 1e4])
def test_logits_far_from_zero_agree_too(offset: float) -> None:
    teacher = logits(5, 3_000, "float32") + np.float32(offset)
    student = near(teacher) - np.float32(1.0)
    found = divergence(teacher, student, with_jensen_shannon=True)
    assert_plain(found, teacher, student)


@pytest.mark.usefixtures("both_ways")
def test_rows_of_every_kind_may_lie_in_one_tile() -> None:
    teacher = logits(6, 50, "float32")
    teacher[1] *= np.float32(1e3)
    teacher[2, 7] = -np.inf
    teacher[3, 7] = np.nan
    student = near(teacher)
    found = divergence(teacher, student)
    usable = [0, 1, 4, 5]
    expected = plain(teacher[usable], student[usable])
    np.testing.assert_allclose(found.kl[usable], expected["kl"], rtol=1e-12, atol=1e-12)
    assert found.kl[2] == pytest.approx(
        plain(np.delete(teacher[[2]], 7, axis=1), np.delete(student[[2]], 7, axis=1))["kl"][0],
        abs=1e-12,
    )
    assert np.isnan(found.kl[3])


def test_equal_logits_have_no_divergence_at_all() -> None:
    block = logits(4, WIDE, "float32")
    found = divergence(block, block.copy(), with_jensen_shannon=True)
    assert found.kl.tolist() == [0.0] * 4
    assert found.jensen_shannon == pytest.approx(np.zeros(4), abs=1e-14)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("step", [10.0**-power for power in range(9)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_distributions_that_nearly_agree_keep_their_digits(dtype: str, step: float) -> None:
    for vocabulary in (2, 3, 17, 64):
        teacher = logits(4, vocabulary, dtype, seed=vocabulary)
        noise = np.random.default_rng(vocabulary).normal(0.0, step, teacher.shape)
        # What single precision rounds to nothing differs nowhere and tells nothing.
        student = (teacher + noise).astype(dtype)
        found = divergence(teacher, student, with_jensen_shannon=True, precise=True)
        assert found.jensen_shannon is not None
        for row in range(len(teacher)):
            p, q = (exact.normalised(exact.probabilities(x[row])) for x in (teacher, student))
            kl, shannon = exact.kl(p, q), exact.jensen_shannon(p, q)
            allowed = 1e-13 if kl < 1e-4 else 2e-11
            if np.array_equal(teacher[row], student[row]):
                assert [found.kl[row], found.jensen_shannon[row]] == [0.0, 0.0]
            else:
                assert exact.relative_error(found.kl[row], kl) <= allowed
                assert exact.relative_error(found.jensen_shannon[row], shannon) <= allowed


@pytest.mark.parametrize("step", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_small_divergence_of_a_large_vocabulary_is_no_worse_than_plain_fp64(step: float) -> None:
    teacher = logits(1, 8_192 + 5, "float64")
    student = teacher + np.random.default_rng(8).normal(0.0, step, teacher.shape)
    p, q = (exact.normalised(exact.probabilities(x[0])) for x in (teacher, student))
    error = exact.relative_error(divergence(teacher, student, precise=True).kl[0], exact.kl(p, q))
    assert error <= 1e-14
    assert error <= exact.relative_error(plain(teacher, student)["kl"][0], exact.kl(p, q))


def test_a_small_divergence_does_not_see_a_constant() -> None:
    # A power of two is added to numbers of few digits, so that nothing is rounded.
    teacher = np.array([[1.0, -2.5, 0.25, 3.0]])
    student = teacher + np.array([[2.0**-20, -(2.0**-21), 0.0, 2.0**-22]])
    expected = divergence(teacher, student, precise=True).kl[0]
    moved = divergence(teacher, student + 64.0, precise=True).kl[0]
    assert moved == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("low", [-np.inf, -1e308, -800.0, -744.0, -700.0])
def test_a_token_that_the_teacher_hardly_has_counts_by_its_mass_in_the_student(low: float) -> None:
    teacher = np.array([[0.0, 0.0, low, low]])
    student = np.array([[1e-6, 0.0, -14.0, low]])
    found = divergence(teacher, student, with_jensen_shannon=True, precise=True)
    p = exact.normalised([*exact.probabilities([0.0, 0.0]), Decimal(0), Decimal(0)])
    q = exact.normalised([*exact.probabilities([1e-6, 0.0, -14.0]), Decimal(0)])
    assert found.jensen_shannon is not None
    assert exact.relative_error(found.kl[0], exact.kl(p, q)) <= 1e-13
    assert exact.relative_error(found.jensen_shannon[0], exact.jensen_shannon(p, q)) <= 1e-13


def test_adding_a_constant_to_the_logits_changes_nothing() -> None:
    teacher, student = logits(4, 500, "float64"), logits(4, 500, "float64", seed=9)
    np.testing.assert_allclose(
        divergence(teacher + 17.0, student - 40.0).kl, divergence(teacher, student).kl, **CLOSE
    )


def test_the_lowest_of_several_largest_is_the_top_1() -> None:
    block = np.array([[1.0, 3.0, 3.0], [3.0, 3.0, 1.0]], dtype=np.float32)
    found = divergence(block, block[:, ::-1])
    assert found.teacher.top1.tolist() == [1, 0]
    assert found.student.top1.tolist() == [0, 1]


def test_token_outside_the_vocabulary_has_no_log_probability() -> None:
    block = np.zeros((4, 2), dtype=np.float32)
    found = divergence(block, block, np.array([-1, 0, 1, 2], dtype=np.int32))
    half = math.log(0.5)
    np.testing.assert_array_equal(found.student.logp, [np.nan, half, half, np.nan])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_token_without_mass_in_the_teacher_contributes_nothing(dtype: str) -> None:
    teacher = np.array([[0.0, -np.inf, 0.0], [-np.inf, -np.inf, 5.0]], dtype=dtype)
    student = np.array([[0.0, 0.0, 0.0], [-np.inf, 0.0, 0.0]], dtype=dtype)
    found = divergence(teacher, student, np.array([1, 2]), with_jensen_shannon=True)
    assert found.teacher.entropy is not None
    half_half = distance.jensenshannon([0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]) ** 2
    one = distance.jensenshannon([0.0, 0.0, 1.0], [0.0, 0.5, 0.5]) ** 2
    assert found.kl == pytest.approx([math.log(1.5), math.log(2.0)], abs=1e-15)
    assert found.jensen_shannon == pytest.approx([half_half, one], abs=1e-15)
    assert found.teacher.entropy == pytest.approx([math.log(2.0), 0.0], abs=1e-15)
    assert found.teacher.logp.tolist() == [-math.inf, 0.0]
    assert found.teacher.logsumexp == pytest.approx([math.log(2.0), 5.0], abs=1e-15)


@pytest.mark.parametrize("mass", [0.0, -800.0], ids=["plain", "below FP64"])
def test_token_without_mass_in_the_student_alone_is_infinitely_far(mass: float) -> None:
    teacher = np.array([[0.0, mass]])
    student = np.array([[0.0, -np.inf]])
    found = divergence(teacher, student, with_jensen_shannon=True)
    assert found.kl.tolist() == [math.inf]
    assert found.student.entropy is not None
    assert found.student.entropy.tolist() == [0.0]
    assert found.jensen_shannon is not None
    assert 0.0 <= found.jensen_shannon[0] <= math.log(2.0)


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf]])
@pytest.mark.parametrize("side", ["teacher", "student"])
def test_what_is_no_distribution_is_counted_and_spoils_no_other_number(
    bad: list[float], side: str
) -> None:
    good = np.array([[0.0, 0.0], [0.0, 1.0]])
    spoiled = good.copy()
    spoiled[0] = bad
    pair = (spoiled, good) if side == "teacher" else (good, spoiled)
    found = divergence(*pair, np.array([0, 0]), with_jensen_shannon=True)
    broken, whole = (
        (found.teacher, found.student) if side == "teacher" else (found.student, found.teacher)
    )
    assert found.jensen_shannon is not None
    assert broken.entropy is not None
    assert whole.entropy is not None
    assert np.isnan([found.kl[0], found.jensen_shannon[0], broken.entropy[0]]).all()
    assert np.isnan([broken.logsumexp[0], broken.top1_p[0], broken.logp[0]]).all()
    assert broken.top1.tolist() == [-1, 1]
    assert whole.entropy[0] == pytest.approx(math.log(2.0), abs=1e-15)
    assert whole.top1.tolist() == [0, 1]
    assert found.kl[1] == 0.0


def test_finite_logits_at_the_edge_of_fp64_are_a_distribution() -> None:
    found = divergence(
        np.array([[1.7e308, -1.7e308]]), np.array([[1.7e308, 1.7e308]]), with_entropies=True
    )
    assert found.teacher.entropy is not None
    assert found.kl.tolist() == [pytest.approx(math.log(2.0), abs=1e-15)]
    assert found.teacher.entropy.tolist() == [0.0]


@pytest.mark.parametrize(
    ("teacher", "student", "tokens", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 4)), None, "do not match"),
        (np.zeros(3), np.zeros(3), None, "do not match"),
        (np.zeros((2, 0)), np.zeros((2, 0)), None, "a vocabulary of 0"),
        (np.zeros((2, 3), dtype=np.int64), np.zeros((2, 3)), None, "logits of type int64"),
        (np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(3, dtype=np.int64), "tokens .3,. for 2 rows"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(
    teacher: NDArray[Any], student: NDArray[Any], tokens: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        divergence(teacher, student, tokens)


def test_no_rows_give_no_numbers() -> None:
    found = divergence(np.zeros((0, 5)), np.zeros((0, 5)), with_jensen_shannon=True)
    assert found.kl.shape == (0,)


def test_table_reaches_everything_it_promises() -> None:
    numbers = np.linspace(-exponential.LARGEST, exponential.LARGEST, 60_001, dtype=np.float32)
    out = np.empty(numbers.shape)
    assert exponential.fits(numbers)
    exponential.TableExponential(numbers.shape).into(numbers, out)
    np.testing.assert_allclose(out, np.exp(numbers.astype(np.float64)), rtol=3e-14, atol=0.0)


@pytest.mark.parametrize(
    ("found", "expected"), [(["X86_V4"], True), (["AVX512F"], True), (["AVX2"], False), ([], False)]
)
def test_what_numpy_says_of_the_processor_decides(
    monkeypatch: pytest.MonkeyPatch, found: list[str], *, expected: bool
) -> None:
    config = {"SIMD Extensions": {"found": found}}
    monkeypatch.setattr(np, "show_config", lambda **_: config)
    exponential.is_vectorised.cache_clear()
    try:
        assert exponential.is_vectorised() is expected
    finally:
        exponential.is_vectorised.cache_clear()


def test_no_dot_product_is_long_enough_for_blas_to_start_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lengths: list[int] = []

    def noted(left: NDArray[Any], right: NDArray[Any]) -> float:
        lengths.append(len(left))
        return float((left * right).sum())

    monkeypatch.setattr(np, "dot", noted)
    block = logits(1, 154_880, "float32")
    divergence(block, block)
    assert max(lengths) <= 10_000
    assert sum(lengths) == 3 * 154_880


def test_entropies_are_computed_when_they_are_asked_for() -> None:
    block = logits(3, WIDE, "float32")
    without = divergence(block, near(block))
    assert without.teacher.entropy is None
    assert without.student.entropy is None
    found = divergence(block, near(block), with_entropies=True)
    assert found.jensen_shannon is None
    assert found.teacher.entropy is not None
    assert_plain(found, block, near(block))
    assert found.kl.tolist() == without.kl.tolist()


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("step", [1e-2, 1e-4, 1e-6, 1e-8])
def test_small_divergences_are_plain_fp64_and_never_negative_unless_digits_are_asked_for(
    step: float,
) -> None:
    teacher = logits(40, 512, "float32")
    noise = np.random.default_rng(8).normal(0.0, step, teacher.shape)
    student = (teacher + noise).astype(np.float32)
    found = divergence(teacher, student, with_jensen_shannon=True)
    assert found.jensen_shannon is not None
    assert found.kl.min() >= 0.0
    assert found.jensen_shannon.min() >= 0.0
    log_p, log_q = (special.log_softmax(x.astype(np.float64), axis=1) for x in (teacher, student))
    expected = special.rel_entr(np.exp(log_p), np.exp(log_q)).sum(axis=1)
    np.testing.assert_allclose(found.kl, expected, rtol=0.0, atol=1e-14)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("low", [-127.5, -300.0, -700.0, -800.0])
def test_a_logit_far_below_the_others_is_exact_too(low: float) -> None:
    teacher = logits(3, WIDE, "float32")
    student = near(teacher)
    teacher[1, 5], student[1, 20_000] = low, low
    assert_plain(divergence(teacher, student), teacher, student)


@pytest.mark.parametrize(("value", "fits"), [(-127.0, True), (-127.01, False), (np.nan, False)])
def test_the_table_knows_what_it_does_not_reach(value: float, *, fits: bool) -> None:
    numbers = np.array([[0.0, 3.0], [value, 1.0]], dtype=np.float32)
    assert exponential.fits(numbers) is fits
    assert exponential.fits(numbers[:, ::-1]) is fits
    assert exponential.fits(numbers.T) is fits
