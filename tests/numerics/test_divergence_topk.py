"""Divergences of top-k lists: by hand, against loops and SciPy, and bounded by the whole."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import DTypeLike
from scipy import special
from scipy.spatial import distance

from tests.support import decimal_divergence as exact
from tests.support.columns import array
from tests.support.topk import Lists, buckets, likeliest, log_distributions
from verifier.model.plugin import FloatArray
from verifier.numerics.divergence_topk import (
    Partition,
    entropy,
    jensen_shannon,
    kl,
    kl_normalised,
    missing,
    partition,
    top_k,
)
from verifier.numerics.relative_entropy import ROUNDING, SLACK

INF, NAN = math.inf, math.nan


def row(ids: tuple[int, ...], probabilities: tuple[float, ...]) -> Lists:
    """One row of a list."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return Lists(ids=np.array([ids]), logp=np.log(np.array([probabilities])))


def parts(reference: Lists, other: Lists) -> Partition:
    return partition(reference.checked(), other.checked())


HAND = parts(row((4, 9, 2), (0.5, 0.25, 0.125)), row((9, 1, 4), (0.5, 0.25, 0.125)))
"""Shared are 4 (1/2 against 1/8) and 9 (1/4 against 1/2); the rest is 1/4 against 3/8."""


def test_kl_by_hand() -> None:
    expected = 0.5 * math.log(4) + 0.25 * math.log(0.5) + 0.25 * math.log(2 / 3)
    assert kl(HAND) == pytest.approx([expected], rel=1e-15)


def test_normalised_kl_by_hand() -> None:
    # 2/3 and 1/3 against 1/5 and 4/5.
    expected = 2 / 3 * math.log(10 / 3) + 1 / 3 * math.log(5 / 12)
    assert kl_normalised(HAND) == pytest.approx([expected], rel=1e-15)


def test_jensen_shannon_by_hand() -> None:
    middle = (0.3125, 0.375, 0.3125)
    expected = sum(
        0.5 * p * math.log(p / m) + 0.5 * q * math.log(q / m)
        for p, q, m in zip((0.5, 0.25, 0.25), (0.125, 0.5, 0.375), middle, strict=True)
    )
    assert jensen_shannon(HAND) == pytest.approx([expected], rel=1e-14)


def test_missing_tokens_are_those_of_the_reference() -> None:
    assert missing(HAND).tolist() == [1.0]
    assert HAND.shared.tolist() == [[True, True, False]]


def test_entropy_by_hand_counts_the_rest_as_one_bucket() -> None:
    found = entropy(row((4, 9, 2), (0.5, 0.25, 0.125)).checked())
    assert found == pytest.approx([1.75 * math.log(2)], rel=1e-15)


def test_lists_of_different_length_can_be_compared() -> None:
    found = parts(row((1,), (0.5,)), row((3, 2, 1), (0.5, 0.25, 0.25)))
    assert kl(found) == pytest.approx([0.5 * math.log(2) + 0.5 * math.log(2 / 3)], rel=1e-15)


def test_equal_lists_differ_by_nothing_at_all() -> None:
    same = row((1, 2), (0.6, 0.3))
    found = parts(same, same)
    assert [kl(found)[0], kl_normalised(found)[0], jensen_shannon(found)[0]] == [0.0, 0.0, 0.0]


def test_lists_without_a_common_token_tell_nothing_but_that() -> None:
    found = parts(row((1, 2), (0.6, 0.3)), row((3, 4), (0.6, 0.3)))
    assert kl(found).tolist() == [0.0]
    assert jensen_shannon(found).tolist() == [0.0]
    assert missing(found).tolist() == [2.0]
    assert np.isnan(kl_normalised(found)).all()


@pytest.mark.parametrize(
    ("p", "q", "expected", "normalised"),
    [
        ((0.5, 0.0), (0.5, 0.25), 0.5 * math.log(2), math.log(1.5)),
        ((0.5, 0.5), (1.0, 0.0), INF, INF),
        ((0.5, 0.25), (0.75, 0.25), INF, 2 / 3 * math.log(8 / 9) + 1 / 3 * math.log(4 / 3)),
        ((0.0, 0.0), (0.5, 0.25), math.log(4), NAN),
        ((0.5, 0.25), (0.0, 0.0), INF, NAN),
        ((1.0, 0.0), (1.0, 0.0), 0.0, 0.0),
    ],
    ids=[
        "token ruled out by the reference",
        "token ruled out by the other",
        "rest ruled out by the other",
        "no shared mass in the reference",
        "no shared mass in the other",
        "certain of the same",
    ],
)
def test_tokens_that_are_ruled_out(
    p: tuple[float, ...], q: tuple[float, ...], expected: float, normalised: float
) -> None:
    found = parts(row((1, 2), p), row((1, 2), q))
    assert kl(found).tolist() == pytest.approx([expected], rel=1e-14)
    assert kl_normalised(found).tolist() == pytest.approx([normalised], rel=1e-14, nan_ok=True)


