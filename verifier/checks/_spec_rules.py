"""Comparisons with a rule of the format, in the form that the report prints well."""

from verifier.checks._digests import hex_flaw
from verifier.model.basis import Basis
from verifier.model.bundle import Hash
from verifier.model.comparison import Comparison, Value

_HEX_DIGITS = 64


def rule(*, location: str, holds: bool, demand: str, actual: Value, message: str) -> Comparison:
    """Compare a value with a rule: the rule's text is what is expected when it does not hold.

    Args:
        location: where the value stands.
        holds: whether the value obeys.
        demand: the rule in words, for example ``64 lower-case hex digits``.
        actual: the value.
        message: what a violation means and what to do.
    """
    return Comparison(
        location=location,
        expected=actual if holds else demand,
        # A value that spells out the demand itself must not count as obeying it.
        actual=actual if holds or actual != demand else repr(actual),
        basis=Basis.SPEC,
        message=message,
    )


def is_sha256(text: str) -> bool:
    """Whether a text is a 256-bit hash in lower-case hex."""
    return not hex_flaw(text, (_HEX_DIGITS,))


def hash_text(recorded: Hash, *, algorithm: str = "SHA-256") -> Comparison:
    """Compare a recorded 256-bit hash with the grammar of one: 64 lower-case hex digits."""
    return rule(
        location=recorded.location,
        holds=is_sha256(recorded.value),
        demand=f"{_HEX_DIGITS} lower-case hex digits",
        actual=recorded.value,
        message=f"This is no {algorithm}: write all {_HEX_DIGITS} digits, "
        "in lower case and without a prefix.",
    )


def rows_text(rows: tuple[int, ...]) -> str:
    """Row numbers as one comparable text, in ascending order with repetitions kept."""
    return ", ".join(str(row) for row in sorted(rows)) or "none"
