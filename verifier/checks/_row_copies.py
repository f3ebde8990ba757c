"""Which retained rows are those of another window or arm, whatever file they are wrapped in."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from verifier.checks._hash_uses import HashUse
from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Hash, WindowScore
from verifier.model.column import DIGEST_BYTES
from verifier.model.comparison import Comparison, Fact
from verifier.model.plugin import Case

Key = tuple[tuple[str, str], ...]
"""Arrays that tell a measurement from others: (name, digest of the content) of each."""

_NUMBERS = ("kld", "student_entropy", "student_logp_realized")
_DIGESTS = "row_sha256"

# Of fewer different values, equal ones may be chance: a teacher against itself diverges by 0
# everywhere, and a window of one or two rows has little to tell.
_ENOUGH = 8
# Nearly every array shows that many within its first rows.
_FIRST_ROWS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the rows of one window of one arm are, apart from the file that holds them.

    Attributes:
        arm: id of the arm.
        window: id of the window.
        path: the score file.
        arrays: digests of what the student's arrays hold, by name: numbers on the scored rows,
            row hashes on all predicted rows.
        variety: how many different values each of them has; a lower bound from ``_ENOUGH`` on.
        raw: the recorded hash of the raw file that was scored.
    """

    arm: str
    window: str
    path: str
    arrays: Mapping[str, str]
    variety: Mapping[str, int]
    raw: Hash | None


def contents(case: Case) -> Iterator[Content]:
    """The content of every score file that is there, arm by arm, in one pass.

    Arrays of another type or shape than the format demands are passed over: score-arrays names
    them.
    """
    for arm in case.bundle.arms:
        raws = {receipt.window: receipt.raw for receipt in arm.receipts}
        for window in arm.windows:
            if window.rows_path is not None and window.rows_path in case.bundle.members:
                yield _content(case, arm, window, window.raw or raws.get(window.window))


def _content(case: Case, arm: Arm, window: WindowScore, raw: Hash | None) -> Content:
    path, rows = str(window.rows_path), window.predicted_rows
    loaded = case.rows.load(path, (*_NUMBERS, _DIGESTS))
    numbers = {
        name: array
        for name in _NUMBERS
        if (array := loaded.get(name)) is not None
        and array.dtype == np.float64
        and array.shape == (rows,)
    }
    held: dict[str, NDArray[Any]] = {}
    # A mask of the declared rows could be of any size; one of retained rows cannot.
    if numbers:
        scored = np.ones(rows, dtype=np.bool_)
        excluded = case.bundle.protocol.excluded_in(window) or ()
        scored[[row for row in excluded if 0 <= row < rows]] = False
        # Adding 0.0 makes -0.0 the same zero.
        held = {name: array[scored] + 0.0 for name, array in numbers.items()}
    digests = loaded.get(_DIGESTS)
    if digests is not None and digests.shape[:1] == (rows,) and _is_sound(digests):
        held[_DIGESTS] = np.frombuffer(digests.tobytes(), dtype=f"S{DIGEST_BYTES}")
    return Content(
        arm=arm.id,
        window=window.window,
        path=path,
        arrays={name: blake3(array.tobytes()).hexdigest() for name, array in held.items()},
        variety={name: _variety(array) for name, array in held.items()},
        raw=raw,
    )


def _is_sound(digests: NDArray[Any]) -> bool:
    return 0 < digests.nbytes == len(digests) * DIGEST_BYTES


def _variety(values: NDArray[Any]) -> int:
    first = len(set(values[:_FIRST_ROWS].tolist()))
    return first if first >= _ENOUGH else len(np.unique(values))


def row_uses(held: Iterable[Content]) -> Iterator[HashUse]:
    """Name the rows of each score file after the first one that holds the same.

    Rows are the same where some of their arrays are equal that have, together, enough different
    values to rule out chance. What tells too little is named after its own file.
    """
    first: dict[Key, str] = {}
    for content in held:
        keys = tuple(_keys(content))
        name = next((first[key] for key in keys if key in first), f"rows of {content.path}")
        for key in keys:
            first.setdefault(key, name)
        if keys:
            yield HashUse(
                role="rows",
                arm=content.arm,
                window=content.window,
                hash=Hash(value=name, location=content.path),
            )


def _keys(content: Content) -> Iterator[Key]:
    """The smallest sets of arrays that have enough different values together."""
    enough: list[frozenset[str]] = []
    for size in range(1, len(content.arrays) + 1):
        for names in combinations(content.arrays, size):
            chosen = frozenset(names)
            # Where a smaller set is equal already, a larger one adds nothing.
            if any(smaller <= chosen for smaller in enough):
                continue
            if sum(content.variety[name] for name in names) >= _ENOUGH:
                enough.append(chosen)
                yield tuple((name, content.arrays[name]) for name in names)


def rows_and_raw_files(held: Iterable[Content]) -> Iterator[Fact]:
    """Hold row hashes and raw hashes against each other, wherever one of the two occurs again.

    A raw file is its rows and nothing else, so two of them are the same bytes exactly where all
    their row hashes agree.
    """
    by_rows: dict[str, tuple[Content, Hash]] = {}
    by_raw: dict[str, Content] = {}
    for content in held:
        digest, raw = content.arrays.get(_DIGESTS), content.raw
        if digest is None or raw is None:
            continue
        alike = by_rows.setdefault(digest, (content, raw))
        if alike[0] is not content:
            yield _one_raw_file(content, raw, *alike)
        same_file = by_raw.setdefault(raw.value, content)
        if same_file is not content:
            yield _same_rows(content, raw, same_file)


def _one_raw_file(content: Content, raw: Hash, earlier: Content, expected: Hash) -> Comparison:
    return Comparison(
        location=raw.location,
        expected=expected.value,
        actual=raw.value,
        basis=Basis.SPEC,
        message=f"{content.path} and {earlier.path} hold the same row hashes in every row, so "
        f"both were scored from the same bytes; {expected.location} names another raw file.",
    )


def _same_rows(content: Content, raw: Hash, earlier: Content) -> Comparison:
    return rule(
        location=f"{content.path}#/{_DIGESTS}",
        holds=content.arrays[_DIGESTS] == earlier.arrays[_DIGESTS],
        demand=f"the row hashes of {earlier.path}",
        actual="other row hashes",
        message=f"{raw.location} names the same raw file for both, and one file has one set of "
        "rows.",
    )