def test_jensen_shannon_of_certainty_in_different_tokens_is_log_two() -> None:
    found = parts(row((1, 2), (1.0, 0.0)), row((1, 2), (0.0, 1.0)))
    assert jensen_shannon(found).tolist() == [math.log(2.0)]


def test_a_rest_of_rounding_against_none_is_not_infinite() -> None:
    certain = Lists(ids=np.array([[1]]), logp=np.array([[0.0]]))
    almost = Lists(ids=np.array([[1]]), logp=np.array([[-1e-13]]))
    unsure = Lists(ids=np.array([[1]]), logp=np.array([[-1e-11]]))
    assert kl(parts(almost, certain)).tolist() == [0.0]
    assert kl(parts(unsure, certain)).tolist() == [INF]


def test_a_small_rest_keeps_its_digits() -> None:
    # 1 - (1 - 3e-17) is 0 in FP64; the log probability of the first token still knows.
    listed = Lists(ids=np.array([[1, 2]]), logp=np.array([[-3e-17, math.log(1e-17)]]))
    assert listed.checked().rest == pytest.approx([2e-17], rel=1e-12)


def test_ties_stand_in_the_order_in_which_they_were_written() -> None:
    tied = row((8, 3, 5), (0.25, 0.25, 0.25)).checked(2)
    assert tied.ids.tolist() == [[8, 3]]
    assert tied.rest == pytest.approx([0.5], rel=1e-15)


@pytest.mark.parametrize("first", [(1e-9, 0.0), (0.0, 1e-9)])
def test_a_sum_that_rounding_took_above_one_leaves_no_rest(first: tuple[float, float]) -> None:
    logp = np.array([[first[0] * 0.9, -INF], [first[1] * 0.9, -INF]])
    listed = top_k(np.array([[1, 2], [1, 2]]), logp, name="list")
    assert listed.rest.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("bad", "total"),
    [((math.log(0.6), math.log(0.5)), "1.1"), ((0.0, math.log(SLACK * 1.01)), "1.0000000010"),
     ((INF, -1.0), "inf"), ((1000.0, -1.0), "inf"), ((-1.0, INF), "inf")],
)  # fmt: skip
def test_more_than_all_probability_is_refused_with_its_row(
    bad: tuple[float, float], total: str
) -> None:
    fine = (-1.0, -2.0)
    expected = f"list, row 2: expected probabilities of at most 1 in all, found {total}"
    with pytest.raises(ValueError, match=f"^{re.escape(expected)}"):
        top_k(np.array([[1, 2]] * 4), np.array([fine, fine, bad, bad]), name="list")


def test_a_token_named_twice_is_refused_with_its_row() -> None:
    ids = np.array([[1, 2, 3], [4, 5, 4], [6, 6, 6]])
    with pytest.raises(
        ValueError, match=r"^list, row 1: expected each token once, found one twice$"
    ):
        top_k(ids, np.full((3, 3), -2.0), name="list")


def test_a_token_named_twice_beyond_the_first_k_does_not_count() -> None:
    listed = top_k(np.array([[1, 2, 1]]), np.full((1, 3), -2.0), name="list", k=2)
    assert listed.ids.tolist() == [[1, 2]]


@pytest.mark.parametrize("k", [0, -1, 4])
def test_more_tokens_than_were_kept_are_refused(k: int) -> None:
    message = f"list: expected a top_k between 1 and the 3 tokens kept, found {k}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        top_k(np.array([[1, 2, 3]]), np.full((1, 3), -2.0), name="list", k=k)


