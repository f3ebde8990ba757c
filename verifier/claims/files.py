"""Claims files: which numbers of a document come from where (schemas/claims-1.schema.json)."""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from verifier import jsontext
from verifier.claims import _toml as toml
from verifier.claims._entries import (
    Kind,
    Refused,
    read_id,
    read_kind,
    read_sign,
    read_text_source,
    read_unit,
    shown,
)
from verifier.claims._schema_faults import broken, large
from verifier.errors import JsonError
from verifier.model.claim import (
    Binding,
    Derived,
    Form,
    Locator,
    MeasureValue,
    Problem,
    QuoteLocator,
    Source,
    TableLocator,
)
from verifier.model.plugin import Schemas

FORMAT = "claims/1"

_MAX_BYTES = 8 * 1024 * 1024
_MAX_TOML_BYTES = 2 * 1024 * 1024
"""Its decoder is written in Python, and takes seconds for a megabyte of brackets."""

_MOST_CLAIMS = 100_000
_MOST_PROBLEMS = 100
_DEEPEST = 8
_MOST_OPERANDS = 1000
_MOST_SOURCES = 64
_LONGEST_TEXT = 4000
_LONGEST_DOCUMENT = 4096
_LARGEST_LABEL = 1_000_000

_FILE_FIELDS = frozenset({"format", "claims", "review"})
_FIELDS = frozenset(
    {"id", "document", "at", "quote", "source", "sources", "unit", "sign", "kind", "n"}
)
_CELL_FIELDS = frozenset({"table", "row", "column"})
_FORMS: Mapping[str, Form] = {form: form for form in get_args(Form)}
_OF_TWO = frozenset({"difference", "ratio", "relative-change", "percent-of"})


def bindings(
    data: bytes, *, name: str, schemas: Schemas
) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    """The bindings of a claims file, and what is wrong with those entries that give none.

    Nothing that a file holds makes this raise. A file that cannot be decoded, or is no claims file
    as a whole, gives no bindings and at least one problem; an entry that is wrong gives a problem
    for each fault and leaves the others alone.

    Args:
        data: the file: TOML when its name ends in ``.toml``, strict JSON otherwise.
        name: its path, for locations such as ``claims.json#/claims/3/at``.
        schemas: where claims-1 comes from, which says what is wrong with an entry.
    """
    try:
        document = _decoded(data, name)
    except JsonError as error:
        place = f"{name}#{error.location}" if error.location.startswith("/") else name
        return (), (Problem(location=place, message=f"{error.message}. {error.hint}"),)
    except Refused as refusal:
        return (), (_problem(name, refusal),)
    schema = schemas.get("claims-1")
    if not _is_claims_file(document):
        return (), _no_claims_file(document, name, schema)
    return _read(document["claims"], name, schema)


def _decoded(data: bytes, name: str) -> Any:
    if name.lower().endswith(".toml"):
        return toml.decode_as_json(data, max_bytes=_MAX_TOML_BYTES)
    return jsontext.decode(data, name=name, max_bytes=_MAX_BYTES)


def _is_claims_file(document: Any) -> bool:
    return (
        isinstance(document, dict)
        and document.keys() <= _FILE_FIELDS
        and document.get("format") == FORMAT
        and isinstance(document.get("claims"), list)
        and len(document["claims"]) <= _MOST_CLAIMS
        and isinstance(review := document.get("review", []), list)
        and all(isinstance(text, str) for text in review)
    )


def _no_claims_file(document: Any, name: str, schema: Mapping[str, Any]) -> tuple[Problem, ...]:
    if isinstance(document, dict) and isinstance(document.get("claims"), list):
        # The entries may be many, and are not what is wrong.
        document = {**document, "claims": []}
    message = f"expected format {FORMAT} and a list of at most {_MOST_CLAIMS} claims"
    return broken(document, schema, location=f"{name}#") or (
        Problem(location=name, message=message),
    )


def _read(
    claims: list[Any], name: str, schema: Mapping[str, Any]
) -> tuple[tuple[Binding, ...], tuple[Problem, ...]]:
    found: dict[str, Binding] = {}
    problems: list[Problem] = []
    for index, claim in enumerate(claims):
        location = f"{name}#/claims/{index}"
        try:
            binding = _binding(claim, location)
            if binding.id in found:
                message = f"the id {binding.id} is taken by {found[binding.id].location}"
                raise Refused(message, place="/id")  # noqa: TRY301 - as the entry's own faults
            found[binding.id] = binding
        except Refused as refusal:
            problems.extend(_faults(claim, refusal, location, schema))
        if len(problems) > _MOST_PROBLEMS:
            message = f"more than {_MOST_PROBLEMS} problems; correct those first"
            problems.append(Problem(location=name, message=message))
            break
    return tuple(found.values()), tuple(problems)


def _faults(
    claim: Any, refusal: Refused, location: str, schema: Mapping[str, Any]
) -> tuple[Problem, ...]:
    """What the schema says of a claim; where the reader stopped, it knows better what is wrong."""
    own = _problem(location, refusal)
    if large(claim):
        return (own,)
    said = broken(claim, schema, location=location, definition="claim") or (own,)
    better = own.location if refusal.place else ""
    return tuple(dict.fromkeys(own if item.location == better else item for item in said))


