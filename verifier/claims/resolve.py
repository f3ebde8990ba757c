"""From a source to its value, wherever it lies."""

import hashlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol, assert_never

from verifier import jsontext
from verifier.claims._circles import components
from verifier.claims._near import meant, quoted
from verifier.claims.data import DataFiles
from verifier.claims.derived import derive, described
from verifier.errors import JsonError
from verifier.model.claim import (
    Absent,
    Binding,
    Derived,
    Displayed,
    FigureValue,
    FileDigest,
    Found,
    MeasureValue,
    Pointer,
    Problem,
    Source,
)

_SHOWN = 3


class Figures(Protocol):
    """What a bundle's evidence gives when it is computed again."""

    def figure(self, figure_id: str) -> Found | Absent:
        """The recomputed value of a figure."""
        ...

    def measure(self, measure: Mapping[str, Any]) -> Found | Absent:
        """The value of a typed measure."""
        ...


class _NoBundle:
    """Figures where no bundle was given."""

    def figure(self, figure_id: str) -> Found | Absent:
        return _no_bundle(f"figure {quoted(figure_id)}")

    def measure(self, measure: Mapping[str, Any]) -> Found | Absent:  # noqa: ARG002 - a protocol's
        return _no_bundle("a measure")


def _no_bundle(what: str) -> Absent:
    return Absent(reason=f"{what} cannot be computed: no bundle was given")


class Resolver:
    """Resolves sources; what does not depend on a document is computed once.

    Args:
        data: data files of the bundle or the folder; None when neither was given.
        figures: recomputed figures; None without a bundle.
        digests: hex SHA-256 of each file, by its path.
    """

    __slots__ = ("_data", "_digests", "_figures", "_kept")

    def __init__(
        self, *, data: DataFiles | None, figures: Figures | None, digests: Mapping[str, str]
    ) -> None:
        self._data = data
        self._figures = _NoBundle() if figures is None else figures
        self._digests = digests
        self._kept: dict[Hashable, Found | Absent] = {}

    def resolve(self, source: Source, displayed: Mapping[str, Found]) -> Found | Absent:
        """The value of a source.

        Args:
            source: of a binding.
            displayed: what the claims of the document display, by their ids.

        Returns:
            What was found. Or why nothing was; for a derived form the reason of its first operand
            that gave nothing.
        """
        key = _key(source)
        if key is None:
            return self._resolved(source, displayed)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._resolved(source, displayed)
        return found

    def _resolved(self, source: Source, displayed: Mapping[str, Found]) -> Found | Absent:
        match source:
            case Pointer():
                return self._value(source)
            case FigureValue(id=figure_id):
                return self._figures.figure(figure_id)
            case MeasureValue(measure=measure):
                return self._figures.measure(measure)
            case Displayed(claim=claim):
                reason = f"claim {quoted(claim)} displays no number in this document"
                return displayed.get(claim, Absent(reason=reason))
            case FileDigest(file=file):
                return self._digest(file)
            case Derived():
                return self._derived(source, displayed)
            case _:
                assert_never(source)

    def _value(self, pointer: Pointer) -> Found | Absent:
        return _no_data(pointer.file) if self._data is None else self._data.value(pointer)

    def _digest(self, file: str) -> Found | Absent:
        origin = f"SHA-256 of {file}"
        if file in self._digests:
            digest = self._digests[file].rpartition(":")[2].lower()
            return Found(value=digest, origin=origin)
        if self._data is None:
            return _no_data(file)
        data = self._data.read(file)
        if isinstance(data, Absent):
            return data
        return Found(value=hashlib.sha256(data).hexdigest(), origin=origin)

    def _derived(self, source: Derived, displayed: Mapping[str, Found]) -> Found | Absent:
        if source.form == "count":
            return self._count(source.operands, displayed)
        operands = []
        for operand in source.operands:
            found = self.resolve(operand, displayed)
            if isinstance(found, Absent):
                return found
            operands.append(found)
        return derive(source.form, operands)

    def _count(self, operands: Sequence[Source], displayed: Mapping[str, Found]) -> Found | Absent:
        """Count elements of data files whatever they are: an object has no value, but counts."""
        total = 0
        origins = []
        for operand in operands:
            if isinstance(operand, Pointer) and self._data is not None:
                number = self._data.elements(operand)
                origin = f"{operand.file}#{operand.pointer}"
            else:
                found = self.resolve(operand, displayed)
                number = found if isinstance(found, Absent) else len(found.values or (found.value,))
                origin = "" if isinstance(found, Absent) else found.origin
            if isinstance(number, Absent):
                return number
            total += number
            origins.append(origin)
        return Found(value=Decimal(total), origin=described("count", origins))


