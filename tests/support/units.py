"""Vectors of units for tests of the statistics, and the sentences in which they are refused."""

from typing import Any

import numpy as np
import pytest

from verifier.model.plugin import FloatArray, Statistic


def units(*numbers: float) -> FloatArray:
    """An FP64 vector (n,)."""
    return np.array(numbers, dtype=np.float64)


def refusal(statistic: Statistic, *vectors: FloatArray, **parameters: Any) -> str:
    """The sentence in which a statistic refuses these operands or parameters."""
    with pytest.raises(ValueError, match=r".") as caught:
        statistic.estimate(*vectors, **parameters)
    return str(caught.value)


_CHANCE = np.random.default_rng(20260902)

POSITIVE: dict[str, FloatArray] = {
    "one": units(0.25),
    "two": units(3.0, 0.5),
    "odd and long-tailed": _CHANCE.lognormal(-5.0, 2.0, 2047),
    "even and long-tailed": _CHANCE.lognormal(-5.0, 2.0, 512),
    "with ties": _CHANCE.integers(1, 6, 300).astype(np.float64),
    "all equal": np.full(31, 0.1),
}
SAMPLES: dict[str, FloatArray] = {
    **POSITIVE,
    "both signs": _CHANCE.normal(0.001, 1.0, 129),
    "zeros and ones": _CHANCE.integers(0, 2, 64).astype(np.float64),
    "close together": 1e6 + _CHANCE.normal(0.0, 1e-6, 40),
    "all negative": -_CHANCE.lognormal(3.0, 1.0, 33),
}
"""Vectors by name, as published data are: long-tailed, tied, tiny, constant."""
