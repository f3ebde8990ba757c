"""Digests, commit ids and file names that a bundle names, and those that a document should."""

import hashlib
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from verifier.claims._data_formats import suffix
from verifier.claims._hex_index import HexIndex, beginning, distance
from verifier.claims._hex_scan import hex_identities, pointers
from verifier.claims._name_index import NameIndex
from verifier.claims._near import quoted
from verifier.claims.data import DataFiles
from verifier.model.claim import Absent, Identity, Status

MOST_BYTES = 256 * 1024 * 1024
"""Text that is looked through, in all files together."""

# Prose (Markdown, HTML and the like) is left out: a document must not vouch for itself.
_DATA = (".json", ".jsonl", ".ndjson", ".toml", ".csv", ".tsv", ".yaml", ".yml", ".cfg", ".ini")
_TEXTS = frozenset({*_DATA, ".txt", ".log", ".sha256", ""})
_TREES = frozenset({".json", ".toml"})
# A claims file quotes the document, so it would vouch for it as well.
_CLAIMS_FILE = re.compile(rb"""["']claims/[0-9]""")
_WORDS: Mapping[str, str] = {"sha256": "SHA-256", "commit": "commit id", "file": "file name"}
_COMMIT, _DIGEST = 40, 64


class Judged(NamedTuple):
    """What came of an identity in a document.

    Attributes:
        status: SUPPORTED, CONTRADICTED or UNBOUND.
        expected: the right identity, as long as the one in the document; "" for none.
        reason: why it is not supported.
        origin: where the bundle names the right one.
    """

    status: Status
    expected: str
    reason: str
    origin: str


class KnownIdentities:
    """What the files of a bundle or folder name; nothing is read before the first question.

    Args:
        data: the files.
        digests: hex SHA-256 of files by their path; of others it is computed where they are read.
        names: paths of all files.
        documents: paths of files that are held against the others, and so vouch for nothing.
    """

    __slots__ = ("_data", "_digests", "_documents", "_hex", "_judged", "_names", "_paths")

    def __init__(
        self,
        *,
        data: DataFiles,
        digests: Mapping[str, str],
        names: Collection[str],
        documents: Collection[str],
    ) -> None:
        self._data = data
        self._digests = digests
        self._paths = names
        self._documents = frozenset(documents)
        self._hex: _Hex | None = None
        self._names: NameIndex | None = None
        self._judged: dict[tuple[str, str], Judged] = {}

    def judged(self, identity: Identity) -> Judged:
        """Look an identity up.

        Returns:
            SUPPORTED when a file names it, or it is the beginning of exactly one that is named;
            for a file name, when a path is or ends with it. CONTRADICTED for a near miss of a
            named one: for a SHA-256 up to 4 other digits or the same first or last 12, for a
            commit id up to 2 or the same first 10, for an abbreviation one; for a file name other
            case, or a likeness (Ratcliff and Obershelp) of 0.9 with the same suffix to one name
            alone. UNBOUND for all others.
        """
        key = (identity.kind, identity.text)
        if key not in self._judged:
            judge = self._file if identity.kind == "file" else self._digits
            self._judged[key] = judge(identity)
        return self._judged[key]

    def _file(self, identity: Identity) -> Judged:
        if self._names is None:
            self._names = NameIndex(self._paths)
        path = self._names.path(identity.text)
        if path:
            return Judged("SUPPORTED", "", "", path)
        near = self._names.near(identity.text)
        if len(near) == 1:
            reason = f"No file here has this name, but one is called {quoted(near[0])}."
            return Judged("CONTRADICTED", near[0], reason, self._names.path(near[0]))
        reason = "No file here has this name"
        other = self._names.path(identity.text.rpartition("/")[2])
        if near:
            reason += f"; it is as near to {quoted(near[0])} as to {quoted(near[1])}"
        elif other:
            reason += f", though {quoted(other)} ends like it"
        return Judged("UNBOUND", "", f"{reason}.", "")

    def _digits(self, identity: Identity) -> Judged:
        if self._hex is None:
            self._hex = _Hex(self._data, self._named())
        text = identity.text.lower()
        what = _WORDS[identity.kind]
        begun = self._hex.beginning(text)
        if len(begun) == 1:
            return Judged("SUPPORTED", "", "", self._hex.origin(begun[0]))
        if begun:
            both = " and ".join(begun)
            reason = f"It is the beginning of more than one {what} that is named here: {both}."
            return Judged("UNBOUND", "", reason, "")
        return self._near(text, what, self._hex)

    def _near(self, text: str, what: str, known: "_Hex") -> Judged:
        near = known.near(text)
        if not near:
            return Judged("UNBOUND", "", f"Nothing here names this {what}.", "")
        origin = known.origin(near[0])
        other = distance(text, near[0])
        if len(near) > 1:
            reason = f"It differs in {other} digits from each of {len(near)} that are named here."
            return Judged("CONTRADICTED", "", reason, origin)
        digits = f"{other} of {len(text)} digits"
        reason = f"It differs in {digits} from the {what} that is named here."
        return Judged("CONTRADICTED", near[0], reason, origin)

    def _named(self) -> Iterator[tuple[str, str, int]]:
        """(hex digits, file or what else names them, line or 0) of all, the best origins first."""
        for path, digest in self._digests.items():
            yield digest.rpartition(":")[2].lower(), f"SHA-256 of {path}", 0
        for path in self._paths:
            for text, _ in hex_identities(path.encode("utf-8", "replace")):
                yield text, f"name of {path}", 0
        for path, data in self._texts():
            if path not in self._digests:
                yield hashlib.sha256(data).hexdigest(), f"SHA-256 of {path}", 0
            for text, line in hex_identities(data):
                yield text, path, line

    def _texts(self) -> Iterator[tuple[str, bytes]]:
        """Files that vouch for what they name, until there is too much of them."""
        left = MOST_BYTES
        for path in sorted(self._data.names()):
            if suffix(path) not in _TEXTS or path in self._documents:
                continue
            data = self._data.read(path)
            if isinstance(data, bytes) and not _CLAIMS_FILE.search(data):
                left -= len(data)
                if left < 0:
                    return
                yield path, data


