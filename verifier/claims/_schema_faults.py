"""What the schema says of a claims file that is not in order.

Reading an entry finds out in a hundredth of the time *that* something is wrong; only then is the
schema asked what, so that thousands of good claims never pay for it.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from verifier.claims._entries import shown
from verifier.jsontext import pointer
from verifier.model.claim import Problem

_HINT = "`verifier schemas claims-1` prints what a claims file may hold"
_MOST = 20
_MOST_VALUES = 200
"""Far more than a claim needs; a schema takes up to a millisecond for each."""


def broken(
    document: Any, schema: Mapping[str, Any], *, location: str, definition: str = ""
) -> tuple[Problem, ...]:
    """What a part of a claims file has that its schema does not allow; at most twenty things.

    Args:
        document: the decoded file, or one claim of it; not nested deeper than JSON may be.
        schema: claims-1.
        location: where the part stands, such as ``claims.json#/claims/3``.
        definition: name of the part in the schema's ``$defs``, "" for the whole file.
    """
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - slow, and good files need none

    part = schema
    if definition:
        part = {**schema["$defs"][definition], "$defs": schema["$defs"]}
    # Which of two fields there should be is no question where there can be none.
    errors = (
        error
        for error in Draft202012Validator(part).iter_errors(document)
        if error.validator != "oneOf" or isinstance(error.instance, dict)
    )
    # Two rules may ask for the same thing.
    found = (
        Problem(
            location=f"{location}{pointer(*error.absolute_path)}",
            message=f"{_sentence(error)}; {_HINT}",
        )
        for error in islice(errors, _MOST)
    )
    return tuple(dict.fromkeys(found))


def large(document: Any) -> bool:
    """Whether a part holds more values than the schema is asked about."""
    pending = [document]
    for count, value in enumerate(pending):
        if count > _MOST_VALUES:
            return True
        if isinstance(value, dict | list):
            # What is appended is counted in its turn.
            pending.extend(value.values() if isinstance(value, dict) else value)
    return False


def _sentence(error: Any) -> str:
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        extra = next(name for name in error.instance if name not in known)
        return f"there is no field {shown(extra)}; expected {', '.join(known)}"
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        return f"expected a field {' and a field '.join(missing)}"
    if error.validator == "oneOf":
        names = " or ".join(_names(error.validator_value))
        return f"expected exactly one of the fields {names}"
    if error.validator == "enum":
        return f"expected {' or '.join(error.validator_value)}, found {shown(error.instance)}"
    wanted = error.schema.get("description", "").rstrip(".")
    if error.validator not in {"type", "pattern"} or not wanted:
        wanted = f"{wanted} ({error.validator} {shown(error.validator_value)})".lstrip()
    return f"expected {wanted}, found {shown(error.instance)}"


def _names(ways: Any) -> Iterator[str]:
    return (name for way in ways for name in way["required"])
