"""One measurement that is counted as two, in files of other bytes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.bundles import (
    Difference,
    case_of,
    comparisons,
    differences,
    digest,
    members,
    mismatches,
    npz,
    score_path,
)
from verifier.checks.receipt_hashes import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, Hash, Protocol, Receipt, WindowScore
from verifier.model.comparison import Comparison
from verifier.model.plugin import Case

Arrays = dict[str, NDArray[Any]]
Rows = Mapping[tuple[str, str], Arrays]

ALPHA, BETA = ("alpha", "w1"), ("beta", "w1")
SECOND = ("alpha", "w2")
OWN = "rows of its own"
ROWS = 12


def measured(seed: int, rows: int = ROWS) -> Arrays:
    """The student's arrays of one window; other seeds give other numbers everywhere."""
    generator = np.random.default_rng(seed)
    return {
        "kld": generator.random(rows),
        "student_entropy": generator.random(rows),
        "student_logp_realized": -generator.random(rows),
        "row_sha256": generator.integers(0, 256, (rows, 32), dtype=np.uint8),
    }


def numbers(seed: int, rows: int = ROWS) -> Arrays:
    """The same without row hashes."""
    return {name: held for name, held in measured(seed, rows).items() if name != "row_sha256"}


def scored(arm: str, window: str, arrays: Arrays) -> WindowScore:
    where = f"arms/{arm}/windows.json#/{window}"
    rows = max(len(array) for array in arrays.values())
    return WindowScore(
        window=window,
        location=where,
        groups={},
        predicted_rows=rows,
        scored_rows=max(rows - 1, 0),
        excluded=(0,),
        values={},
        raw=Hash(value=digest(f"raw {arm} {window}"), location=f"{where}/raw"),
        rows_path=score_path(arm, window),
    )


def case_with(rows: Rows, *, repeats: Mapping[str, str] | None = None, **changes: Any) -> Case:
    """A bundle of these arrays by arm and window; ``changes`` are made in every window.

    Each file has other bytes, whatever it holds: it names the window in an array of its own.
    """
    content = {
        score_path(*place): npz({**arrays, "name": np.array([" ".join(place)])})
        for place, arrays in rows.items()
    }
    arms = tuple(
        Arm(
            id=name,
            name=name,
            location=f"arms/{name}",
            repeats=(repeats or {}).get(name),
            windows=tuple(
                replace(scored(arm, window, arrays), **changes)
                for (arm, window), arrays in rows.items()
                if arm == name
            ),
        )
        for name in dict.fromkeys(arm for arm, _ in rows)
    )
    bundle = Bundle(
        format="measurement-bundle/1",
        id="sample",
        title="A synthetic bundle",
        members=members(content),
        records=(),
        protocol=Protocol(excluded=(0,)),
        arms=arms,
    )
    return case_of(bundle, content=content)


def twice(copy: tuple[str, str], source: tuple[str, str]) -> Difference:
    """What is found where the rows of one place were counted again in another."""
    return (score_path(*copy), OWN, f"rows of {score_path(*source)}")


def with_raw(case: Case, place: tuple[str, str], raw: Hash | None) -> Case:
    """The same with another raw hash in one window."""
    arms = tuple(
        replace(
            arm,
            windows=tuple(
                replace(entry, raw=raw) if (arm.id, entry.window) == place else entry
                for entry in arm.windows
            ),
        )
        for arm in case.bundle.arms
    )
    return replace(case, bundle=replace(case.bundle, arms=arms))


def raw_of(place: tuple[str, str]) -> str:
    return digest(f"raw {place[0]} {place[1]}")


def test_measurements_of_their_own_are_no_copies() -> None:
    places = [ALPHA, SECOND, BETA, ("beta", "w2")]
    case = case_with({place: measured(seed) for seed, place in enumerate(places)})
    assert differences(CHECK, case) == []
    named = [fact.actual for fact in comparisons(CHECK, case) if str(fact.actual)[:4] == "rows"]
    assert named == [f"rows of {score_path(*place)}" for place in places]


