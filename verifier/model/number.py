"""A published number keeps its printed digits, because they decide what it claims."""

import math
import re
from dataclasses import dataclass

_LITERAL = re.compile(r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A number as somebody printed it.

    Attributes:
        text: the literal, for example ``0.0354562238``.
        value: the nearest FP64 value (an ``int`` when the literal has no fraction or exponent).
    """

    text: str
    value: float | int

    @classmethod
    def parse(cls, text: str) -> "Published":
        """Read a decimal literal.

        Raises:
            ValueError: the text is no plain decimal literal, or it overflows FP64.
        """
        stripped = text.removeprefix("-").removeprefix("+")
        if stripped.isascii() and stripped.isdigit():
            return cls(text=text, value=int(text))
        if not _LITERAL.fullmatch(stripped) or math.isinf(float(stripped)):
            message = f"not a decimal number: {text!r}"
            raise ValueError(message)
        return cls(text=text, value=float(text))
