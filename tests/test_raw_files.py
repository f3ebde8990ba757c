"""Which retained raw file is the teacher's, and how the rows of several files are read."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.bundles import MemoryStore, digest, member, members
from verifier.model.bundle import Arm, Bundle, Hash, Protocol, Receipt, Window, WindowScore
from verifier.raw_files import RawFiles
from verifier.scores import StoreRows

VOCABULARY = 3
BLOCK = np.arange(12, dtype=np.float32).reshape(4, VOCABULARY)
CONTENT = {
    "t/w1": BLOCK.tobytes(),
    "t/w2": (BLOCK + 1).tobytes(),
    "s/w1": (BLOCK + 2).tobytes(),
}


def hash_of(path: str) -> Hash:
    return Hash(value=member(path, CONTENT[path]).sha256, location="here")


def score(window: str, raw: str | None, teacher: Hash | None = None) -> WindowScore:
    return WindowScore(
        window=window,
        location=f"windows.json#/{window}",
        groups={},
        predicted_rows=4,
        scored_rows=4,
        excluded=(),
        values={},
        raw_path=raw,
        teacher=teacher,
    )


def receipt(window: str, teacher: Hash) -> Receipt:
    return Receipt(
        location=f"{window}.json#",
        arm="s",
        window=window,
        rows=4,
        excluded=(),
        raw=None,
        raw_bytes=None,
        score=teacher,
        score_path=None,
        teacher=teacher,
        token=teacher,
        scored_at=None,
        retired_at=None,
    )


def arm(name: str, *windows: WindowScore, receipts: tuple[Receipt, ...] = ()) -> Arm:
    return Arm(id=name, name=name, location=f"arms/{name}", windows=windows, receipts=receipts)


def bundle(*arms: Arm, panel: tuple[Window, ...] = (), **protocol: Any) -> Bundle:
    return Bundle(
        format="measurement-bundle/1",
        id="sample",
        title="A synthetic bundle",
        members=members(CONTENT),
        records=(),
        protocol=Protocol(**{"vocabulary": VOCABULARY, **protocol}),
        panel=panel,
        arms=arms,
    )


def files(held: Bundle) -> RawFiles:
    return RawFiles(held, StoreRows(MemoryStore(files=CONTENT)))


TEACHER = arm("t", score("w1", "t/w1"), score("w2", "t/w2"))


def test_the_teacher_is_the_file_with_the_bytes_that_the_window_names() -> None:
    student = arm("s", score("w1", "s/w1", hash_of("t/w1")), score("w2", None, hash_of("t/w2")))
    found = files(bundle(student, TEACHER))
    assert [found.teacher(student, window) for window in student.windows] == ["t/w1", "t/w2"]


def test_a_file_of_another_window_is_not_the_teacher_whatever_its_bytes() -> None:
    student = arm("s", score("w1", "s/w1", hash_of("t/w2")))
    found = files(bundle(student, TEACHER))
    assert found.teacher(student, student.windows[0]) is None
    assert found.no_teacher(student, student.windows[0]) == (
        "the teacher's logits of window w1 are not retained "
        f"(no raw file with SHA-256 {hash_of('t/w2').value})"
    )


def test_the_window_is_asked_first_then_its_receipt_then_the_panel() -> None:
    listed = Window(id="w1", location="panel", groups={}, teacher=hash_of("s/w1"))
    receipts = (
        receipt("w2", hash_of("t/w2")),
        receipt("w1", hash_of("t/w1")),
        receipt("w1", hash_of("s/w1")),
    )
    own = Hash(value=digest("own"), location="here")
    student = arm("s", score("w1", "s/w1", own), receipts=receipts)
    found = files(bundle(student, panel=(listed,)))
    assert found.teacher_hash(student, student.windows[0]) == digest("own")
    assert found.teacher_hash(student, score("w1", "s/w1")) == hash_of("t/w1").value
    bare = arm("bare", score("w1", "s/w1"))
    assert found.teacher_hash(bare, bare.windows[0]) == hash_of("s/w1").value
    assert found.teacher_hash(bare, score("w3", None)) is None


def test_without_a_hash_no_file_is_the_teacher_not_even_one_without_a_hash() -> None:
    student = arm("s", score("w1", "s/w1"))
    held = bundle(student, TEACHER)
    linked = {path: member(path, kind="symlink") for path in CONTENT}
    for each in (held, replace(held, members=linked)):
        found = files(each)
        assert found.teacher(student, student.windows[0]) is None
        assert found.no_teacher(student, student.windows[0]) == (
            "the teacher's logits of window w1 are not retained (no teacher hash is recorded)"
        )


def test_a_file_that_is_not_there_or_no_regular_one_has_no_hash() -> None:
    held = bundle(TEACHER)
    linked = {**held.members, "t/w1": member("t/w1", kind="fifo")}
    found = files(replace(held, members=linked))
    assert [found.sha256(path) for path in (None, "t/w9", "t/w1")] == ["", "", ""]
    assert found.sha256("t/w2") == hash_of("t/w2").value


def test_the_first_of_several_files_with_the_same_bytes_is_taken() -> None:
    student = arm("s", score("w1", "s/w1", hash_of("t/w1")))
    twice = arm("t2", score("w1", "t/w1"))
    copied = {**members(CONTENT), "copy/w1": members(CONTENT)["t/w1"]}
    held = replace(bundle(arm("c", score("w1", "copy/w1")), twice, student), members=copied)
    assert files(held).teacher(student, student.windows[0]) == "copy/w1"


def test_size_and_row_length() -> None:
    found = files(bundle(TEACHER))
    assert (found.size("t/w1"), found.row_bytes) == (48, 12)
    assert files(bundle(TEACHER, logits_dtype="bfloat16")).row_bytes == 6


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        ({"vocabulary": None}, "^the record states no vocabulary, so rows of raw logits cannot"),
        ({"vocabulary": 2**40}, "^raw logits cannot be read: a vocabulary of 1099511627776; "),
        ({"logits_dtype": "float8"}, "^raw logits cannot be read: logits of type 'float8'; "),
    ],
)
def test_rows_without_a_length_are_refused(protocol: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _ = files(bundle(TEACHER, **protocol)).row_bytes


def rows_of(blocks: Iterator[tuple[NDArray[Any], ...]]) -> list[list[list[float]]]:
    """The rows of each path, of all blocks together."""
    return [np.concatenate(parts).tolist() for parts in zip(*blocks, strict=True)]


@pytest.mark.parametrize("rows", [1, 3, 4])
def test_blocks_hold_the_same_rows_of_every_file(
    monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr("verifier.scores.rows._BLOCK_BYTES", rows * 4 * VOCABULARY)
    found = files(bundle(TEACHER))
    assert rows_of(found.blocks(("s/w1", "t/w1"))) == [(BLOCK + 2).tolist(), BLOCK.tolist()]
    assert [len(first) for first, _ in found.blocks(("s/w1", "t/w1"))] == {
        1: [1, 1, 1, 1],
        3: [3, 1],
        4: [4],
    }[rows]


def test_a_file_that_is_named_twice_is_read_once() -> None:
    opened: list[str] = []

    class Noting(StoreRows):
        def logits(self, path: str, **how: Any) -> Iterator[NDArray[Any]] | None:
            opened.append(path)
            return super().logits(path, **how)

    found = RawFiles(bundle(TEACHER), Noting(MemoryStore(files=CONTENT)))
    assert rows_of(found.blocks(("t/w1", "t/w1"))) == [BLOCK.tolist()] * 2
    assert opened == ["t/w1"]


def test_a_file_that_cannot_be_opened_is_named_when_its_blocks_are_taken() -> None:
    blocks = files(bundle(TEACHER)).blocks(("t/w1", "t/w9"))
    with pytest.raises(ValueError, match=r"^t/w9 cannot be read$"):
        next(blocks)
