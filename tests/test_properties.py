"""Random bundles: a valid one passes, one changed value fails, hostile bytes never raise."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from scripts.example_arms import Size
from scripts.tampering import ALPHA, BETA, FIRST, SECOND, column
from tests.support.build import SMALL, Files, as_json, audit, failing, resealed, valid
from tests.support.pointers import resolve
from verifier import seal
from verifier.errors import VerifierError
from verifier.jsontext import pointer
from verifier.policy import REVIEW, STRICT

SEEDS = st.integers(0, 3)
RECORDS = sorted(path for path in valid() if path.endswith(".json") and "images/" not in path)

FREE = re.compile(
    r"""
      bundle\.json\#/(id|title|created|limits/\d+|provenance/.*|attempts/.*)
    | bundle\.json\#/protocol/(input_tokens|aggregation|metric/(name|direction|unit)|intervals/.*)
    | bundle\.json\#/arms/\d+/(run|declared/.*)
    | bundle\.json\#/(images/\d+/role|sources/\d+/url|sources/2/name|documents/\d+/description)
    | figures\.json\#/\d+/(id|decide/(threshold|margin|strict)|measure/parameters/share)
    | .*/receipts/.*\#/(scored_at|retired/.*)
    | .*/counters\.json\#/readings/\d+/series/\d+/labels/.*
    | .*/launch\.json\#/(command/\d+|environment/.*|started_at)
    | .*/runtime\.json\#/(versions/.*|recorded_at)
    | seal\.json\#/retired/\d+/path
    """,
    re.VERBOSE,
)
"""What nothing retained can contradict, so that a change of it cannot be noticed.

Every other value of every record is covered. Three kinds are left out only because few windows and
rows leave the outcome where it is: the recipe of an interval, the thresholds of a decision, and the
share of the rows that count as the largest. Tests below and the tampered corpus move them far
enough.
"""


def leaves(value: Any, *parts: str | int) -> Iterator[tuple[str | int, ...]]:
    """The path of every plain value in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from leaves(item, *parts, key)
        else:
            yield (*parts, key)


COVERED = sorted(
    (path, parts)
    for path in RECORDS
    for parts in leaves(json.loads(valid()[path]))
    if not FREE.fullmatch(f"{path}#{pointer(*parts)}")
)


def sizes() -> st.SearchStrategy[Size]:
    return st.builds(
        Size,
        arms=st.sampled_from([("alpha",), ("alpha", "beta"), ("x", "y", "z")]),
        windows=st.integers(2, 6),
        rows=st.integers(2, 6),
        vocabulary=st.integers(2, 12),
        top_k=st.integers(1, 2),
    )


@settings(max_examples=20)
@example(seed=0, size=Size(arms=("alpha",), windows=2, rows=2, vocabulary=2, top_k=1))
@example(seed=0, size=Size(arms=("alpha", "beta"), windows=2, rows=2, vocabulary=2, top_k=2))
@given(seed=st.integers(0, 2**32), size=sizes())
def test_a_valid_bundle_passes_exactly(seed: int, size: Size) -> None:
    report = audit(valid(seed, size), STRICT)
    assert report.verdict == "PASSED"
    assert all(outcome.compared > 0 for outcome in report.outcomes)
    assert {result.status for result in report.figures} <= {"REPRODUCED", "DEGENERATE"}


@pytest.mark.parametrize(
    ("size", "silent"),
    [
        (replace(SMALL, top_k=0), "score-distributions"),
        (replace(SMALL, windows=1), "published-intervals"),
    ],
)
def test_what_a_smaller_bundle_cannot_show_is_one_check_that_compared_nothing(
    size: Size, silent: str
) -> None:
    report = audit(valid(size=size), STRICT)
    assert {item.check for item in report.outcomes if item.compared == 0} == {silent}
    assert failing(report) == {silent}
    assert {result.status for result in report.figures} == {"REPRODUCED"}
    assert audit(valid(size=size)).verdict == "WARNED"


@pytest.mark.parametrize("seed", range(4))
def test_a_threshold_moved_past_what_it_is_held_against_fails(seed: int) -> None:
    content = valid(seed)
    for index, entry in enumerate(json.loads(content["figures.json"])):
        parts: tuple[str | int, ...]
        if entry.get("decide", {}).get("rule") == "gate":
            parts, beyond = (index, "decide", "threshold"), 0.0 if entry["published"] else 1e3
        elif entry.get("decide", {}).get("rule") == "equivalent":
            parts, beyond = (index, "decide", "margin"), 1e-9 if entry["published"] else 1e3
        elif entry["measure"]["statistic"] == "top-share":
            parts, beyond = (index, "measure", "parameters", "share"), 0.5
        else:
            continue
        changed = resealed(replaced(content, "figures.json", parts, beyond))
        expected = "published-decisions" if "decide" in entry else "published-aggregates"
        assert failing(audit(changed)) == {expected}


