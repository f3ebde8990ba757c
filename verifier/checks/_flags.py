"""Bare statements of a record: what each says, held against what it would have to say."""

from collections.abc import Iterator

from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, FlagTopic
from verifier.model.comparison import Comparison


def flag_facts(
    bundle: Bundle, topic: FlagTopic, *, basis: Basis = Basis.DECLARED
) -> Iterator[Comparison]:
    """Compare every flag on a topic with true.

    Args:
        bundle: where the flags stand.
        topic: what they speak of.
        basis: DECLARED, unless something retained bears the statement out.
    """
    for flag in bundle.flags:
        if flag.topic == topic:
            yield Comparison(
                location=flag.location,
                expected=True,
                actual=flag.value,
                basis=basis,
                message=f"The record itself denies it: {flag.statement}.",
            )
