"""File names that are found by their last parts, or by a name that is nearly the same."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import TypeVar

from verifier.claims._data_formats import suffix

_RATIO = 0.9
_LONGEST = 255
_NEIGHBOURS = 4
"""Names looked at on each side: near ones share most of their beginning or of their end."""

_DEEPEST = 16

_Group = tuple[int, str]
_Key = TypeVar("_Key")


class NameIndex:
    """Paths of files, each known by every run of its last parts: ``fp8.tsv``, ``arms/fp8.tsv``.

    Args:
        names: paths with ``/`` between their parts.
    """

    __slots__ = ("_folded", "_groups", "_paths")

    def __init__(self, names: Iterable[str]) -> None:
        self._paths: dict[str, str] = {}
        for name in sorted(names):
            parts = name.split("/")
            self._paths.setdefault(name, name)
            for start in range(max(0, len(parts) - _DEEPEST), len(parts)):
                self._paths.setdefault("/".join(parts[start:]), name)
        self._folded: Mapping[str, Sequence[str]] | None = None
        self._groups: Mapping[_Group, tuple[Sequence[str], Sequence[str]]] | None = None

    def path(self, text: str) -> str:
        """The path of a file that a document names, "" when none has this name."""
        return self._paths.get(text.removeprefix("./"), "")

    def near(self, text: str) -> tuple[str, ...]:
        """Names with as many parts that differ only in case, else the most alike; maybe several."""
        if len(text) > _LONGEST:
            return ()
        if self._folded is None:
            self._folded = _grouped((name.casefold(), name) for name in self._paths)
        wanted = text.removeprefix("./")
        same = self._folded.get(wanted.casefold())
        return tuple(same) if same else self._alike(wanted)

    def _alike(self, wanted: str) -> tuple[str, ...]:
        if self._groups is None:
            self._groups = {
                group: (sorted(names), sorted(name[::-1] for name in names))
                for group, names in _grouped((_group(name), name) for name in self._paths).items()
            }
        forwards, backwards = self._groups.get(_group(wanted), ((), ()))
        names = {
            *_around(forwards, wanted),
            *(name[::-1] for name in _around(backwards, wanted[::-1])),
        }
        matcher = SequenceMatcher(autojunk=False, b=wanted)
        ranked = sorted((-_ratio(matcher, name), name) for name in names)
        return tuple(name for ratio, name in ranked if ratio == ranked[0][0] and -ratio >= _RATIO)


def _group(name: str) -> _Group:
    return name.count("/"), suffix(name)


def _grouped(pairs: Iterable[tuple[_Key, str]]) -> dict[_Key, list[str]]:
    groups: dict[_Key, list[str]] = {}
    for key, name in pairs:
        groups.setdefault(key, []).append(name)
    return groups


def _around(names: Sequence[str], wanted: str) -> Sequence[str]:
    place = bisect_left(names, wanted)
    return names[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS]


def _ratio(matcher: SequenceMatcher[str], name: str) -> float:
    """Likeness of two names; 0 where two quick upper bounds rule a near one out."""
    if len(name) > _LONGEST:
        return 0.0
    matcher.set_seq1(name)
    if matcher.real_quick_ratio() < _RATIO or matcher.quick_ratio() < _RATIO:
        return 0.0
    return matcher.ratio()
