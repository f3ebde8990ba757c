"""Attacks on receipts and on the files that they tie together."""

from scripts.build_example_rows import SEED
from scripts.example_arms import hex_digest, measured, npz
from scripts.tampering import (
    ALPHA,
    BETA,
    FIRST,
    SECOND,
    Arrays,
    Attack,
    Change,
    arrays,
    chain,
    copied,
    edit,
    receipt,
    republished,
    rescored,
    score_path,
    window,
    without,
)
from tests.support.build import SMALL, Files

_KEPT = f"arms/{ALPHA}/raw/{FIRST}"


def _raw_of_first(content: Files) -> Files:
    """Give the second window the first one's raw hash, in the record and in the receipt."""
    raw = {"sha256": hex_digest(b"one raw file"), "bytes": 4 * 16 * 4}
    steps = [
        step
        for at, name in enumerate((FIRST, SECOND))
        for step in (window(ALPHA, at, raw_sha256=raw["sha256"]), receipt(ALPHA, name, raw=raw))
    ]
    return chain(*steps)(content)


def _raw_bytes(size: int) -> Change:
    raw = {"sha256": hex_digest(b"another raw file"), "bytes": size}
    return chain(
        window(ALPHA, 0, raw_sha256=raw["sha256"], raw_bytes=size), receipt(ALPHA, FIRST, raw=raw)
    )


def _second_raw_of_first(content: Files) -> Files:
    """Call one arm another run of the other, with the raw file of another window."""
    return chain(
        edit("bundle.json", lambda document: document["arms"][1].update(run=2, repeats=ALPHA)),
        _raw_from(ALPHA, 0, BETA, 1),
    )(content)


def _copied_rows(content: Files) -> Files:
    """Give one arm the rows of the other, and publish what follows."""

    def taken(arm: str, name: str, held: Arrays) -> Arrays:
        return arrays(content, ALPHA, name) if arm == BETA else held

    return republished(taken)(content)


def _copied_arm(content: Files) -> Files:
    """Give one arm the rows and the raw hashes of the other, and publish what follows."""
    raws = [_raw_from(ALPHA, at, BETA, at) for at in range(SMALL.windows)]
    return chain(_copied_rows, *raws)(content)


def _repacked_arm(content: Files) -> Files:
    """Give one arm the rows of the other in files of other bytes, and publish what follows."""
    content = _copied_rows(content)
    for name in SMALL.names:
        held = arrays(content, BETA, name)
        # Another order of the arrays: compressed bytes would differ between versions of zlib.
        content = rescored(content, BETA, name, npz(dict(reversed(held.items()))))
    return content


def _raw_from(source: str, index: int, target: str, at: int) -> Change:
    def change(content: Files) -> Files:
        raw = measured(SEED, SMALL)[source][index].raw
        digest = hex_digest(raw)
        return chain(
            window(target, at, raw_sha256=digest),
            receipt(target, SMALL.names[at], raw={"sha256": digest, "bytes": len(raw)}),
        )(content)

    return change


def _kept_raw(content: Files) -> Files:
    """Keep the raw file of a window, with the lowest bit of its last logit changed."""
    raw = bytearray(measured(SEED, SMALL)[ALPHA][0].raw)
    raw[-4] ^= 1
    return chain(
        window(ALPHA, 0, raw_path=_KEPT),
        edit(f"arms/{ALPHA}/receipts/{FIRST}.json", lambda document: document.update(retired=None)),
    )({**content, _KEPT: bytes(raw)})


ATTACKS = (
    Attack(
        check="receipt-hashes",
        name="receipt-of-another-window",
        description="The receipt of one window was replaced by that of another.",
        change=copied(
            f"arms/{ALPHA}/receipts/{SECOND}.json", f"arms/{ALPHA}/receipts/{FIRST}.json"
        ),
        message="needs exactly one receipt",
    ),
    Attack(
        check="receipt-hashes",
        name="raw-hash-twice",
        description="Two windows name the same retired raw file, in the record and in receipts.",
        change=_raw_of_first,
        message="one measurement was counted twice",
    ),
    Attack(
        check="receipt-hashes",
        name="raw-file-too-short",
        description="A retired raw file was one row too short, in the record and in its receipt.",
        change=_raw_bytes(3 * 16 * 4),
        message="The raw file did not hold these rows",
    ),
    Attack(
        check="receipt-hashes",
        name="other-teacher-in-one-arm",
        description="One arm was scored against other teacher logits.",
        change=chain(
            window(BETA, 0, teacher_sha256=hex_digest(b"another teacher")),
            receipt(BETA, FIRST, teacher_sha256=hex_digest(b"another teacher")),
        ),
        message="another teacher hash",
    ),
    Attack(
        check="receipt-hashes",
        name="score-file-of-another-window",
        description="A score file was replaced by that of another window; receipts were kept.",
        change=copied(score_path(ALPHA, SECOND), score_path(ALPHA, FIRST)),
        message="This is not the score file",
        also=("published-aggregates", "published-counts", "published-intervals", "row-masks"),
    ),
    Attack(
        check="receipt-hashes",
        name="retired-before-scored",
        description="A raw file was deleted an hour before it was scored.",
        change=receipt(
            ALPHA, FIRST, retired={"at": "2026-09-09T10:00:00Z", "reason": "no room left"}
        ),
        message="retired before it was scored",
    ),
    Attack(
        check="receipt-hashes",
        name="receipt-missing",
        description="One window has no receipt, and the seal was redone.",
        change=chain(
            window(ALPHA, 0, receipt=None), without(f"arms/{ALPHA}/receipts/{FIRST}.json")
        ),
        message="needs exactly one receipt",
    ),
    Attack(
        check="receipt-hashes",
        name="arm-that-copies-another",
        description="One arm is a copy of the other, rows and raw hashes, and nobody says so.",
        change=_copied_arm,
        message="one measurement was counted twice",
    ),
    Attack(
        check="receipt-hashes",
        name="rows-of-another-arm-recompressed",
        description="One arm has the rows of the other, packed anew so that no two files have the "
        "same bytes; every figure, receipt and hash was redone.",
        change=_repacked_arm,
        message="holds the same numbers: one measurement was counted twice",
    ),
    Attack(
        check="receipt-hashes",
        name="repeat-of-another-window",
        description="One arm is declared a repeat of the other, with the raw file of another "
        "window.",
        change=_second_raw_of_first,
        message="one measurement was counted twice",
    ),
    Attack(
        check="receipt-hashes",
        name="retained-raw-file-changed",
        description="One bit of a retained raw file is not the one whose hash was recorded.",
        change=_kept_raw,
        message="This is not the raw file that",
        also=("score-distributions",),
    ),
)
