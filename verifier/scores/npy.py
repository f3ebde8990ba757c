"""One npy document as a read-only array, never unpickled.

The layout is that of NumPy's format documentation (numpy.lib.format, versions 1.0 and 2.0; 3.0 is
for structured arrays, which scores never are).
"""

import io
import math
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from verifier.errors import VerifierError

_MAX_HEADER = 1024
_MAX_DIMENSION = 2**31 - 1
_HEADER_READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
_LENGTH_BYTES = {1: 2, 2: 4}
_VERSION_AT, _LENGTH_AT = 6, 8


class UnusableError(VerifierError):
    """Why a file, an archive or an entry cannot be used; it never leaves this package."""


def array_of(content: bytes) -> NDArray[Any]:
    """The array of one npy document as a read-only view of its bytes.

    Raises:
        UnusableError: no npy document, pickled, no plain numbers, or not as long as it says.
    """
    shape, fortran_order, dtype, start = _header(content[: _header_end(content)])
    held, needed = len(content) - start, math.prod(shape) * dtype.itemsize
    if held < needed:
        message = f"truncated: {held} of {needed} bytes that its shape needs"
        raise UnusableError(message)
    if held > needed:
        message = f"{held - needed} bytes after the end of the array"
        raise UnusableError(message)
    try:
        return np.ndarray(
            shape, dtype, buffer=content, offset=start, order="F" if fortran_order else "C"
        )
    except (TypeError, ValueError) as error:
        # More dimensions than NumPy has, for example.
        message = f"impossible shape {shape!s:.80}: {reason(error)}"
        raise UnusableError(message) from error


def native(array: NDArray[Any]) -> NDArray[Any] | None:
    """The array in the byte order of this machine; None for a big-endian one.

    Score files are little-endian, and a reader that converts hides who wrote them.
    """
    if array.dtype.str.startswith(">"):
        return None
    converted = array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
    converted.flags.writeable = False
    return converted


def reason(error: Exception) -> str:
    """An error as one short printable line."""
    return ascii(f"{type(error).__name__}: {error}"[:200])[1:-1]


def _header_end(content: bytes) -> int:
    """Where the header ends by its own account, no further than a header may reach."""
    width = _LENGTH_BYTES.get(content[_VERSION_AT], 2) if len(content) > _VERSION_AT else 2
    start = _LENGTH_AT + width
    # One byte more than is allowed, so that a longer header is told from the longest.
    return start + min(int.from_bytes(content[_LENGTH_AT:start], "little"), _MAX_HEADER + 1)


@lru_cache(maxsize=1024)
def _header(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, Fortran order, type and length of a header; files of one study share a few of them."""
    stream = io.BytesIO(head)
    shape, fortran_order, dtype = _parsed(stream)
    if dtype.hasobject:
        message = "holds pickled Python objects, which are never loaded"
        raise UnusableError(message)
    if dtype.names is not None or dtype.subdtype is not None or dtype.itemsize == 0:
        message = f"holds no plain numbers but {dtype!s:.80}"
        raise UnusableError(message)
    if not all(0 <= size <= _MAX_DIMENSION for size in shape):
        message = f"impossible shape {shape!s:.80}"
        raise UnusableError(message)
    return shape, fortran_order, dtype, stream.tell()


def _parsed(stream: io.BytesIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            version = npy.read_magic(stream)
            read = _HEADER_READERS[version]
            shape, fortran_order, dtype = read(stream, max_header_size=_MAX_HEADER)
    except Exception as error:
        # The header is a Python literal: parser, tokenizer and dtype constructor fail in a dozen
        # ways, and each of them is the file's fault.
        message = f"not a npy document: {reason(error)}"
        raise UnusableError(message) from error
    return tuple(int(size) for size in shape), fortran_order, dtype
