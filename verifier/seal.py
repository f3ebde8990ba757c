"""Seal a bundle: one list of every file, the retired raw files, and one root hash over both.

The root is the SHA-256 of the RFC 8785 form of ``{files, retired}``, so names, sizes and digests
are all covered by one hash that fits into an attestation.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from verifier.errors import StoreError
from verifier.jsontext import canonical
from verifier.model.bundle import Bundle, Retired, Seal
from verifier.model.files import Member

FORMAT = "measurement-seal/1"
PATH = "seal.json"
OWN_HASH = "document_sha256"
UNSEALED = frozenset({PATH, "seal.dsse.json"})
"""The seal and its signature: neither can list itself."""


def document(members: Iterable[Member], retired: Iterable[Retired], sealed_at: str) -> bytes:
    """The bytes of ``seal.json``; the same members, retired files and time give the same bytes.

    Args:
        members: every entry of the bundle; the seal and its signature are left out.
        retired: raw files that were deleted after scoring.
        sealed_at: RFC 3339 time.

    Raises:
        StoreError: there is nothing to seal, an entry is no regular file, or a retired file
            would be listed twice.
    """
    files = [_file(member) for member in sorted(members, key=lambda item: item.path)]
    files = [entry for entry in files if entry["path"] not in UNSEALED]
    if not files:
        message = "there is no file to seal"
        raise StoreError(message, hint="A bundle holds at least bundle.json and figures.json.")
    gone = [_retired(entry) for entry in sorted(retired, key=lambda item: item.path)]
    twice = [one["path"] for one, other in pairwise(gone) if one["path"] == other["path"]]
    if twice:
        message = f"two receipts speak of one retired file: {twice[0]}"
        raise StoreError(message, hint="Each window of an arm needs a receipt of its own.")
    seal = {
        "format": FORMAT,
        "sealed_at": sealed_at,
        "files": files,
        "retired": gone,
        "root": root(files, gone),
    }
    seal[OWN_HASH] = own_sha256(seal)
    return (json.dumps(seal, indent=1, ensure_ascii=False) + "\n").encode()


def own_sha256(seal: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the RFC 8785 form of a seal without its own hash.

    The root leaves out when the bundle was sealed; this covers the whole document.

    Raises:
        JsonError: the document has no canonical form.
    """
    rest = {key: value for key, value in seal.items() if key != OWN_HASH}
    return hashlib.sha256(canonical(rest)).hexdigest()


def root(files: Sequence[Mapping[str, Any]], retired: Sequence[Mapping[str, Any]]) -> str:
    """SHA-256 (hex) of the RFC 8785 form of ``{files, retired}``, in the order given.

    Raises:
        JsonError: the entries have no canonical form.
    """
    return hashlib.sha256(canonical({"files": files, "retired": retired})).hexdigest()


def retired_from(bundle: Bundle) -> tuple[Retired, ...]:
    """The retired raw files that the receipts of a bundle remember, arm by arm.

    A raw file has no path any more; it is named ``arms/<arm>/raw/<window>``.
    """
    return tuple(
        Retired(
            path=f"arms/{arm.id}/raw/{receipt.window}",
            sha256=receipt.raw.value,
            size=receipt.raw_bytes,
            receipt=receipt.location.partition("#")[0],
            location=receipt.location,
        )
        for arm in bundle.arms
        for receipt in arm.receipts
        if receipt.retired_at is not None
        and receipt.raw is not None
        and receipt.raw_bytes is not None
    )


def _file(member: Member) -> dict[str, Any]:
    if member.kind != "file":
        message = f"{member.path}: a {member.kind} cannot be sealed"
        raise StoreError(message, hint="Replace it with the file it stands for, or remove it.")
    if "\\" in member.path:
        message = f"{member.path}: a backslash separates folders on some systems"
        raise StoreError(message, hint="Rename the file.")
    entry = {"path": member.path, "size": member.size, "sha256": member.sha256}
    return {**entry, "blake3": member.blake3} if member.blake3 else entry


def _retired(entry: Retired) -> dict[str, Any]:
    return {
        "path": entry.path,
        "bytes": entry.size,
        "sha256": entry.sha256,
        "receipt": entry.receipt,
    }


def departures(members: Mapping[str, Member], seal: Seal) -> tuple[str, ...]:
    """Paths that are not as the seal promises: changed, of another kind, added, the seal itself.

    With no departures the files that are present are exactly those under the seal's root.
    """
    # Not one entry per path: of two hash lists, the later must not overrule the earlier.
    changed = {
        entry.path
        for entry in seal.entries
        if entry.path in members
        and (members[entry.path].kind != "file" or members[entry.path].sha256 != entry.sha256)
    }
    listed = {entry.path for entry in seal.entries}
    added = members.keys() - listed - seal.unsealed if seal.closed else set()
    return tuple(sorted(changed | added | _edited(seal)))


def _edited(seal: Seal) -> set[str]:
    """The seal's own path where it does not bear out the hashes that it records of itself."""
    recorded = ((seal.root, seal.computed_root), (seal.own_sha256, seal.computed_own_sha256))
    broken = any(own is not None and own != computed for own, computed in recorded)
    return {seal.path} if broken else set()


def vouching(members: Mapping[str, Member], seal: Seal | None) -> frozenset[str]:
    """Files that nothing but a digest kept elsewhere vouches for; an attestation has to name them.

    A root covers every file that the seal lists. Hash lists without a root may be joined by another
    list, so each of them counts; and without any seal, every file does.
    """
    if seal is None:
        paths: Iterable[str] = members
    else:
        paths = {seal.path, *(seal.unsealed if seal.root is None else ())}
    # Only regular files have a digest; a link in the place of a file names nothing.
    return frozenset(path for path in paths if path in members and members[path].sha256)


def absent(members: Mapping[str, Member], seal: Seal) -> frozenset[str]:
    """Paths that the seal lists and the bundle does not hold."""
    return frozenset(entry.path for entry in seal.entries if entry.path not in members)
