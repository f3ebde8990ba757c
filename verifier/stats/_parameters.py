"""Hold the parameters of a statistic against their rules."""

import math

from verifier.model.measure import Parameter
from verifier.model.plugin import ParameterRule


def number(rule: ParameterRule, value: Parameter) -> float:
    """The parameter's number.

    Raises:
        ValueError: it is no number, or none that the rule permits.
    """
    if isinstance(value, str) or not _permitted(rule, value):
        message = f"{rule.name}: expected {_expected(rule)}, found {value!r}"
        raise ValueError(message)
    return value


def whole(rule: ParameterRule, value: Parameter) -> int:
    """The number of a parameter that counts something; the rule says so and is bounded.

    Raises:
        ValueError: it is no whole number, or none that the rule permits.
    """
    return int(number(rule, value))


def word(rule: ParameterRule, value: Parameter) -> str:
    """The parameter's word.

    Raises:
        ValueError: it is not among the rule's choices.
    """
    if not isinstance(value, str) or value not in rule.choices:
        message = f"{rule.name}: expected one of {', '.join(rule.choices)}, found {value!r}"
        raise ValueError(message)
    return value


def _permitted(rule: ParameterRule, value: float) -> bool:
    return rule.low <= value <= rule.high and (not rule.whole or float(value).is_integer())


def _expected(rule: ParameterRule) -> str:
    noun = "a whole number" if rule.whole else "a number"
    bounds = [
        f"{words} {bound:g}"
        for words, bound in (("at least", rule.low), ("at most", rule.high))
        if math.isfinite(bound)
    ]
    return f"{noun} of {' and '.join(bounds)}" if bounds else noun
