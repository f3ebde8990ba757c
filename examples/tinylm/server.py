"""An in-process server: requests over one model, a prefix cache, and counters.

Prompts are cut into blocks of 16 tokens. A block's key is a hash over its tokens and the key of the
block before it, so equal keys mean equal prefixes. Only blocks that prefill computed are kept, so a
request that finds them gives byte for byte what it gives without them.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import numpy as np

from examples.tinylm.engine import CHUNK, Engine
from examples.tinylm.model import VOCABULARY, token_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from examples.tinylm.attention import SumOrder
    from examples.tinylm.formats import U8, Precision
    from examples.tinylm.model import F32, Weights

BLOCK: Final = CHUNK
MODEL_NAME: Final = "tinylm"

_COUNTERS: Final = {
    "vllm:prefix_cache_queries_total": "Prompt tokens looked up in the prefix cache.",
    "vllm:prefix_cache_hits_total": "Prompt tokens found in the prefix cache.",
}


class Session:
    """One request: a prefilled prompt that can be continued.

    Attributes:
        logits: ``(256,)`` float32; scores of the byte after everything read so far.
    """

    def __init__(self, engine: Engine, logits: F32) -> None:
        self._engine = engine
        self.logits = logits

    @property
    def length(self) -> int:
        """Tokens read so far."""
        return self._engine.length

    def decode(self, token: int) -> F32:
        """Read one forced token; returns the new ``logits``."""
        self.logits = self._engine.decode(token)
        return self.logits


class Server:
    """Serves one model in one precision and summation order.

    Args:
        weights: Of the model.
        precision: In which keys and values are stored.
        order: Of attention's sums over keys.
        prefix_caching: What requests do that do not say.
    """

    def __init__(
        self,
        weights: Weights,
        *,
        precision: Precision = "float32",
        order: SumOrder | None = None,
        prefix_caching: bool = True,
    ) -> None:
        self._weights = weights
        self._precision = precision
        self._order = order
        self._prefix_caching = prefix_caching
        self._blocks: dict[bytes, U8] = {}
        self._counts = dict.fromkeys(_COUNTERS, 0)

    def open(self, prompt: Sequence[int] | bytes, *, prefix_caching: bool | None = None) -> Session:
        """Prefill a prompt.

        Args:
            prompt: At least one byte.
            prefix_caching: Whether to look up and keep blocks; the server's default if None.
                Without it, nothing is counted.

        Returns:
            A session whose ``logits`` score the byte after the prompt.

        Raises:
            ValueError: If the prompt is empty or holds something that is no byte.
        """
        tokens = token_array(prompt)
        engine = Engine(self._weights, precision=self._precision, order=self._order)
        caching = self._prefix_caching if prefix_caching is None else prefix_caching
        if caching:
            self._adopt(engine, tokens)
        first = engine.prefill(tokens[engine.length :].tolist())
        if caching:
            self._keep(engine, tokens)
        return Session(engine, first)

    def forced(
        self,
        prompt: Sequence[int] | bytes,
        continuation: Sequence[int] | bytes,
        *,
        prefix_caching: bool | None = None,
    ) -> F32:
        """Score a known continuation by true decode.

        Args:
            prompt: At least one byte; prefilled.
            continuation: At least one byte; all but the last are decoded, each as given.
            prefix_caching: As for :meth:`open`.

        Returns:
            ``(len(continuation), 256)`` float32 logits; row i scores ``continuation[i]``. Row 0
            comes from prefill, the others from decode.

        Raises:
            ValueError: If either part is empty or holds something that is no byte.
        """
        forced = token_array(continuation)
        session = self.open(prompt, prefix_caching=prefix_caching)
        rows = np.empty((len(forced), VOCABULARY), np.float32)
        rows[0] = session.logits
        for index, token in enumerate(forced[:-1].tolist(), start=1):
            rows[index] = session.decode(token)
        return rows

    def greedy(
        self, prompt: Sequence[int] | bytes, count: int, *, prefix_caching: bool | None = None
    ) -> bytes:
        """Generate ``count`` bytes, each the one with the largest logit (the lowest, in a tie)."""
        session = self.open(prompt, prefix_caching=prefix_caching)
        chosen = bytearray()
        while len(chosen) < count:
            if chosen:
                session.decode(chosen[-1])
            chosen.append(int(session.logits.argmax()))
        return bytes(chosen)

    def reset_prefix_cache(self) -> None:
        """Forget all blocks; the counters run on, as counters do."""
        self._blocks.clear()

    def expose(self) -> str:
        """The counters in the Prometheus text exposition format, version 0.0.4."""
        lines = []
        for name, meaning in _COUNTERS.items():
            lines.append(f"# HELP {name} {meaning}")
            lines.append(f"# TYPE {name} counter")
            lines.append(f'{name}{{model_name="{MODEL_NAME}"}} {self._counts[name]}')
        return "\n".join(lines) + "\n"

    def _adopt(self, engine: Engine, tokens: npt.NDArray[np.int64]) -> None:
        """Restore the longest known run of whole blocks, and count."""
        # The last token is always computed, because its logits are what a prompt is read for.
        for key in _block_keys(tokens[:-1]):
            if key not in self._blocks:
                break
            engine.restore(self._blocks[key])
        self._counts["vllm:prefix_cache_queries_total"] += len(tokens)
        self._counts["vllm:prefix_cache_hits_total"] += engine.length

    def _keep(self, engine: Engine, tokens: npt.NDArray[np.int64]) -> None:
        """Keep the prompt's whole blocks."""
        for index, key in enumerate(_block_keys(tokens)):
            if key not in self._blocks:
                self._blocks[key] = engine.cache.records(index * BLOCK, (index + 1) * BLOCK)


def _block_keys(tokens: npt.NDArray[np.int64]) -> Iterator[bytes]:
    """The chained keys of the whole blocks of a prompt, first to last."""
    key = b""
    for start in range(0, len(tokens) - BLOCK + 1, BLOCK):
        block = bytes(tokens[start : start + BLOCK].tolist())
        key = hashlib.sha256(key + block).digest()
        yield key
