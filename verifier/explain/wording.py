"""The sentences of an explanation: they never claim more than the printed digits show."""

from collections.abc import Sequence

NONE = "None of the usual alternatives gives these digits."
PARTLY = (
    "None of the alternatives that were tried gives these digits; the others would take too long."
)
UNTRIED = "No alternative was tried: each would take too long."

# Among so many alternatives, one or two digits are soon given by chance.
_FEW = 3


def found(what: str, texts: Sequence[str]) -> str:
    """Name what gives the published digits.

    Args:
        what: the alternative, as a noun phrase.
        texts: the literals that it gives, all together.
    """
    digits = min(significant(text) for text in texts)
    if digits >= _FEW:
        return f"These are the digits that {what} gives."
    printed = "only digit that is" if digits == 1 else f"{digits} digits that are"
    return f"These are the digits that {what} gives, to the {printed} printed."


def significant(text: str) -> int:
    """Number of significant digits of a decimal literal, at least 1; final zeros count."""
    mantissa = text.lower().partition("e")[0]
    digits = "".join(character for character in mantissa if character.isdigit())
    return max(len(digits.lstrip("0")), 1)
