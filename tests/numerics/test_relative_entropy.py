"""Relative entropy from log probabilities: zeros, precision, and one token against the rest."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from tests.support import decimal_divergence as exact
from tests.support.columns import array
from verifier.numerics.relative_entropy import (
    excess,
    excess_terms,
    gains,
    jensen_shannon_terms,
    log_complement,
    log_ratios,
    rest_excess_terms,
    rest_log_ratio,
    rest_terms,
    terms,
    two_bucket,
)

INF = math.inf
LOG_P = st.floats(-800.0, 0.0)
STEP = st.floats(0.1, 1.0) | st.floats(-1.0, -0.1)


def test_a_term_is_p_log_p_over_q() -> None:
    found = terms(np.log(array(0.5, 0.25)), np.log(array(0.25, 0.5)))
    assert found == pytest.approx([0.5 * math.log(2.0), -0.25 * math.log(2.0)], rel=1e-15)


@pytest.mark.parametrize(
    ("log_p", "log_q", "expected"),
    [(-INF, -1.0, 0.0), (-INF, -INF, 0.0), (-1.0, -INF, INF), (-800.0, -INF, INF), (0.0, 0.0, 0.0)],
)
def test_zeros_are_spelled_out(log_p: float, log_q: float, expected: float) -> None:
    assert terms(array(log_p), array(log_q)).tolist() == [expected]


@pytest.mark.parametrize(
    ("log_p", "log_q"), [(math.nan, -INF), (math.nan, -1.0), (-INF, math.nan), (-1.0, math.nan)]
)
def test_what_is_no_number_stays_none(log_p: float, log_q: float) -> None:
    assert np.isnan(terms(array(log_p), array(log_q))).all()
    assert np.isnan(rest_terms(array(log_p), array(log_q))).all()


def test_only_a_rest_within_rounding_is_forgiven_against_none() -> None:
    log_p = np.log(array(1e-12, 1.01e-12, 0.5))
    assert rest_terms(log_p, np.full(3, -INF)).tolist() == [0.0, INF, INF]
    assert terms(log_p, np.full(3, -INF)).tolist() == [INF, INF, INF]


def test_a_small_rest_against_some_counts_in_full() -> None:
    log_p, log_q = np.log(array(1e-14)), np.log(array(1e-10))
    assert rest_terms(log_p, log_q)[0] == pytest.approx(1e-14 * math.log(1e-4), rel=1e-12)


@given(LOG_P, LOG_P)
def test_terms_agree_with_scipy(log_p: float, log_q: float) -> None:
    p, q = math.exp(log_p), math.exp(log_q)
    if q > 1e-300 and p > 1e-300:
        expected = special.rel_entr(p, q)
        scale = p * max(1.0, -log_p, -log_q)
        assert terms(array(log_p), array(log_q))[0] == pytest.approx(expected, abs=1e-12 * scale)


@pytest.mark.parametrize("x", [0.0, -1e-300, -1e-17, -1e-3, -0.69, -0.7, -1.0, -40.0, -745.0, -INF])
def test_the_log_of_what_is_left_is_exact_near_both_ends(x: float) -> None:
    if x == 0.0:
        expected = -INF
    elif x == -INF:
        expected = 0.0
    else:
        with localcontext(prec=700):
            expected = float((1 - Decimal(x).exp()).ln())
    assert log_complement(array(x))[0] == pytest.approx(expected, rel=4e-16)


def test_two_buckets_by_hand() -> None:
    # p = 1/2 against q = 1/4: 0.5 ln 2 + 0.5 ln(2/3) = 0.5 ln(4/3).
    found = two_bucket(np.log(array(0.5)), np.log(array(0.25)))
    assert found[0] == pytest.approx(0.5 * math.log(4.0 / 3.0), rel=1e-14)


@pytest.mark.parametrize(
    ("teacher", "student", "expected"),
    [
        (-INF, -INF, 0.0),
        (0.0, 0.0, 0.0),
        (0.0, -2.5, 2.5),
        (-INF, math.log(0.5), math.log(2.0)),
        (math.log(0.5), -INF, INF),
        (0.0, -INF, INF),
        (math.log(0.5), 0.0, INF),
        (-INF, 0.0, INF),
        (-1e-13, 0.0, 0.0),
        (1e-10, -2.5, 2.5),
        (math.nan, -1.0, math.nan),
        (-1.0, math.nan, math.nan),
        (math.nan, -INF, math.nan),
    ],
)
def test_two_buckets_at_the_ends(teacher: float, student: float, expected: float) -> None:
    found = two_bucket(array(teacher), array(student))
    assert found.tolist() == pytest.approx([expected], rel=1e-15, abs=2e-13, nan_ok=True)


@pytest.mark.parametrize(
    ("p", "q"), [("1e-20", "2e-20"), ("1e-9", "1e-3"), ("1e-300", "0.5"), ("0.3", "1e-30")]
)
def test_two_buckets_keep_their_digits_when_the_token_is_unlikely(p: str, q: str) -> None:
    log_p, log_q = math.log(float(p)), math.log(float(q))
    with localcontext(prec=400):
        a, b = Decimal(log_p).exp(), Decimal(log_q).exp()
        exact = float(a * (a / b).ln() + (1 - a) * ((1 - a) / (1 - b)).ln())
    # Each of two cancelling parts is right to a few units in its last place.
    assert two_bucket(array(log_p), array(log_q))[0] == pytest.approx(exact, rel=1e-14)


def test_two_buckets_that_nearly_agree_keep_their_digits() -> None:
    half = math.log(0.5)
    found = two_bucket(array(half), array(half + 1e-6))[0]
    assert found == pytest.approx(5.0000050e-13, rel=1e-8)


@pytest.mark.parametrize("step", [10.0**-power for power in range(1, 9)])
@pytest.mark.parametrize("log_p", [-1e-9, -1e-4, -0.1, -0.69, -0.7, -3.0, -30.0, -300.0])
def test_two_buckets_are_right_in_fp64_however_near(log_p: float, step: float) -> None:
    log_q = log_p * (1.0 + step)
    with localcontext(prec=400):
        a, b = Decimal(log_p).exp(), Decimal(log_q).exp()
        expected = a * (a / b).ln() + (1 - a) * ((1 - a) / (1 - b)).ln()
    found = two_bucket(array(log_p), array(log_q))[0]
    assert exact.relative_error(found, expected) <= 1e-14


@given(log_p=st.floats(-40.0, -1e-8), step=STEP, power=st.integers(0, 8))
def test_two_buckets_at_any_distance_agree_with_sixty_digits(
    log_p: float, step: float, power: int
) -> None:
    log_q = min(log_p + step * 10.0**-power, 0.5 * log_p)
    p, q = (exact.with_rest(exact.probabilities([value])) for value in (log_p, log_q))
    found = two_bucket(array(log_p), array(log_q))[0]
    assert exact.relative_error(found, exact.kl(p, q)) <= 1e-13


@pytest.mark.parametrize("d", [1e-300, 1e-150, 1e-8, 1e-3, 0.1, 0.2499, 0.25, 0.2501, 1.0, 40.0])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_excess_is_right_to_its_last_digits(d: float, sign: float) -> None:
    with localcontext(prec=400):
        expected = Decimal(sign * d).exp() - 1 - Decimal(sign * d)
    many = excess(array(sign * d, 3.0))
    assert excess(array(sign * d))[0] == many[0] == pytest.approx(float(expected), rel=4e-15)


@pytest.mark.parametrize(
    ("log_p", "log_q", "gain", "kl_term", "js_term"),
    [
        (-INF, -INF, 0.0, 0.0, 0.0),
        (-INF, -1.0, math.exp(-1.0), math.exp(-1.0), 0.5 * math.exp(-1.0) * math.log(2.0)),
        (-1.0, -INF, -math.exp(-1.0), INF, 0.5 * math.exp(-1.0) * math.log(2.0)),
        (-1.0, -1.0, 0.0, 0.0, 0.0),
        (-740.0, 0.0, 1.0, 1.0, 0.5 * math.log(2.0)),
        (0.0, -740.0, -1.0, 739.0, 0.5 * math.log(2.0)),
        (math.nan, -1.0, math.nan, math.nan, math.nan),
        (-1.0, math.nan, math.nan, math.nan, math.nan),
        (math.nan, -INF, math.nan, math.nan, math.nan),
    ],
)
def test_terms_without_cancellation_at_the_ends(
    log_p: float, log_q: float, gain: float, kl_term: float, js_term: float
) -> None:
    p, q = array(log_p), array(log_q)
    ratio = log_ratios(p, q)
    assert gains(p, q, ratio).tolist() == pytest.approx([gain], rel=1e-15, nan_ok=True)
    assert excess_terms(p, q, ratio).tolist() == pytest.approx([kl_term], rel=1e-15, nan_ok=True)
    assert jensen_shannon_terms(p, q, ratio).tolist() == pytest.approx(
        [js_term], rel=1e-15, nan_ok=True
    )


@given(log_p=st.floats(-30.0, -1e-8), step=STEP, power=st.integers(-1, 8))
def test_terms_without_cancellation_agree_with_sixty_digits(
    log_p: float, step: float, power: int
) -> None:
    log_q = min(log_p + step * 10.0**-power, 0.5 * log_p)
    p, q = exact.probabilities([log_p, log_q])
    with localcontext(prec=exact.DIGITS):
        kl_term = p * (p / q).ln() + q - p
    given_terms = array(log_p), array(log_q), array(log_q - log_p)
    # The ratio is rounded once, and that counts twice in what goes with its square.
    assert exact.relative_error(excess_terms(*given_terms)[0], kl_term) <= 1e-14
    js_term = exact.jensen_shannon([p], [q])
    assert exact.relative_error(jensen_shannon_terms(*given_terms)[0], js_term) <= 1e-14


def test_two_rests_that_nearly_agree_differ_by_what_all_else_loses() -> None:
    rest = np.log(array(0.25))
    assert rest_log_ratio(rest, rest, array(1e-20))[0] == pytest.approx(4e-20, rel=1e-15)
    assert rest_excess_terms(rest, rest, array(1e-13))[0] == pytest.approx(2e-26, rel=1e-12)


@pytest.mark.parametrize(
    ("p", "q", "gain"),
    [(0.25, 0.45, 0.2), (0.25, 0.25, 2e-12), (1e-300, 0.2, 0.2), (0.0, 0.2, 0.2)],
)
def test_rests_decide_when_they_are_far_apart_or_not_what_all_else_leaves(
    p: float, q: float, gain: float
) -> None:
    with np.errstate(divide="ignore"):
        log_p, log_q = np.log(array(p)), np.log(array(q))
    assert rest_log_ratio(log_p, log_q, array(gain)).tolist() == [log_q[0] - log_p[0]]
    expected = gain + rest_terms(log_p, log_q)[0]
    assert rest_excess_terms(log_p, log_q, array(gain)).tolist() == [expected]


@given(LOG_P, LOG_P)
def test_two_buckets_agree_with_scipy(log_p: float, log_q: float) -> None:
    p, q = math.exp(log_p), math.exp(log_q)
    expected = special.rel_entr(p, q) + special.rel_entr(-math.expm1(log_p), -math.expm1(log_q))
    # SciPy divides before it takes the logarithm and loses some digits of the second part.
    if math.isfinite(expected) and q > 1e-300:
        found = two_bucket(array(log_p), array(log_q))[0]
        assert found == pytest.approx(max(expected, 0.0), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("first", [True, False])
def test_a_probability_above_one_is_refused_with_its_row(first: bool) -> None:  # noqa: FBT001 - a test parameter
    fine, bad = array(-1.0, -1.0, -1.0), array(-1.0, 0.5, 0.7)
    with pytest.raises(
        ValueError, match=r"^row 1: expected a log probability of at most 0, found 0\.5$"
    ):
        two_bucket(bad if first else fine, fine if first else bad)
