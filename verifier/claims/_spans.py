"""Stretches of a text that are addresses, paths or names of files, whatever digits they hold."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from verifier.model.document import Block, MarkKind

Span = tuple[int, int]
"""First character and one past the last."""

DATA_SUFFIXES = (
    *("json", "jsonl", "ndjson", "csv", "tsv", "toml", "npz", "npy", "prom", "txt", "log", "md"),
    *("yaml", "yml", "rst", "sha256", "sha512", "parquet", "gz", "zst", "xz", "tar", "tgz", "zip"),
)
"""Endings of data and text files, which a bundle can hold."""

_OTHER_SUFFIXES = (
    *("py", "pyi", "sh", "c", "h", "cc", "cpp", "hpp", "cu", "cuh", "rs", "go", "js", "mjs", "ts"),
    *("ipynb", "safetensors", "gguf", "bin", "pt", "pth", "so", "whl", "png", "svg", "jpg", "jpeg"),
    *("gif", "pdf", "html", "htm", "tex", "xml", "conf", "cfg", "ini", "lock", "patch", "diff"),
    *("sqlite", "db", "sig", "pub"),
)
_SUFFIX = re.compile(
    rf"\.(?:({'|'.join(DATA_SUFFIXES)})|{'|'.join(_OTHER_SUFFIXES)})(?![\w(])", re.IGNORECASE
)
_SUMS = re.compile(r"(?<![\w/.-])(?:[\w.-]*+/)?SHA(?:256|512)SUMS?(?![\w:]|\.\w)")
_POSITION = re.compile(r"(?::[0-9]++){1,2}")
_STEM_MARKS = frozenset("._+@~/-")
_LOGARITHM = frozenset({"np", "numpy", "math", "torch", "jnp", "cmath"})

_URL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]{1,15}://|www\.|mailto:)[^\s<>\"'`|()\[\]{}]+")
_PATH = re.compile(
    r"(?<![\w./~@-])(?:"
    r"(?:~|\.{1,2})/[\w.+@~/-]++"
    r"|/(?=[A-Za-z_.~])[\w.+@~/-]++"
    # With a small letter in its first folder, unlike "TP4/EP4/DCP4".
    r"|(?=[A-Z0-9_.+@-]*+[a-z])[A-Za-z_][\w.+@-]*+/(?:[\w.+@-]++/[\w.+@~/-]*+|(?![\w.+@-]))"
    r")"
)


class Cover:
    """Stretches of a text taken together, to ask which characters lie in one of them."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, spans: Iterable[Span]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(spans):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, position: int) -> bool:
        """Whether the character at a position is covered."""
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]


class FileName(NamedTuple):
    """A file that a text names.

    Attributes:
        start: first character of the name, folders included.
        end: one past the last.
        data: whether a bundle can hold such a file.
    """

    start: int
    end: int
    data: bool


def marked(block: Block, kind: MarkKind) -> list[Span]:
    """The stretches under marks of a kind, in order, those inside others left out."""
    found: list[Span] = []
    reach = 0
    for mark in block.marks:
        if mark.kind == kind and mark.end > reach:
            found.append((max(mark.start, reach), mark.end))
            reach = mark.end
    return found


def urls(block: Block) -> list[Span]:
    """Addresses that show as themselves, marked or not; they can overlap."""
    found = marked(block, "url") if block.marks else []
    text = block.text
    if "://" in text or "www." in text or "mailto:" in text:
        found.extend(match.span() for match in _URL.finditer(text))
    return found


def paths(text: str) -> list[Span]:
    """Paths: with folders at both ends or a root before them, unlike ``TP4/DCP4``."""
    return [match.span() for match in _PATH.finditer(text)] if "/" in text else []


def file_names(block: Block) -> list[FileName]:
    """Names of files with an ending that is known, in order, without overlaps."""
    text = block.text
    found: list[FileName] = []
    if "." in text:
        starts = {start for start, _ in marked(block, "code")} if block.marks else set()
        for match in _SUFFIX.finditer(text):
            _add(found, text, match, starts)
    if "SHA" in text:
        found.extend(FileName(*match.span(), data=True) for match in _SUMS.finditer(text))
        found.sort()
    return found


def position_end(text: str, end: int) -> int:
    """One past a line and column behind a file name (``kernel.cu:12:5``)."""
    match = _POSITION.match(text, end)
    return match.end() if match else end


def _add(found: list[FileName], text: str, match: re.Match[str], starts: set[int]) -> None:
    last = found[-1].end if found else 0
    if found and last == match.start():
        # ``rows.json.gz`` has two endings.
        found[-1] = FileName(found[-1].start, match.end(), data=bool(match[1]))
        return
    start = match.start()
    while start > last and start not in starts:
        before = text[start - 1]
        if not (before.isalnum() or before in _STEM_MARKS):
            break
        start -= 1
    stem = text[start : match.start()]
    trimmed = stem.lstrip("-+@/" if start and start == last else "-+@")
    start += len(stem) - len(trimmed)
    if not trimmed or not (trimmed[-1].isalnum() or trimmed[-1] in "_-+"):
        return
    if match[0] == ".log" and trimmed in _LOGARITHM:
        return
    found.append(FileName(start, match.end(), data=bool(match[1])))
