"""The raw logits that a column is derived from."""

from collections.abc import Sequence
from typing import Final

from verifier.measures.lacking import lacking
from verifier.measures.operands import Run
from verifier.measures.work import Work
from verifier.model.bundle import WindowScore
from verifier.model.column import LogitSide
from verifier.raw_files import Blocks

LOGITS_PER_STEP: Final = 8
"""Raw logits that are read and reduced in the time of one step."""


def logits_of(run: Run, window: str, sides: Sequence[LogitSide], work: Work) -> Blocks:
    """Blocks (rows, vocabulary) of a window's raw logits, one array for each side.

    Raises:
        LackingError: a file is not retained or has another size, or too few steps are left. The
            blocks raise ValueError where a file cannot be read to its end.
    """
    score = run.rows_in(window)
    files = run.side.raw
    paths = [_path(run, score, side) for side in sides]
    try:
        expected = score.predicted_rows * files.row_bytes
    except ValueError as error:
        message = f"{score.location}: {error}"
        raise lacking(message) from error
    for path in paths:
        if files.size(path) != expected:
            message = (
                f"{path} has {files.size(path)} bytes, not the {expected} of "
                f"{score.predicted_rows} rows"
            )
            raise lacking(message)
    logits = score.predicted_rows * (run.protocol.vocabulary or 0)
    work.spend(len(paths) * logits // LOGITS_PER_STEP)
    return files.blocks(paths)


def _path(run: Run, score: WindowScore, side: LogitSide) -> str:
    files = run.side.raw
    if side == "teacher":
        path = files.teacher(run.arm, score)
        if path is None:
            message = f"{score.location}: {files.no_teacher(run.arm, score)}"
            raise lacking(message)
        return path
    if score.raw_path is None:
        which = "" if score.raw is None else f" (SHA-256 {score.raw.value})"
        message = f"{score.location}: the raw logits are not retained{which}"
        raise lacking(message)
    if not files.sha256(score.raw_path):
        message = f"{score.raw_path} is not there, or no regular file"
        raise lacking(message)
    return score.raw_path
