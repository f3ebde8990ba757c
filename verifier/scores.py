"""Read score files (npz) that somebody hostile may have written.

An npz is a zip archive of ``NAME.npy`` entries. Nothing is unpickled, nothing is decompressed
before the sizes that the archive promises were held against a bound, and whatever is wrong becomes
the ``problem`` of a column, never an exception. The layout is that of NumPy's format documentation
(numpy.lib.format, versions 1.0 and 2.0; 3.0 is for structured arrays, which scores never are).
"""

import io
import math
import re
import struct
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from verifier.errors import StoreError, VerifierError
from verifier.model.files import Store
from verifier.model.plugin import Column

_MEBIBYTE = 1024 * 1024
_MAX_ENTRIES = 256
_MAX_UNPACKED = 512 * _MEBIBYTE
# Constant columns deflate a thousandfold, so small archives are spared the ratio.
_ALWAYS_UNPACKED = 64 * _MEBIBYTE
_MAX_RATIO = 100
_MAX_HEADER = 1024
_MAX_DIMENSION = 2**31 - 1

_ENTRY = re.compile(r"([A-Za-z_][A-Za-z0-9_]{0,127})\.npy")
_ENTRY_RECORD = b"PK\x01\x02"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class _UnusableError(VerifierError):
    """Why an archive or an entry cannot be used; it never leaves this module."""


def parse_columns(data: bytes) -> tuple[Column, ...]:
    """Describe every array of an npz, reading each entry to its last byte.

    Args:
        data: the whole file.

    Returns:
        One column per entry name, in the order of the archive. An entry that cannot be used (not
        ``NAME.npy``, twice the same name, encrypted, truncated, wrong CRC, bytes after the array,
        pickled or structured) has its ``problem`` set. A file that is no npz at all, or that
        promises to unpack to more than is sane, is one column with an empty name and a problem.
    """
    try:
        with _opened(data) as archive:
            return tuple(_column(archive, name, info) for name, info in _entries(archive))
    except _UnusableError as error:
        return (_unusable(error),)


