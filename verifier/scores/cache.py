"""Arrays that were decoded lately, up to a number of bytes."""

from collections import OrderedDict
from typing import Any

from numpy.typing import NDArray

Key = tuple[str, str]
"""Path of the file, name of the array."""


class ArrayCache:
    """The least recently used array goes first.

    Args:
        limit: most bytes of all arrays together; an array over it is not kept.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = 0
        self._arrays: OrderedDict[Key, NDArray[Any]] = OrderedDict()

    def get(self, key: Key) -> NDArray[Any] | None:
        """The array, which now counts as just used; None if it is not held."""
        array = self._arrays.get(key)
        if array is not None:
            self._arrays.move_to_end(key)
        return array

    def put(self, key: Key, array: NDArray[Any]) -> None:
        """Hold an array in place of any older one of that key."""
        if key in self._arrays:
            self._held -= self._arrays.pop(key).nbytes
        if array.nbytes > self._limit:
            return
        self._arrays[key] = array
        self._held += array.nbytes
        while self._held > self._limit:
            _, oldest = self._arrays.popitem(last=False)
            self._held -= oldest.nbytes
