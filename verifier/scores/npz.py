"""Read score files (npz) that somebody hostile may have written.

An npz is a zip archive of ``NAME.npy`` entries. Nothing is unpickled, nothing is decompressed
before the sizes that the archive promises were held against a bound, and whatever is wrong becomes
the ``problem`` of a column, never an exception.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from verifier.errors import VerifierError
from verifier.model.plugin import Column
from verifier.scores.npy import UnusableError, array_of, native
from verifier.scores.zip import Archive

Entry = tuple[Column, NDArray[Any] | None]
"""What an entry is, and its array where it can be used."""


def entries(data: bytes) -> Iterator[Entry]:
    """Describe and decode every array of an npz, reading each entry to its last byte once.

    Args:
        data: the whole file.

    Yields:
        One column per entry name, in the order of the archive, with its read-only array in native
        byte order. An entry that cannot be used (not ``NAME.npy``, twice the same name, encrypted,
        truncated, wrong CRC, bytes after the array, pickled or structured) has its ``problem`` set
        and no array; a big-endian one has no array. A file that is no npz at all, or that promises
        to unpack to more than is sane, is one column with an empty name and a problem.
    """
    try:
        archive = Archive(data)
    except UnusableError as error:
        yield unusable(error), None
        return
    for name, info in archive.entries():
        try:
            array = array_of(archive.content(info))
        except UnusableError as error:
            yield unusable(error, name), None
        else:
            yield Column(name=name, dtype=array.dtype.str, shape=array.shape), native(array)


def parse_columns(data: bytes) -> tuple[Column, ...]:
    """Describe every array of an npz, see ``entries``."""
    return tuple(column for column, _ in entries(data))


def load_arrays(data: bytes, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
    """Load the named arrays of an npz, unpacking no others.

    Args:
        data: the whole file.
        names: array names without ``.npy``.

    Returns:
        Read-only arrays by name, see ``entries``. Names that are absent or have no array are left
        out.
    """
    wanted = frozenset(names)
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = Archive(data)
    except UnusableError:
        return MappingProxyType(arrays)
    for name, info in archive.entries():
        if name in wanted:
            try:
                array = native(array_of(archive.content(info)))
            except UnusableError:
                continue
            if array is not None:
                arrays[name] = array
    return MappingProxyType(arrays)


def unusable(error: VerifierError, name: str = "") -> Column:
    """What is known of a file or an entry that cannot be used."""
    return Column(name=name, dtype="", shape=(), problem=error.message)
