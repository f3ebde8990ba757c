"""Objects of a git repository, each held against its limits before a byte of it is unpacked.

dulwich reads the formats: it is Python, and it runs no hooks, no filters and no program that a
repository's configuration names, which is why it is used instead of git itself. Its limits are
those of a trusted repository, though. One that came with a bundle may hold a few bytes that unpack
to terabytes, a pipe in the place of a file, or a chain of deltas without end, so that sizes, kinds
and chains are looked at here first.
"""

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from verifier.store.limits import MEBIBYTE

if TYPE_CHECKING:
    from dulwich.object_format import ObjectFormat
    from dulwich.objects import ObjectID, RawObjectID, ShaFile

MOST_BYTES = 32 * MEBIBYTE
"""Longest object that is read, unpacked."""

# Whatever is built on the way to an object counts; git makes chains of at most 4,095 deltas.
_MOST_CHAIN_BYTES = 1024 * MEBIBYTE
_MOST_CHAIN = 4096

# Of an entry in a pack: type, size, where its base lies, and the first deflated bytes, whose code
# tables alone may take more than a hundred.
_HEADER_BYTES = 1024
_SMALLEST_OFFSET = 12

_OFFSET_DELTA = 6
_NAME_DELTA = 7
_WHOLE = frozenset({1, 2, 3, 4})

# A delta begins with the sizes of what it is applied to and of what comes of it.
_SIZES_BYTES = 20


class TooMuch(Exception):  # noqa: N818 - the situation, which nobody outside the edge sees
    """An object that is over a limit, or that no git would have written."""


class Objects:
    """Objects in the object folders of one repository; to be closed."""

    def __init__(self, folders: list[Path], *, hex_length: int) -> None:
        """Look which packs there are.

        Args:
            folders: the repository's own and those that it borrows from.
            hex_length: digits of an object's id: 40 for SHA-1, 64 for SHA-256.
        """
        self._folders = folders
        self._format = _object_format(hex_length)
        self._packs: list[_CheckedPack] = []
        self._open = ExitStack()
        for folder in folders:
            for stem in _pack_stems(folder / "pack"):
                with suppress(OSError):
                    pack = self._open.enter_context(_CheckedPack(stem, self._format))
                    self._packs.append(pack)

    def close(self) -> None:
        """Close all packs."""
        self._open.close()

    def read(self, sha: "ObjectID") -> "ShaFile":
        """One object.

        Args:
            sha: its id in hex.

        Raises:
            TooMuch: it is over a limit.
            Exception: it is not there or broken; dulwich raises whatever its parts raise.
        """
        from dulwich.objects import ShaFile, hex_to_sha  # noqa: PLC0415 - only with a repository

        raw = hex_to_sha(sha)
        for pack in self._packs:
            found = pack.get(raw)
            if found is not None:
                kind, data = found
                return ShaFile.from_raw_string(kind, data, sha, object_format=self._format)
        return self._loose(sha)

    def _loose(self, sha: "ObjectID") -> "ShaFile":
        from dulwich.objects import ShaFile  # noqa: PLC0415 - only with a repository

        name = sha.decode("ascii")
        for folder in self._folders:
            path = folder / name[:2] / name[2:]
            if _is_regular(path):
                # Deflated bytes are at most a little more than what they unpack to.
                if path.stat().st_size > MOST_BYTES + MEBIBYTE:
                    raise TooMuch
                return ShaFile.from_path(
                    str(path), sha, object_format=self._format, max_size=MOST_BYTES
                )
        raise KeyError(sha)


class _CheckedPack:
    """A pack whose entries are looked at before they are unpacked."""

    def __init__(self, stem: Path, object_format: "ObjectFormat") -> None:
        from dulwich.pack import Pack  # noqa: PLC0415 - only with a repository

        self._path = stem.with_name(f"{stem.name}.pack")
        self._base_length = object_format.oid_length
        self._pack = Pack(str(stem), object_format=object_format, delta_base_cache_limit=MOST_BYTES)
        self._file = self._path.open("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pack.close()
        self._file.close()

    def get(self, sha: "RawObjectID") -> "tuple[int, bytes] | None":
        """Type and content of an object; None if it is not in this pack."""
        try:
            offset = self._pack.index.object_offset(sha)
        except KeyError:
            return None
        self._refuse_large(offset)
        return self._pack.get_raw(sha)

    def _refuse_large(self, offset: int) -> None:
        """Follow an object's deltas down to the whole object that they start from."""
        total = 0
        at = offset
        for _ in range(_MOST_CHAIN):
            size, base = self._entry(at)
            total += size
            if size > MOST_BYTES or total > _MOST_CHAIN_BYTES:
                raise TooMuch
            if base is None:
                return
            at = base
        raise TooMuch

    def _entry(self, offset: int) -> tuple[int, int | None]:
        """Unpacked size of an entry, and the offset of what it is a delta of."""
        from dulwich.objects import RawObjectID  # noqa: PLC0415 - only with a repository

        if offset < _SMALLEST_OFFSET:
            raise TooMuch
        head = os.pread(self._file.fileno(), _HEADER_BYTES, offset)
        kind = head[0] >> 4 & 7
        size, at = _number(head, 0, first_bits=4)
        if kind in _WHOLE:
            return size, None
        if kind == _OFFSET_DELTA:
            back, at = _distance(head, at)
            base = offset - back
        elif kind == _NAME_DELTA:
            name = head[at : at + self._base_length]
            at += self._base_length
            base = self._pack.index.object_offset(RawObjectID(name))
        else:
            raise TooMuch
        start = zlib.decompressobj().decompress(head[at:], _SIZES_BYTES)
        _, then = _number(start, 0)
        unpacked, _ = _number(start, then)
        return max(size, unpacked), base


def _number(data: bytes, at: int, *, first_bits: int = 7) -> tuple[int, int]:
    """A number whose bytes say whether another follows, lowest bits first; and what is behind it.

    Raises:
        IndexError: it does not end.
    """
    value = data[at] & (1 << first_bits) - 1
    shift = first_bits
    while data[at] & 0x80:
        at += 1
        value |= (data[at] & 0x7F) << shift
        shift += 7
    return value, at + 1


def _distance(data: bytes, at: int) -> tuple[int, int]:
    """A distance back in the pack, highest bits first, no two spellings of one; what is behind it.

    Raises:
        IndexError: it does not end.
    """
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | data[at] & 0x7F
    return value, at + 1


def _pack_stems(folder: Path) -> Iterator[Path]:
    """Packs with an index, newest names last, without their suffix."""
    with suppress(OSError):
        for path in sorted(folder.glob("*.idx")):
            if _is_regular(path) and _is_regular(path.with_suffix(".pack")):
                yield path.with_suffix("")


def _is_regular(path: Path) -> bool:
    """Whether it is a file; opening a pipe or reading a device would never end."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _object_format(hex_length: int) -> "ObjectFormat":
    from dulwich.object_format import OBJECT_FORMATS  # noqa: PLC0415 - only with a repository

    return next(form for form in OBJECT_FORMATS.values() if form.hex_length == hex_length)