class _Hex:
    """Hex identities with their places.

    Args:
        data: the files, for pointers.
        named: (hex digits, what names them, line or 0); the first place of each one counts.
    """

    __slots__ = ("_all", "_commits", "_data", "_digests", "_places", "_pointers")

    def __init__(self, data: DataFiles, named: Iterator[tuple[str, str, int]]) -> None:
        self._data = data
        self._places: dict[str, tuple[str, int]] = {}
        for text, source, line in named:
            self._places.setdefault(text, (source, line))
        self._all = sorted(self._places)
        self._commits = HexIndex(self._of(_COMMIT), length=_COMMIT, reach=2, ends=(10, 0))
        self._digests = HexIndex(self._of(_DIGEST), length=_DIGEST, reach=4, ends=(12, 12))
        self._pointers: dict[str, Mapping[str, str]] = {}

    def beginning(self, text: str) -> tuple[str, ...]:
        """Those that begin with a text, two at most; only itself when it is one of them."""
        return (text,) if text in self._places else beginning(self._all, text)

    def near(self, text: str) -> tuple[str, ...]:
        """The nearest ones, cut to the length of an abbreviation."""
        if len(text) == _COMMIT:
            return self._commits.near(text)
        return tuple(dict.fromkeys((*self._commits.near(text), *self._digests.near(text))))

    def origin(self, text: str) -> str:
        """Where an identity, or one that begins with the text, is named."""
        if text not in self._places:
            text = self._all[bisect_left(self._all, text)]
        source, line = self._places[text]
        if not line:
            return source
        pointer = self._tree(source).get(text)
        return f"{source}:{line}" if pointer is None else f"{source}#{pointer}"

    def _of(self, length: int) -> Iterator[str]:
        return (text for text in self._all if len(text) == length)

    def _tree(self, file: str) -> Mapping[str, str]:
        if file not in self._pointers:
            document = self._data.document(file) if suffix(file) in _TREES else None
            self._pointers[file] = {} if isinstance(document, Absent) else pointers(document)
        return self._pointers[file]


def known_identities(
    data: DataFiles,
    digests: Mapping[str, str],
    names: Collection[str],
    *,
    documents: Collection[str] = (),
) -> KnownIdentities:
    """What a bundle or folder names: SHA-256 digests, commit ids and files.

    Args:
        data: files to look through: JSON, JSONL, TOML, CSV, TSV, logs and other plain text.
        digests: hex SHA-256 of each file, by its path; may be empty.
        names: paths of all files.
        documents: paths of files that are being judged; claims files, Markdown, HTML and
            reStructuredText are never looked through.
    """
    return KnownIdentities(data=data, digests=digests, names=names, documents=documents)
