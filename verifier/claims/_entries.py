"""What entries of claims files and inline marks have in common: their words and rules."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from verifier.claims.sources_text import Unreadable, brief, is_claim_id, source_of
from verifier.claims.units import canonical
from verifier.model.claim import FileDigest, Source

Sign = Literal["same", "flipped", "dropped"]
Kind = Literal["number", "identity"]

_SIGNS: Mapping[str, Sign] = MappingProxyType(
    {"same": "same", "flipped": "flipped", "dropped": "dropped"}
)
_KINDS: Mapping[str, Kind] = MappingProxyType({"number": "number", "identity": "identity"})
_LONGEST_UNIT = 64


class Refused(Exception):  # noqa: N818 - it refuses an entry; nothing is wrong with the program
    """An entry that cannot be used; never leaves the reader of the entry.

    Attributes:
        place: JSON pointer within the entry, "" for all of it.
        message: what was found and what is expected.
    """

    def __init__(self, message: str, *, place: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place


def read_id(text: object) -> str:
    """An id, or Refused."""
    if isinstance(text, str) and is_claim_id(text):
        return text
    wanted = "an id of letters, digits and . _ + / - that starts with a letter or digit"
    message = f"expected {wanted}, found {shown(text)}"
    raise Refused(message, place="/id")


def read_text_source(text: str, *, place: str) -> Source:
    """A source in its text form, or Refused."""
    source = source_of(text)
    if isinstance(source, Unreadable):
        raise Refused(source.reason, place=place)
    return source


def read_sign(text: object) -> Sign:
    """A rule for signs, or Refused."""
    if isinstance(text, str) and text in _SIGNS:
        return _SIGNS[text]
    message = f"expected same, flipped or dropped, found {shown(text)}"
    raise Refused(message, place="/sign")


def read_unit(text: object) -> str:
    """The canonical name of a unit, or Refused."""
    if isinstance(text, str) and len(text) <= _LONGEST_UNIT and (unit := canonical(text)):
        return unit
    message = f"expected a unit such as ms, percent or token/s, found {shown(text)}"
    raise Refused(message, place="/unit")


def read_kind(stated: Mapping[str, object], sources: Sequence[Source]) -> Kind:
    """What is printed, or Refused; a digest of a file is an identity without saying so.

    Args:
        stated: what the entry states, maybe with a ``kind``.
        sources: of the entry.
    """
    digests = [isinstance(source, FileDigest) for source in sources]
    kind: Kind = "identity" if all(digests) else "number"
    if "kind" in stated:
        text = stated["kind"]
        if not isinstance(text, str) or text not in _KINDS:
            message = f"expected number or identity, found {shown(text)}"
            raise Refused(message, place="/kind")
        kind = _KINDS[text]
    if kind == "number" and any(digests):
        message = "sha256:FILE is a digest and no number; bind it in an entry of its own"
        raise Refused(message, place="/kind")
    if kind == "identity" and len(sources) != 1:
        message = f"an identity has one source, found {len(sources)}"
        raise Refused(message, place="/sources")
    return kind


def shown(value: object) -> str:
    """A hostile value on one short line."""
    if isinstance(value, str):
        return brief(value)
    if isinstance(value, dict):
        return f"an object with {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return brief(str(value))[1:-1]
