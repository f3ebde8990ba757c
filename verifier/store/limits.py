"""How much of a hostile bundle the store is willing to look at."""

from dataclasses import dataclass

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds on one bundle; crossing any of them is a ``StoreError``, never a partial look.

    Attributes:
        entries: most files and folders.
        depth: most folders between the root and a file.
        total_bytes: most bytes in all regular files together; sparse files count in full.
        read_bytes: longest file that is read into memory. JSON records have a tighter limit of
            their own (``verifier.jsontext.MAX_BYTES``); score files need this one.
    """

    entries: int = 100_000
    depth: int = 32
    total_bytes: int = 1024**4
    read_bytes: int = 256 * MEBIBYTE


DEFAULT = Limits()