@pytest.mark.parametrize(
    ("ids", "logp"), [((2, 3), (2, 2)), ((2,), (2,)), ((2, 0), (2, 0)), ((2, 1, 1), (2, 1, 1))]
)
def test_shapes_that_do_not_fit_are_refused(ids: tuple[int, ...], logp: tuple[int, ...]) -> None:
    message = f"list: expected ids and logp of one shape (rows, k), found {ids} and {logp}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        top_k(np.zeros(ids, dtype=np.int64), np.zeros(logp), name="list")


def test_token_ids_that_are_no_whole_numbers_are_refused() -> None:
    message = "list: expected whole numbers as token ids, found float64"
    with pytest.raises(ValueError, match=f"^{message}$"):
        top_k(np.array([[1.5]]), np.array([[-1.0]]), name="list")


def test_lists_of_different_row_counts_are_refused() -> None:
    one, two = likeliest(np.full((1, 4), -2.0), 2), likeliest(np.full((2, 4), -2.0), 2)
    with pytest.raises(ValueError, match=r"^expected as many rows in both lists, found 1 and 2$"):
        parts(one, two)


@pytest.mark.parametrize("side", ["reference", "other", "both"])
def test_a_row_without_a_list_has_no_values_and_harms_no_other(side: str) -> None:
    # What stands in such a row is a filler: here one token over and over.
    fine = likeliest(log_distributions(1, 3, 8, 1.0), 4)
    holed = Lists(ids=fine.ids.copy(), logp=fine.logp.copy())
    holed.ids[1] = 0
    holed.logp[1, 2] = NAN
    found = parts(fine if side == "other" else holed, fine if side == "reference" else holed)
    for measure in (kl, kl_normalised, jensen_shannon, missing):
        assert measure(found).tolist() == pytest.approx([0.0, NAN, 0.0], nan_ok=True), measure
    assert np.isnan(entropy(holed.checked())).tolist() == [False, True, False]


@pytest.mark.parametrize("dtypes", [(np.int32, np.int64), (np.int64, np.int32), (np.uint8, "i8")])
def test_ids_of_different_types_match(dtypes: tuple[DTypeLike, DTypeLike]) -> None:
    logp = np.log(np.array([[0.5, 0.25]]))
    first = top_k(np.array([[3, 7]], dtype=dtypes[0]), logp, name="list")
    second = top_k(np.array([[7, 3]], dtype=dtypes[1]), logp, name="list")
    assert partition(first, second).log_q.tolist() == logp[:, ::-1].tolist()


def test_no_rows_give_no_values() -> None:
    none = Lists(ids=np.zeros((0, 3), dtype=np.int64), logp=np.zeros((0, 3)))
    found = parts(none, none)
    for measure in (kl, kl_normalised, jensen_shannon, missing):
        assert measure(found).tolist() == []
    assert entropy(none.checked()).tolist() == []


@pytest.mark.parametrize(("rows", "kept", "vocabulary"), [(300, 20, 60), (40, 64, 400), (50, 1, 3)])
def test_loops_over_plain_floats_and_scipy_give_the_same(
    rows: int, kept: int, vocabulary: int
) -> None:
    reference = likeliest(log_distributions(1, rows, vocabulary, 1.5), kept)
    other = likeliest(log_distributions(2, rows, vocabulary, 1.5), kept)
    found = parts(reference, other)
    lacking = []
    for number in range(rows):
        p, q = (np.array(masses) for masses in buckets(reference, other, number))
        assert kl(found)[number] == pytest.approx(special.rel_entr(p, q).sum(), abs=1e-13)
        js = distance.jensenshannon(p / p.sum(), q / q.sum()) ** 2
        assert jensen_shannon(found)[number] == pytest.approx(js, abs=1e-13)
        inside = NAN
        if len(p) > 1:
            p, q = p[:-1] / p[:-1].sum(), q[:-1] / q[:-1].sum()
            inside = special.rel_entr(p, q).sum()
        assert kl_normalised(found)[number] == pytest.approx(inside, abs=1e-13, nan_ok=True)
        lacking.append(kept - len(set(reference.ids[number]) & set(other.ids[number])))
    assert missing(found).tolist() == lacking
    assert 0 < sum(lacking) < rows * kept
    listed = np.exp(other.logp)
    expected = special.entr(listed).sum(axis=1) + special.entr(1.0 - listed.sum(axis=1))
    assert entropy(other.checked()) == pytest.approx(expected, abs=1e-13)


