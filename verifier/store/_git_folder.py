"""Where a checkout keeps its repository, and which commit it has checked out.

These are a handful of short text files. They are read here rather than by a library, because one
that came with a bundle may be a pipe, include other files, or name itself.
"""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC

_MOST_TEXT = 4096
_MOST_PACKED_REFS = 16 * 1024 * 1024
_MOST_LINKS = 5
_MOST_BORROWED = 16

_COMMIT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"ref: *(refs/[^\s]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A working tree and its repository.

    Attributes:
        root: the real path of the folder that holds ``.git``.
        git: what belongs to this working tree alone, such as ``HEAD``.
        common: what all working trees of the repository share; usually ``git``.
    """

    root: Path
    git: Path
    common: Path


def find_checkout(folder: Path) -> Checkout | None:
    """The innermost checkout that holds a folder; None outside git.

    Args:
        folder: any path; links are followed.
    """
    real = Path(os.path.realpath(folder))
    for root in (real, *real.parents):
        git = root / ".git"
        if os.path.lexists(git):
            return _opened(root, git)
    return None


def head(checkout: Checkout) -> str:
    """Id in hex of the commit that is checked out; "" without one, as in a new repository."""
    name = "HEAD"
    for _ in range(_MOST_LINKS):
        folder = checkout.git if name == "HEAD" else checkout.common
        text = _text(folder / name, _MOST_TEXT).strip() or _packed(checkout.common, name)
        if _COMMIT_ID.fullmatch(text):
            return text
        link = _REF.fullmatch(text)
        if link is None or ".." in text:
            return ""
        name = link[1]
    return ""


def object_folders(checkout: Checkout) -> list[Path]:
    """Where its objects lie: its own folder, and those that it borrows from, one step away."""
    own = checkout.common / "objects"
    borrowed = _text(own / "info" / "alternates", _MOST_TEXT).split("\n")
    named = [own / line for line in borrowed if line and not line.startswith("#")]
    return [own, *named[:_MOST_BORROWED]]


def _opened(root: Path, git: Path) -> Checkout | None:
    if not git.is_dir():
        prefix, _, target = _text(git, _MOST_TEXT).partition(": ")
        if prefix != "gitdir":
            return None
        git = root / target.rstrip("\r\n")
    shared = _text(git / "commondir", _MOST_TEXT).strip()
    return Checkout(root=root, git=git, common=git / shared if shared else git)


def _packed(common: Path, name: str) -> str:
    """The commit of a branch that has no file of its own."""
    suffix = f" {name}"
    lines = _text(common / "packed-refs", _MOST_PACKED_REFS).split("\n")
    return next((line.removesuffix(suffix) for line in lines if line.endswith(suffix)), "")


def _text(path: Path, most: int) -> str:
    """A short text file; "" when there is none, or it is long, no file, or not UTF-8."""
    with suppress(OSError, ValueError):
        handle = os.open(path, _READ)
        try:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                data = os.read(handle, most + 1)
                return data.decode() if len(data) <= most else ""
        finally:
            os.close(handle)
    return ""
