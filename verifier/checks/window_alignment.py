"""Every arm holds the windows of the panel, each once, in the panel's order and groups.

Compared: for each arm, and for each arm of a reference bundle that a figure uses, its windows with
the panel's: which are missing, which are extra, which stand twice, and the first place where the
order differs; the groups (such as the domain) of each window with those of the panel or of the
first arm that states them; and flags of the record that speak of alignment with what is so.

Basis: RECOMPUTED, from the lists of windows themselves. SPEC for an empty list and for a window
that stands twice. DECLARED for a flag when fewer than two arms are kept to try it on.

Why it matters: a paired difference pairs windows, a bootstrap draws them by position, and a domain
mean selects them by group. Two arms over different windows, or in another order, give numbers that
look right and are not.

A mismatch means that an arm lost, gained, repeated or moved a window, or that a window changed its
domain. Compare the arm with the manifest that the capture was run from.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from verifier.checks._wording import front, listed
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Flag
from verifier.model.comparison import Comparison, Fact
from verifier.model.measure import REFERENCE
from verifier.model.plugin import Case, Check

_TOPIC = "window-alignment"
_ENOUGH_TO_ALIGN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One window in one list."""

    id: str
    location: str
    groups: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listing:
    """The windows of the panel or of one arm, in their order."""

    name: str
    location: str
    rows: tuple[_Row, ...]

    @property
    def unique(self) -> Mapping[str, _Row]:
        """The first row of each window, in order."""
        first: dict[str, _Row] = {}
        for row in self.rows:
            first.setdefault(row.id, row)
        return first


def _applies(case: Case) -> str:
    del case  # a bundle without arms or windows is a mismatch here, never "nothing to compare"
    return ""


def _run(case: Case) -> Iterable[Fact]:
    own = _arms(case.bundle, [arm.id for arm in case.bundle.arms])
    panel = _panel(case.bundle)
    listings = [*own, *_reference_arms(case)]
    yield _some(front(case.bundle), "arm", len(own))
    for listing in (panel, *listings):
        yield _some(listing.location, "window", len(listing.rows))
        yield _once(listing)
    # Without a panel the first arm that has windows stands in, so that the arms are still compared.
    standard = next((listing for listing in (panel, *listings) if listing.rows), panel)
    for listing in listings:
        if listing.rows and listing is not standard:
            yield from _same_windows(standard, listing)
    yield from _groups((panel, *listings))
    for flag in case.bundle.flags:
        if flag.topic == _TOPIC:
            yield _flag(flag, own, standard)


def _panel(bundle: Bundle) -> _Listing:
    rows = tuple(
        _Row(id=window.id, location=window.location, groups=window.groups)
        for window in bundle.panel
    )
    location = rows[0].location.rpartition("/")[0] if rows else front(bundle)
    return _Listing(name="the panel", location=location or front(bundle), rows=rows)


def _arms(bundle: Bundle, ids: Iterable[str], prefix: str = "") -> list[_Listing]:
    wanted = set(ids)
    return [
        _Listing(
            name=f"arm {prefix}{arm.id}",
            location=f"{prefix}{arm.location}",
            rows=tuple(
                _Row(
                    id=window.window,
                    location=f"{prefix}{window.location}",
                    groups=window.groups,
                )
                for window in arm.windows
            ),
        )
        for arm in bundle.arms
        if arm.id in wanted
    ]


def _reference_arms(case: Case) -> list[_Listing]:
    if case.reference is None:
        return []
    named = (
        arm
        for figure in case.bundle.figures
        if figure.measure is not None
        for arm in figure.measure.arm_names
    )
    ids = [arm.removeprefix(REFERENCE) for arm in named if arm.startswith(REFERENCE)]
    return _arms(case.reference, ids, REFERENCE)


def _some(location: str, what: str, count: int) -> Comparison:
    return Comparison(
        location=location,
        expected=f"at least one {what}",
        actual=f"at least one {what}" if count else f"no {what}",
        basis=Basis.SPEC,
        message=f"Nothing was measured without a {what}, so nothing can be verified.",
    )


def _once(listing: _Listing) -> Comparison:
    seen: set[str] = set()
    again: dict[str, None] = {}
    for row in listing.rows:
        if row.id in seen:
            again[row.id] = None
        seen.add(row.id)
    return Comparison(
        location=listing.location,
        expected="every window once",
        actual=f"more than once: {listed(again)}" if again else "every window once",
        basis=Basis.SPEC,
        message=f"A window that stands twice in {listing.name} counts twice in every mean.",
    )


def _same_windows(standard: _Listing, listing: _Listing) -> Iterator[Fact]:
    expected, actual = standard.unique, listing.unique
    differences = (
        ("missing", [window for window in expected if window not in actual]),
        ("extra", [window for window in actual if window not in expected]),
    )
    for word, windows in differences:
        yield Comparison(
            location=listing.location,
            expected=f"no {word} window",
            actual=f"{word}: {listed(windows)}" if windows else f"no {word} window",
            basis=Basis.RECOMPUTED,
            message=f"{listing.name} and {standard.name} hold different windows.",
        )
    left = [window for window in expected if window in actual]
    right = [window for window in actual if window in expected]
    moved = next(
        (k for k, pair in enumerate(zip(left, right, strict=True)) if len({*pair}) > 1), -1
    )
    yield Comparison(
        location=listing.location if moved < 0 else actual[right[moved]].location,
        expected="the same order" if moved < 0 else left[moved],
        actual="the same order" if moved < 0 else right[moved],
        basis=Basis.RECOMPUTED,
        message=f"{listing.name} holds the windows in another order than {standard.name}; this is "
        "the first place. Window order moves interval end points.",
    )


def _groups(listings: Sequence[_Listing]) -> Iterator[Fact]:
    """Every statement of a group against the first one; a list without any groups states none."""
    first: dict[str, _Row] = {}
    for listing in listings:
        for row in listing.rows:
            leader = first.setdefault(row.id, row) if row.groups else row
            if leader is row:
                continue
            for group in sorted({*leader.groups, *row.groups}):
                yield Comparison(
                    location=row.location,
                    expected=leader.groups.get(group),
                    actual=row.groups.get(group),
                    basis=Basis.RECOMPUTED,
                    message=f"Window {row.id!r} has another {group!r} here than at "
                    f"{leader.location}.",
                )


def _flag(flag: Flag, own: Sequence[_Listing], standard: _Listing) -> Comparison:
    tried = len(own) >= _ENOUGH_TO_ALIGN
    order = [row.id for row in standard.rows]
    aligned = all([row.id for row in listing.rows] == order for listing in own)
    return Comparison(
        location=flag.location,
        expected=flag.value if tried else True,
        actual=aligned if tried else flag.value,
        basis=Basis.RECOMPUTED if tried else Basis.DECLARED,
        message=f"The record states {flag.statement!r}, and the retained windows do not bear it "
        "out.",
    )


CHECK = Check(
    id="window-alignment",
    title="Every arm holds the windows of the panel in the panel's order",
    applies=_applies,
    run=_run,
)
