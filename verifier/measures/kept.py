"""What many figures share, kept while there is room."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")

Key = tuple[int, str]
"""Number of a thing, and a window: a long description is hashed once, not for each window."""


class Kept(Generic[V]):
    """Values of things by window; those that were used longest ago make room.

    Args:
        most: how much is kept, in the unit of the sizes that ``put`` is given.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._numbers: dict[Hashable, int] = {}
        self._held: OrderedDict[Key, tuple[V, int]] = OrderedDict()
        self._size = 0

    @property
    def size(self) -> int:
        """How much is kept."""
        return self._size

    def number(self, thing: Hashable) -> int:
        """Short for a thing, in keys."""
        return self._numbers.setdefault(thing, len(self._numbers))

    def get(self, key: Key) -> V | None:
        """The value, which then counts as used; None when it is not kept."""
        held = self._held.get(key)
        if held is None:
            return None
        self._held.move_to_end(key)
        return held[0]

    def put(self, key: Key, value: V, size: int = 1) -> None:
        """Keep a value that is not kept yet; one that exceeds all the room is not."""
        self._held[key] = (value, size)
        self._size += size
        while self._size > self._most:
            self._size -= self._held.popitem(last=False)[1][1]
