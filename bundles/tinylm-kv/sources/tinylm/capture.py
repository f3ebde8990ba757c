"""Measure the model and seal the result: ``python -m examples.tinylm.capture OUTPUT``.

``python -m examples.tinylm.capture --republish BUNDLE`` measures nothing: it computes the figures
of a captured bundle again from its rows, after a change of the analysis, and seals it anew.

Every arm reads every window by true decode with forced tokens, behind a prefix cache that is reset
between windows, so that its hit counter has to stay at zero; scrapes before and after each window
show it. Raw logits go to files, are scored in FP64 against the teacher's, and are deleted, except
those of one window. About ten minutes on one core; set ``OMP_NUM_THREADS=1`` and
``OPENBLAS_NUM_THREADS=1``, so that passes are byte-identical.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from examples.tinylm import figures, manifest, panels, records
from examples.tinylm.arms import ARMS, Arm
from examples.tinylm.files import Folder
from examples.tinylm.model import load_weights
from examples.tinylm.server import Server
from verifier import pipeline

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from examples.tinylm.attention import SumOrder
    from examples.tinylm.model import Weights
    from examples.tinylm.panels import Window

ROWS: Final = 65
"""Rows of natural and generated windows, the prefill row included."""

_USAGE: Final = """\
usage: python -m examples.tinylm.capture OUTPUT
       python -m examples.tinylm.capture --republish BUNDLE
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """What is measured.

    Attributes:
        weights: The model.
        windows: The panel in manifest order.
        arms: The first one is the teacher.
        kept: The window whose raw logits stay.
    """

    weights: Weights
    windows: tuple[Window, ...]
    kept: str
    arms: tuple[Arm, ...] = ARMS


def capture(folder: Folder, study: Study, say: Callable[[str], None]) -> None:
    """Run, score, retire, analyse and seal.

    Args:
        folder: An empty one.
        study: What to measure.
        say: Takes a line of progress.
    """
    for window in study.windows:
        folder.write(f"inputs/{window.id}.tokens.npy", records.token_file(window))
    for arm in study.arms:
        started = time.monotonic()
        serve(folder, study, arm)
        say(f"{arm.name}: {len(study.windows)} windows in {time.monotonic() - started:.0f} s")
    say(f"{publish(folder, study)} figures")


def publish(folder: Folder, study: Study) -> int:
    """Score and retire the raw files of every arm, analyse and seal; returns how many figures."""
    for arm in study.arms:
        records.score_arm(folder, arm, study.windows, teacher=study.arms[0].name, now=now)
    for arm in study.arms:
        records.retire(folder, arm, study.windows, kept=study.kept, now=now)
    manifest.write(folder, study.arms, study.windows, kept=study.kept, created=now())
    return _analyse(folder)


def republish(folder: Folder) -> int:
    """Figures, recipes and scripts of a captured bundle anew, from its rows; returns how many.

    Args:
        folder: A captured bundle.

    Raises:
        ValueError: If a file that made the rows is another one today.
    """
    manifest.renew(folder)
    return _analyse(folder)


def _analyse(folder: Folder) -> int:
    published = figures.write(folder)
    pipeline.seal_folder(folder.root, now=now(), jobs=1)
    return published


def serve(folder: Folder, study: Study, arm: Arm) -> None:
    """One run of one arm: raw logits, counters and the log of every window."""
    orders = dict.fromkeys(arm.order(len(window.tokens)) for window in study.windows)
    servers = {
        order: Server(study.weights, precision=arm.precision, order=order) for order in orders
    }
    log = [_log(f"server {_words(order)}, {arm.precision} KV cache up") for order in orders]
    for window in study.windows:
        order = arm.order(len(window.tokens))
        server = servers[order]
        server.reset_prefix_cache()
        scrape = f"arms/{arm.name}/counters/{window.id}"
        folder.write(f"{scrape}.before.prom", server.expose().encode())
        rows = server.forced(window.prompt, window.continuation)
        folder.write(f"{scrape}.after.prom", server.expose().encode())
        folder.write(records.raw_path(arm, window), rows.astype("<f4").tobytes())
        log.append(_log(f"server {_words(order)}: {window.id}, {len(rows)} rows"))
    folder.write(f"arms/{arm.name}/startup.log", "".join(log).encode())


def now() -> str:
    """The time in UTC, as RFC 3339 writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _log(line: str) -> str:
    return f"{now()} {line}\n"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _words(order: SumOrder) -> str:
    direction = ", last span first" if order.reverse else ""
    return f"splits={order.splits}{direction}"


def main(arguments: Sequence[str]) -> int:
    """Measure the committed model over the whole panel, or publish the figures of a bundle anew."""
    match arguments:
        case ["--republish", path]:
            return _republished(path)
        case [path] if not path.startswith("-"):
            return _measured(path)
    sys.stderr.write(_USAGE)
    return 2


def _republished(path: str) -> int:
    folder = Folder(path)
    if not (folder.root / "bundle.json").is_file():
        sys.stderr.write(f"{path}: no bundle.json; name the folder of a capture\n")
        return 2
    try:
        _say(f"{republish(folder)} figures")
    except ValueError as problem:
        sys.stderr.write(f"{path}: {problem}\n")
        return 2
    return 0


def _measured(path: str) -> int:
    folder = Folder(path)
    if folder.occupied():
        sys.stderr.write(f"{path}: not empty; name a new folder\n")
        return 2
    weights = load_weights()
    teacher = Server(weights)

    def greedy(prompt: bytes, count: int) -> bytes:
        return teacher.greedy(prompt, count, prefix_caching=False)

    windows = panels.all_windows(ROWS, greedy)
    study = Study(weights=weights, windows=windows, kept=windows[0].id)
    capture(folder, study, _say)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
