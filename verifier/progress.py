"""A progress bar for long hashing, on a terminal only."""

import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_WORTH_SHOWING = 256 * 1024 * 1024


class Bar:
    """Shows hashing progress while it is entered; silent off a terminal and for small bundles.

    Args:
        stream: where to draw; nothing is ever drawn unless it is a terminal.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def advance(self, done: int, total: int) -> None:
        """Show that ``done`` of ``total`` bytes are hashed; may be called from any thread."""
        if total < _WORTH_SHOWING or not self._stream.isatty():
            return
        with self._lock:
            progress, task = self._started(total)
            progress.update(task, completed=done, total=total)

    def _started(self, total: int) -> tuple["Progress", "TaskID"]:
        if self._progress is None or self._task is None:
            from rich.console import Console  # noqa: PLC0415 - only when a bar is drawn
            from rich.progress import Progress  # noqa: PLC0415 - only when a bar is drawn

            self._progress = Progress(console=Console(file=self._stream), transient=True)
            self._task = self._progress.add_task("hashing", total=total)
            self._progress.start()
        return self._progress, self._task
