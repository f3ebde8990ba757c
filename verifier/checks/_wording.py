"""Words that several checks share: short lists, and the place that speaks for a whole bundle."""

from collections.abc import Iterable

from verifier.model.bundle import Bundle

_MOST = 5


def listed(names: Iterable[str]) -> str:
    """At most five names and how many more there are: ``a, b and 30 more``."""
    every = tuple(names)
    shown = ", ".join(every[:_MOST])
    rest = len(every) - _MOST
    return f"{shown} and {rest} more" if rest > 0 else shown


def front(bundle: Bundle) -> str:
    """Where a finding about the bundle as a whole points: its published record, else its id."""
    ordered = sorted(bundle.records, key=lambda record: not record.published)
    return ordered[0].path if ordered else bundle.id
