from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.bundles import (
    ROWS,
    MemoryStore,
    case_of,
    comparisons,
    differences,
    files,
    gaps,
    in_order,
    member,
    mismatches,
    npz,
    row_arrays,
    sample,
    score_path,
    with_window,
)
from verifier.checks.score_arrays import CHECK
from verifier.model.basis import Basis, Level
from verifier.model.bundle import Bundle, Protocol
from verifier.model.plugin import Case, Column
from verifier.scores import StoreRows

PATH = score_path("fp8", "w1")
FINITE = "number of values on scored rows that are infinite or not a number"
POSSIBLE = "number of values on scored rows that no such quantity can have"


def case_with(data: bytes, bundle: Bundle | None = None) -> Case:
    """The sample with other bytes as its first score file (seal and receipts are not looked at)."""
    return case_of(bundle or sample(), content={**files(), PATH: data})


def case_with_arrays(bundle: Bundle | None = None, /, **changes: NDArray[Any] | None) -> Case:
    """The sample with arrays of its first score file changed, added or (None) removed."""
    arrays = {**row_arrays(), **changes}
    kept = {name: array for name, array in arrays.items() if array is not None}
    return case_with(npz(kept), bundle)


def at(name: str) -> str:
    return f"{PATH}#/{name}"


def changed(name: str, row: int, value: float) -> NDArray[Any]:
    array = row_arrays()[name].copy()
    array[row] = value
    return array


def test_sound_arrays_have_no_mismatch_and_no_gap() -> None:
    case = case_of(sample(), content=files())
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []
    assert {fact.basis for fact in comparisons(CHECK, case)} == {Basis.SPEC, Basis.RECOMPUTED}


def test_without_row_arrays_there_is_nothing_to_look_at() -> None:
    bundle = sample()
    arms = tuple(
        replace(arm, windows=tuple(replace(window, rows_path=None) for window in arm.windows))
        for arm in bundle.arms
    )
    assert CHECK.applies(case_of(replace(bundle, arms=arms))) == "no row arrays are retained"


def test_a_window_without_rows_beside_others_with_rows_is_passed_over() -> None:
    bundle = with_window(sample(), "fp8", "w1", rows_path=None)
    case = case_of(bundle, content=files())
    assert differences(CHECK, case) == []
    assert not any(fact.location.startswith(PATH) for fact in comparisons(CHECK, case))


def test_a_missing_score_file_can_be_asked_for_by_name() -> None:
    bundle = sample()
    kept = {path: value for path, value in bundle.members.items() if path != PATH}
    case = case_of(replace(bundle, members=kept), content=files())
    assert differences(CHECK, case) == [(PATH, "present", None)]
    [finding] = mismatches(CHECK, case)
    assert (finding.concern, finding.subject) == ("missing-member", PATH)


def test_a_score_file_that_is_a_link_is_not_opened() -> None:
    bundle = sample()
    linked = replace(bundle, members={**bundle.members, PATH: member(PATH, kind="symlink")})
    content = {path: data for path, data in files().items() if path != PATH}
    assert differences(CHECK, case_of(linked, content=content)) == [
        (PATH, "a readable array", f"{PATH}: no such file")
    ]


def test_a_file_that_is_no_archive_is_one_mismatch() -> None:
    assert differences(CHECK, case_with(b"not an archive")) == [
        (PATH, "a readable array", "not an npz file: BadZipFile: File is not a zip file")
    ]


def test_an_empty_archive_holds_no_divergence() -> None:
    assert differences(CHECK, case_with(npz({}))) == [(at("kld"), "present", None)]


def test_the_divergence_of_every_row_is_required_and_nothing_else() -> None:
    assert differences(CHECK, case_with_arrays(kld=None)) == [(at("kld"), "present", None)]
    assert differences(CHECK, case_with(npz({"kld": row_arrays()["kld"]}))) == []


def test_a_pickle_is_named_and_never_loaded() -> None:
    pickled = np.array([{"a": 1}] * ROWS, dtype=object)
    assert differences(CHECK, case_with_arrays(kld=pickled)) == [
        (at("kld"), "a readable array", "holds pickled Python objects, which are never loaded")
    ]


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("kld", ">f8", "<f8"),
        ("kld", "<f4", "<f8"),
        ("teacher_entropy", "<i8", "<f8"),
        ("student_top1", ">i4", "<i4 or <i8"),
        ("realized_token", "<u4", "<i4 or <i8"),
        ("history", "|b1", "<i4 or <i8"),
        ("student_topk_logp", "<f2", "<f8"),
        ("teacher_topk_ids", "<f8", "<i4 or <i8"),
    ],
)
def test_an_array_stored_as_another_type(name: str, dtype: str, expected: str) -> None:
    array = row_arrays()[name].astype(dtype)
    assert differences(CHECK, case_with_arrays(**{name: array})) == [(at(name), expected, dtype)]


