"""Time whole processes as users run them: with compiled bytecode at hand."""

import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter

Command = Sequence[str]


class Timer:
    """Times commands that share a folder of bytecode; the first run of each fills it.

    An installed package brings its bytecode. A checkout may be told to write none, and would then
    compile itself in every run.
    """

    def __init__(self, folder: str) -> None:
        self._environment = {
            **{name: value for name, value in os.environ.items() if name != _NO_BYTECODE},
            "PYTHONPYCACHEPREFIX": folder,
        }

    def seconds(self, command: Command) -> float:
        """Wall time of one run.

        Raises:
            subprocess.CalledProcessError: the command failed, so its time says nothing.
        """
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=self._environment)
        return perf_counter() - start


_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


@contextmanager
def timer(*commands: Command) -> Iterator[Timer]:
    """A timer that has run each command once."""
    with tempfile.TemporaryDirectory() as folder:
        made = Timer(folder)
        for command in commands:
            made.seconds(command)
        yield made
