"""Values of data files, by JSON pointer: each number exactly as its file writes it."""

from collections.abc import Collection
from typing import Any

from verifier.claims._data_formats import kind, leaf, parsed
from verifier.claims._near import meant, quoted
from verifier.claims._pointers import Selection, select
from verifier.errors import VerifierError
from verifier.model.claim import Absent, Files, Found, Pointer

_LISTS = (dict, list)


class DataFiles:
    """Data files, each read and parsed once, when a pointer first asks for it.

    Args:
        files: where their bytes come from.
    """

    __slots__ = ("_documents", "_files")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._documents: dict[str, Any] = {}

    def names(self) -> Collection[str]:
        """Paths of all files, data or not."""
        return self._files.names()

    def read(self, file: str) -> bytes | Absent:
        """All bytes of a file, which are not kept; or why it cannot be read."""
        try:
            data = self._files.read(file)
        except VerifierError as error:
            return Absent(reason=error.message)
        return self._missing(file) if data is None else data

    def document(self, file: str) -> Any:
        """The decoded values of a file, or ``Absent``: no such file, or not what its name says."""
        if file not in self._documents:
            data = self.read(file)
            self._documents[file] = data if isinstance(data, Absent) else parsed(data, name=file)
        return self._documents[file]

    def value(self, pointer: Pointer) -> Found | Absent:
        """The number or text that a pointer names; all of them where it names a list.

        A list, and whatever ``*`` takes, gives ``values``; lists among what ``*`` takes are opened
        by one level. A text that is a plain literal is a number.

        Returns:
            What was found, without a unit. Or why nothing was: a file, key or element that does
            not exist; broken where the place holds null, a boolean, an object, a list of lists or
            nothing at all.
        """
        chosen = self._select(pointer)
        if isinstance(chosen, Absent):
            return chosen
        origin = f"{pointer.file}#{pointer.pointer}"
        single = None if chosen.several else leaf(chosen.nodes[0][1])
        if single is not None:
            return Found(value=single, origin=origin)
        values = []
        for keys, index, item in chosen.leaves():
            value = leaf(item)
            if value is None:
                place = chosen.place(keys, *index)
                reason = f"{place} is {kind(item)}, and a claim needs a number or a text"
                return Absent(reason=reason, broken=True)
            values.append(value)
        if not values:
            return Absent(reason=f"{origin} is a list without elements", broken=True)
        return Found(value=values[0], origin=origin, values=tuple(values))

    def elements(self, pointer: Pointer) -> int | Absent:
        """How many elements a pointer names, whatever they are; also objects and null.

        Those of a list, the members of an object, what ``*`` takes (lists among it opened by one
        level), and 1 for a number or text.
        """
        chosen = self._select(pointer)
        if isinstance(chosen, Absent):
            return chosen
        if not chosen.several and not isinstance(chosen.nodes[0][1], _LISTS):
            found = self.value(pointer)
            return found if isinstance(found, Absent) else 1
        return _counted(chosen)

    def _select(self, pointer: Pointer) -> Selection | Absent:
        document = self.document(pointer.file)
        if isinstance(document, Absent):
            return document
        return select(document, pointer.pointer, file=pointer.file)

    def _missing(self, file: str) -> Absent:
        names = self._files.names()
        last = f"/{file.rpartition('/')[2]}"
        elsewhere = next((name for name in names if f"/{name}".endswith(last)), "")
        hint = f"; did you mean {quoted(elsewhere)}?" if elsewhere else meant(file, names)
        return Absent(reason=f"there is no file {quoted(file)}{hint}")


def _counted(chosen: Selection) -> int:
    (_, first), *others = chosen.nodes or [((), [])]
    if not chosen.several and isinstance(first, dict):
        return len(first)
    values = (first, *(value for _, value in others))
    return sum(len(value) if isinstance(value, list) else 1 for value in values)