@given(
    seed=st.integers(0, 2**32 - 1),
    vocabulary=st.integers(2, 40),
    kept=st.integers(1, 40),
    spread=st.floats(0.01, 20.0),
)
def test_a_coarser_partition_never_has_a_larger_divergence(
    seed: int, vocabulary: int, kept: int, spread: float
) -> None:
    k = min(kept, vocabulary)
    log_p = log_distributions(seed, 5, vocabulary, spread)
    log_q = log_distributions(seed + 1, 5, vocabulary, spread)
    p, q = np.exp(log_p), np.exp(log_q)
    whole = special.rel_entr(p, q).sum(axis=1)
    middle = (p + q) / 2
    whole_js = (special.rel_entr(p, middle) + special.rel_entr(q, middle)).sum(axis=1) / 2
    listed = likeliest(log_q, k)
    found = parts(likeliest(log_p, k), listed)
    assert (kl(found) <= whole + rounding_of_rests(found)).all()
    assert (kl(found) >= 0.0).all()
    assert (jensen_shannon(found) <= whole_js + 1e-11).all()
    assert (jensen_shannon(found) <= math.log(2.0)).all()
    whole_entropy = special.entr(q).sum(axis=1)
    assert (entropy(listed.checked()) <= whole_entropy + 1e-11).all()
    if k == vocabulary:
        assert kl(found) == pytest.approx(whole, abs=1e-10)
        assert kl_normalised(found) == pytest.approx(whole, abs=1e-10)
        assert jensen_shannon(found) == pytest.approx(whole_js, abs=1e-11)
        assert entropy(listed.checked()) == pytest.approx(whole_entropy, abs=1e-11)


def rounding_of_rests(found: Partition) -> FloatArray:
    """A small rest of the other list rounds by some 1e-16, and a large one beside it shows that."""
    with np.errstate(invalid="ignore"):
        by_part = np.exp(found.log_rest_p - found.log_rest_q)
    return 1e-11 + np.nan_to_num(2e-15 * by_part)


@given(seed=st.integers(0, 2**32 - 1), spread=st.floats(0.01, 5.0))
def test_longer_prefixes_of_the_same_order_never_tell_less(seed: int, spread: float) -> None:
    # Both list their tokens in one order, so each longer list refines the partition.
    log_p = log_distributions(seed, 4, 12, spread)
    log_q = log_distributions(seed + 1, 4, 12, spread)
    order = np.argsort(-log_p, axis=1, kind="stable")
    first = Lists(ids=order, logp=np.take_along_axis(log_p, order, axis=1))
    second = Lists(ids=order, logp=np.take_along_axis(log_q, order, axis=1))
    before, rounding = np.zeros(4), np.zeros(4)
    for k in range(1, 13):
        found = partition(first.checked(k), second.checked(k))
        after = kl(found)
        assert (after >= before - rounding).all()
        before, rounding = after, rounding_of_rests(found)
    assert before == pytest.approx(
        special.rel_entr(np.exp(log_p), np.exp(log_q)).sum(axis=1), abs=1e-10
    )


def test_what_is_stored_is_left_alone() -> None:
    stored = likeliest(log_distributions(3, 4, 9, 1.0), 5)
    before = stored.logp.copy()
    stored.ids.flags.writeable = False
    stored.logp.flags.writeable = False
    found = parts(stored, stored)
    for measure in (kl, kl_normalised, jensen_shannon, missing):
        measure(found)
    entropy(stored.checked())
    assert (stored.logp == before).all()
    assert array(*found.log_rest_p).tolist() == array(*found.log_rest_q).tolist()


def assert_exact(log_p: FloatArray, log_q: FloatArray, k: int) -> None:
    """Hold the lists of the k likeliest of (1, vocabulary) against 60 digits."""
    first, second = likeliest(log_p, k), likeliest(log_q, k)
    found = parts(first, second)
    shared = first.ids[0][found.shared[0]]
    p, q = (exact.probabilities(values[0][shared]) for values in (log_p, log_q))
    if len(p) > 1:
        expected = exact.kl(exact.normalised(p), exact.normalised(q))
        assert exact.relative_error(kl_normalised(found)[0], expected) <= 1e-13
    rest = float(min(exact.with_rest(values)[-1] for values in (p, q)))
    if rest <= ROUNDING:
        p, q, allowed = exact.normalised(p), exact.normalised(q), 1e-13
    else:
        # 1 minus a sum is right to a few units in the last place of 1.
        p, q, allowed = exact.with_rest(p), exact.with_rest(q), 1e-13 + 4e-16 / rest
    if len(p) > 1:
        assert exact.relative_error(kl(found)[0], exact.kl(p, q)) <= allowed
        assert exact.relative_error(jensen_shannon(found)[0], exact.jensen_shannon(p, q)) <= allowed
    else:
        assert [kl(found)[0], jensen_shannon(found)[0]] == [0.0, 0.0]


