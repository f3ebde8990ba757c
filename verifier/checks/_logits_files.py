"""One window with raw logits: the size that its files need, and what is compared with them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from verifier.model.basis import Basis
from verifier.model.bundle import Arm, WindowScore
from verifier.model.column import Arrays
from verifier.model.comparison import Comparison, Gap
from verifier.raw_files import RawFiles

Blocks = Iterator[tuple[NDArray[Any] | None, NDArray[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWindow:
    """One window with raw logits: its score file and the arrays in it that can be compared."""

    arm: Arm
    window: WindowScore
    raw: str
    rows: str
    arrays: Arrays


def size_of(files: RawFiles, window: WindowScore, raw: str) -> Comparison | Gap:
    """Compare the size of a raw file with what its rows need."""
    try:
        row = files.row_bytes
    except ValueError as error:
        return Gap(location=raw, reason=str(error), concern="not-recomputable")
    return Comparison(
        location=raw,
        expected=window.predicted_rows * row,
        actual=files.size(raw),
        basis=Basis.SPEC,
        how=f"size in bytes; {window.predicted_rows} rows of {row} bytes are expected",
        message="The raw file does not hold one row of logits per predicted row.",
    )


def no_teacher(files: RawFiles, held: RawWindow) -> Gap:
    """What cannot be compared without the teacher's logits."""
    return Gap(
        location=held.raw,
        reason=f"{files.no_teacher(held.arm, held.window)}, "
        "so only what the student's logits give alone was compared",
        concern="not-recomputable",
    )


def blocks(files: RawFiles, raw: str, teacher: str | None) -> Blocks:
    """Blocks of the same rows of both files, teacher first; None for a teacher that is not there.

    Raises:
        ValueError: a file cannot be read, ends within a row or changes meanwhile.
    """
    if teacher is None:
        for (student,) in files.blocks((raw,)):
            yield None, student
    else:
        for both in files.blocks((teacher, raw)):
            yield both[0], both[1]
