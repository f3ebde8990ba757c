"""The rows of one bundle, read from its store file by file; the last arrays are kept."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.errors import StoreError
from verifier.model.files import Store
from verifier.model.plugin import Column
from verifier.numerics.logit_bytes import decoded, row_bytes
from verifier.scores.cache import ArrayCache
from verifier.scores.npy import UnusableError, array_of, native
from verifier.scores.npz import entries, load_arrays, unusable

_MEBIBYTE = 1024 * 1024
_KEPT_BYTES = 256 * _MEBIBYTE
_BLOCK_BYTES = 4 * _MEBIBYTE
_WHOLE = "iu"

MOST_TOKENS = 2**24
"""Longest token stream that is looked at; contexts have at most a few millions."""


class StoreRows:
    """Implements ``verifier.model.plugin.Rows`` on a store.

    The first look at a score file decodes all of it. Arrays that had to make room are decoded
    again one by one, so that walking one column through many large files ends in holding that
    column. A file that is held is not read again: what was parsed is what was hashed.

    Args:
        store: the files.
        kept_bytes: most bytes of decoded arrays that are held.
    """

    def __init__(self, store: Store, *, kept_bytes: int = _KEPT_BYTES) -> None:
        self._store = store
        self._arrays = ArrayCache(kept_bytes)
        self._columns: dict[str, tuple[Column, ...]] = {}
        self._loadable: dict[str, frozenset[str]] = {}

    def columns(self, path: str) -> tuple[Column, ...]:
        """Describe every array of a score file; one nameless column with a problem if unreadable.

        See ``verifier.scores.npz.entries``.
        """
        if path not in self._columns:
            self._first_look(path, frozenset())
        return self._columns[path]

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        """Load arrays of a score file, read-only; absent and unusable ones are left out.

        See ``verifier.scores.npz.entries``.
        """
        wanted = frozenset(names)
        if path not in self._columns:
            return self._first_look(path, wanted)
        found: dict[str, NDArray[Any]] = {}
        dropped: list[str] = []
        for name in wanted & self._loadable[path]:
            array = self._arrays.get((path, name))
            if array is None:
                dropped.append(name)
            else:
                found[name] = array
        if dropped:
            found.update(self._again(path, dropped))
        return MappingProxyType({name: found[name] for name in sorted(found)})

    def tokens(self, path: str) -> NDArray[np.int64] | None:
        """The token stream (tokens,) of a npy file, read-only; None if it is unusable.

        Whole numbers of any size that fits int64 are tokens; anything else is none, and neither is
        a stream of more than ``MOST_TOKENS``: columns of it take a hundred bytes for each.
        """
        try:
            array = native(array_of(self._store.read(path)))
        except (StoreError, UnusableError):
            return None
        if array is None or array.ndim != 1 or array.dtype.kind not in _WHOLE:
            return None
        if array.dtype == np.uint64 or array.size > MOST_TOKENS:
            return None
        tokens: NDArray[np.int64] = array.astype(np.int64)
        tokens.flags.writeable = False
        return tokens

    def logits(self, path: str, *, vocabulary: int, dtype: str) -> Iterator[NDArray[Any]] | None:
        """Blocks (rows, vocabulary) of a raw file, read-only, about 4 MB each; None if unreadable.

        bfloat16 comes as float32. No more than one block is held, whatever the file's size.

        Args:
            path: of the raw file.
            vocabulary: logits in a row, at least 1.
            dtype: ``float64``, ``float32``, ``float16`` or ``bfloat16``.

        Raises:
            ValueError: no such type, or no vocabulary. While blocks are taken: the file does not
                end with a row, or changed while it was read.
        """
        row = row_bytes(vocabulary, dtype)
        try:
            blocks = iter(self._store.blocks(path, max(1, _BLOCK_BYTES // row) * row))
            # Opening happens here, so that what cannot be opened is not found half way.
            first = list(_taken(blocks, 1))
        except StoreError:
            return None
        return _rows_of(chain(first, blocks), path, vocabulary, dtype)

    def _first_look(self, path: str, wanted: frozenset[str]) -> Mapping[str, NDArray[Any]]:
        columns: list[Column] = []
        loadable: list[str] = []
        found: dict[str, NDArray[Any]] = {}
        try:
            for column, array in entries(self._store.read(path)):
                columns.append(column)
                if array is None:
                    continue
                loadable.append(column.name)
                self._arrays.put((path, column.name), array)
                if column.name in wanted:
                    found[column.name] = array
        except StoreError as error:
            columns = [unusable(error)]
        self._columns[path] = tuple(columns)
        self._loadable[path] = frozenset(loadable)
        return MappingProxyType(found)

    def _again(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        try:
            arrays = load_arrays(self._store.read(path), names)
        except StoreError:
            return {}
        for name, array in arrays.items():
            self._arrays.put((path, name), array)
        return arrays


def _taken(blocks: Iterator[bytes], count: int) -> Iterator[bytes]:
    for _ in range(count):
        block = next(blocks, None)
        if block is not None:
            yield block


def _rows_of(
    blocks: Iterator[bytes], path: str, vocabulary: int, dtype: str
) -> Iterator[NDArray[Any]]:
    row = row_bytes(vocabulary, dtype)
    try:
        for block in blocks:
            whole, rest = divmod(len(block), row)
            if whole:
                yield decoded(block[: whole * row], vocabulary, dtype)
            if rest:
                message = f"{path} does not end with a row: {rest} of {row} bytes are left over"
                raise ValueError(message)
    except StoreError as error:
        raise ValueError(error.message) from error
