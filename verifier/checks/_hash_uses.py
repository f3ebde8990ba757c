"""Every place of a bundle that names a window's hash, and the rules those places have to obey."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from verifier.checks._spec_rules import rule
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Hash, Receipt, WindowScore
from verifier.model.comparison import Comparison, Fact

Role = Literal["raw", "score", "rows", "teacher", "token"]

_OF_ONE_MEASUREMENT = ("raw", "score", "rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class HashUse:
    """One place that names a hash of a window. ``arm`` is "" for the panel.

    For the role ``rows`` the place is a score file, and the name says whose rows it holds.
    """

    role: Role
    arm: str
    window: str
    hash: Hash


def hash_uses(bundle: Bundle) -> tuple[HashUse, ...]:
    """Every named hash: the panel first, then for each arm its windows and its receipts."""
    found: list[HashUse] = []

    def add(arm: str, window: str, hashes: Mapping[Role, Hash | None]) -> None:
        found.extend(
            HashUse(role=role, arm=arm, window=window, hash=value)
            for role, value in hashes.items()
            if value is not None
        )

    for window in bundle.panel:
        add("", window.id, {"teacher": window.teacher, "token": window.token})
    for arm in bundle.arms:
        entries: tuple[WindowScore | Receipt, ...] = (*arm.windows, *arm.receipts)
        for entry in entries:
            hashes: dict[Role, Hash | None] = {
                "raw": entry.raw,
                "score": entry.score or _retained(bundle, entry),
                "teacher": entry.teacher,
                "token": entry.token,
            }
            add(arm.id, entry.window, hashes)
    return tuple(found)


def _retained(bundle: Bundle, entry: WindowScore | Receipt) -> Hash | None:
    """The hash of a score file that no record states: the window rests on it all the same."""
    path = entry.rows_path if isinstance(entry, WindowScore) else None
    member = bundle.members.get(path) if path is not None else None
    return Hash(value=member.sha256, location=member.path) if member and member.sha256 else None


def one_input_per_window(uses: Iterable[HashUse], reference: Iterable[HashUse]) -> Iterator[Fact]:
    """Compare the teacher and token hashes of each window with the first place that names them.

    The places of a reference bundle are compared with that first place too, one for each different
    hash they name.
    """
    first: dict[tuple[Role, str], HashUse] = {}
    for use in uses:
        if use.role in ("teacher", "token"):
            earlier = first.setdefault((use.role, use.window), use)
            if earlier is not use:
                yield _same(use, expected=earlier.hash, where=earlier.hash.location)
    seen: set[tuple[Role, str, str]] = set()
    for other in reference:
        own = first.get((other.role, other.window))
        key = (other.role, other.window, other.hash.value)
        if own is not None and key not in seen:
            seen.add(key)
            where = f"{other.hash.location} of the reference bundle"
            yield _same(own, expected=other.hash, where=where)


def _same(use: HashUse, *, expected: Hash, where: str) -> Comparison:
    return Comparison(
        location=use.hash.location,
        expected=expected.value,
        actual=use.hash.value,
        basis=Basis.SEALED,
        message=f"Window {use.window} has another {use.role} hash at {where}: "
        "the two places do not speak of the same input.",
    )


def no_hash_twice(uses: Iterable[HashUse], repeats: Mapping[str, str]) -> Iterator[Fact]:
    """Compare each raw hash, score hash and content with those of all windows and arms before it.

    Runs of one configuration may give the same bytes for a window. Nothing retained can show that
    they were measured apart, so such runs count as declared, one line for each pair of arms.

    Args:
        uses: the hashes in the order of the bundle.
        repeats: the first run of each arm that is another run of it.
    """
    first: dict[str, HashUse] = {}
    alike: dict[tuple[str, str], list[HashUse]] = {}
    for use in uses:
        if use.role not in _OF_ONE_MEASUREMENT:
            continue
        earlier = first.setdefault(use.hash.value, use)
        if _is_repeat(earlier, use, repeats):
            alike.setdefault((earlier.arm, use.arm), []).append(use)
            continue
        yield rule(
            location=use.hash.location,
            holds=(earlier.role, earlier.arm, earlier.window) == (use.role, use.arm, use.window),
            demand="rows of its own" if use.role == "rows" else f"a {use.role} hash of its own",
            actual=use.hash.value,
            message=f"{earlier.hash.location} (arm {earlier.arm}, window {earlier.window}) "
            f"{_likeness(earlier)}: one measurement was counted twice.",
        )
    for (earlier_arm, arm), shared in alike.items():
        windows = len({use.window for use in shared})
        statement = f"another run than {earlier_arm}, with the same bytes in {windows} windows"
        yield Comparison(
            location=shared[0].hash.location,
            expected=statement,
            actual=statement,
            basis=Basis.DECLARED,
            how=f"arm {arm} is declared to repeat {earlier_arm}",
        )


def _likeness(earlier: HashUse) -> str:
    if earlier.role == "rows":
        return "holds the same numbers"
    return f"names the same hash as its {earlier.role} hash"


def _is_repeat(earlier: HashUse, use: HashUse, repeats: Mapping[str, str]) -> bool:
    """Whether two runs of one configuration name the same bytes for the same window."""
    return (
        earlier.arm != use.arm
        and repeats.get(earlier.arm, earlier.arm) == repeats.get(use.arm, use.arm)
        and (earlier.role, earlier.window) == (use.role, use.window)
    )


def one_score_per_raw(uses: Iterable[HashUse], reference: Iterable[HashUse]) -> Iterator[Fact]:
    """Compare the score hashes of raw files that a window shares with the reference bundle."""
    scores: dict[tuple[str, str], list[Hash]] = {}
    for (_, window), hashes in _by_measurement(reference).items():
        if "raw" in hashes and "score" in hashes:
            scores.setdefault((window, hashes["raw"].value), []).append(hashes["score"])
    for (_, window), hashes in _by_measurement(uses).items():
        if "raw" not in hashes or "score" not in hashes:
            continue
        for expected in scores.get((window, hashes["raw"].value), ()):
            yield Comparison(
                location=hashes["score"].location,
                expected=expected.value,
                actual=hashes["score"].value,
                basis=Basis.SEALED,
                message=f"The reference bundle scored the same raw file of window {window} at "
                f"{expected.location} and got other scores.",
            )


def _by_measurement(uses: Iterable[HashUse]) -> Mapping[tuple[str, str], dict[Role, Hash]]:
    """The first hash of each role, by arm and window."""
    found: dict[tuple[str, str], dict[Role, Hash]] = {}
    for use in uses:
        found.setdefault((use.arm, use.window), {}).setdefault(use.role, use.hash)
    return found
