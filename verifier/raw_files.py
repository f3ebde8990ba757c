"""Files of raw logits in a bundle: which one is the teacher's, how long they are, their rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from verifier.model.bundle import Arm, Bundle, WindowScore
from verifier.model.plugin import Rows
from verifier.numerics.logit_bytes import row_bytes

Blocks = Iterator[tuple[NDArray[Any], ...]]


class RawFiles:
    """Finds and reads the raw logits that one bundle retains.

    Args:
        bundle: what its records say.
        rows: its files.
    """

    def __init__(self, bundle: Bundle, rows: Rows) -> None:
        self._bundle = bundle
        self._rows = rows
        self._panel = {
            entry.id: entry.teacher.value for entry in bundle.panel if entry.teacher is not None
        }
        self._receipts: dict[tuple[str, str, str], str] = {}
        self._paths: dict[tuple[str, str], str] = {}
        for arm in bundle.arms:
            for receipt in arm.receipts:
                key = (arm.id, arm.location, receipt.window)
                self._receipts.setdefault(key, receipt.teacher.value)
            for window in arm.windows:
                sha256 = self.sha256(window.raw_path)
                if window.raw_path is not None and sha256:
                    self._paths.setdefault((window.window, sha256), window.raw_path)

    def sha256(self, path: str | None) -> str:
        """The hash of a file as it lies there; "" where there is none, or no regular one."""
        member = None if path is None else self._bundle.members.get(path)
        return "" if member is None else member.sha256

    def teacher_hash(self, arm: Arm, window: WindowScore) -> str | None:
        """The teacher hash of a window, from the window, its receipt or the panel."""
        if window.teacher is not None:
            return window.teacher.value
        receipt = self._receipts.get((arm.id, arm.location, window.window))
        return self._panel.get(window.window) if receipt is None else receipt

    def teacher(self, arm: Arm, window: WindowScore) -> str | None:
        """Path of the retained raw file, of any arm, whose bytes are the window's teacher logits.

        None where no such file is retained, or no hash tells which one it is.
        """
        return self._paths.get((window.window, self.teacher_hash(arm, window) or ""))

    def no_teacher(self, arm: Arm, window: WindowScore) -> str:
        """What is missing where ``teacher`` finds nothing, as a clause."""
        wanted = self.teacher_hash(arm, window)
        which = (
            "no teacher hash is recorded"
            if wanted is None
            else f"no raw file with SHA-256 {wanted}"
        )
        return f"the teacher's logits of window {window.window} are not retained ({which})"

    @property
    def row_bytes(self) -> int:
        """Bytes of one row of any raw file.

        Raises:
            ValueError: the record states no vocabulary, or none that could be read.
        """
        protocol = self._bundle.protocol
        if protocol.vocabulary is None:
            message = "the record states no vocabulary, so rows of raw logits cannot be told apart"
            raise ValueError(message)
        try:
            return row_bytes(protocol.vocabulary, protocol.logits_dtype)
        except ValueError as error:
            message = f"raw logits cannot be read: {error}"
            raise ValueError(message) from error

    def size(self, path: str) -> int:
        """Bytes of a file that is there."""
        return self._bundle.members[path].size

    def blocks(self, paths: Sequence[str]) -> Blocks:
        """Blocks (rows, vocabulary) of the same rows of files of one size, one array for each path.

        A file that is named twice is read once.

        Raises:
            ValueError: while blocks are taken: a file cannot be read, ends within a row or changes.
        """
        places = {path: place for place, path in enumerate(dict.fromkeys(paths))}
        for found in zip(*(self._read(path) for path in places), strict=True):
            yield tuple(found[places[path]] for path in paths)

    def _read(self, path: str) -> Iterator[NDArray[Any]]:
        protocol = self._bundle.protocol
        found = self._rows.logits(
            path, vocabulary=protocol.vocabulary or 0, dtype=protocol.logits_dtype
        )
        if found is None:
            message = f"{path} cannot be read"
            raise ValueError(message)
        return found