@pytest.mark.parametrize("copy", [BETA, SECOND])
def test_the_numbers_of_another_arm_or_window_in_a_file_of_other_bytes(
    copy: tuple[str, str],
) -> None:
    case = case_with({ALPHA: numbers(1), copy: numbers(1)})
    hashes = [entry.sha256 for entry in case.bundle.members.values()]
    assert len(set(hashes)) == 2
    assert differences(CHECK, case) == [twice(copy, ALPHA)]
    [found] = mismatches(CHECK, case)
    assert found.basis is Basis.SPEC
    assert found.message == (
        f"{score_path(*ALPHA)} (arm alpha, window w1) holds the same numbers: "
        "one measurement was counted twice."
    )


@pytest.mark.parametrize("name", ["kld", "student_entropy", "student_logp_realized"])
def test_one_array_that_was_left_as_it_was_betrays_the_copy(name: str) -> None:
    copy = {**numbers(2), name: numbers(1)[name]}
    assert differences(CHECK, case_with({ALPHA: numbers(1), BETA: copy})) == [twice(BETA, ALPHA)]


@pytest.mark.parametrize("name", ["kld", "student_entropy", "student_logp_realized"])
def test_arrays_that_one_of_the_two_does_not_keep_hide_nothing(name: str) -> None:
    rows = {ALPHA: numbers(1), BETA: {name: numbers(1)[name]}}
    assert differences(CHECK, case_with(rows)) == [twice(BETA, ALPHA)]


def test_every_copy_is_named_with_the_first_that_holds_its_rows() -> None:
    rows = {ALPHA: numbers(1), SECOND: numbers(2), BETA: numbers(1), ("gamma", "w1"): numbers(1)}
    assert differences(CHECK, case_with(rows)) == [
        twice(BETA, ALPHA),
        twice(("gamma", "w1"), ALPHA),
    ]


def test_a_teacher_that_does_not_differ_from_itself_is_no_copy_of_another_window() -> None:
    def itself(seed: int) -> Arrays:
        return {**numbers(seed), "kld": np.zeros(ROWS)}

    assert differences(CHECK, case_with({ALPHA: itself(1), SECOND: itself(2)})) == []
    assert differences(CHECK, case_with({ALPHA: itself(1), SECOND: itself(1)})) == [
        twice(SECOND, ALPHA)
    ]


def valued(count: int, *, rows: int = 100) -> NDArray[np.float64]:
    """So many different values on the scored rows, all but one of them at the end."""
    values = np.zeros(rows)
    values[rows - count + 1 :] = np.arange(1.0, count)
    return values


@pytest.mark.parametrize(("values", "copies"), [(7, 0), (8, 1)])
def test_equal_values_of_too_little_variety_are_chance(values: int, copies: int) -> None:
    rows = {place: {"kld": valued(values)} for place in (ALPHA, BETA)}
    assert differences(CHECK, case_with(rows)) == [twice(BETA, ALPHA)] * copies


@pytest.mark.parametrize(("values", "copies"), [(3, 0), (4, 1)])
def test_equal_arrays_count_together(values: int, copies: int) -> None:
    arrays = {"kld": valued(4), "student_entropy": valued(values)}
    other = {**arrays, "student_logp_realized": -valued(5)}
    assert differences(CHECK, case_with({ALPHA: arrays, BETA: arrays})) == (
        [twice(BETA, ALPHA)] * copies
    )
    assert differences(CHECK, case_with({ALPHA: arrays, BETA: other})) == (
        [twice(BETA, ALPHA)] * copies
    )


def test_windows_of_one_row_that_agree_are_chance() -> None:
    rows = {ALPHA: numbers(1, 2), BETA: numbers(1, 2)}
    assert differences(CHECK, case_with(rows)) == []


def changed(arrays: Arrays, row: int, value: float) -> Arrays:
    """The same with one row of every array replaced."""
    found = {name: array.copy() for name, array in arrays.items()}
    for array in found.values():
        array[row] = value
    return found


