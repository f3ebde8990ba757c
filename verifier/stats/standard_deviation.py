"""Standard deviation, of a sample or of a population."""

from verifier.model.plugin import FloatArray, ParameterRule, Statistic
from verifier.stats._deviation import standard_deviation
from verifier.stats._parameters import whole

_DDOF = ParameterRule(
    name="ddof",
    title="1 for a sample (divide by n - 1), 0 for a population (divide by n)",
    low=0,
    high=1,
    whole=True,
)


def estimate(units: FloatArray, *, ddof: float) -> float:
    """Standard deviation of the units (n,), in their unit.

    Raises:
        ValueError: there are no units or no more than ``ddof``, one is not finite, ``ddof`` is
            neither 0 nor 1, or the result exceeds FP64.
    """
    return standard_deviation("standard deviation", units, ddof=whole(_DDOF, ddof))


STATISTIC = Statistic(
    id="standard-deviation",
    title="Standard deviation over units",
    formula="sqrt(Σ (x_i - m)^2 / (n - ddof)), m the mean",
    unit="as the column",
    source="https://numpy.org/doc/stable/reference/generated/numpy.std.html",
    estimate=estimate,
    parameters=(_DDOF,),
)
