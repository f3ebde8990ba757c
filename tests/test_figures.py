"""How a recomputed number is told."""

import math

import pytest

from verifier.figures import plain
from verifier.model.plugin import Missing


@pytest.mark.parametrize(
    ("number", "whole", "told"),
    [(22.0, True, "22"), (22.0, False, "22.0"), (22.5, True, "22.5"), (math.inf, True, "inf")],
)
def test_a_number_of_things_is_told_as_an_integer(number: float, whole: bool, told: str) -> None:  # noqa: FBT001 - a case of a table
    assert str(plain(number, whole=whole)) == told


@pytest.mark.parametrize("whole", [True, False])
def test_what_differing_units_share_is_missing(whole: bool) -> None:  # noqa: FBT001 - a case of a table
    assert plain(math.nan, whole=whole) == Missing(reason="the units share no single value")
