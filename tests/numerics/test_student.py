"""Student's t quantiles: closed forms, SciPy, and their own inverse."""

import math

import numpy as np
import pytest
import scipy
from scipy import stats

from verifier.numerics import normal
from verifier.numerics.student import MAX_DF, SMALLEST, central, density, ppf, tail

PROBABILITIES = [1e-6, 1e-4, 0.0025, 0.005, 0.025, 0.05, 0.1, 0.1587, 0.16, 0.2, 0.25, 0.4, 0.45]


# SciPy >= 1.17 inverts with Boost; older releases are right to ten digits.
NOISE = 1e-12 if tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 17) else 1e-9


@pytest.mark.parametrize("p", [*PROBABILITIES, 0.4999, 0.499999, 1e-20, 1e-99])
def test_one_and_two_degrees_of_freedom_have_closed_forms(p: float) -> None:
    assert ppf(p, 1) == pytest.approx(-math.cos(math.pi * p) / math.sin(math.pi * p), rel=1e-10)
    assert ppf(p, 2) == pytest.approx(-(1 - 2 * p) / math.sqrt(2 * p * (1 - p)), rel=1e-13)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 9, 30, 59, 60, 61, 127, 1000, 2047, 261_887, 10**6])
@pytest.mark.parametrize("p", PROBABILITIES)
def test_quantiles_are_scipys(p: float, df: int) -> None:
    assert ppf(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=NOISE)
    assert ppf(1 - p, df) == pytest.approx(float(stats.t.ppf(1 - p, df)), rel=NOISE)


def test_quantiles_at_random_are_scipys() -> None:
    generator = np.random.default_rng(2)
    for _ in range(300):
        df = float(np.exp(generator.uniform(0.0, math.log(1e6))))
        p = float(10 ** generator.uniform(-6.0, -0.31))
        assert ppf(p, df) == pytest.approx(float(stats.t.ppf(p, df)), rel=NOISE), (p, df)


@pytest.mark.parametrize(
    ("p", "df", "expected"),
    [(0.975, 127, 1.978819534702894), (0.95, 4, 2.1318467863266495), (0.995, 10, 3.16927267261695)],
)
def test_tabulated_quantiles(p: float, df: int, expected: float) -> None:
    assert ppf(p, df) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("df", [1, 2.5, 17, 4000])
def test_the_two_halves_are_complements_where_they_meet(df: float) -> None:
    assert central(1.0, df) + tail(1.0, df) == pytest.approx(1.0, rel=1e-14)
    assert tail(3.0, df) == pytest.approx(2 * float(stats.t.sf(3.0, df)), rel=1e-12)
    assert density(0.7, df) == pytest.approx(float(stats.t.pdf(0.7, df)), rel=1e-12)


def test_the_middle_and_the_ends() -> None:
    assert (ppf(0.0, 5), ppf(0.5, 5), ppf(1.0, 5)) == (-math.inf, 0.0, math.inf)


def test_quantiles_are_antisymmetric_to_the_bit() -> None:
    assert ppf(0.75, 7) == -ppf(0.25, 7)
    assert ppf(0.9375, 7) == -ppf(0.0625, 7)


def test_many_degrees_of_freedom_approach_the_normal_distribution() -> None:
    assert ppf(0.025, MAX_DF) == pytest.approx(normal.ppf(0.025), rel=1e-8)
    assert ppf(SMALLEST, 1) == pytest.approx(-1 / (math.pi * SMALLEST), rel=1e-13)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan, 1e-101])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="expected a probability between 0 and 1, found"):
        ppf(p, 5)


@pytest.mark.parametrize("df", [0, 0.5, -1, math.nan, math.inf, 2e9])
def test_impossible_degrees_of_freedom_are_refused(df: float) -> None:
    with pytest.raises(ValueError, match=r"expected 1 to 1e\+09 degrees of freedom, found"):
        ppf(0.5, df)
