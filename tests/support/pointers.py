"""Walk JSON pointers (RFC 6901), the other way round from ``verifier.jsontext.pointer``."""

import re
from typing import Any

_ARRAY_INDEX = re.compile(r"0|[1-9][0-9]{0,15}")
_BAD_ESCAPE = re.compile(r"~(?![01])")


def resolve(document: Any, pointer: str) -> Any:
    """The value that a JSON pointer (RFC 6901) names in a decoded document.

    Raises:
        LookupError: the pointer is malformed or names nothing; the message says where it ends.
    """
    if not pointer:
        return document
    if not pointer.startswith("/") or _BAD_ESCAPE.search(pointer):
        message = f"not a JSON pointer: {pointer!r}"
        raise LookupError(message)
    value = document
    for part in pointer[1:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and _ARRAY_INDEX.fullmatch(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            message = f"{pointer!r} names nothing: there is no {key!r}"
            raise LookupError(message)
    return value
