"""What the places of the published record family are known to mean, by JSON pointer.

Names of arms are data: ``A_minus_B`` and ``A_lower_windows`` are looked for by the names that the
record itself gives its arms, and a key that could mean two things means nothing here.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verifier.formats._published_arms import single_arm_id
from verifier.jsontext import pointer
from verifier.model.figure import End, Kind
from verifier.model.measure import Measure, WindowSelection

_ENDS: tuple[End, End] = ("low", "high")
_MINUS = "_minus_"
_AT_MINUS = re.compile(f"(?={_MINUS})")
_MINUS_REFERENCE = "_minus_reference"
_LOWER = "_lower_windows"
_MEAN = "_mean"
_TWO = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a place is known to mean; ``interval`` is the pointer of the interval it ends."""

    kind: Kind
    measure: Measure
    end: End | None = None
    interval: str = ""


Places = Mapping[str, Known]


def comparison_places(document: Mapping[str, Any]) -> Places:
    """Known places of a comparison record that obeys its schema."""
    arms = document["arms"]
    places = {
        "/windows": _size(()),
        "/true_decode_rows_per_window": _rows_per_window(tuple(arms)),
        **dict(_pair_places(document, tuple(arms))),
        **audit_places("/receipt_audit", document.get("receipt_audit", ())),
    }
    for name, arm in arms.items():
        places.update(_arm_places(pointer("arms", name), name, arm))
    for name, system in document.get("cross_system_comparison", {}).items():
        places.update(_cross_system(pointer("cross_system_comparison", name), name, system))
    return places


def audit_places(at: str, arms: Sequence[Mapping[str, Any]]) -> Places:
    """Counts of a receipt audit; the same arm list stands in the comparison and in its audit."""
    places: dict[str, Known] = {}
    for index, arm in enumerate(arms):
        name = (arm["arm"],)
        places[f"{at}/{index}/windows"] = _size(name)
        for key, column in (
            ("prediction_rows", "predicted_rows"),
            ("true_decode_rows", "scored_rows"),
        ):
            measure = Measure(statistic="sum", column=column, arms=name)
            places[f"{at}/{index}/{key}"] = Known(kind="count", measure=measure)
    return places


def single_arm_places(document: Mapping[str, Any], path: str) -> Places:
    """Known places of a single-arm record that obeys its schema."""
    arm = single_arm_id(path)
    return {
        "/windows": _size((arm,)),
        "/true_decode_rows_per_window": _rows_per_window((arm,)),
        **dict(_arm_places("", arm, document)),
    }


def _size(arms: tuple[str, ...]) -> Known:
    return Known(kind="count", measure=Measure(statistic="size", arms=arms))


def _rows_per_window(arms: tuple[str, ...]) -> Known:
    measure = Measure(statistic="common", column="scored_rows", arms=arms)
    return Known(kind="count", measure=measure)


def _arm_places(at: str, name: str, arm: Mapping[str, Any]) -> Iterator[tuple[str, Known]]:
    mean = Measure(statistic="mean", arms=(name,))
    yield f"{at}/mean_true_decode_kld", Known(kind="aggregate", measure=mean)
    yield from _interval(f"{at}/window_bca95", mean)
    for domain in arm.get("domains", {}):
        measure = replace(mean, windows=WindowSelection(group=("domain", domain)))
        yield f"{at}{pointer('domains', domain)}", Known(kind="aggregate", measure=measure)


def _pair_places(document: Mapping[str, Any], arms: tuple[str, ...]) -> Iterator[tuple[str, Known]]:
    """Differences, their interval and counts of lower windows.

    ``paired_window_bca95`` belongs to the only difference beside it. ``A_lower_windows`` counts
    against the only arm that A is paired with; without any difference, against the only other arm.
    """
    pairs = _pairs(document, arms)
    for key, pair in pairs.items():
        yield pointer(key), _difference(pair)
    if len(pairs) == 1:
        (pair,) = pairs.values()
        yield from _interval("/paired_window_bca95", _difference(pair).measure)
    partners: dict[str, set[str]] = {}
    for pair in pairs.values() or ([arms] if len(arms) == _TWO else []):
        for arm, other in (pair, pair[::-1]):
            partners.setdefault(arm, set()).add(other)
    for arm, others in partners.items():
        if len(others) == 1:
            yield pointer(f"{arm}{_LOWER}"), _lower((arm, *others))


def _pairs(document: Mapping[str, Any], arms: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The two arms of each ``A_minus_B``, by key."""
    names, longest = frozenset(arms), 2 * max(map(len, arms)) + len(_MINUS)
    found: dict[str, tuple[str, ...]] = {}
    for key in document:
        # A hostile key may be megabytes of "_minus_"; none that long names two arms.
        places = _AT_MINUS.finditer(key) if len(key) <= longest else ()
        pairs = [(key[: at.start()], key[at.start() + len(_MINUS) :]) for at in places]
        known = [pair for pair in pairs if names.issuperset(pair) and pair[0] != pair[1]]
        # Names that contain "_minus_" themselves can read a key in two ways.
        if len(known) == 1:
            found[key] = known[0]
    return found


def _cross_system(at: str, name: str, system: Mapping[str, Any]) -> Iterator[tuple[str, Known]]:
    """Figures against the reference record: this record's arm minus the reference's same arm.

    Keys name this record's system freely (``tr3_minus_reference``, ``tr3_mean``) and the other one
    ``reference``.
    """
    own, other = name, f"reference:{name}"
    for key in system:
        place = f"{at}{pointer(key)}"
        theirs = key.startswith("reference_")
        if key.endswith(_MINUS_REFERENCE):
            yield place, _difference((own, other))
            yield from _interval(f"{at}/paired_window_bca95", _difference((own, other)).measure)
        elif key.endswith(_LOWER):
            yield place, _lower((other, own) if theirs else (own, other))
        elif key.endswith(_MEAN):
            mean = Measure(statistic="mean", arms=(other if theirs else own,))
            yield place, Known(kind="aggregate", measure=mean)


def _difference(arms: tuple[str, ...]) -> Known:
    return Known(kind="aggregate", measure=Measure(statistic="mean", arms=arms, pair="difference"))


def _lower(arms: tuple[str, ...]) -> Known:
    return Known(kind="count", measure=Measure(statistic="count", arms=arms, pair="lower"))


def _interval(at: str, measure: Measure) -> Iterator[tuple[str, Known]]:
    for index, end in enumerate(_ENDS):
        yield f"{at}/{index}", Known(kind="interval", measure=measure, end=end, interval=at)