def near(seed: int, vocabulary: int, spread: float, step: float) -> tuple[FloatArray, FloatArray]:
    """Two log distributions (1, vocabulary) whose logits differ by about ``step``."""
    generator = np.random.default_rng(seed)
    logits = generator.standard_normal((1, vocabulary)) * spread
    other = logits + generator.standard_normal(logits.shape) * step
    log_p, log_q = (special.log_softmax(values, axis=1) for values in (logits, other))
    return log_p, log_q


@pytest.mark.parametrize("step", [10.0**-power for power in range(1, 9)])
@pytest.mark.parametrize(("vocabulary", "k"), [(2, 1), (2, 2), (20, 7), (64, 20), (64, 64)])
def test_lists_that_nearly_agree_keep_their_digits(step: float, vocabulary: int, k: int) -> None:
    for seed in range(5):
        assert_exact(*near(seed, vocabulary, 1.5, step), k)


@given(
    seed=st.integers(0, 2**32 - 1),
    vocabulary=st.integers(2, 64),
    kept=st.integers(1, 64),
    spread=st.floats(0.01, 4.0),
    step=st.sampled_from([10.0**-power for power in range(9)]),
)
def test_divergences_at_any_distance_agree_with_sixty_digits(
    seed: int, vocabulary: int, kept: int, spread: float, step: float
) -> None:
    assert_exact(*near(seed, vocabulary, spread, step), min(kept, vocabulary))


def test_two_rests_within_rounding_are_none() -> None:
    first = Lists(ids=np.array([[1]]), logp=np.array([[-9e-13]]))
    second = Lists(ids=np.array([[1]]), logp=np.array([[-1e-13]]))
    found = parts(first, second)
    assert [kl(found)[0], jensen_shannon(found)[0]] == [0.0, 0.0]


def test_leaving_out_a_rest_within_rounding_does_not_raise_a_large_divergence() -> None:
    # A rest of 9e-13 in the reference alone: renormalising would add 9e-13 of some fifty nats.
    shares = (0.5 - 9e-13, 0.5)
    reference = row((1, 2), shares)
    other = Lists(ids=np.array([[1, 2]]), logp=np.array([[-100.0, -1e-17]]))
    found = parts(reference, other)
    whole = shares[0] * (math.log(shares[0]) + 100.0) + 0.5 * math.log(0.5)
    assert kl(found)[0] == pytest.approx(whole, rel=2e-14)


def test_a_rest_beyond_rounding_counts_on_either_side() -> None:
    small = Lists(ids=np.array([[1]]), logp=np.array([[-9e-13]]))
    large = Lists(ids=np.array([[1]]), logp=np.array([[-9e-12]]))
    expected = 9e-12 - 9e-13 + 9e-13 * math.log(0.1)
    assert kl(parts(small, large)) == pytest.approx([expected], rel=1e-10)
    expected = 9e-13 - 9e-12 + 9e-12 * math.log(10.0)
    assert kl(parts(large, small)) == pytest.approx([expected], rel=1e-10)


def test_a_rest_that_is_replaced_is_the_rest_that_counts() -> None:
    # A check grants the other distribution a larger rest than its list leaves it.
    same = row((1, 2), (0.6, 0.3))
    found = parts(same, same)
    raised = replace(found, log_rest_q=np.log(array(0.1 + 1e-9)))
    assert kl(raised) == pytest.approx([0.0], abs=1e-15)
    lowered = replace(found, log_rest_q=np.log(array(0.1 - 1e-9)))
    assert kl(lowered) == pytest.approx([1e-9], rel=1e-6)


def test_sums_that_rounding_took_above_one_count_as_they_are_against_a_rest() -> None:
    above = Lists(ids=np.array([[1]]), logp=np.array([[5e-10]]))
    below = Lists(ids=np.array([[1]]), logp=np.array([[-5e-10]]))
    assert kl(parts(above, below)) == pytest.approx([1e-9], rel=1e-6)
    assert kl(parts(below, above)).tolist() == [INF]