def _problem(location: str, refusal: Refused) -> Problem:
    place = f"{location}{'' if '#' in location else '#'}{refusal.place}"
    return Problem(location=place if refusal.place else location, message=refusal.message)


def _binding(claim: Any, location: str) -> Binding:
    if not isinstance(claim, dict) or not claim.keys() <= _FIELDS:
        message = f"expected an object with the fields of a claim, found {shown(claim)}"
        raise Refused(message)
    claim_id = read_id(claim.get("id"))
    sources = tuple(_sources(claim))
    kind = read_kind(claim, sources)
    return Binding(
        id=claim_id,
        document=_text(claim["document"], "/document", _LONGEST_DOCUMENT)
        if "document" in claim
        else "",
        at=_locator(claim, kind),
        sources=sources,
        unit=read_unit(claim["unit"]) if "unit" in claim else "",
        sign=read_sign(claim.get("sign", "same")),
        kind=kind,
        n=_source(claim["n"], "/n") if "n" in claim else None,
        location=location,
    )


def _locator(claim: Mapping[str, Any], kind: Kind) -> Locator:
    if ("at" in claim) == ("quote" in claim):
        message = "expected exactly one of the fields at or quote"
        raise Refused(message)
    if "at" in claim:
        return _cell(claim["at"])
    quote = _text(claim["quote"], "/quote", _LONGEST_TEXT)
    braces = quote.count("{}")
    if not braces or "\0" in quote:
        message = f"expected {{}} for each number that is bound, found {shown(quote)}"
        raise Refused(message, place="/quote")
    if braces > _MOST_SOURCES or (kind == "identity" and braces > 1):
        most = 1 if kind == "identity" else _MOST_SOURCES
        message = f"{braces} times {{}}; a quote of this kind has at most {most}"
        raise Refused(message, place="/quote")
    return QuoteLocator(quote=quote)


def _cell(at: Any) -> TableLocator:
    if not isinstance(at, dict) or not _CELL_FIELDS - {"table"} <= at.keys() <= _CELL_FIELDS:
        found = ", ".join(map(shown, at)) if isinstance(at, dict) else shown(at)
        message = f"expected the fields row and column, and table if need be, found {found}"
        raise Refused(message, place="/at")
    return TableLocator(
        table=_label(at["table"], "/at/table") if "table" in at else None,
        row=_label(at["row"], "/at/row"),
        column=_label(at["column"], "/at/column"),
    )


def _label(value: Any, place: str) -> int | str:
    if isinstance(value, str):
        return _text(value, place, _LONGEST_TEXT)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # To JSON Schema 2.0 is whole, as it is to JSON.
        whole = int(value)
        if whole == value and 1 <= whole <= _LARGEST_LABEL:
            return whole
    message = f"expected a number from 1, or a text, found {shown(value)}"
    raise Refused(message, place=place)


def _text(value: Any, place: str, longest: int) -> str:
    if isinstance(value, str) and 1 <= len(value) <= longest:
        return value
    message = f"expected a text of 1 to {longest} characters, found {shown(value)}"
    raise Refused(message, place=place)


def _sources(claim: Mapping[str, Any]) -> Iterator[Source]:
    if ("source" in claim) == ("sources" in claim):
        message = "expected exactly one of the fields source or sources"
        raise Refused(message)
    if "source" in claim:
        yield _source(claim["source"], "/source")
        return
    several = claim["sources"]
    if not isinstance(several, list) or not 1 <= len(several) <= _MOST_SOURCES:
        message = f"expected a list of 1 to {_MOST_SOURCES} sources, found {shown(several)}"
        raise Refused(message, place="/sources")
    for index, value in enumerate(several):
        yield _source(value, f"/sources/{index}")


def _source(value: Any, place: str, depth: int = 0) -> Source:
    """A source as text or object, ``depth`` derived forms below the entry."""
    if isinstance(value, str):
        return read_text_source(value, place=place)
    if not isinstance(value, dict) or len(value) != 1:
        message = f"expected a text or an object with one form, found {shown(value)}"
        raise Refused(message, place=place)
    [(name, inside)] = value.items()
    if name == "measure" and isinstance(inside, dict) and inside:
        return MeasureValue(measure=inside)
    form = _FORMS.get(name)
    if form is None:
        message = f"expected measure or one of {', '.join(_FORMS)}, found {shown(name)}"
        raise Refused(message, place=place)
    if depth == _DEEPEST:
        message = f"forms within forms, more than {_DEEPEST} deep"
        raise Refused(message, place=place)
    return Derived(form=form, operands=tuple(_operands(form, inside, f"{place}/{form}", depth + 1)))


def _operands(form: Form, inside: Any, place: str, depth: int) -> Iterator[Source]:
    if form not in _OF_TWO and isinstance(inside, str | dict):
        yield _source(inside, place, depth)
        return
    least, most = (2, 2) if form in _OF_TWO else (1, _MOST_OPERANDS)
    if not isinstance(inside, list) or not least <= len(inside) <= most:
        wanted = "two sources" if form in _OF_TWO else f"a source, or 1 to {most} of them"
        message = f"expected {wanted} for {form}, found {shown(inside)}"
        raise Refused(message, place=place)
    for index, value in enumerate(inside):
        yield _source(value, f"{place}/{index}", depth)