def load_arrays(data: bytes, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
    """Load the named arrays of an npz.

    Args:
        data: the whole file.
        names: array names without ``.npy``.

    Returns:
        Read-only arrays in native byte order, by name. Names that are absent, that
        ``parse_columns`` has a problem with, or that are stored big-endian are left out: score
        files are little-endian, and a reader that converts hides who wrote them.
    """
    wanted = frozenset(names)
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with _opened(data) as archive:
            for name, info in _entries(archive):
                if name in wanted:
                    _keep(arrays, name, archive, info)
    except _UnusableError:
        return MappingProxyType({})
    return MappingProxyType(arrays)


class StoreRows:
    """The row arrays of one bundle, read from its store file by file and never kept."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def columns(self, path: str) -> tuple[Column, ...]:
        """Describe every array of a score file; one nameless column with a problem if unreadable.

        See ``parse_columns``.
        """
        try:
            return parse_columns(self._store.read(path))
        except StoreError as error:
            return (_unusable(error),)

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        """Load arrays of a score file, read-only; absent and unusable ones are left out.

        See ``load_arrays``.
        """
        try:
            return load_arrays(self._store.read(path), names)
        except StoreError:
            return MappingProxyType({})


def _opened(data: bytes) -> zipfile.ZipFile:
    # Counted before they are listed: millions of entries would take gigabytes.
    entries = data.count(_ENTRY_RECORD)
    if entries > _MAX_ENTRIES:
        message = f"{entries} entries; a score file has at most {_MAX_ENTRIES}"
        raise _UnusableError(message)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _ZIP_ERRORS as error:
        message = f"not an npz file: {_reason(error)}"
        raise _UnusableError(message) from error
    promised = sum(entry.file_size for entry in archive.infolist())
    allowed = min(_MAX_UNPACKED, max(_ALWAYS_UNPACKED, _MAX_RATIO * len(data)))
    if promised > allowed:
        message = f"{len(data)} bytes that promise to unpack to {promised}; refused over {allowed}"
        raise _UnusableError(message)
    return archive


def _entries(archive: zipfile.ZipFile) -> Iterator[tuple[str, zipfile.ZipInfo | None]]:
    """Each array name with its entry; without one where it is unclear which entry is meant."""
    infos = archive.infolist()
    counts = Counter(info.orig_filename for info in infos)
    seen: set[str] = set()
    for info in infos:
        filename = info.orig_filename
        if filename in seen:
            continue
        seen.add(filename)
        match = _ENTRY.fullmatch(filename)
        name = match[1] if match else ascii(filename)
        yield name, info if counts[filename] == 1 else None


def _column(archive: zipfile.ZipFile, name: str, info: zipfile.ZipInfo | None) -> Column:
    try:
        array = _array(_content(archive, info))
    except _UnusableError as error:
        return _unusable(error, name)
    return Column(name=name, dtype=array.dtype.str, shape=array.shape)


def _keep(
    arrays: dict[str, NDArray[Any]],
    name: str,
    archive: zipfile.ZipFile,
    info: zipfile.ZipInfo | None,
) -> None:
    try:
        array = _array(_content(archive, info))
    except _UnusableError:
        return
    if array.dtype.str.startswith(">"):
        return
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    native.flags.writeable = False
    arrays[name] = native


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo | None) -> bytes:
    """The bytes of one entry, no more than it promised."""
    if info is None:
        message = "two entries with this name, and readers differ in which one they take"
        raise _UnusableError(message)
    if not _ENTRY.fullmatch(info.orig_filename):
        message = "the entry is not NAME.npy with a name of letters, digits and underscores"
        raise _UnusableError(message)
    if info.flag_bits & _ENCRYPTED:
        message = "the entry is encrypted"
        raise _UnusableError(message)
    if info.compress_type not in _METHODS:
        message = f"compression method {info.compress_type}; only stored and deflated are read"
        raise _UnusableError(message)
    try:
        with archive.open(info) as stream:
            # An explicit size bounds the decompressor too; read() alone would not.
            content = stream.read(info.file_size)
    except _ZIP_ERRORS as error:
        message = f"the entry cannot be unpacked: {_reason(error)}"
        raise _UnusableError(message) from error
    if len(content) != info.file_size:
        message = f"truncated: {len(content)} of {info.file_size} promised bytes"
        raise _UnusableError(message)
    return content


def _array(content: bytes) -> NDArray[Any]:
    """The array of one npy document as a read-only view of its bytes."""
    stream = io.BytesIO(content)
    shape, fortran_order, dtype = _header(stream)
    start = stream.tell()
    if dtype.hasobject:
        message = "holds pickled Python objects, which are never loaded"
        raise _UnusableError(message)
    if dtype.names is not None or dtype.subdtype is not None or dtype.itemsize == 0:
        message = f"holds no plain numbers but {dtype!s:.80}"
        raise _UnusableError(message)
    if not all(0 <= size <= _MAX_DIMENSION for size in shape):
        message = f"impossible shape {shape!s:.80}"
        raise _UnusableError(message)
    held, needed = len(content) - start, math.prod(shape) * dtype.itemsize
    if held < needed:
        message = f"truncated: {held} of {needed} bytes that its shape needs"
        raise _UnusableError(message)
    if held > needed:
        message = f"{held - needed} bytes after the end of the array"
        raise _UnusableError(message)
    try:
        return np.ndarray(
            shape, dtype, buffer=content, offset=start, order="F" if fortran_order else "C"
        )
    except (TypeError, ValueError) as error:
        # More dimensions than NumPy has, for example.
        message = f"impossible shape {shape!s:.80}: {_reason(error)}"
        raise _UnusableError(message) from error


def _header(stream: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            version = npy.read_magic(stream)
            read = _HEADER_READERS[version]
            shape, fortran_order, dtype = read(stream, max_header_size=_MAX_HEADER)
    except Exception as error:
        # The header is a Python literal: parser, tokenizer and dtype constructor fail in a dozen
        # ways, and each of them is the file's fault.
        message = f"not a npy document: {_reason(error)}"
        raise _UnusableError(message) from error
    return tuple(int(size) for size in shape), fortran_order, dtype


def _unusable(error: VerifierError, name: str = "") -> Column:
    return Column(name=name, dtype="", shape=(), problem=error.message)


def _reason(error: Exception) -> str:
    return ascii(f"{type(error).__name__}: {error}"[:200])[1:-1]
