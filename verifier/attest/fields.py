"""Read fields of foreign JSON, each with the place that is wrong when it is.

Everything read here may come from an attacker, before or after its signature was verified, so
texts are shown escaped and cut.
"""

from collections.abc import Mapping
from typing import Any

from verifier.errors import AttestationError, JsonError
from verifier.jsontext import decode

MAX_BYTES = 16 * 1024 * 1024
"""Far above any envelope this program writes; a limit keeps a hostile file from filling memory."""

_SHOWN = 120


def document(data: bytes, *, name: str, hint: str) -> Mapping[str, Any]:
    """The JSON object that a whole file or payload holds.

    Raises:
        AttestationError: not strict JSON, or not an object.
    """
    try:
        value = decode(data, name=name, max_bytes=MAX_BYTES)
    except JsonError as error:
        message = f"not strict JSON: {error.message}"
        raise AttestationError(message, hint=hint) from error
    if not isinstance(value, dict):
        message = f"{name} is not a JSON object"
        raise AttestationError(message, hint=hint)
    return value


def mapping(parent: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    """A required object.

    Raises:
        AttestationError: absent or of another type.
    """
    value = parent.get(key)
    if not isinstance(value, dict):
        raise _unexpected(place, key, "an object")
    return value


def array(parent: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    """A required array of objects; it may be empty.

    Raises:
        AttestationError: absent, of another type, or holding something else than objects.
    """
    value = parent.get(key)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _unexpected(place, key, "an array of objects")
    return value


def text(parent: Mapping[str, Any], key: str, place: str) -> str:
    """A required, non-empty text.

    Raises:
        AttestationError: absent, empty or of another type.
    """
    value = parent.get(key)
    if not isinstance(value, str) or not value:
        raise _unexpected(place, key, "a non-empty text")
    return value


def shown(value: str) -> str:
    """A foreign text as a quoted, escaped piece of one line, cut where it is long."""
    cut = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
    return repr(cut)


def _unexpected(place: str, key: str, expected: str) -> AttestationError:
    message = f"{place}: {key!r} is not {expected}"
    return AttestationError(
        message, hint="The file was not written by this program, or is damaged."
    )
