"""The sentences of an explanation: they never claim more than what is printed shows."""

from collections.abc import Sequence

DIGITS = "these digits"
WORD = "this word"
UNTRIED = "No alternative was tried: each would take too long."

# Among so many alternatives, one or two digits are soon given by chance.
_FEW = 3


def none(wanted: str) -> str:
    """What to say when all alternatives were tried in vain."""
    return f"None of the usual alternatives gives {wanted}."


def partly(wanted: str) -> str:
    """What to say when some alternatives were tried in vain and others were not tried."""
    return (
        f"None of the alternatives that were tried gives {wanted}; the others would take too long."
    )


NONE = none(DIGITS)
PARTLY = partly(DIGITS)


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


def found_word(what: str) -> str:
    """Name what gives the published word, of which a rule has only two or three.

    Args:
        what: the alternative, completing "the same rule ...".
    """
    return f"This is the word that the same rule gives {what}; a word fits by chance easily."


def significant(text: str) -> int:
    """Number of significant digits of a decimal literal, at least 1; final zeros count."""
    mantissa = text.lower().partition("e")[0]
    digits = "".join(character for character in mantissa if character.isdigit())
    return max(len(digits.lstrip("0")), 1)