@pytest.mark.parametrize("excluded", [(0,), None])
def test_another_prefill_row_does_not_make_another_measurement(
    excluded: tuple[int, ...] | None,
) -> None:
    rows = {ALPHA: numbers(1), BETA: changed(numbers(1), 0, 0.5)}
    assert differences(CHECK, case_with(rows, excluded=excluded)) == [twice(BETA, ALPHA)]


def test_another_number_on_a_scored_row_of_every_array_makes_one() -> None:
    for row, excluded in ((0, ()), (3, (0,)), (3, (0, ROWS))):
        rows = {ALPHA: numbers(1), BETA: changed(numbers(1), row, 0.5)}
        assert differences(CHECK, case_with(rows, excluded=excluded)) == []


def test_a_negative_zero_is_the_same_number() -> None:
    rows = {ALPHA: changed(numbers(1), 3, 0.0), BETA: changed(numbers(1), 3, -0.0)}
    assert differences(CHECK, case_with(rows)) == [twice(BETA, ALPHA)]


@pytest.mark.parametrize(
    "misfit",
    [
        {"kld": numbers(1)["kld"].astype(np.float32), "other": np.zeros(ROWS)},
        {"kld": numbers(1)["kld"][:, np.newaxis]},
        {"kld": numbers(1)["kld"][:-1], "other": np.zeros(ROWS)},
        {"row_sha256": measured(1)["row_sha256"][:, :31]},
        {"row_sha256": measured(1)["row_sha256"][:-1], "other": np.zeros(ROWS)},
        {"row_sha256": np.zeros((0, 32), dtype=np.uint8)},
        {"other": np.zeros(ROWS)},
    ],
)
def test_arrays_that_are_not_what_they_should_be_are_left_to_score_arrays(misfit: Arrays) -> None:
    assert differences(CHECK, case_with({ALPHA: misfit, BETA: misfit})) == []


def test_score_files_that_are_not_there_or_cannot_be_read_hold_no_rows() -> None:
    case = case_with({ALPHA: numbers(1), BETA: numbers(1)})
    kept = {path: entry for path, entry in case.bundle.members.items() if "beta" not in path}
    assert differences(CHECK, replace(case, bundle=replace(case.bundle, members=kept))) == []
    assert differences(CHECK, case_of(case.bundle)) == []
    assert differences(CHECK, case_with({ALPHA: numbers(1), BETA: numbers(1)}, rows_path=None)) == (
        []
    )


def test_rows_that_are_only_promised_take_no_memory() -> None:
    case = case_with({ALPHA: numbers(1), BETA: numbers(1)}, predicted_rows=2**62)
    assert differences(CHECK, case) == []


def declared(case: Case) -> list[Comparison]:
    return [fact for fact in comparisons(CHECK, case) if fact.basis is Basis.DECLARED]


def test_declared_runs_may_hold_the_same_numbers_window_by_window() -> None:
    rows = {
        **{("r1", f"w{at}"): numbers(at) for at in range(4)},
        **{("r2", f"w{at}"): numbers(at if at < 3 else 9) for at in range(4)},
    }
    case = case_with(rows, repeats={"r2": "r1"})
    assert differences(CHECK, case) == []
    statement = "another run than r1, with the same bytes in 3 windows"
    assert [(fact.location, fact.expected, fact.actual) for fact in declared(case)] == [
        (score_path("r2", "w0"), statement, statement)
    ]


def test_equal_hashes_and_equal_numbers_of_a_window_count_once_in_the_declaration() -> None:
    case = case_with({("r1", "w1"): numbers(1), ("r2", "w1"): numbers(1)}, repeats={"r2": "r1"})
    shared = with_raw(case, ("r2", "w1"), Hash(value=raw_of(("r1", "w1")), location="r2 raw"))
    assert differences(CHECK, shared) == []
    assert [(fact.location, fact.actual) for fact in declared(shared)] == [
        ("r2 raw", "another run than r1, with the same bytes in 1 windows")
    ]


