"""Entries of a zip archive in memory, within bounds that the archive does not set.

The directory is read by ``zipfile``. The entries are not: its streams cost more than the bytes of a
short array, and it takes what it finds (APPNOTE.TXT 6.3, sections 4.3.7 and 4.3.12).
"""

import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator

from verifier.scores.npy import UnusableError, reason

_MEBIBYTE = 1024 * 1024
_MAX_ENTRIES = 256
_MAX_UNPACKED = 512 * _MEBIBYTE
# Constant columns deflate a thousandfold, so small archives are spared the ratio.
_ALWAYS_UNPACKED = 64 * _MEBIBYTE
_MAX_RATIO = 100

_ENTRY = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,127})\.npy")
_ENTRY_RECORD = b"PK\x01\x02"
_END_RECORD = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\x05\x06"
_ZIP64_LOCATOR = b"PK\x06\x07"
_ZIP64_LOCATOR_BYTES = 20
_LOCAL = struct.Struct("<4s5H3L2H")
_LOCAL_SIGNATURE = b"PK\x03\x04"
# Encrypted, compressed patch, strongly encrypted.
_UNREADABLE_FLAGS = {0x1: "encrypted", 0x20: "a patch", 0x40: "encrypted"}
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    IndexError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class Archive:
    """The entries of a zip file in memory.

    Args:
        data: the whole file.

    Raises:
        UnusableError: no zip file, too many entries, or it promises to unpack to more than is sane.
    """

    def __init__(self, data: bytes) -> None:
        # Counted before they are listed: millions of entries would take gigabytes.
        entries = _directory(data).count(_ENTRY_RECORD)
        if entries > _MAX_ENTRIES:
            message = f"{entries} entries; a score file has at most {_MAX_ENTRIES}"
            raise UnusableError(message)
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self._infos = archive.infolist()
        except _ZIP_ERRORS as error:
            message = f"not an npz file: {reason(error)}"
            raise UnusableError(message) from error
        promised = sum(entry.file_size for entry in self._infos)
        allowed = min(_MAX_UNPACKED, max(_ALWAYS_UNPACKED, _MAX_RATIO * len(data)))
        if promised > allowed:
            message = (
                f"{len(data)} bytes that promise to unpack to {promised}; refused over {allowed}"
            )
            raise UnusableError(message)
        self._data = data

    def entries(self) -> Iterator[tuple[str, zipfile.ZipInfo | None]]:
        """Each array name with its entry; without one where it is unclear which entry is meant."""
        counts = Counter(info.orig_filename for info in self._infos)
        seen: set[str] = set()
        for info in self._infos:
            filename = info.orig_filename
            if filename in seen:
                continue
            seen.add(filename)
            match = _ENTRY.fullmatch(filename)
            name = match[1] if match else ascii(filename)
            yield name, info if counts[filename] == 1 else None

    def content(self, info: zipfile.ZipInfo | None) -> bytes:
        """The bytes of one entry, no more than it promised.

        Raises:
            UnusableError: it is not clear which entry is meant, its name is not that of an array,
                or it cannot be unpacked to exactly what the directory promises.
        """
        if info is None:
            message = "two entries with this name, and readers differ in which one they take"
            raise UnusableError(message)
        if not _ENTRY.fullmatch(info.orig_filename):
            message = "the entry is not NAME.npy with a name of letters, digits and underscores"
            raise UnusableError(message)
        _refuse_flags(info.flag_bits)
        content = _unpacked(info, self._packed(info))
        if len(content) != info.file_size:
            message = f"truncated: {len(content)} of {info.file_size} promised bytes"
            raise UnusableError(message)
        if zlib.crc32(content) != info.CRC:
            message = "the entry cannot be unpacked: its bytes do not have the recorded CRC-32"
            raise UnusableError(message)
        return content

    def _packed(self, info: zipfile.ZipInfo) -> memoryview:
        start = info.header_offset
        header = self._data[start : start + _LOCAL.size] if start >= 0 else b""
        if len(header) < _LOCAL.size:
            message = "the entry cannot be unpacked: it lies outside the file"
            raise UnusableError(message)
        signature, _, flags, *_, name_bytes, extra_bytes = _LOCAL.unpack(header)
        name_at = start + _LOCAL.size
        content_at = name_at + name_bytes + extra_bytes
        name = self._data[name_at : name_at + name_bytes]
        if signature != _LOCAL_SIGNATURE or name != info.orig_filename.encode("ascii"):
            message = "the entry cannot be unpacked: the directory and the entry differ"
            raise UnusableError(message)
        _refuse_flags(flags)
        return memoryview(self._data)[content_at : content_at + info.compress_size]


def _refuse_flags(flags: int) -> None:
    for bit, what in _UNREADABLE_FLAGS.items():
        if flags & bit:
            message = f"the entry is {what}"
            raise UnusableError(message)


def _unpacked(info: zipfile.ZipInfo, packed: memoryview) -> bytes:
    if info.compress_type == zipfile.ZIP_STORED:
        return bytes(packed[: info.file_size])
    if info.compress_type != zipfile.ZIP_DEFLATED:
        message = f"compression method {info.compress_type}; only stored and deflated are read"
        raise UnusableError(message)
    try:
        # A length of 0 would lift the bound.
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, max(info.file_size, 1))
    except zlib.error as error:
        message = f"the entry cannot be unpacked: {reason(error)}"
        raise UnusableError(message) from error


def _directory(data: bytes) -> bytes:
    """The part of the file that ``zipfile`` takes for the directory; all of it in doubt."""
    end = len(data) - _END_RECORD.size
    if end < 0:
        return data
    signature, *_, size, _, comment = _END_RECORD.unpack_from(data, end)
    locator = data[max(end - _ZIP64_LOCATOR_BYTES, 0) : end]
    plain = signature == _END_SIGNATURE and not comment and not locator.startswith(_ZIP64_LOCATOR)
    return data[end - size : end] if plain and size <= end else data
