"""Which names a bundle may use: those that every machine and every terminal shows as one name."""

import unicodedata

from verifier.errors import StoreError

_REFUSED_CATEGORIES = frozenset({"Cc", "Zl", "Zp"})
_REORDERING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def shown(path: str) -> str:
    r"""A path as one printable line: what cannot be printed becomes an escape such as ``\x0a``."""
    return "".join(char if char.isprintable() else _escaped(char) for char in path)


def refuse_unsafe(path: str) -> None:
    """Refuse a name that does not survive being stored, listed or printed.

    Args:
        path: as the operating system gives it, with undecodable bytes as lone surrogates.

    Raises:
        StoreError: not UTF-8, control characters, line separators, or characters that reorder
            the text around them.
    """
    if path.isascii() and path.isprintable():
        return
    if any("\ud800" <= char <= "\udfff" for char in path):
        message = f"{shown(path)}: the name is not UTF-8"
        raise StoreError(message, hint="Rename the file with a UTF-8 name and seal again.")
    if any(
        unicodedata.category(char) in _REFUSED_CATEGORIES
        or unicodedata.bidirectional(char) in _REORDERING
        for char in path
    ):
        message = f"{path!a}: the name holds control characters"
        raise StoreError(message, hint="Rename the file to printable characters and seal again.")


def refuse_twin(name: str, seen: dict[str, str], *, folder: str) -> None:
    """Refuse two names in one folder that some file systems take for one.

    Args:
        name: the next name of the folder.
        seen: names so far by their folded form; ``name`` is added.
        folder: where they lie, "" for the root, for the message.

    Raises:
        StoreError: an earlier name differs only in case or in Unicode normalisation.
    """
    folded = _folded(name)
    twin = seen.setdefault(folded, name)
    if twin == name:
        return
    same_normalised = unicodedata.normalize("NFC", twin) == unicodedata.normalize("NFC", name)
    difference = "Unicode normalisation" if same_normalised else "letter case"
    first, second = sorted((twin, name))
    message = (
        f"{shown(folder) or 'the root folder'}: the names {first!a} and {second!a} "
        f"differ only in {difference}"
    )
    raise StoreError(message, hint="Keep one of the two: other systems cannot hold both.")


def _folded(name: str) -> str:
    """Unicode's canonical caseless form (definition D145 of the Unicode Standard)."""
    if name.isascii():
        return name.lower()
    decomposed = unicodedata.normalize("NFD", name).casefold()
    return unicodedata.normalize("NFD", decomposed)


def _escaped(char: str) -> str:
    code = ord(char)
    # The operating system layer hides byte 0xNN of a bad name as U+DCNN.
    if 0xDC80 <= code <= 0xDCFF:  # noqa: PLR2004 - the range of those surrogates
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or code == 0x7F:  # noqa: PLR2004 - the ASCII control characters
        return f"\\x{code:02x}"
    return char.encode("unicode_escape").decode("ascii")
