"""A valid bundle in memory, one change at a time, and what a check finds in it."""

import io
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from verifier.errors import StoreError
from verifier.judge import judge
from verifier.measures.evaluator import Evaluator
from verifier.model.basis import Level
from verifier.model.bundle import (
    Arm,
    Bundle,
    Hash,
    Protocol,
    Receipt,
    Record,
    Retired,
    Seal,
    SealEntry,
    Window,
    WindowScore,
)
from verifier.model.comparison import Comparison, Fact, Gap, Value
from verifier.model.files import FileKind, Member
from verifier.model.plugin import Case, Check
from verifier.policy import REVIEW
from verifier.scores import StoreRows

ARMS = ("fp8", "nvfp4")
WINDOWS = ("w1", "w2", "w3")
ROWS = 4
VOCABULARY = 10
RAW_BYTES = ROWS * VOCABULARY * 4

Difference = tuple[str, Value, Value]
"""A mismatch as tests name it: location, expected, actual."""


def digest(text: str) -> str:
    """A hash that looks like one and differs for different texts."""
    return sha256(text.encode()).hexdigest()


def member(path: str, content: bytes = b"", *, kind: FileKind = "file") -> Member:
    """One entry of the folder; anything that is not a regular file has no content."""
    if kind != "file":
        return Member(path=path, kind=kind, size=0, sha256="", blake3="")
    return Member(
        path=path,
        kind=kind,
        size=len(content),
        sha256=sha256(content).hexdigest(),
        blake3=blake3(content).hexdigest(),
    )


