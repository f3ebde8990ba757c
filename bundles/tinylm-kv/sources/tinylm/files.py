"""The folder that a capture writes and its analysis reads; the one place that touches files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path  # noqa: TID251 - a capture writes files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


class Folder:
    """A bundle's folder.

    Args:
        root: Where it lies; made when it is not there.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root)

    def write(self, path: str, data: bytes) -> str:
        """Write a file below the folder; returns its SHA-256 in hex."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return hashlib.sha256(data).hexdigest()

    def write_json(self, path: str, document: Any) -> str:
        """Write a JSON document, numbers with all their digits; returns its SHA-256 in hex."""
        return self.write(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        return (self.root / path).read_bytes()

    def read_json(self, path: str) -> Any:
        """A JSON document."""
        return json.loads(self.read(path))

    def remove(self, path: str) -> None:
        """Delete a file, and its folder when nothing is left in it."""
        target = self.root / path
        target.unlink()
        if not any(target.parent.iterdir()):
            target.parent.rmdir()

    def below(self, path: str) -> list[str]:
        """Every file below a folder, in order."""
        found = (self.root / path).rglob("*")
        return sorted(file.relative_to(self.root).as_posix() for file in found if file.is_file())

    def occupied(self) -> bool:
        """Whether something lies in the folder already."""
        return self.root.exists() and any(self.root.iterdir())


def own_sources() -> Iterable[tuple[str, bytes]]:
    """Name and bytes of every module that made the measurement, and of the weights."""
    here = Path(__file__).parent
    for path in sorted((*here.rglob("*.py"), *here.glob("*.npz"))):
        yield path.relative_to(here).as_posix(), path.read_bytes()
