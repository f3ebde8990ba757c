"""Sizes of retired raw files against the arithmetic rows x vocabulary x bytes per logit."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle
from verifier.model.comparison import Comparison, Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class _RawSize:
    location: str
    rows: int
    size: int

    def vocabulary(self, bytes_per_logit: int) -> int | None:
        """The vocabulary that this size implies, None when it implies no whole number."""
        unit = self.rows * bytes_per_logit
        if unit <= 0 or self.size <= 0 or self.size % unit:
            return None
        return self.size // unit


def raw_sizes(bundle: Bundle) -> Iterator[Fact]:
    """Compare the recorded size of every raw file with rows x vocabulary x bytes per logit.

    Where the record does not state the vocabulary, each size must imply a whole number of logits
    per row, and all of them the same one.
    """
    sizes = _recorded(bundle)
    width = bundle.protocol.bytes_per_logit
    vocabulary = bundle.protocol.vocabulary
    how = "the vocabulary is the declared one"
    if vocabulary is None:
        implied = [size.vocabulary(width) for size in sizes]
        votes = Counter(number for number in implied if number is not None)
        vocabulary = votes.most_common(1)[0][0] if votes else None
        how = "no vocabulary is declared; most sizes imply this one"
    for size in sizes:
        if vocabulary is None:
            yield rule(
                location=size.location,
                holds=False,
                demand=f"a multiple of {size.rows} rows x {width} bytes",
                actual=size.size,
                message="This size fits no vocabulary: the raw file held other rows.",
            )
            continue
        yield Comparison(
            location=size.location,
            expected=size.rows * vocabulary * width,
            actual=size.size,
            basis=Basis.RECOMPUTED,
            how=f"{size.rows} rows x {vocabulary} logits x {width} bytes ({how})",
            message="The raw file did not hold these rows.",
        )


def _recorded(bundle: Bundle) -> list[_RawSize]:
    found: list[_RawSize] = []
    for arm in bundle.arms:
        entries = [(entry.location, entry.predicted_rows, entry.raw_bytes) for entry in arm.windows]
        entries += [(entry.location, entry.rows, entry.raw_bytes) for entry in arm.receipts]
        found.extend(
            _RawSize(location=location, rows=rows, size=size)
            for location, rows, size in entries
            if size is not None
        )
    return found
