"""Windows that share text, found by comparing every pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from examples.tinylm.analysis import Rows


def clusters_of(rows: Rows, recipe: str) -> Sequence[Sequence[str]]:
    """The windows of each cluster of a recipe, listed there or found by comparing texts."""
    clusters = rows.recipes[recipe]["clusters"]
    if isinstance(clusters, list):
        return clusters
    return sharing_spans(rows.tokens, clusters["span"], clusters["shared"])


def sharing_spans(tokens: Mapping[str, bytes], span: int, shared: int) -> list[list[str]]:
    """Connected components of windows that share at least so many distinct spans.

    Args:
        tokens: The stream of each window, in manifest order.
        span: Tokens of a span.
        shared: Distinct spans that join two windows.

    Returns:
        Ids of each component in manifest order; components by their first window.
    """
    spans = {
        window: {stream[start : start + span] for start in range(len(stream) - span + 1)}
        for window, stream in tokens.items()
    }
    order = list(tokens)
    group = {window: place for place, window in enumerate(order)}
    for first in order:
        for second in order:
            if len(spans[first] & spans[second]) >= shared:
                joined, other = group[first], group[second]
                group = {w: joined if own == other else own for w, own in group.items()}
    return [
        [window for window in order if group[window] == own]
        for own in dict.fromkeys(group.values())
    ]