def members(files: Mapping[str, bytes]) -> dict[str, Member]:
    """Regular files as members."""
    return {path: member(path, content) for path, content in files.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStore:
    """A store whose files are bytes in memory."""

    files: Mapping[str, bytes]
    name: str = "memory"

    @property
    def paths(self) -> Mapping[str, FileKind]:
        """Every path; all are regular files."""
        return dict.fromkeys(self.files, "file")

    @property
    def members(self) -> Mapping[str, Member]:
        """Every file with its digests."""
        return members(self.files)

    def read(self, path: str) -> bytes:
        """The content of a file.

        Raises:
            StoreError: there is no such file.
        """
        if path not in self.files:
            message = f"{path}: no such file"
            raise StoreError(message, hint="name a file of the bundle")
        return self.files[path]

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        """The content of a file, piece by piece."""
        data = self.read(path)
        for start in range(0, len(data), size):
            yield data[start : start + size]


def npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """A score file with these arrays; no time of day in it, so that it always hashes the same."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), npy(array))
    return stream.getvalue()


def npy(array: NDArray[Any]) -> bytes:
    """One array as an npy document; object arrays are pickled, as an attacker would."""
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


def row_arrays(kld: tuple[float, ...] = (2.0, 0.1, 0.2, 0.3)) -> dict[str, NDArray[Any]]:
    """Every array that a score file may hold, ROWS rows long."""
    tokens = np.arange(ROWS, dtype=np.int32)
    return {
        "kld": np.array(kld),
        "teacher_entropy": np.full(ROWS, 0.5),
        "student_entropy": np.full(ROWS, 0.6),
        "teacher_top1": tokens,
        "student_top1": tokens.astype(np.int64),
        "teacher_top1_p": np.full(ROWS, 1.0),
        "student_top1_p": np.full(ROWS, 0.0),
        "teacher_logp_realized": np.full(ROWS, -0.7),
        "student_logp_realized": np.zeros(ROWS),
        "realized_token": tokens,
        "teacher_topk_ids": np.zeros((ROWS, 2), dtype=np.int32),
        "teacher_topk_logp": np.full((ROWS, 2), -1.5),
        "student_topk_ids": np.zeros((ROWS, 2), dtype=np.int64),
        "student_topk_logp": np.full((ROWS, 2), -1.5),
        "history": tokens,
        "row_sha256": np.full((ROWS, 32), 7, dtype=np.uint8),
    }


def score_path(arm: str, window: str) -> str:
    """Where the sample bundle keeps the row arrays of a window."""
    return f"arms/{arm}/scores/{window}.npz"


def files() -> dict[str, bytes]:
    """The sample's files: a different score file for every window of every arm."""
    content: dict[str, bytes] = {"bundle.json": b"{}"}
    for first, arm in enumerate(ARMS):
        for second, window in enumerate(WINDOWS):
            kld = (2.0, 0.1 + first, 0.2 + second, 0.3)
            content[score_path(arm, window)] = npz(row_arrays(kld))
            content[f"arms/{arm}/receipts/{window}.json"] = f"{arm} {window}".encode()
    return content


def place(arm: str, window: str) -> str:
    """Location of a window's entry in the sample bundle."""
    return f"arms/{arm}/windows.json#/{WINDOWS.index(window)}"


def receipt_place(arm: str, window: str) -> str:
    """Location of a receipt in the sample bundle."""
    return f"arms/{arm}/receipts/{window}.json#"


def window_score(arm: str, window: str, content: Mapping[str, bytes]) -> WindowScore:
    """What the sample retains for one window of one arm."""
    where = place(arm, window)
    path = score_path(arm, window)
    kld, prefill = 0.25, 2.0
    return WindowScore(
        window=window,
        location=where,
        groups={},
        predicted_rows=ROWS,
        scored_rows=ROWS - 1,
        excluded=(0,),
        values={"kld": kld, "nll": 1.0},
        including_prefill=((ROWS - 1) * kld + prefill) / ROWS,
        prefill=prefill,
        raw=Hash(value=digest(f"raw {arm} {window}"), location=f"{where}/raw"),
        raw_bytes=RAW_BYTES,
        score=Hash(value=sha256(content[path]).hexdigest(), location=f"{where}/score"),
        teacher=Hash(value=digest(f"teacher {window}"), location=f"{where}/teacher"),
        token=Hash(value=digest(f"token {window}"), location=f"{where}/token"),
        rows_path=path,
    )


def receipt(arm: str, window: str, content: Mapping[str, bytes]) -> Receipt:
    """The receipt that belongs to a window of the sample."""
    where = receipt_place(arm, window)
    score = sha256(content[score_path(arm, window)]).hexdigest()
    return Receipt(
        location=where,
        arm=arm,
        window=window,
        rows=ROWS,
        excluded=(0,),
        raw=Hash(value=digest(f"raw {arm} {window}"), location=f"{where}/raw"),
        raw_bytes=RAW_BYTES,
        score=Hash(value=score, location=f"{where}/score"),
        score_path=score_path(arm, window),
        teacher=Hash(value=digest(f"teacher {window}"), location=f"{where}/teacher"),
        token=Hash(value=digest(f"token {window}"), location=f"{where}/token"),
        scored_at="2026-09-08T05:02:20Z",
        retired_at="2026-09-08T07:05:00+02:00",
    )


def retired(arm: str, window: str) -> Retired:
    """How the sample's seal remembers a raw file."""
    return Retired(
        path=f"raw/{arm}/{window}.bin",
        sha256=digest(f"raw {arm} {window}"),
        size=RAW_BYTES,
        receipt=f"arms/{arm}/receipts/{window}.json",
        location=f"seal.json#/retired/{arm}-{window}",
    )


def seal(content: Mapping[str, bytes]) -> Seal:
    """A closed seal over these files."""
    return Seal(
        path="seal.json",
        entries=tuple(
            SealEntry(
                path=path,
                sha256=sha256(data).hexdigest(),
                size=len(data),
                blake3=blake3(data).hexdigest(),
                location=f"seal.json#/files/{index}",
            )
            for index, (path, data) in enumerate(content.items())
        ),
        closed=True,
        unsealed=frozenset({"seal.json", "seal.dsse.json"}),
        root=digest("root"),
        computed_root=digest("root"),
        retired=tuple(retired(arm, window) for arm in ARMS for window in WINDOWS),
    )


def sample(content: Mapping[str, bytes] | None = None) -> Bundle:
    """A valid sealed bundle: two arms, three windows, receipts and row arrays."""
    content = files() if content is None else content
    return Bundle(
        format="measurement-bundle/1",
        id="sample",
        title="A synthetic bundle",
        members={**members(content), "seal.json": member("seal.json", b"seal")},
        records=(Record(path="bundle.json", schema="bundle-1", published=True),),
        seal=seal(content),
        protocol=Protocol(vocabulary=VOCABULARY, excluded=(0,), predicted_rows=ROWS),
        panel=tuple(
            Window(
                id=window,
                location=f"bundle.json#/windows/{index}",
                groups={},
                token=Hash(
                    value=digest(f"token {window}"),
                    location=f"bundle.json#/windows/{index}/token",
                ),
                teacher=Hash(
                    value=digest(f"teacher {window}"),
                    location=f"bundle.json#/windows/{index}/teacher",
                ),
            )
            for index, window in enumerate(WINDOWS)
        ),
        arms=tuple(
            Arm(
                id=arm,
                name=arm,
                location=f"arms/{arm}/windows.json#",
                windows=tuple(window_score(arm, window, content) for window in WINDOWS),
                receipts=tuple(receipt(arm, window, content) for window in WINDOWS),
                level=Level.ROW_SCORES,
            )
            for arm in ARMS
        ),
    )


def with_arm(bundle: Bundle, arm_id: str, **changes: Any) -> Bundle:
    """The same bundle with fields of one arm changed."""
    arms = tuple(replace(arm, **changes) if arm.id == arm_id else arm for arm in bundle.arms)
    return replace(bundle, arms=arms)


def with_window(bundle: Bundle, arm_id: str, window: str, /, **changes: Any) -> Bundle:
    """The same bundle with fields of one window of one arm changed."""
    windows = tuple(
        replace(entry, **changes) if entry.window == window else entry
        for arm in bundle.arms
        if arm.id == arm_id
        for entry in arm.windows
    )
    return with_arm(bundle, arm_id, windows=windows)


def with_receipt(bundle: Bundle, arm_id: str, window: str, /, **changes: Any) -> Bundle:
    """The same bundle with fields of one receipt changed."""
    receipts = tuple(
        replace(entry, **changes) if entry.window == window else entry
        for arm in bundle.arms
        if arm.id == arm_id
        for entry in arm.receipts
    )
    return with_arm(bundle, arm_id, receipts=receipts)


def without_receipts(bundle: Bundle) -> Bundle:
    """The same bundle with neither receipts nor a seal that remembers retired files."""
    arms = tuple(replace(arm, receipts=()) for arm in bundle.arms)
    return replace(bundle, arms=arms, seal=None)


def case_of(
    bundle: Bundle,
    *,
    content: Mapping[str, bytes] | None = None,
    reference: Bundle | None = None,
) -> Case:
    """What a check is given; ``content`` are the files that rows are read from."""
    rows = StoreRows(MemoryStore(files={} if content is None else content))
    return Case(
        bundle=bundle,
        policy=REVIEW,
        rows=rows,
        measures=Evaluator(bundle=bundle, rows=rows, statistics={}),
        reference=reference,
    )


def facts(check: Check, case: Case) -> tuple[Fact, ...]:
    """Everything a check yields on a case that it applies to."""
    assert check.applies(case) == ""
    return tuple(check.run(case))


def comparisons(check: Check, case: Case) -> tuple[Comparison, ...]:
    """The comparisons among the facts."""
    return tuple(fact for fact in facts(check, case) if isinstance(fact, Comparison))


def mismatches(check: Check, case: Case) -> list[Comparison]:
    """The comparisons that the runner would call mismatches."""
    return [
        fact for fact in comparisons(check, case) if not judge(fact, case.policy.tolerance).agrees
    ]


def differences(check: Check, case: Case) -> list[Difference]:
    """Every mismatch as (location, expected, actual), sorted by location."""
    found = [(fact.location, fact.expected, fact.actual) for fact in mismatches(check, case)]
    return in_order(*found)


def in_order(*found: Difference) -> list[Difference]:
    """Differences in the order in which ``differences`` gives them."""
    return sorted(found, key=lambda difference: [str(part) for part in difference])


def gaps(check: Check, case: Case) -> list[tuple[str, str]]:
    """Every gap as (location, concern), in the order of the check."""
    return [(fact.location, fact.concern) for fact in facts(check, case) if isinstance(fact, Gap)]
