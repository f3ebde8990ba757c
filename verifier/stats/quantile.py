"""A quantile under a named rule."""

from typing import cast

from verifier.model.plugin import FloatArray, ParameterRule, Statistic
from verifier.model.recipe import QUANTILE_RULES, QuantileRule
from verifier.numerics.quantile import quantiles
from verifier.stats._parameters import number, word
from verifier.stats._units import require_finite

_PROBABILITY = ParameterRule(
    name="probability", title="fraction of the units at or below, 0.99 for p99", low=0.0, high=1.0
)
_RULE = ParameterRule(
    name="rule",
    title="how to go between two units: far in the tail, rules give other numbers",
    choices=QUANTILE_RULES,
)


def estimate(units: FloatArray, *, probability: float, rule: str) -> float:
    """Quantile of the units (n,), in their unit; see ``verifier.numerics.quantile``.

    Raises:
        ValueError: there are no units, one is not finite, the probability lies outside [0, 1],
            the rule is unknown, or interpolation exceeds FP64.
    """
    require_finite("quantile", units)
    wanted = number(_PROBABILITY, probability)
    named = cast("QuantileRule", word(_RULE, rule))
    (value,) = quantiles(units, (wanted,), named)
    return float(value)


STATISTIC = Statistic(
    id="quantile",
    title="Quantile over units under a named rule",
    formula="Q(probability) of x_1 ... x_n by the rule",
    unit="as the column",
    source=(
        "Hyndman and Fan (1996), Sample Quantiles in Statistical Packages; "
        "https://numpy.org/doc/stable/reference/generated/numpy.quantile.html"
    ),
    estimate=estimate,
    parameters=(_PROBABILITY, _RULE),
)
