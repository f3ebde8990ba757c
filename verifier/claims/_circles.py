"""What names what: circles, and an order in which everything stands behind what it names."""

from collections.abc import Iterator, Sequence


def components(named: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Strongly connected components, each behind those that it names.

    Without recursion, because a chain may be as long as a claims file. One node that does not name
    itself is no circle; a longer component is one.

    Args:
        named: for each node, the indexes of the nodes that it names.

    Source:
        Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146.
    """
    search = _Search(named)
    for root, names in enumerate(named):
        if names:
            yield from search.below(root)
        elif search.is_new(root):
            # Most claims name no other, and need no search.
            yield [root]


class _Search:
    __slots__ = ("_index", "_lowest", "_named", "_open", "_open_nodes")

    def __init__(self, named: Sequence[Sequence[int]]) -> None:
        self._named = named
        self._index: dict[int, int] = {}
        self._lowest: dict[int, int] = {}
        self._open: list[int] = []
        self._open_nodes: set[int] = set()

    def is_new(self, leaf: int) -> bool:
        """Whether a node that names nothing was not reached before; now it is."""
        new = leaf not in self._index
        self._index.setdefault(leaf, len(self._index))
        return new

    def below(self, root: int) -> Iterator[list[int]]:
        """Components that are reached from a node and were not reached before."""
        if root in self._index:
            return
        work = [self._enter(root)]
        while work:
            node, following = work[-1]
            child = next(following, None)
            if child is None:
                work.pop()
                if work:
                    self._lower(work[-1][0], self._lowest[node])
                if self._lowest[node] == self._index[node]:
                    yield self._close(node)
            elif child not in self._index:
                work.append(self._enter(child))
            elif child in self._open_nodes:
                self._lower(node, self._index[child])

    def _enter(self, node: int) -> tuple[int, Iterator[int]]:
        self._index[node] = self._lowest[node] = len(self._index)
        self._open.append(node)
        self._open_nodes.add(node)
        return node, iter(self._named[node])

    def _lower(self, node: int, index: int) -> None:
        self._lowest[node] = min(self._lowest[node], index)

    def _close(self, node: int) -> list[int]:
        component = [self._open.pop()]
        while component[-1] != node:
            component.append(self._open.pop())
        self._open_nodes.difference_update(component)
        return component
