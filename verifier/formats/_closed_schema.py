"""A JSON schema prepared for documents with thousands of places.

The schemas of this project are plain trees: what a definition says stands where it is referred to,
and each part of a schema is prepared once, not for every place that it is held against. Which
documents are valid, and what is said of those that are not, is all jsonschema's.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


@lru_cache(maxsize=64)
def prepared(schema: str) -> "Validator":
    """The validator (draft 2020-12) of a schema.

    Args:
        schema: as JSON; references are to its own ``$defs``, never in a circle.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - a slow import, often not needed
    from jsonschema.validators import extend  # noqa: PLC0415 - as above

    document = json.loads(schema)
    parts = _Parts()
    keywords = {"properties": parts.properties, "items": parts.items}
    fast = extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]
    validator: Validator = fast(_inlined(document, document.get("$defs", {})))
    return validator


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """The schema with its own definitions in place: following each reference costs half the time.

    No schema of ours refers to itself, directly or in a circle.
    """
    if isinstance(schema, list):
        return [_inlined(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inlined = {key: _inlined(item, definitions) for key, item in schema.items() if key != "$defs"}
    if "$ref" not in inlined:
        return inlined
    definition = definitions[inlined.pop("$ref").removeprefix("#/$defs/")]
    return {**inlined, **_inlined(definition, definitions)}


class _Parts:
    """``properties`` and ``items`` of one schema, with a validator for each part, not each place.

    JSON Schema Core 2020-12, sections 10.3.2.1 and 10.3.1.2
    (https://json-schema.org/draft/2020-12/json-schema-core).
    """

    def __init__(self) -> None:
        self._prepared: dict[int, Any] = {}

    def properties(self, validator: Any, named: Any, instance: Any, _: Any) -> Iterator[Any]:
        """Errors of the fields that the schema names, in its order."""
        if validator.is_type(instance, "object"):
            for name, schema in named.items():
                if name in instance:
                    yield from self._below(validator, schema, instance[name], path=name)

    def items(self, validator: Any, schema: Any, instance: Any, _: Any) -> Iterator[Any]:
        """Errors of the elements of a list, in their order."""
        if validator.is_type(instance, "array"):
            for index, item in enumerate(instance):
                yield from self._below(validator, schema, item, path=index)

    def _below(
        self, validator: Any, schema: Any, instance: Any, *, path: str | int
    ) -> Iterator[Any]:
        part = self._prepared.get(id(schema))
        if part is None:
            # The whole schema outlives its parts, so that no other one can have their addresses.
            part = self._prepared[id(schema)] = validator.evolve(schema=schema)
        for error in part.iter_errors(instance):
            error.path.appendleft(path)
            yield error