@pytest.mark.parametrize(
    ("name", "shape", "expected", "actual"),
    [
        ("kld", (ROWS - 1,), "4", "3"),
        ("kld", (ROWS, 1), "4", "4 x 1"),
        ("kld", (), "4", "a single value"),
        ("teacher_topk_logp", (ROWS,), "4 x k", "4"),
        ("teacher_topk_logp", (ROWS - 1, 2), "4 x k", "3 x 2"),
        ("teacher_topk_logp", (ROWS, 0), "4 x k", "4 x 0"),
        ("teacher_topk_logp", (ROWS, 2, 1), "4 x k", "4 x 2 x 1"),
    ],
)
def test_an_array_that_is_one_row_short_or_of_another_shape(
    name: str, shape: tuple[int, ...], expected: str, actual: str
) -> None:
    array = np.zeros(shape)
    assert differences(CHECK, case_with_arrays(**{name: array})) == [(at(name), expected, actual)]


@pytest.mark.parametrize(
    "digests",
    [
        np.full((ROWS, 32), 1, dtype=np.uint8),
        np.full(ROWS, b"x" * 32, dtype="S32"),
        np.full(ROWS, b"x" * 32, dtype="V32"),
    ],
    ids=["u1", "S32", "V32"],
)
def test_row_digests_in_each_permitted_form(digests: NDArray[Any]) -> None:
    assert differences(CHECK, case_with_arrays(row_sha256=digests)) == []


@pytest.mark.parametrize(
    ("digests", "expected", "actual"),
    [
        (np.zeros((ROWS, 31), dtype=np.uint8), "4 x 32", "4 x 31"),
        (np.zeros(ROWS, dtype="V32")[1:], "4", "3"),
        (np.zeros(ROWS, dtype="S31"), "|S32 or |V32 or |u1", "|S31"),
    ],
)
def test_row_digests_that_are_no_digests(digests: NDArray[Any], expected: str, actual: str) -> None:
    case = case_with_arrays(row_sha256=digests)
    assert differences(CHECK, case) == [(at("row_sha256"), expected, actual)]


def test_an_array_that_nobody_knows_is_listed_as_unverified() -> None:
    case = case_with_arrays(extra=np.zeros(3))
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == [(at("extra"), "unknown-field")]


@pytest.mark.parametrize(
    "name", ["teacher_logp_realized", "student_logp_realized", "student_topk_logp"]
)
def test_a_token_that_is_ruled_out_has_no_finite_log_probability(name: str) -> None:
    array = row_arrays()[name]
    array[1] = -np.inf
    assert differences(CHECK, case_with_arrays(**{name: array})) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kld", np.nan),
        ("kld", np.inf),
        ("kld", -np.inf),
        ("student_entropy", np.nan),
        ("student_entropy", np.inf),
        ("student_entropy", -np.inf),
        ("teacher_logp_realized", np.nan),
        ("teacher_logp_realized", np.inf),
    ],
)
def test_a_value_that_is_no_finite_number_on_a_scored_row(name: str, value: float) -> None:
    case = case_with_arrays(**{name: changed(name, 1, value)})
    assert differences(CHECK, case) == [(at(name), 0, 1)]
    assert mismatches(CHECK, case)[0].how == FINITE