def order(
    bindings: Sequence[Binding],
) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    """Put claims behind those that they name, and refuse circles and unknown names.

    Args:
        bindings: of one document.

    Returns:
        The usable bindings, in their own order as far as that goes; and a problem for each that
        names a claim that is not there or stands for several, and for each circle. Who names one
        of those is usable: its number is still displayed.
    """
    named, refused, problems = _named(bindings)
    if not problems and not any(named):
        # Nothing is derived from anything else, as in most documents.
        return tuple(bindings), ()
    ordered: list[Binding] = []
    for component in components(named):
        if len(component) > 1 or component[0] in named[component[0]]:
            problems.append(_circle([bindings[place] for place in sorted(component)]))
        elif component[0] not in refused:
            ordered.append(bindings[component[0]])
    return tuple(ordered), tuple(problems)


def _named(
    bindings: Sequence[Binding],
) -> tuple[list[list[int]], set[int], list[Problem]]:
    """Places of the claims that each one names; who names what is not there, and the problems."""
    places: dict[str, list[int]] = {}
    for place, binding in enumerate(bindings):
        places.setdefault(binding.id, []).append(place)
    problems: list[Problem] = []
    named: list[list[int]] = []
    refused: set[int] = set()
    for place, binding in enumerate(bindings):
        named.append([])
        for claim in dict.fromkeys(_claims(binding)):
            found = places.get(claim, [])
            if len(found) == 1:
                named[place].append(found[0])
                continue
            refused.add(place)
            problems.append(_unknown(binding, claim, places, len(found)))
    return named, refused, problems


def _unknown(
    binding: Binding, claim: str, places: Mapping[str, Sequence[int]], count: int
) -> Problem:
    what = f"{count} claims have that id" if count else "there is none of that id"
    hint = "" if count else meant(claim, places)
    message = f"claim {quoted(binding.id)} names the claim {quoted(claim)}, and {what}{hint}"
    return Problem(location=binding.location, message=message)


def _circle(members: Sequence[Binding]) -> Problem:
    names = ", ".join(quoted(binding.id) for binding in members[:_SHOWN])
    more = f" and {len(members) - _SHOWN} more" if len(members) > _SHOWN else ""
    what = "name one another" if len(members) > 1 else "names itself"
    message = f"{names}{more} {what}, so nothing outside the document supports them"
    return Problem(location=members[0].location, message=message)


def _claims(binding: Binding) -> Iterator[str]:
    """Ids of the claims that a binding names, at any depth."""
    sources = [*reversed(binding.sources)]
    if binding.n is not None:
        sources.insert(0, binding.n)
    while sources:
        source = sources.pop()
        if isinstance(source, Displayed):
            yield source.claim
        elif isinstance(source, Derived):
            sources.extend(reversed(source.operands))


def _key(source: Source) -> Hashable | None:
    """What a source is kept under; None for one that depends on the document.

    All measures have one hash, so they are told apart by their text.
    """
    if isinstance(source, Pointer | FigureValue | FileDigest):
        return source
    if isinstance(source, Displayed):
        return None
    if isinstance(source, MeasureValue):
        return _measure_key(source.measure)
    keys = tuple(map(_key, source.operands))
    return None if None in keys else (source.form, keys)


def _measure_key(measure: Mapping[str, Any]) -> bytes | None:
    try:
        return jsontext.canonical(measure)
    except (JsonError, RecursionError):
        return None


def _no_data(file: str) -> Absent:
    reason = f"no bundle and no data files were given to look for {quoted(file)} in"
    return Absent(reason=reason)
