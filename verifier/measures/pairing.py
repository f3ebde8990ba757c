"""Combine two arms while their rows or windows are still matched."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from verifier.model.measure import Pair
from verifier.model.plugin import FloatArray


def _ratio(first: FloatArray, second: FloatArray) -> FloatArray:
    return np.where(second == 0.0, np.nan, first / second)


def _log_ratio(first: FloatArray, second: FloatArray) -> FloatArray:
    # Two negative values have a ratio with a logarithm, and still no log ratio.
    return np.where((first <= 0.0) | (second <= 0.0), np.nan, np.log(first / second))


_COMBINE: Mapping[Pair, Callable[[FloatArray, FloatArray], FloatArray]] = MappingProxyType(
    {
        "difference": lambda first, second: first - second,
        "absolute-difference": lambda first, second: np.abs(first - second),
        "ratio": _ratio,
        "log-ratio": _log_ratio,
        "lower": lambda first, second: (first < second).astype(np.float64),
        "equal": lambda first, second: (first == second).astype(np.float64),
        "higher": lambda first, second: (first > second).astype(np.float64),
        "minimum": np.minimum,
        "maximum": np.maximum,
    }
)


SUBTRACTING: frozenset[Pair | None] = frozenset({"difference", "absolute-difference", "log-ratio"})
"""Pairs whose result may be far smaller than what it is computed from."""


def paired(first: FloatArray, second: FloatArray, pair: Pair) -> FloatArray:
    """One value per matched row or window (n,); predicates are 0 or 1.

    NaN where there is none: a value is not finite on either side, a ratio has a zero below, a log
    ratio a value that is not positive. Whether such a place counts is for the caller to say:
    an excluded row does not.
    """
    with np.errstate(all="ignore"):
        combined = _COMBINE[pair](first, second)
    known = np.isfinite(first) & np.isfinite(second)
    return combined if known.all() else np.where(known, combined, np.nan)
