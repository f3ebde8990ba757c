"""Receipts against the record, the retained score files and the seal's list of retired files."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from verifier.checks._spec_rules import rows_text, rule
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, Hash, Receipt, Retired, WindowScore
from verifier.model.comparison import Comparison, Concern, Fact, Value

# RFC 3339 section 5.6; datetime.fromisoformat alone also takes dates, weeks and local times.
_RFC_3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})"
)


def receipts_of(bundle: Bundle, arm: Arm) -> Iterator[Fact]:
    """Compare the receipts of one arm with its windows: one each, and both say the same."""
    if not arm.receipts:
        return
    windows = {window.window: window for window in arm.windows}
    received = Counter(receipt.window for receipt in arm.receipts)
    for window in windows.values():
        count = Comparison(
            location=window.location,
            expected=1,
            actual=received[window.window],
            basis=Basis.SPEC,
            message=f"Window {window.window} of arm {arm.id} needs exactly one receipt.",
        )
        # A file that is gone explains a receipt too few, never one too many.
        missing = window.receipt_path if not received[window.window] else None
        yield _unless_missing(bundle, missing, count)
    for receipt in arm.receipts:
        yield rule(
            location=receipt.location,
            holds=receipt.window in windows,
            demand=f"a window of arm {arm.id}",
            actual=receipt.window,
            message="The receipt speaks of a window that the arm does not have.",
        )
        if receipt.window in windows:
            yield from _agrees(receipt, windows[receipt.window])


def _unless_missing(bundle: Bundle, path: str | None, found: Comparison) -> Comparison:
    """The comparison, which a policy may tolerate where the receipt it misses is not there."""
    if path is None or path in bundle.members:
        return found
    return found._replace(concern="missing-member", subject=path)


def _agrees(receipt: Receipt, window: WindowScore) -> Iterator[Fact]:
    """Compare what both a receipt and the record's entry for its window state."""
    excluded = None if window.excluded is None else rows_text(window.excluded)
    stated: tuple[tuple[str, Value, Value], ...] = (
        ("rows", window.predicted_rows, receipt.rows),
        ("excluded rows", excluded, rows_text(receipt.excluded)),
        ("raw bytes", window.raw_bytes, receipt.raw_bytes),
        ("score path", window.rows_path, receipt.score_path),
    )
    for name, expected, actual in stated:
        if expected is not None and actual is not None:
            yield Comparison(
                location=receipt.location,
                expected=expected,
                actual=actual,
                basis=Basis.SPEC,
                message=f"The receipt and {window.location} state different {name}.",
            )
    hashes: tuple[tuple[str, Hash | None, Hash | None], ...] = (
        ("raw", window.raw, receipt.raw),
        ("score", window.score, receipt.score),
        ("teacher", window.teacher, receipt.teacher),
        ("token", window.token, receipt.token),
    )
    for name, recorded, received in hashes:
        if recorded is not None and received is not None:
            yield Comparison(
                location=received.location,
                expected=recorded.value,
                actual=received.value,
                basis=Basis.SEALED,
                message=f"The receipt and {recorded.location} name different {name} hashes.",
            )


def score_files(bundle: Bundle) -> Iterator[Fact]:
    """Compare every retained score file with its receipt, or with the record where none is kept."""
    for arm in bundle.arms:
        received = {receipt.window: receipt for receipt in arm.receipts}
        for receipt in arm.receipts:
            if receipt.score_path is not None:
                yield _score_file(bundle, receipt.score_path, receipt.score)
        for window in arm.windows:
            own = received.get(window.window)
            if window.rows_path is None or (own is not None and own.score_path is not None):
                continue
            recorded = window.score or (own.score if own is not None else None)
            if recorded is not None:
                yield _score_file(bundle, window.rows_path, recorded)


def _score_file(bundle: Bundle, path: str, recorded: Hash) -> Comparison:
    member = bundle.members.get(path)
    missing: Concern = "missing-member"
    return Comparison(
        location=path,
        expected=recorded.value,
        actual=(member.sha256 or member.kind) if member else None,
        basis=Basis.SEALED,
        message=f"This is not the score file that {recorded.location} names.",
        concern="" if member else missing,
        subject="" if member else path,
    )


