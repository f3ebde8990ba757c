"""The text form of a source: ``comparison.json#/arms/fp8/kld``, ``figure:fp8/kld`` and the like.

One grammar for claims files and inline marks; schemas/claims-1.schema.json states the same.
"""

import re
from dataclasses import dataclass

from verifier.model.claim import Displayed, FigureValue, FileDigest, Pointer, Source

CLAIM_ID = r"^[A-Za-z0-9][A-Za-z0-9._+/-]*$(?!\n)"
"""Ids of claims."""

LONGEST_ID = 200

LONGEST_SOURCE = 4096

_UNPRINTABLE = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"
_FILE = r"(?!([^#]*/)?\.{0,2}(/|#|$))[^#\u0000-\u001f\u007f\\]+"

SOURCE = (
    rf"^(figure:[^{_UNPRINTABLE}]+|claim:{CLAIM_ID[1:-7]}|sha256:{_FILE}"
    rf"|(?!(figure|claim|sha256):){_FILE}#(/([^~{_UNPRINTABLE}]|~[01])*)?)$(?!\n)"
)
"""Sources as text, in the syntax that JSON Schema and Python share.

File names are relative, have no ``.`` or ``..`` parts and hold no ``#``. What follows the ``#`` is
a JSON pointer (RFC 6901); nothing points at the whole document.
"""

_CLAIM_ID = re.compile(CLAIM_ID)
_SOURCE = re.compile(SOURCE)
_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Why a text is no source: what was found and what was expected, as a sentence."""

    reason: str


def source_of(text: str) -> Source | Unreadable:
    """The source that a text names; whether there is such a source is not asked.

    Args:
        text: ``FILE#/pointer``, ``figure:ID``, ``claim:ID`` or ``sha256:FILE``.
    """
    if len(text) > LONGEST_SOURCE or _SOURCE.match(text) is None:
        return Unreadable(reason=_reason(text))
    kind, _, name = text.partition(":")
    if kind == "figure":
        return FigureValue(id=name)
    if kind == "claim":
        return Displayed(claim=name)
    if kind == "sha256":
        return FileDigest(file=name)
    file, _, pointer = text.partition("#")
    return Pointer(file=file, pointer=pointer)


def is_claim_id(text: str) -> bool:
    """Whether a claim may be called so."""
    return len(text) <= LONGEST_ID and _CLAIM_ID.match(text) is not None


def brief(text: str) -> str:
    """A hostile text in quotes, on one short line of ASCII."""
    return ascii(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _reason(text: str) -> str:
    if len(text) > LONGEST_SOURCE:
        return f"a source has at most {LONGEST_SOURCE} characters, {brief(text)} has {len(text)}"
    kind, _, name = text.partition(":")
    if kind == "claim":
        return f"{brief(name)} is no id of a claim: expected letters, digits and . _ + / -"
    file, hash_sign, pointer = text.removeprefix("sha256:").partition("#")
    if text and ({"", ".", ".."} & set(file.split("/")) or "\\" in file):
        return (
            f"{brief(text)} does not name a file: expected a relative path with / between its "
            "parts, none of them . or .."
        )
    if hash_sign and kind not in {"figure", "sha256"}:
        return (
            f"{brief(pointer)} is no JSON pointer: expected it empty or /key/key, with ~0 for ~, "
            "~1 for / and no control characters"
        )
    return f"{brief(text)} is no source: expected FILE#/pointer, figure:ID, claim:ID or sha256:FILE"
