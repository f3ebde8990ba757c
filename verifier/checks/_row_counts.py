"""Rows that break a rule: how many there are, and where to look first."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verifier.model.basis import Basis
from verifier.model.comparison import Comparison

_NAMED = 3


@dataclass(slots=True, kw_only=True)
class RowCount:
    """A number of rows, or values, with the first rows they lie in; it grows block by block.

    Attributes:
        total: how many were counted.
        first: numbers of the first rows.
        rows: how many rows they lie in.
    """

    total: int = 0
    first: tuple[int, ...] = ()

    rows: int = 0

    def add(self, bad: NDArray[np.bool_], *, offset: int = 0) -> None:
        """Count what is marked.

        Args:
            bad: (rows,), or (rows, k) to count every value of a row.
            offset: number of the first of these rows.
        """
        found = int(np.count_nonzero(bad))
        if not found:
            return
        marked = np.flatnonzero(bad.reshape(len(bad), -1).any(axis=1))
        self.total += found
        self.rows += len(marked)
        self.first += tuple(int(row) + offset for row in marked[: _NAMED - len(self.first)])

    @property
    def where(self) -> str:
        """Where to look, for example ``First rows: 3, 7, 12.``; rows are counted from 0."""
        lead = "Row" if self.rows == 1 else "Rows" if self.rows <= _NAMED else "First rows"
        return f"{lead}: {', '.join(map(str, self.first))}."


def no_rows(count: RowCount, *, location: str, what: str, message: str) -> Comparison:
    """Compare the number of rows that break a rule with none.

    Args:
        count: what was found.
        location: the array.
        what: what was counted, after "number of".
        message: what a row that breaks the rule means.
    """
    return Comparison(
        location=location,
        expected=0,
        actual=count.total,
        basis=Basis.RECOMPUTED,
        how=f"number of {what}",
        message=f"{message} {count.where}" if count.total else message,
    )
