"""How much of the total the largest units carry."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from verifier.model.plugin import FloatArray, ParameterRule, Statistic
from verifier.stats._parameters import number, word
from verifier.stats._units import require_finite, require_representable, total

_COUNTINGS: Mapping[str, Callable[[float], int]] = MappingProxyType(
    {"floor": math.floor, "ceil": math.ceil, "round": round}
)
_SHARE = ParameterRule(
    name="share", title="fraction of the units, above 0 (0.05 for the top 5 %)", low=0.0, high=1.0
)
_COUNTING = ParameterRule(
    name="counting",
    title="how share * n becomes a number of units, at least 1; round takes halves to even",
    choices=tuple(_COUNTINGS),
)


def estimate(units: FloatArray, *, share: float, counting: str) -> float:
    """Sum of the k largest of the units (n,) over the sum of all; dimensionless.

    k is ``share * n``, an FP64 product as in everybody's code (7 % of 100 is a little above 7
    there, so ``ceil`` gives 8), made whole by ``counting``, and at least 1.

    Raises:
        ValueError: there are no units, one is not finite, their total is not positive or exceeds
            FP64, the share lies outside (0, 1] or the counting is unknown.
    """
    require_finite("top share", units)
    wanted = number(_SHARE, share)
    if wanted == 0.0:
        message = "share: expected a number above 0, found 0"
        raise ValueError(message)
    counted = _COUNTINGS[word(_COUNTING, counting)](wanted * units.size)
    rest = units.size - max(counted, 1)
    everything = total("top share", units)
    if everything <= 0.0:
        message = f"the top share is undefined: the units add up to {everything:g}, not above 0"
        raise ValueError(message)
    # Ties at the edge do not matter: whichever of them counts, the sum is the same.
    largest = np.partition(units, rest)[rest:] if rest else units
    return require_representable("top share", total("top share", largest) / everything)


STATISTIC = Statistic(
    id="top-share",
    title="Share of the total carried by the largest units",
    formula="Σ_{i>n-k} x_(i) / Σ x_i, k = counting(share n), x_(n) the largest",
    unit="fraction",
    source="1 - L(1 - share) of the Lorenz curve L; Cowell, Measuring Inequality, chapter 2",
    estimate=estimate,
    parameters=(_SHARE, _COUNTING),
)
