"""Normal functions against SciPy's, tabulated values and their own limits."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from verifier.numerics import normal


def test_cdf_follows_scipy_into_both_tails() -> None:
    points = np.linspace(-37.0, 9.0, 2001)
    ours = [normal.cdf(float(x)) for x in points]
    np.testing.assert_allclose(ours, special.ndtr(points), rtol=5e-13, atol=0.0)


def test_ppf_follows_scipy_over_all_levels() -> None:
    levels = np.concatenate([np.logspace(-300, -1, 600), np.linspace(0.1, 0.999999, 600)])
    ours = [normal.ppf(float(p)) for p in levels]
    np.testing.assert_allclose(ours, special.ndtri(levels), rtol=2e-15, atol=2e-16)


@pytest.mark.parametrize(
    ("x", "probability"),
    [(0.0, 0.5), (1.959963984540054, 0.975), (-1.2815515655446004, 0.1), (1.0, 0.8413447460685429)],
)
def test_tabulated_values(x: float, probability: float) -> None:
    assert normal.cdf(x) == pytest.approx(probability, rel=1e-15)
    assert normal.ppf(probability) == pytest.approx(x, rel=1e-14, abs=1e-16)


def test_the_ends_of_the_line() -> None:
    assert normal.ppf(0.0) == -math.inf
    assert normal.ppf(1.0) == math.inf
    assert normal.cdf(-math.inf) == 0.0
    assert normal.cdf(math.inf) == 1.0
    assert math.isnan(normal.cdf(math.nan))


@pytest.mark.parametrize("probability", [-1e-300, 1.0000000000000002, math.nan, math.inf])
def test_what_is_no_probability_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="expected a probability between 0 and 1, found"):
        normal.ppf(probability)


@given(st.floats(1e-12, 1 - 1e-12))
def test_cdf_undoes_ppf(probability: float) -> None:
    assert normal.cdf(normal.ppf(probability)) == pytest.approx(probability, rel=1e-13)
