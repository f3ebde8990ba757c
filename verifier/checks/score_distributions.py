"""Retained scores equal what the retained distributions give.

Compared, for each score file that keeps top-k lists, the length of ids and log probabilities with
each other, and the rows that contradict their own lists: a token listed twice or outside the
vocabulary, log probabilities that do not descend, probabilities that exceed 1 in all or leave more
than the other tokens can make up, none of which is likelier than the last of the list; a top-1
token that is neither the first of the list nor tied with it, a top-1 probability that is not that
of the first; a realised token whose log probability is not the listed one, or above the last of the
list when it is not listed; an entropy below that of the list with everything else as one bucket,
above what that rest adds when the other tokens share it evenly, or above the logarithm of the
vocabulary; and a `kld` below the divergence of the lists. That divergence weighs the
tokens that both lists hold and everything else as one bucket, which is never more than the
divergence over the whole vocabulary, and equal to it when the lists hold the whole vocabulary: then
`kld` has to equal it.

Compared, for each window whose raw logits are retained: the size of the raw file with rows x
vocabulary x bytes per logit, and the rows in which the divergence, an entropy, a top-1 token (any
of several with the largest logit), a top-1 probability, the log probability of the realised token,
a top-k list or the SHA-256 of the row's raw bytes is not what the logits give in FP64. The
teacher's logits are the retained raw file whose SHA-256 is the window's teacher hash. Numbers agree
within 1e-9, absolute or relative. All predicted rows count, excluded ones too; a value that is not
a number is passed over here, because score-arrays counts those on scored rows.

Basis: RECOMPUTED for rows; SPEC for files and sizes. Raw logits whose counterpart is not retained
are a gap: "not-recomputable" for what needs the teacher, "no-evidence" where no rows are kept that
they could be held against.

Why it matters: everything else is recomputed from the scores. This check alone holds the scores
themselves against the distributions that they were computed from.

A mismatch names the array and the first rows. Score the window again; scores in single precision,
with another teacher file or with rows out of step are the usual reasons.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verifier.checks._logits_files import RawWindow, blocks, no_teacher, size_of
from verifier.checks._logits_lists import contradictions
from verifier.checks._logits_raw import differing_rows
from verifier.checks._row_counts import RowCount, no_rows
from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, WindowScore
from verifier.model.column import DIGEST_BYTES, Arrays
from verifier.model.comparison import Comparison, Fact, Gap
from verifier.model.plugin import Case, Check
from verifier.raw_files import RawFiles

_IDS = ("teacher_topk_ids", "student_topk_ids")
_LOGPS = ("teacher_topk_logp", "student_topk_logp")
_TOKENS = ("teacher_top1", "student_top1", "realized_token")
_NUMBERS = (
    "kld",
    "teacher_entropy",
    "student_entropy",
    "teacher_top1_p",
    "student_top1_p",
    "teacher_logp_realized",
    "student_logp_realized",
)
_DIGESTS = "row_sha256"
_KNOWN = frozenset((*_IDS, *_LOGPS, *_TOKENS, *_NUMBERS, _DIGESTS))


def _applies(case: Case) -> str:
    for arm in case.bundle.arms:
        for window in arm.windows:
            if window.raw_path is not None or _has_lists(case, window):
                return ""
    return "neither top-k lists nor raw logits are retained"


def _has_lists(case: Case, window: WindowScore) -> bool:
    path = window.rows_path
    if path is None or path not in case.bundle.members:
        return False
    names = {column.name for column in case.rows.columns(path)}
    return any({ids, logp} <= names for ids, logp in zip(_IDS, _LOGPS, strict=True))


def _run(case: Case) -> Iterable[Fact]:
    files = RawFiles(case.bundle, case.rows)
    for arm in case.bundle.arms:
        for window in arm.windows:
            if _has_lists(case, window):
                yield from _lists(case, window)
            if window.raw_path is not None:
                yield from _logits(case, files, arm, window)


def _lists(case: Case, window: WindowScore) -> Iterator[Fact]:
    path = str(window.rows_path)
    arrays = _arrays(case, window)
    for ids, logp in zip(_IDS, _LOGPS, strict=True):
        if ids in arrays and logp in arrays:
            yield Comparison(
                location=f"{path}#/{logp}",
                expected=arrays[ids].shape[1],
                actual=arrays[logp].shape[1],
                basis=Basis.SPEC,
                how=f"number of tokens that the list has in {ids} and in {logp}",
                message="A list needs a log probability for each of its tokens.",
            )
    for found in contradictions(arrays, case.bundle.protocol.vocabulary):
        count = RowCount()
        count.add(found.rows)
        yield no_rows(
            count, location=f"{path}#/{found.array}", what=found.what, message=found.message
        )


def _arrays(case: Case, window: WindowScore) -> Arrays:
    """The arrays that hold what they should; score-arrays says what is wrong with the others."""
    if window.rows_path is None or window.rows_path not in case.bundle.members:
        return {}
    loaded = case.rows.load(window.rows_path, _KNOWN)
    rows = window.predicted_rows
    return {name: array for name, array in loaded.items() if _is_sound(name, array, rows)}


def _is_sound(name: str, array: NDArray[Any], rows: int) -> bool:
    if name == _DIGESTS:
        return array.nbytes == rows * DIGEST_BYTES and array.shape[:1] == (rows,)
    kind = array.dtype.kind == "i" if name in _IDS or name in _TOKENS else array.dtype == np.float64
    listed = name in _IDS or name in _LOGPS
    shape = array.shape if not listed else array.shape[:1]
    return kind and shape == (rows,) and array.ndim == 1 + listed and array.size > 0


def _logits(case: Case, files: RawFiles, arm: Arm, window: WindowScore) -> Iterator[Fact]:
    raw = str(window.raw_path)
    if raw not in case.bundle.members:
        yield Comparison(
            location=raw,
            expected="present",
            actual=None,
            basis=Basis.SPEC,
            message=f"{window.location} keeps its raw logits here, and the file is not there.",
            concern="missing-member",
            subject=raw,
        )
        return
    arrays = _arrays(case, window)
    if not arrays:
        yield Gap(
            location=raw,
            reason="raw logits are retained, and no rows that they could be held against",
            concern="no-evidence",
        )
        return
    size = size_of(files, window, raw)
    yield size
    if isinstance(size, Gap) or size.expected != size.actual:
        return
    held = RawWindow(arm=arm, window=window, raw=raw, rows=str(window.rows_path), arrays=arrays)
    yield from _against_logits(case, files, held)


def _against_logits(case: Case, files: RawFiles, held: RawWindow) -> Iterator[Fact]:
    teacher = files.teacher(held.arm, held.window)
    compared = dict(held.arrays)
    if teacher is None:
        yield no_teacher(files, held)
        compared = {name: array for name, array in compared.items() if _is_student(name)}
    else:
        size = size_of(files, held.window, teacher)
        if isinstance(size, Gap) or size.expected != size.actual:
            yield size
            return
    try:
        found = blocks(files, held.raw, teacher)
        counts = differing_rows(found, compared, case.bundle.protocol.logits_dtype)
    except ValueError as error:
        yield rule(
            location=held.raw,
            holds=False,
            demand="readable raw logits",
            actual=str(error),
            message="The raw logits cannot be read to their end.",
        )
        return
    for name, count in counts.items():
        yield no_rows(
            count,
            location=f"{held.rows}#/{name}",
            what=f"rows that differ from what {held.raw} gives",
            message="The array is not what the retained raw logits give.",
        )


def _is_student(name: str) -> bool:
    return name.startswith("student_") or name in ("realized_token", _DIGESTS)


CHECK = Check(
    id="score-distributions",
    title="Retained scores equal what the retained distributions give",
    applies=_applies,
    run=_run,
)