def other(value: Any, draw: st.DrawFn) -> Any:
    """Another value of the same kind, beyond every tolerance."""
    # Never the value itself as a step, and no power of ten: 0.0 is a rounding of most means, and
    # 0.3333 is one of a third, so neither would be a mismatch.
    step = 1.1 * 10.0 ** -draw(st.integers(1, 4)) * draw(st.sampled_from([1, -1]))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + draw(st.integers(1, 1000))
    if isinstance(value, float):
        return value + max(abs(value), 1e-3) * step
    if re.fullmatch(r"-?[0-9]+\.[0-9]+", value):
        return f"{float(value) + max(abs(float(value)), 1e-3) * step:.10f}"
    if re.fullmatch(r"(.*:)?[0-9a-f]{40,64}", value):
        return value[:-1] + format(int(value[-1], 16) ^ draw(st.integers(1, 15)), "x")
    return value + "x"


def replaced(content: Files, path: str, parts: tuple[str | int, ...], value: Any) -> Files:
    document = json.loads(content[path])
    resolve(document, pointer(*parts[:-1]))[parts[-1]] = value
    return {**content, path: as_json(document)}


def rooted(content: Files) -> Files:
    """The same seal with a root that covers what it now lists."""
    document = json.loads(content[seal.PATH])
    document["root"] = seal.root(document["files"], document["retired"])
    return {**content, seal.PATH: as_json(document)}


@settings(max_examples=60)
@given(seed=SEEDS, place=st.sampled_from(COVERED), data=st.data())
def test_one_changed_value_fails_although_the_seal_is_redone(
    seed: int, place: tuple[str, tuple[str | int, ...]], data: st.DataObject
) -> None:
    path, parts = place
    content = valid(seed)
    before = resolve(json.loads(content[path]), pointer(*parts))
    changed = replaced(
        content, path, parts, data.draw(st.composite(lambda draw: other(before, draw))())
    )
    if path == seal.PATH:
        changed = changed if parts == ("root",) else rooted(changed)
    else:
        changed = resealed(changed)
    assert audit(changed, STRICT).verdict == "FAILED"


@settings(max_examples=20)
@given(
    seed=SEEDS,
    arm=st.sampled_from([ALPHA, BETA]),
    window=st.sampled_from([FIRST, SECOND]),
    row=st.integers(0, SMALL.rows - 1),
    step=st.integers(0, 8),
)
def test_one_changed_row_fails_although_every_hash_and_the_seal_are_redone(
    seed: int, arm: str, window: str, row: int, step: int
) -> None:
    def lift(values: NDArray[Any]) -> NDArray[Any]:
        lifted: NDArray[Any] = values.copy()
        lifted[row] += max(abs(values[row]), 1e-2) * 10.0**-step
        return lifted

    report = audit(resealed(column(arm, window, "kld", lift)(valid(seed))))
    # The prefill row counts in no mean; the published value of that row gives it away.
    assert failing(report) >= ({"row-masks"} if row == 0 else {"published-aggregates"})


@pytest.mark.parametrize("row", range(1, SMALL.rows))
def test_one_changed_top_token_fails_although_every_hash_and_the_seal_are_redone(row: int) -> None:
    def swap(values: NDArray[Any]) -> NDArray[Any]:
        swapped: NDArray[Any] = values.copy()
        swapped[row] = (swapped[row] + 1) % SMALL.vocabulary
        return swapped

    content = column(ALPHA, FIRST, "teacher_top1", swap)(
        column(ALPHA, FIRST, "student_top1", np.zeros_like)(valid())
    )
    assert "published-aggregates" in failing(audit(resealed(content)))


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1e400", "w01-legal", "bundle.json", "../x", "\ud800", "sha256:"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


def judged(content: Files) -> str:
    """The verdict, or "cannot look"; anything but a deliberate error is a failed test."""
    try:
        return audit(content, REVIEW).verdict
    except VerifierError:
        return "cannot look"


def says(data: bytes) -> Any:
    """What a JSON document says; bytes that are none say themselves."""
    try:
        return json.loads(data)
    except ValueError:
        return data


@settings(max_examples=50)
@given(path=st.sampled_from(sorted(valid())), data=st.data())
def test_hostile_bytes_in_any_file_never_raise_and_never_pass(
    path: str, data: st.DataObject
) -> None:
    content = valid()
    before = content[path]
    start = data.draw(st.integers(0, len(before)))
    stop = data.draw(st.integers(start, len(before)))
    hostile = before[:start] + data.draw(st.binary(max_size=40)) + before[stop:]
    # Nothing seals the seal's own bytes, only what they say: other white space changes nothing.
    if hostile == before or (path == seal.PATH and says(hostile) == says(before)):
        return
    changed = {**content, path: hostile}
    assert judged(changed) in {"FAILED", "cannot look"}
    if path != seal.PATH:
        judged(resealed(changed))


@settings(max_examples=40)
@given(path=st.sampled_from(RECORDS), value=JSON_VALUES, data=st.data())
def test_hostile_values_in_any_record_never_raise(
    path: str, value: Any, data: st.DataObject
) -> None:
    content = valid()
    every = sorted(leaves(json.loads(content[path])), key=str)
    parts = data.draw(st.sampled_from(every))
    depth = data.draw(st.integers(1, len(parts)))
    changed = replaced(content, path, parts[:depth], value)
    if changed == content:
        return
    if path == seal.PATH:
        judged(changed)
    else:
        assert judged(changed) == "FAILED"
        judged(resealed(changed))
