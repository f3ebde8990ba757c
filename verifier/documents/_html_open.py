"""The elements that are open at a place of an HTML source."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One open element.

    Attributes:
        name: in lower case.
        visible: it lies in nothing that is hidden.
        hides: it is what hides its content.
    """

    name: str
    visible: bool = True
    hides: bool = False


class OpenElements:
    """A stack that knows how deep each name lies, however many levels there are."""

    __slots__ = ("_depths", "_stack")

    def __init__(self) -> None:
        self._stack: list[Element] = []
        self._depths: dict[str, list[int]] = {}

    def __len__(self) -> int:
        return len(self._stack)

    @property
    def innermost(self) -> str:
        """Name of the innermost element, "" when none is open."""
        return self._stack[-1].name if self._stack else ""

    def push(self, element: Element) -> None:
        """Open an element inside all others."""
        self._depths.setdefault(element.name, []).append(len(self._stack))
        self._stack.append(element)

    def pop(self) -> Element:
        """Close the innermost element."""
        element = self._stack.pop()
        self._depths[element.name].pop()
        return element

    def depth(self, *names: str) -> int:
        """How many elements lie around the innermost one of these names; -1 when none is open."""
        deepest = -1
        for name in names:
            depths = self._depths.get(name)
            if depths and depths[-1] > deepest:
                deepest = depths[-1]
        return deepest

    def outermost(self, names: Iterable[str], *, within: Iterable[str]) -> int:
        """Of the innermost ones of these names, the least depth inside ``within``; -1 for none."""
        least = -1
        border = None
        for name in names:
            depths = self._depths.get(name)
            if not depths:
                continue
            if border is None:
                border = self.depth(*within)
            if depths[-1] > border and (least < 0 or depths[-1] < least):
                least = depths[-1]
        return least
