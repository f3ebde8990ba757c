"""Digests, commit ids and file names that a document names."""

import re
from typing import Literal, NamedTuple

from verifier.claims._spans import DATA_SUFFIXES, Cover, file_names, urls
from verifier.model.claim import Identity
from verifier.model.document import Block, Document

_SHA256, _COMMIT, _FEWEST = 64, 40, 7
"""Hex digits of a digest, of a commit id, and of the shortest abbreviation."""

_HEX = re.compile(
    r"(?<![\w-])([0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12})(?!\w)"
    r"|(?:(?<![\w.])|(?<=[Cc]ommit))(?=[0-9A-Fa-f]{7})([0-9A-Fa-f]++)(?!\w)"
)
_LETTER = re.compile(r"[A-Za-z]")
_EXPONENT = re.compile(r"[0-9]+[eE](?:[0-9]{1,3})?$")
_CALLED_SHA256 = re.compile(r"sha-?256[:=-]\s?$", re.IGNORECASE)
_CALLED_COMMIT = re.compile(r"(?:@|\bcommit(?:[ :/]|\sid\s)?\s?)$", re.IGNORECASE)
_CALL = 12
"""Characters before hex digits that can say what they are."""

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FRAGMENT = re.compile(r"[?#]")
_DATA_FILE = re.compile(
    rf".+\.(?:{'|'.join(DATA_SUFFIXES)})|SHA(?:256|512)SUMS?", re.IGNORECASE | re.DOTALL
)


class HexRun(NamedTuple):
    """Hex digits that are no number.

    Attributes:
        start: first digit.
        end: one past the last.
        kind: ``sha256`` or ``commit``; "" for a digest or id of another kind.
    """

    start: int
    end: int
    kind: Literal["sha256", "commit", ""]


def identities(document: Document) -> tuple[Identity, ...]:
    """Everything in a document that names a digest, a commit or a data file.

    Visible addresses are left out: they speak of other places. Blocks of code count for whole
    digests and commit ids only, since commands name files that do not exist yet. A file stands
    as text, or as the relative target of a link, whose text is then its place.

    Args:
        document: as a reader gives it.

    Returns:
        In the order of the document, without overlaps. An abbreviated digest (``sha256:c12159``)
        is of kind ``sha256`` and has fewer than 64 digits.
    """
    found: list[Identity] = []
    for index, block in enumerate(document.blocks):
        # Most cells are numbers, and no name is without a letter.
        if block.marks or _LETTER.search(block.text):
            found.extend(_of_block(index, block))
    return tuple(found)


def hex_runs(text: str) -> list[HexRun]:
    """Digests, commit ids and UUIDs of a text, in order.

    Seven hex digits or more with a letter and a digit among them; numbers such as ``1234567e-05``
    are none, and neither is ``BCa20000``.
    """
    found: list[HexRun] = []
    if len(text) < _FEWEST:
        return found
    for match in _HEX.finditer(text):
        start, end = match.span()
        if match[1]:
            found.append(HexRun(start, end, ""))
            continue
        digits = match[2]
        if digits.isdigit() or digits.isalpha():
            continue
        before = text[max(0, start - _CALL) : start]
        if _is_odd(digits) and not _CALLED_COMMIT.search(before):
            continue
        found.append(HexRun(start, end, _kind(digits, before, text[start - 1 : start])))
    return found


def _is_odd(digits: str) -> bool:
    """Whether hex digits are a number with an exponent, or letters that no program mixes so."""
    mixed = len(digits) < _COMMIT and digits not in {digits.lower(), digits.upper()}
    return mixed or _EXPONENT.match(digits) is not None


def _kind(digits: str, before: str, last: str) -> Literal["sha256", "commit", ""]:
    length = len(digits)
    if length == _SHA256 or (length < _SHA256 and _CALLED_SHA256.search(before)):
        return "sha256"
    if length == _COMMIT:
        return "commit"
    alone = last != "-" and digits == digits.lower()
    return "commit" if length < _COMMIT and alone else ""


def _of_block(index: int, block: Block) -> list[Identity]:
    text = block.text
    if block.kind == "code":
        return [
            Identity(block=index, start=start, end=end, kind=kind, text=text[start:end])
            for start, end, kind in hex_runs(text)
            if kind and end - start >= _COMMIT
        ]
    names: list[Identity] = [
        Identity(block=index, start=start, end=end, kind="file", text=text[start:end])
        for start, end, data in file_names(block)
        if data
    ]
    taken = Cover((name.start, name.end) for name in names)
    outside = Cover(urls(block))
    found = names + [
        Identity(block=index, start=start, end=end, kind=kind, text=text[start:end])
        for start, end, kind in hex_runs(text)
        if kind and start not in taken
    ]
    found = [identity for identity in found if identity.start not in outside]
    found.sort(key=_start)
    return _with_targets(index, block, found) if block.marks else found


def _with_targets(index: int, block: Block, found: list[Identity]) -> list[Identity]:
    """Add the files that links lead to, where the text of the link names nothing else."""
    kept: list[Identity] = []
    rest = iter(found)
    upcoming = next(rest, None)
    reach = 0
    for mark in block.marks:
        path = _file_path(mark.value) if mark.kind == "link" else ""
        if not path or mark.start < reach or mark.start == mark.end:
            continue
        reach = mark.end
        while upcoming and upcoming.start < mark.start:
            kept.append(upcoming)
            upcoming = next(rest, None)
        under = []
        while upcoming and upcoming.start < mark.end:
            under.append(upcoming)
            upcoming = next(rest, None)
        last = path.rpartition("/")[2]
        if all(identity.text.rpartition("/")[2] == last for identity in under):
            under = [Identity(block=index, start=mark.start, end=mark.end, kind="file", text=path)]
        kept.extend(under)
    while upcoming:
        kept.append(upcoming)
        upcoming = next(rest, None)
    return kept


def _file_path(target: str) -> str:
    """The relative path of a data file that a link leads to, "" for any other target."""
    path = _FRAGMENT.split(target, maxsplit=1)[0]
    name = path.rpartition("/")[2]
    if path.startswith("//") or _SCHEME.match(path):
        return ""
    return path if _DATA_FILE.fullmatch(name) else ""


def _start(identity: Identity) -> int:
    return identity.start
