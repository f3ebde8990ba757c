"""Load one record file: strict JSON, then its schema; what is wrong comes back as violations."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from verifier.errors import JsonError, StoreError
from verifier.formats._closed_schema import prepared
from verifier.jsontext import decode, pointer
from verifier.model.bundle import Record, Violation
from verifier.model.files import Store
from verifier.model.plugin import Schemas

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_BROKEN = "The record breaks its schema; correct it where it was produced."
_SHOWN = 80
_MOST_VIOLATIONS = 100
_NAMED = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A record file and its document; ``document`` is None when anything is wrong with it."""

    document: Any
    record: Record


def load(  # noqa: PLR0913 - one file, its schema and how strictly it is read
    store: Store,
    path: str,
    schema_name: str,
    schemas: Schemas,
    *,
    published: bool,
    open_world: bool = False,
) -> Loaded:
    """Read a record file and hold it against its schema.

    Nothing that a file holds makes this raise: a file that is missing, is no regular file or is
    no strict JSON gives one violation, a document that breaks the schema one per place (at most
    100, and one that says that there are more).

    Args:
        store: where the file lies.
        path: path in the bundle.
        schema_name: id of the schema, such as ``bundle-1``.
        schemas: where schemas come from.
        published: whether the figures in the file are what was published.
        open_world: a field that the schema does not know becomes a pointer in ``unknown``
            instead of a violation; for records whose format is not ours.
    """
    record = Record(path=path, schema=schema_name, published=published)
    try:
        document = decode(store.read(path), name=path)
    except JsonError as error:
        flaw = violation(path, "", expected="strict JSON", actual=error.message, message=error.hint)
        if error.location.startswith("/"):
            flaw = replace(flaw, location=f"{path}#{error.location}")
        return Loaded(document=None, record=replace(record, violations=(flaw,)))
    except StoreError as error:
        flaw = violation(
            path, "", expected="a readable file", actual=error.message, message=error.hint
        )
        return Loaded(document=None, record=replace(record, violations=(flaw,)))
    if open_world:
        violations, unknown = _against_schema(path, document, _named(schema_name, schemas))
        record = replace(record, unknown=tuple(sorted(unknown)))
    else:
        violations = against_schema(path, document, schema_name, schemas)
    if violations:
        record = replace(record, violations=_capped(path, violations))
        document = None
    return Loaded(document=document, record=record)


def against_schema(
    path: str, document: Any, schema_name: str, schemas: Schemas, *, todo: str = _BROKEN
) -> list[Violation]:
    """Everything about a decoded document that its closed schema does not allow.

    Args:
        path: of the file, or what else the document came from.
        document: as decoded.
        schema_name: id of the schema.
        schemas: where schemas come from.
        todo: what to do about a value that the schema does not allow.
    """
    violations, unknown = _against_schema(path, document, _named(schema_name, schemas), todo)
    return violations + [
        violation(
            path,
            place,
            expected="no such field",
            actual=short(value),
            message=f"Remove it: the schema is closed (`verifier schemas {schema_name}`).",
        )
        for place, value in unknown.items()
    ]


def _named(schema_name: str, schemas: Schemas) -> "Validator":
    return prepared(json.dumps(schemas.get(schema_name)))


def violation(path: str, place: str, *, expected: str, actual: str, message: str) -> Violation:
    """One broken rule at a JSON pointer (``place``) of a record file."""
    return Violation(
        location=f"{path}#{place}" if place else path,
        expected=expected,
        actual=actual,
        message=message,
    )


def with_violations(record: Record, found: Iterable[Violation]) -> Record:
    """The record with what rules beyond its schema found."""
    violations = (*record.violations, *found)
    return replace(record, violations=_capped(record.path, violations)) if violations else record


def short(value: Any) -> str:
    """A hostile value on one short line of ASCII."""
    if isinstance(value, Mapping):
        return f"an object with {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = ascii(value[: _SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def listed(names: Sequence[str]) -> str:
    """The first few names of what may be many, on one line."""
    return f"{', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}"


def _against_schema(
    path: str, document: Any, validator: "Validator", todo: str = _BROKEN
) -> tuple[list[Violation], dict[str, Any]]:
    """Violations in the order of the schema, and unknown fields by pointer."""
    violations: list[Violation] = []
    unknown: dict[str, Any] = {}
    for error in validator.iter_errors(document):
        place = pointer(*error.absolute_path)
        if error.validator == "additionalProperties":
            unknown.update((place + pointer(name), value) for name, value in _extras(error))
            continue
        violations.append(
            violation(
                path,
                place,
                expected=_expected(error),
                actual=short(error.instance),
                message=todo,
            )
        )
        if len(violations) > _MOST_VIOLATIONS:
            break
    return violations, unknown


def _extras(error: Any) -> Iterator[tuple[str, Any]]:
    """Fields of an object that neither a name nor a pattern of its schema allows."""
    known = error.schema.get("properties", {})
    patterns = error.schema.get("patternProperties", {})
    return (
        (name, value)
        for name, value in error.instance.items()
        if name not in known and not any(re.search(pattern, name) for pattern in patterns)
    )


def _expected(error: Any) -> str:
    if error.validator == "required":
        # The library yields one error per missing name and says which only in its text.
        missing = (name for name in error.validator_value if name not in error.instance)
        name = next((name for name in missing if error.message.startswith(repr(name))), "")
        return f"a field {name!r}"
    if error.validator == "enum":
        return f"one of {', '.join(map(str, error.validator_value))}"
    if error.validator == "anyOf" and all(
        way.keys() == {"required"} for way in error.validator_value
    ):
        names = (" and ".join(way["required"]) for way in error.validator_value)
        return f"one of the fields {', '.join(names)}"
    described = error.schema.get("description", "")
    if error.validator in {"pattern", "not", "anyOf"} and described:
        return str(described)
    return f"{error.validator} {_brief(error.validator_value)}"


def _brief(value: Any) -> str:
    """The value of a schema keyword on one short line."""
    words = " or ".join(str(item) for item in value) if isinstance(value, list) else str(value)
    if len(words) <= _SHOWN:
        return words
    cut = words[:_SHOWN].rpartition(" ")[0] or words[:_SHOWN]
    return f"{cut} ..."


def _capped(path: str, violations: Iterable[Violation]) -> tuple[Violation, ...]:
    ordered = sorted(violations, key=lambda item: (item.location, item.expected))
    if len(ordered) <= _MOST_VIOLATIONS:
        return tuple(ordered)
    rest = violation(
        path,
        "",
        expected=f"at most {_MOST_VIOLATIONS} violations listed",
        actual="more of them",
        message="Correct the ones that are listed first.",
    )
    return (*ordered[:_MOST_VIOLATIONS], rest)
