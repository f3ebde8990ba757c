"""Grammar of hex identities, OCI digests and image references, read strictly.

Tools differ in what they forgive (upper case, a short digest, a tag without a digest), so a value
that only some of them accept is named here with what is wrong with it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

ALGORITHMS: Mapping[str, int] = MappingProxyType({"sha256": 64, "sha512": 128, "blake3": 64})
"""Algorithms that the OCI image specification registers, with their number of hex digits."""

_LONGEST_REPOSITORY = 255
_COMPONENT = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?"
    rf"{_COMPONENT}(?:/{_COMPONENT})*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{{0,127}})?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A well-formed image name: ``digest`` is ``algorithm:hex``, ``repository`` "" if bare."""

    repository: str
    digest: str

    @property
    def algorithm(self) -> str:
        """The registered algorithm of the digest."""
        return self.digest.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """What is wrong with a value, as half a sentence."""

    reason: str


def parse_reference(value: str) -> Reference | Flaw:
    """Read ``algorithm:hex`` or ``repository[:tag]@algorithm:hex``."""
    repository, at, digest = value.rpartition("@")
    if not at and _is_unpinned(value):
        return Flaw(reason="no registered digest pins it, and a tag can move")
    reason = digest_flaw(digest)
    if reason:
        return Flaw(reason=reason)
    if at and (len(repository) > _LONGEST_REPOSITORY or not _REPOSITORY.fullmatch(repository)):
        return Flaw(reason="the part before @ is no repository name")
    return Reference(repository=repository, digest=digest)


def digest_flaw(digest: str) -> str:
    """What is wrong with ``algorithm:hex``; "" when nothing is."""
    algorithm, colon, encoded = digest.partition(":")
    if not colon:
        return "no algorithm before the hex digits"
    if algorithm not in ALGORITHMS:
        return f"{algorithm!r} is no registered algorithm ({', '.join(ALGORITHMS)})"
    return hex_flaw(encoded, (ALGORITHMS[algorithm],))


def hex_flaw(text: str, lengths: tuple[int, ...]) -> str:
    """What is wrong with lower-case hex of one of some lengths; "" when nothing is."""
    if not re.fullmatch("[0-9a-fA-F]*", text):
        return "a character that is no hex digit"
    if text != text.lower():
        return "upper-case hex digits"
    if len(text) not in lengths:
        return f"{len(text)} hex digits instead of {' or '.join(map(str, lengths))}"
    return ""


def _is_unpinned(value: str) -> bool:
    if len(value) > _LONGEST_REPOSITORY or value.partition(":")[0].lower() in ALGORITHMS:
        return False
    return bool(_REPOSITORY.fullmatch(value)) and not re.fullmatch("[0-9a-f]+", value)
