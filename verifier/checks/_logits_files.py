"""Files of raw logits: which one is the teacher's, how long they are, and their rows."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, WindowScore
from verifier.model.comparison import Comparison, Gap
from verifier.model.plugin import Case
from verifier.numerics.logit_bytes import row_bytes

Arrays = Mapping[str, NDArray[Any]]
Blocks = Iterator[tuple[NDArray[Any] | None, NDArray[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawWindow:
    """One window with raw logits: its score file and the arrays in it that can be compared."""

    arm: Arm
    window: WindowScore
    raw: str
    rows: str
    arrays: Arrays


def size_of(bundle: Bundle, window: WindowScore, raw: str) -> Comparison | Gap:
    """Compare the size of a raw file with what its rows need."""
    protocol = bundle.protocol
    if protocol.vocabulary is None:
        reason = "the record states no vocabulary, so rows of raw logits cannot be told apart"
        return Gap(location=raw, reason=reason, concern="not-recomputable")
    try:
        row = row_bytes(protocol.vocabulary, protocol.logits_dtype)
    except ValueError as error:
        reason = f"raw logits cannot be read: {error}"
        return Gap(location=raw, reason=reason, concern="not-recomputable")
    return Comparison(
        location=raw,
        expected=window.predicted_rows * row,
        actual=bundle.members[raw].size,
        basis=Basis.SPEC,
        how=f"size in bytes; {window.predicted_rows} rows of {row} bytes are expected",
        message="The raw file does not hold one row of logits per predicted row.",
    )


def _teacher_hash(bundle: Bundle, held: RawWindow) -> str | None:
    """The teacher hash of a window, from the window, its receipt or the panel."""
    named = [held.window.teacher]
    named += [item.teacher for item in held.arm.receipts if item.window == held.window.window]
    named += [entry.teacher for entry in bundle.panel if entry.id == held.window.window]
    return next((found.value for found in named if found is not None), None)


def teacher_file(bundle: Bundle, held: RawWindow) -> str | None:
    """Path of the retained raw file whose bytes are the teacher's logits of the window."""
    wanted = _teacher_hash(bundle, held)
    for arm in bundle.arms:
        for window in arm.windows:
            if window.window != held.window.window or window.raw_path is None:
                continue
            member = bundle.members.get(window.raw_path)
            if member is not None and member.sha256 and member.sha256 == wanted:
                return window.raw_path
    return None


def no_teacher(bundle: Bundle, held: RawWindow) -> Gap:
    """What cannot be compared without the teacher's logits."""
    wanted = _teacher_hash(bundle, held)
    which = (
        "no teacher hash is recorded" if wanted is None else f"no raw file with SHA-256 {wanted}"
    )
    return Gap(
        location=held.raw,
        reason=f"the teacher's logits of window {held.window.window} are not retained ({which}), "
        "so only what the student's logits give alone was compared",
        concern="not-recomputable",
    )


def blocks(case: Case, raw: str, teacher: str | None) -> Blocks:
    """Blocks of the same rows of both files, teacher first; None for a teacher that is not there.

    Raises:
        ValueError: a file cannot be read, ends within a row or changes meanwhile.
    """
    students = _read(case, raw)
    if teacher is None:
        for block in students:
            yield None, block
    elif teacher == raw:
        for block in students:
            yield block, block
    else:
        yield from zip(_read(case, teacher), students, strict=True)


def _read(case: Case, path: str) -> Iterator[NDArray[Any]]:
    protocol = case.bundle.protocol
    found = case.rows.logits(path, vocabulary=protocol.vocabulary or 0, dtype=protocol.logits_dtype)
    if found is None:
        message = f"{path} cannot be read"
        raise ValueError(message)
    return found
