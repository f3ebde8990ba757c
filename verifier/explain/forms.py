"""Other forms in which one and the same result is printed: units, signs, float32."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from verifier.model.recipe import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form.

    Attributes:
        words: completes "the same measure ..."
        number: the number in this form.
    """

    words: str
    number: Callable[[float], float]

    def interval(self, drawn: Interval) -> Interval:
        """The interval in this form; a change of sign exchanges the ends."""
        low, high = sorted((self.number(drawn.low), self.number(drawn.high)))
        return Interval(
            low=low,
            high=high,
            standard_error=drawn.standard_error * abs(self.number(1.0)),
            degenerate=drawn.degenerate,
            units=drawn.units,
        )


def _float32(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


PERCENT: tuple[Form, ...] = (
    Form(words="times 100", number=lambda number: number * 100.0),
    Form(words="divided by 100", number=lambda number: number / 100.0),
)
SCALED: tuple[Form, ...] = (
    *PERCENT,
    Form(words="times 1000", number=lambda number: number * 1000.0),
    Form(words="divided by 1000", number=lambda number: number / 1000.0),
)
ROUNDED = Form(words="rounded to float32", number=_float32)
OPPOSITE = Form(words="with the opposite sign", number=lambda number: -number)
PLAIN: tuple[Form, ...] = (*SCALED, ROUNDED)
"""What does not tell which measure was taken, only how its result was printed."""


def exchanged(drawn: Interval) -> Interval:
    """The interval with its ends in each other's place."""
    return replace(drawn, low=drawn.high, high=drawn.low)