def raw_files(bundle: Bundle) -> Iterator[Fact]:
    """Compare every retained raw file with the hash recorded of it, and with its retirement."""
    for arm in bundle.arms:
        received = {receipt.window: receipt for receipt in arm.receipts}
        for window in arm.windows:
            if window.raw_path is None:
                continue
            own = received.get(window.window)
            recorded = window.raw or (own.raw if own is not None else None)
            member = bundle.members.get(window.raw_path)
            yield Comparison(
                location=window.raw_path,
                expected=_value(recorded) or "a recorded hash of the raw file",
                actual=(member.sha256 or member.kind) if member else None,
                basis=Basis.SEALED,
                message=f"This is not the raw file that {window.location} was scored from.",
            )
            if own is not None:
                yield rule(
                    location=own.location,
                    holds=own.retired_at is None,
                    demand="no retirement, because the raw file is retained",
                    actual=own.retired_at,
                    message="The receipt says that the raw file was deleted, and it is there.",
                )


def retirement(bundle: Bundle) -> Iterator[Fact]:
    """Compare retirement times with scoring times, and the seal's retired files with receipts."""
    receipts = [receipt for arm in bundle.arms for receipt in arm.receipts]
    for receipt in receipts:
        yield from _times(receipt)
    if bundle.seal is None:
        return
    by_file = {_file(receipt): receipt for receipt in receipts}
    for retired in bundle.seal.retired:
        yield from _retired_file(bundle, retired, by_file.get(retired.receipt))
    if bundle.seal.root is None:
        # Plain hash lists have no place for retired files.
        return
    listed = {retired.receipt for retired in bundle.seal.retired}
    for receipt in receipts:
        if receipt.retired_at is not None and _value(receipt.raw) is not None:
            yield rule(
                location=receipt.location,
                holds=_file(receipt) in listed,
                demand="an entry among the seal's retired files",
                actual=_value(receipt.raw),
                message="The raw file was retired, and the seal does not remember it.",
            )


def _times(receipt: Receipt) -> Iterator[Fact]:
    stamps = [text for text in (receipt.scored_at, receipt.retired_at) if text is not None]
    times = [_time(text) for text in stamps]
    for text, time in zip(stamps, times, strict=True):
        yield rule(
            location=receipt.location,
            holds=time is not None,
            demand="an RFC 3339 time such as 2026-09-08T05:02:20Z",
            actual=text,
            message="The time cannot be read, so the order of events is unknown.",
        )
    known = [time for time in times if time is not None]
    if receipt.retired_at is not None and len(known) == len(("scored", "retired")):
        yield rule(
            location=receipt.location,
            holds=known[1] >= known[0],
            demand=f"not before {receipt.scored_at}, when it was scored",
            actual=receipt.retired_at,
            message="The raw file was retired before it was scored.",
        )


def _retired_file(bundle: Bundle, retired: Retired, receipt: Receipt | None) -> Iterator[Fact]:
    remembered = rule(
        location=retired.location,
        holds=receipt is not None and receipt.retired_at is not None,
        demand="a receipt that says when the raw file was retired",
        actual=retired.receipt,
        message="The seal lists a retired file without a receipt of its retirement.",
    )
    yield _unless_missing(bundle, retired.receipt, remembered)
    if receipt is None:
        return
    pairs: tuple[tuple[Value, Value], ...] = (
        (_value(receipt.raw), retired.sha256),
        (receipt.raw_bytes, retired.size),
    )
    for expected, actual in pairs:
        yield Comparison(
            location=retired.location,
            expected=expected,
            actual=actual,
            basis=Basis.SEALED,
            message=f"The seal and {receipt.location} remember different raw files.",
        )


def _file(receipt: Receipt) -> str:
    return receipt.location.partition("#")[0]


def _value(recorded: Hash | None) -> str | None:
    return None if recorded is None else recorded.value


def _time(text: str) -> datetime | None:
    if _RFC_3339.fullmatch(text) is None:
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None
