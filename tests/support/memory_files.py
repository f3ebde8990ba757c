"""Files of a bundle or folder that lie in memory."""

from collections.abc import Collection, Mapping

from verifier.claims.data import DataFiles


class MemoryFiles:
    """Implements ``verifier.claims.data.Files``; ``reads`` lists what was asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.reads: list[str] = []

    def read(self, path: str) -> bytes | None:
        self.reads.append(path)
        return self.files.get(path)

    def names(self) -> Collection[str]:
        return self.files.keys()


def data_files(files: Mapping[str, str | bytes]) -> DataFiles:
    """Data files with these contents, texts in UTF-8."""
    coded = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
    return DataFiles(MemoryFiles(coded))
