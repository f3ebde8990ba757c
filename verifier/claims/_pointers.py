"""JSON pointers (RFC 6901) with ``*`` for all elements, walked over decoded values."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from verifier.claims._data_formats import kind
from verifier.claims._near import meant, quoted
from verifier.jsontext import MAX_DEPTH, pointer
from verifier.model.claim import Absent

_INDEX = re.compile(r"0|[1-9][0-9]{0,15}", re.ASCII)
_BAD_ESCAPE = re.compile(r"~(?![01])")
_ALL = "*"
_NOTHING = object()

_Key = str | int
_Node = tuple[tuple[_Key, ...], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a pointer names.

    Attributes:
        file: the file it was walked in, for messages.
        steps: of the pointer, decoded.
        nodes: each one as (keys that stood for the steps ``*``, value); one without such steps.
        several: whether a step took all elements, however many there were.
    """

    file: str
    steps: tuple[str, ...]
    nodes: list[_Node]
    several: bool

    def place(self, chosen: tuple[_Key, ...], *more: _Key) -> str:
        """Where a node, or a value in it, stands: ``scores.json#/rows/3/kld``."""
        return _place(self.file, self.steps, chosen, *more)

    def leaves(self) -> Iterator[tuple[tuple[_Key, ...], tuple[_Key, ...], Any]]:
        """(chosen keys, index in a list, value) of each value; lists are opened by one level."""
        for chosen, value in self.nodes:
            if isinstance(value, list):
                yield from ((chosen, (index,), item) for index, item in enumerate(value))
            else:
                yield chosen, (), value


def select(document: Any, text: str, *, file: str) -> Selection | Absent:
    """Walk a pointer.

    Args:
        document: decoded values.
        text: the pointer; "" is the whole document. A step ``*`` that is no key takes all elements
            of a list or all values of an object.
        file: name of the file, for messages.

    Returns:
        The nodes in the order of the document. Or why there are none: the deepest place that
        exists, what it holds, and a key that is like the missing one. It is broken when the text
        is no pointer.
    """
    steps = _steps(text)
    if isinstance(steps, str):
        return Absent(reason=f"{file}#{quoted(text)} {steps}", broken=True)
    # Nearly every pointer names one place, and there are thousands of them.
    value = _one(document, steps)
    if value is not _NOTHING:
        stars = (_ALL,) * steps.count(_ALL)
        return Selection(file=file, steps=steps, nodes=[(stars, value)], several=False)
    nodes: list[_Node] = [((), document)]
    several = False
    for depth, step in enumerate(steps):
        following: list[_Node] = []
        for chosen, value in nodes:
            pairs = _children(value, step)
            if pairs is None:
                place = _place(file, steps[:depth], chosen)
                return Absent(reason=f"{place} {_lack(value, step)}")
            if step == _ALL:
                several = several or not _has(value, step)
                following.extend(((*chosen, key), item) for key, item in pairs)
            else:
                following.extend((chosen, item) for _, item in pairs)
        nodes = following
    return Selection(file=file, steps=steps, nodes=nodes, several=several)


def _one(document: Any, steps: Iterable[str]) -> Any:
    """What plain keys and indices lead to, or ``_NOTHING``."""
    value = document
    for step in steps:
        if type(value) is dict:
            value = value.get(step, _NOTHING)
        elif type(value) is list and _INDEX.fullmatch(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return _NOTHING
    return value


def _has(value: Any, key: str) -> bool:
    return isinstance(value, dict) and key in value


def _children(value: Any, step: str) -> Iterable[tuple[_Key, Any]] | None:
    """What a step leads to, with the keys; None when it leads nowhere."""
    if isinstance(value, dict):
        if step in value:
            return ((step, value[step]),)
        return value.items() if step == _ALL else None
    if not isinstance(value, list):
        return None
    if step == _ALL:
        return enumerate(value)
    if _INDEX.fullmatch(step) and int(step) < len(value):
        return ((int(step), value[int(step)]),)
    return None


def _steps(text: str) -> tuple[str, ...] | str:
    if not text:
        return ()
    if not text.startswith("/"):
        return "is no JSON pointer: one is empty or begins with '/'"
    if text.count("/") > MAX_DEPTH:
        return f"has over {MAX_DEPTH} steps, and no data file nests deeper"
    steps = text[1:].split("/")
    if "~" not in text:
        return tuple(steps)
    if _BAD_ESCAPE.search(text):
        return "is no JSON pointer: '~' is written '~0', and '/' in a key '~1'"
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in steps)


def _place(file: str, steps: tuple[str, ...], chosen: tuple[_Key, ...], *more: _Key) -> str:
    keys = iter(chosen)
    parts = [next(keys) if step == _ALL else step for step in steps]
    return f"{file}#{pointer(*parts, *more)}"


def _lack(value: Any, step: str) -> str:
    if isinstance(value, dict):
        return f"has no key {quoted(step)}{meant(step, map(str, value))}"
    if isinstance(value, list) and _INDEX.fullmatch(step):
        last = f"the last is {len(value) - 1}" if value else "it is empty"
        return f"has no element {quoted(step)}; {last}"
    if isinstance(value, list):
        return f"is {kind(value)}, so an index or '*' was expected, not {quoted(step)}"
    return f"is {kind(value)}, which has no {quoted(step)} in it"