def test_a_declared_run_that_holds_another_window_is_counted_twice() -> None:
    rows = {("r1", "w1"): numbers(1), ("r2", "w2"): numbers(1)}
    case = case_with(rows, repeats={"r2": "r1"})
    assert differences(CHECK, case) == [twice(("r2", "w2"), ("r1", "w1"))]
    assert declared(case) == []


def hashed(seed: int, rows: int = ROWS, *, form: str = "u1") -> Arrays:
    """Row hashes and numbers that tell nothing."""
    held = measured(seed, rows)["row_sha256"]
    array = held if form == "u1" else np.frombuffer(held.tobytes(), dtype=form)
    return {"kld": np.zeros(rows), "row_sha256": array}


@pytest.mark.parametrize("form", ["u1", "S32", "V32"])
def test_rows_of_one_raw_file_whose_hash_is_not_recorded_are_counted_twice(form: str) -> None:
    rows = {ALPHA: hashed(1), BETA: hashed(1, form=form)}
    assert differences(CHECK, case_with(rows, raw=None)) == [twice(BETA, ALPHA)]


@pytest.mark.parametrize("rows", [1, 2, 6])
def test_row_hashes_that_all_agree_under_two_raw_hashes_are_impossible(rows: int) -> None:
    case = case_with({ALPHA: hashed(1, rows), BETA: hashed(1, rows)})
    where = "arms/beta/windows.json#/w1/raw"
    assert differences(CHECK, case) == [(where, raw_of(ALPHA), raw_of(BETA))]
    [found] = mismatches(CHECK, case)
    assert found.basis is Basis.SPEC
    assert found.message == (
        f"{score_path(*BETA)} and {score_path(*ALPHA)} hold the same row hashes in every row, so "
        "both were scored from the same bytes; arms/alpha/windows.json#/w1/raw names another raw "
        "file."
    )


def test_one_raw_hash_for_rows_that_differ_is_impossible() -> None:
    one = ("r1", "w1"), ("r2", "w1")
    other = hashed(1)
    other["row_sha256"] = other["row_sha256"].copy()
    other["row_sha256"][0, 31] ^= 1
    for second, wrong in ((hashed(1), 0), (other, 1)):
        case = case_with({one[0]: hashed(1), one[1]: second}, repeats={"r2": "r1"})
        shared = with_raw(case, one[1], Hash(value=raw_of(one[0]), location="r2 raw"))
        path = score_path("r1", "w1")
        expected = (
            f"{score_path(*one[1])}#/row_sha256",
            f"the row hashes of {path}",
            "other row hashes",
        )
        assert differences(CHECK, shared) == [expected] * wrong


def test_row_hashes_of_a_raw_file_that_nothing_names_are_not_compared_with_one() -> None:
    case = with_raw(case_with({ALPHA: hashed(1, 3), BETA: hashed(1, 3)}), BETA, None)
    assert differences(CHECK, case) == []


def test_a_raw_hash_that_only_the_receipt_names_counts_too() -> None:
    case = with_raw(case_with({ALPHA: hashed(1, 3), BETA: hashed(1, 3)}), BETA, None)
    own = Hash(value=raw_of(BETA), location="receipt.json#/raw")
    received = Receipt(
        location="receipt.json#",
        arm="beta",
        window="w1",
        rows=3,
        excluded=(0,),
        raw=own,
        raw_bytes=None,
        score=Hash(value=digest("score"), location="receipt.json#/score"),
        score_path=None,
        teacher=Hash(value=digest("teacher"), location="receipt.json#/teacher"),
        token=Hash(value=digest("token"), location="receipt.json#/token"),
        scored_at=None,
        retired_at=None,
    )
    first, second = case.bundle.arms
    arms = (first, replace(second, receipts=(received,)))
    found = differences(CHECK, replace(case, bundle=replace(case.bundle, arms=arms)))
    assert (own.location, raw_of(ALPHA), own.value) in found
