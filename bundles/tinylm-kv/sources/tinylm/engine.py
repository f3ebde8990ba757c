"""One sequence at a time: prefill in chunks, then decode token by token through the cache.

Attention reads what the cache holds, also for the token just written: a key that was stored in
4 bits is a 4-bit key for everybody. Passes are byte-identical when weights, tokens, precision,
order, the length of the prefilled part, and the machine's linear algebra are equal. The last of
these includes the number of BLAS threads, so a capture sets ``OMP_NUM_THREADS=1`` and
``OPENBLAS_NUM_THREADS=1`` before numpy is imported; another processor may round otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from examples.tinylm.attention import SumOrder, attend, distance_bias
from examples.tinylm.cache import KVCache
from examples.tinylm.model import heads_first, logits, run, token_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from examples.tinylm.formats import U8, Precision
    from examples.tinylm.model import F32, Weights

CHUNK: Final = 16
"""Tokens per prefill pass. Passes start at multiples of it, so a sequence that starts from cached
blocks of this size runs the very passes that it would run without them."""


class Engine:
    """A model with the cache of one sequence.

    Args:
        weights: Of the model.
        precision: In which keys and values are stored.
        order: Of attention's sums over keys.
    """

    def __init__(
        self, weights: Weights, *, precision: Precision = "float32", order: SumOrder | None = None
    ) -> None:
        self.cache: Final = KVCache(weights.config, precision)
        self._weights = weights
        self._order = order or SumOrder()

    @property
    def length(self) -> int:
        """Tokens seen so far, restored ones included."""
        return self.cache.length

    def restore(self, records: U8) -> None:
        """Take over cached positions, as :meth:`KVCache.records` gave them."""
        self.cache.restore(records)

    def prefill(self, tokens: Sequence[int] | bytes) -> F32:
        """Read several tokens at once.

        Args:
            tokens: At least one byte, appended to what was seen so far.

        Returns:
            ``(256,)`` float32 logits of the byte after the last token.

        Raises:
            ValueError: If there is no token, or one is no byte.
        """
        array = token_array(tokens)
        start = 0
        while True:
            stop = start + CHUNK - self.length % CHUNK
            states = self._run(array[start:stop])
            if stop >= len(array):
                return logits(self._weights, states[-1])
            start = stop

    def decode(self, token: int) -> F32:
        """Read one token, forced or chosen by the caller.

        Args:
            token: A byte, appended to what was seen so far.

        Returns:
            ``(256,)`` float32 logits of the byte after it.

        Raises:
            ValueError: If the token is no byte.
        """
        return logits(self._weights, self._run(token_array([token]))[-1])

    def _run(self, tokens: npt.NDArray[np.int64]) -> F32:
        heads = self._weights.config.heads
        bias = distance_bias(heads, first=self.length, queries=len(tokens))

        def attention(layer: int, queries: F32, keys: F32, values: F32) -> F32:
            self.cache.append(layer, keys, values)
            seen = self.cache.read(layer)
            return attend(heads_first(queries, heads), *seen, bias=bias, order=self._order)

        return run(self._weights, tokens, attention)
