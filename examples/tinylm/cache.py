"""The KV cache: what is stored are records of the chosen precision; attention reads those back.

Beside the records lies their decoded float32 mirror, laid out for attention, so that a decode step
decodes one new vector instead of thousands of old ones. The mirror never sees the values before
they were stored: it is always what decoding the records gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from examples.tinylm import formats

if TYPE_CHECKING:
    from examples.tinylm.formats import F32, U8, Precision
    from examples.tinylm.model import Config

_FIRST_CAPACITY: Final = 512


class _Layer:
    """The keys (index 0) and values (index 1) of one layer."""

    def __init__(self, config: Config, precision: Precision) -> None:
        self.length = 0
        self._precision = precision
        size = formats.record_bytes(precision, config.width)
        head = config.width // config.heads
        self._records = np.zeros((2, _FIRST_CAPACITY, size), np.uint8)
        # Positions come last: products with one query then run along them, which is fastest.
        self._mirror = np.zeros((2, config.heads, head, _FIRST_CAPACITY), np.float32)

    def append(self, records: U8) -> None:
        """Store ``(2, n, record bytes)`` records; amortised constant time per record."""
        count = records.shape[1]
        start, stop = self.length, self.length + count
        self._reserve(stop)
        self._records[:, start:stop] = records
        decoded = formats.decode(self._precision, records.reshape(2 * count, -1))
        _, heads, head, _ = self._mirror.shape
        by_head = decoded.reshape(2, count, heads, head)
        self._mirror[..., start:stop] = by_head.transpose(0, 2, 3, 1)
        self.length = stop

    def _reserve(self, needed: int) -> None:
        """Double the capacity until ``needed`` records fit."""
        capacity = self._records.shape[1]
        if needed <= capacity:
            return
        while capacity < needed:
            capacity *= 2
        records = np.zeros((2, capacity, self._records.shape[2]), np.uint8)
        records[:, : self.length] = self._records[:, : self.length]
        mirror = np.zeros((*self._mirror.shape[:3], capacity), np.float32)
        mirror[..., : self.length] = self._mirror[..., : self.length]
        self._records, self._mirror = records, mirror

    def records(self, start: int, stop: int) -> U8:
        """A view ``(2, stop - start, record bytes)`` of what is stored."""
        return self._records[:, start:stop]

    def values(self) -> tuple[F32, F32]:
        """Views ``(heads, length, head width)`` of all decoded keys and values."""
        keys, values = self._mirror[..., : self.length].swapaxes(2, 3)
        return keys, values


class KVCache:
    """Keys and values of all layers of one sequence, stored in one precision.

    Args:
        config: The model's sizes.
        precision: In which the vectors are stored.
    """

    def __init__(self, config: Config, precision: Precision) -> None:
        self.precision: Final = precision
        self._layers = tuple(_Layer(config, precision) for _ in range(config.layers))

    @property
    def length(self) -> int:
        """Positions that every layer holds."""
        return self._layers[-1].length

    def append(self, layer: int, keys: F32, values: F32) -> None:
        """Store the keys and values, ``(n, width)`` each, of the next n positions of a layer."""
        records = formats.encode(self.precision, np.concatenate((keys, values)))
        self._layers[layer].append(records.reshape(2, len(keys), -1))

    def read(self, layer: int) -> tuple[F32, F32]:
        """Keys and values as stored: views ``(heads, length, head width)`` of float32."""
        return self._layers[layer].values()

    def records(self, start: int, stop: int) -> U8:
        """What is stored for positions ``start`` to ``stop``.

        Returns:
            A copy, ``(layers, 2, stop - start, record bytes)``; keys at 0, values at 1.
        """
        return np.stack([layer.records(start, stop) for layer in self._layers])

    def restore(self, records: U8) -> None:
        """Append positions from what :meth:`records` gave, in all layers, bit for bit."""
        for layer, stored in zip(self._layers, records, strict=True):
            layer.append(stored)