def test_every_bad_value_of_a_top_k_row_is_counted() -> None:
    array = row_arrays()["student_topk_logp"]
    array[1:3] = np.nan
    assert differences(CHECK, case_with_arrays(student_topk_logp=array)) == [
        (at("student_topk_logp"), 0, 4)
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kld", -1.1e-9),
        ("teacher_entropy", -1.1e-9),
        ("teacher_top1_p", 1.1),
        ("student_top1_p", -0.1),
        ("student_logp_realized", 1.1e-12),
        ("teacher_topk_logp", 0.5),
    ],
)
def test_a_value_that_no_such_quantity_can_have(name: str, value: float) -> None:
    case = case_with_arrays(**{name: changed(name, 2, value)})
    bad = 2 if name == "teacher_topk_logp" else 1
    assert differences(CHECK, case) == [(at(name), 0, bad)]
    assert mismatches(CHECK, case)[0].how == POSSIBLE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kld", -1e-17),
        ("teacher_top1_p", 1.0 + 2e-16),
        ("student_top1_p", 0.0),
        ("student_logp_realized", 1e-16),
    ],
)
def test_rounding_at_the_edge_of_what_is_possible_is_fine(name: str, value: float) -> None:
    assert differences(CHECK, case_with_arrays(**{name: changed(name, 2, value)})) == []


@pytest.mark.parametrize("source", ["window", "protocol"])
def test_an_excluded_row_may_hold_anything(source: str) -> None:
    bundle = sample()
    if source == "protocol":
        bundle = with_window(bundle, "fp8", "w1", excluded=None)
    assert differences(CHECK, case_with_arrays(bundle, kld=changed("kld", 0, np.nan))) == []


def test_a_row_that_no_mask_excludes_counts() -> None:
    bundle = with_window(replace(sample(), protocol=Protocol()), "fp8", "w1", excluded=None)
    case = case_with_arrays(bundle, kld=changed("kld", 0, np.nan))
    assert differences(CHECK, case) == [(at("kld"), 0, 1)]


def test_a_mask_beyond_the_window_hides_nothing() -> None:
    bundle = with_window(sample(), "fp8", "w1", excluded=(-1, ROWS, 10**30))
    case = case_with_arrays(bundle, kld=changed("kld", ROWS - 1, np.nan))
    assert differences(CHECK, case) == [(at("kld"), 0, 1)]


def test_all_that_is_wrong_in_a_file_is_listed_at_once() -> None:
    case = case_with_arrays(
        kld=row_arrays()["kld"].astype(">f8")[1:],
        history=np.zeros(2, dtype=np.int32),
        teacher_top1_p=changed("teacher_top1_p", 1, 2.0),
    )
    assert differences(CHECK, case) == in_order(
        (at("kld"), "<f8", ">f8"),
        (at("kld"), "4", "3"),
        (at("history"), "4", "2"),
        (at("teacher_top1_p"), 0, 1),
    )


class VanishingRows(StoreRows):
    """Describes a sound array and then fails to load it, as when a file changes meanwhile."""

    def columns(self, path: str) -> tuple[Column, ...]:
        assert path
        return (Column(name="kld", dtype="<f8", shape=(ROWS,)),)

    def load(self, path: str, names: Iterable[str]) -> Mapping[str, NDArray[Any]]:
        assert path
        assert list(names) == ["kld"]
        return MappingProxyType({})


def test_an_array_that_vanishes_between_two_looks_does_not_pass() -> None:
    bundle = sample()
    arm = bundle.arms[0]
    single = replace(bundle, arms=(replace(arm, windows=arm.windows[:1]),))
    case = replace(case_of(single), rows=VanishingRows(MemoryStore(files={})))
    assert differences(CHECK, case) == [(at("kld"), "a readable array", "unreadable")]


def test_a_level_that_claims_distributions_needs_them_in_every_file() -> None:
    arms = tuple(replace(arm, level=Level.ROW_DISTRIBUTIONS) for arm in sample().arms)
    claimed = replace(sample(), arms=arms)

    assert differences(CHECK, case_with_arrays(claimed, teacher_topk_logp=None)) == [
        (at("teacher_topk_logp"), "present", None)
    ]


def test_arrays_that_the_bundle_says_it_holds_are_there() -> None:
    columns = ("kld", "student_logp_realized")
    arms = tuple(replace(arm, row_columns=columns) for arm in sample().arms)
    claimed = replace(sample(), arms=arms)

    assert differences(CHECK, case_with_arrays(claimed, student_logp_realized=None)) == [
        (at("student_logp_realized"), "present", None)
    ]


@pytest.mark.parametrize(
    "name",
    ["teacher_topk_ids", "teacher_topk_logp", "student_topk_ids", "student_topk_logp"],
)
def test_each_array_of_a_distribution_is_needed(name: str) -> None:
    arms = tuple(replace(arm, level=Level.ROW_DISTRIBUTIONS) for arm in sample().arms)
    claimed = replace(sample(), arms=arms)
    assert differences(CHECK, case_with_arrays(claimed, **{name: None})) == [
        (at(name), "present", None)
    ]


