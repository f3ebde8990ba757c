"""Whether the realised token continues a run of tokens that the stream held long before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.model.column import RowColumn, RowInput
from verifier.model.plugin import FloatArray
from verifier.numerics.copies import earliest_ends


def _copied(given: RowInput) -> FloatArray:
    (arrays,) = given.arrays
    if given.tokens is None:
        message = "expected the window's token stream, found none"
        raise ValueError(message)
    if given.options.distance < 0:
        message = f"expected a distance of at least 0 tokens, found {given.options.distance}"
        raise ValueError(message)
    history = _places(arrays["history"], given.tokens, arrays["realized_token"])
    earliest = earliest_ends(given.tokens, given.options.ngram)[history]
    far = history - earliest > given.options.distance
    return ((earliest >= 0) & far).astype(np.float64)


def _places(
    history: NDArray[Any], tokens: NDArray[np.int64], realized: NDArray[Any]
) -> NDArray[np.int64]:
    """Where in the stream each row's realised token stands (rows,)."""
    if history.dtype.kind not in "iu":
        message = f"history: expected whole numbers, found {history.dtype}"
        raise ValueError(message)
    outside = (history < 0) | (history >= len(tokens))
    if outside.any():
        row = int(np.argmax(outside))
        message = (
            f"history, row {row}: expected a place in the stream of {len(tokens)} tokens, "
            f"found {history[row]}"
        )
        raise ValueError(message)
    places = history.astype(np.int64, copy=False)
    other = tokens[places] != realized
    if other.any():
        row = int(np.argmax(other))
        message = (
            f"realized_token, row {row}: expected {tokens[places[row]]}, the token that the stream "
            f"has after {places[row]} tokens, found {realized[row]}"
        )
        raise ValueError(message)
    return places


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn(
        name="copied",
        takes=("ngram", "distance"),
        needs=("history", "realized_token"),
        unit="0 or 1",
        definition="1 where the realised token, which is tokens[history], completes an n-gram "
        "(option ngram, default 12 tokens) that also occurs earlier in the same stream and ends "
        "more than distance tokens (default 2,048) before, else 0; 0 as well with fewer than n "
        "tokens up to there. n-grams are compared token by token, never by hash.",
        source="exact repetition of n-grams in a stream; found by naming runs, Karp, Miller and "
        "Rosenberg (1972)",
        derive=_copied,
        needs_tokens=True,
    ),
)
