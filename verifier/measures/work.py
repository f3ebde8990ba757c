"""How much of a bundle one audit looks at: a bundle names how many figures over how many rows."""

from verifier.measures.lacking import lacking

MOST_STEPS = 2**31
"""Most steps that the measures of one audit take together, a few minutes. A step is one number of
a row array that is read or reduced (about 100 ns)."""

MOST_WINDOW_ROWS = 2**24
"""Most rows of one window: a record may claim a thousand million without retaining one."""

MOST_POOLED_ROWS = 2**25
"""Most rows that are held at once, for a quantile or a rank over all of them."""

VECTOR_STEPS = 256
"""What it takes to look at a row vector at all, however short."""

WINDOW_STEPS = 24
"""What it takes to select one window of one arm."""

TOKEN_STEPS = 32
"""What it takes to rank the spans that start at one token of a stream."""


class Work:
    """The steps that are left to one audit."""

    def __init__(self, most: int = MOST_STEPS) -> None:
        self._left = most

    def spend(self, steps: int) -> None:
        """Take steps before they are made.

        Raises:
            LackingError: fewer are left.
        """
        if steps > self._left:
            message = (
                "the measures of this bundle up to here look at more rows than one audit spends "
                "on them"
            )
            raise lacking(message)
        self._left -= steps


def require_holdable(rows: int) -> None:
    """Refuse more rows than are held at once.

    Raises:
        LackingError: there are more.
    """
    if rows > MOST_POOLED_ROWS:
        message = (
            f"the measure pools {rows} rows, over {MOST_POOLED_ROWS}: select fewer, or reduce "
            "each window"
        )
        raise lacking(message)