BOUNDS = [
    ("kld", -1e-9, -1.1e-9),
    ("teacher_entropy", -1e-9, -1.1e-9),
    ("student_entropy", -1e-9, -1.1e-9),
    ("teacher_top1_p", -1e-12, -1.1e-12),
    ("student_top1_p", -1e-12, -1.1e-12),
    ("teacher_top1_p", 1.0 + 1e-12, 1.0 + 1.1e-12),
    ("student_top1_p", 1.0 + 1e-12, 1.0 + 1.1e-12),
    ("teacher_logp_realized", 1e-12, 1.1e-12),
    ("student_logp_realized", 1e-12, 1.1e-12),
    ("teacher_topk_logp", 1e-12, 1.1e-12),
    ("student_topk_logp", 1e-12, 1.1e-12),
]
"""Array, the last value that rounding can give, and one that it cannot."""


@pytest.mark.parametrize(("name", "inside", "outside"), BOUNDS)
def test_the_bounds_of_every_array_stand_where_the_format_puts_them(
    name: str, inside: float, outside: float
) -> None:
    assert differences(CHECK, case_with_arrays(**{name: changed(name, 2, inside)})) == []
    bad = row_arrays()[name][2].size
    assert differences(CHECK, case_with_arrays(**{name: changed(name, 2, outside)})) == [
        (at(name), 0, bad)
    ]


@pytest.mark.parametrize("name", sorted(row_arrays()))
def test_every_known_array_is_held_to_its_number_of_rows(name: str) -> None:
    case = case_with_arrays(**{name: row_arrays()[name][1:]})
    assert [location for location, _, _ in differences(CHECK, case)] == [at(name)]
    assert gaps(CHECK, case) == []


def test_a_score_file_that_is_gone_is_one_mismatch_of_the_format_and_not_opened() -> None:
    bundle = sample()
    kept = {path: value for path, value in bundle.members.items() if path != PATH}
    content = {path: data for path, data in files().items() if path != PATH}
    case = case_of(replace(bundle, members=kept), content=content)
    [finding] = mismatches(CHECK, case)
    assert (finding.location, finding.actual, finding.basis) == (PATH, None, Basis.SPEC)


@pytest.mark.parametrize(
    ("rows", "where"), [([2], "Row: 2."), ([1, 3], "Rows: 1, 3."), ([1, 2, 3], "Rows: 1, 2, 3.")]
)
@pytest.mark.parametrize("value", [np.nan, -5.0])
def test_bad_values_are_located(rows: list[int], where: str, value: float) -> None:
    array = row_arrays()["kld"].copy()
    array[[0, *rows]] = value
    [finding] = mismatches(CHECK, case_with_arrays(kld=array))
    assert (finding.actual, finding.message.rpartition(". ")[2]) == (len(rows), where)


def test_only_the_first_of_many_rows_are_named() -> None:
    rows = 50
    bundle = with_window(sample(), "fp8", "w1", predicted_rows=rows, excluded=(10,))
    array = np.zeros((rows, 2))
    array[7:40] = [np.inf, -1.0]
    case = case_with(npz({"kld": np.zeros(rows), "teacher_topk_logp": array}), bundle)
    [finding] = mismatches(CHECK, case)
    assert finding.actual == 32
    assert finding.message == (
        "The array holds values on scored rows that are infinite or not a number. "
        "First rows: 7, 8, 9."
    )


def test_rows_are_numbered_as_predicted_not_as_scored() -> None:
    bundle = with_window(sample(), "fp8", "w1", excluded=(0, 1))
    [finding] = mismatches(CHECK, case_with_arrays(bundle, kld=changed("kld", 2, np.nan)))
    assert finding.message.endswith("Row: 2.")


def test_a_window_without_rows_has_no_bad_values() -> None:
    bundle = with_window(sample(), "fp8", "w1", predicted_rows=0, excluded=())
    assert differences(CHECK, case_with(npz({"kld": np.zeros(0)}), bundle)) == []


def test_numbers_at_the_ends_of_fp64_are_finite() -> None:
    array = np.array([0.0, 1.7e308, 0.0, 0.0])
    logp = np.full((ROWS, 2), -1.7e308)
    assert differences(CHECK, case_with_arrays(kld=array, teacher_topk_logp=logp)) == []
