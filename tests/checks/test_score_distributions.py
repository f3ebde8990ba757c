"""Scores that their own distributions contradict."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

from tests.support.bundles import (
    MemoryStore,
    case_of,
    comparisons,
    digest,
    facts,
    gaps,
    member,
    members,
    mismatches,
    npz,
    score_path,
)
from verifier.checks.score_distributions import CHECK
from verifier.errors import StoreError
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, Hash, Protocol, Receipt, Window, WindowScore
from verifier.model.comparison import Comparison, Gap
from verifier.model.plugin import Case
from verifier.scores import StoreRows

ROWS, VOCABULARY, TOP = 7, 9, 4
PATH = score_path("fp8", "w1")
RAW = "arms/fp8/raw/w1.bin"
TEACHER_RAW = "arms/bf16/raw/w1.bin"
Arrays = dict[str, NDArray[Any]]
Pair = tuple[NDArray[Any], NDArray[Any]]


def logits(seed: int = 3, vocabulary: int = VOCABULARY) -> Pair:
    """Logits of teacher and student in single precision."""
    generator = np.random.default_rng(seed)
    teacher = generator.normal(0.0, 2.0, (ROWS, vocabulary)).astype("<f4")
    return teacher, (teacher + generator.normal(0.0, 0.4, teacher.shape)).astype("<f4")


def scored(pair: Pair, top: int = TOP) -> Arrays:
    """What an honest scorer keeps of these logits; SciPy and not the verifier computes it."""
    tokens = np.arange(len(pair[0]), dtype=np.int32) % pair[0].shape[1]
    log_p, log_q = (special.log_softmax(side.astype(np.float64), axis=1) for side in pair)
    arrays: Arrays = {"kld": special.rel_entr(np.exp(log_p), np.exp(log_q)).sum(axis=1)}
    arrays["realized_token"] = tokens
    for name, logp in (("teacher", log_p), ("student", log_q)):
        order = np.argsort(-logp, axis=1, kind="stable")[:, :top]
        arrays[f"{name}_entropy"] = special.entr(np.exp(logp)).sum(axis=1)
        arrays[f"{name}_top1"] = order[:, 0].astype(np.int32)
        arrays[f"{name}_top1_p"] = np.exp(logp.max(axis=1))
        arrays[f"{name}_logp_realized"] = logp[np.arange(len(logp)), tokens]
        arrays[f"{name}_topk_ids"] = order.astype(np.int32)
        arrays[f"{name}_topk_logp"] = np.take_along_axis(logp, order, axis=1)
    rows = [sha256(row.tobytes()).digest() for row in pair[1]]
    arrays["row_sha256"] = np.array([list(row) for row in rows], dtype=np.uint8)
    return arrays


def window(arm: str, *, raw: bool, rows: bool, teacher: str) -> WindowScore:
    where = f"arms/{arm}/windows.json#/windows/0"
    return WindowScore(
        window="w1",
        location=where,
        groups={},
        predicted_rows=ROWS,
        scored_rows=ROWS - 1,
        excluded=(0,),
        values={"kld": 0.25},
        teacher=Hash(value=teacher, location=f"{where}/teacher_sha256"),
        rows_path=score_path(arm, "w1") if rows else None,
        raw_path=f"arms/{arm}/raw/w1.bin" if raw else None,
    )


def bundle_of(
    content: Mapping[str, bytes], windows: Mapping[str, WindowScore], **protocol: Any
) -> Bundle:
    return Bundle(
        format="measurement-bundle/1",
        id="sample",
        title="A synthetic bundle",
        members=members(content),
        records=(),
        protocol=Protocol(**{"vocabulary": VOCABULARY, **protocol}),
        arms=tuple(
            Arm(id=name, name=name, location=f"bundle.json#/arms/{name}", windows=(entry,))
            for name, entry in windows.items()
        ),
    )


def with_lists(changed: Arrays | None = None, **protocol: Any) -> Case:
    """A bundle that keeps rows with lists and no raw logits."""
    content = {PATH: npz({**scored(logits()), **(changed or {})})}
    windows = {"fp8": window("fp8", raw=False, rows=True, teacher=digest("gone"))}
    return case_of(bundle_of(content, windows, **protocol), content=content)


def with_logits(
    changed: Arrays | None = None,
    *,
    pair: Pair | None = None,
    arrays: Arrays | None = None,
    files: Mapping[str, bytes] | None = None,
    **protocol: Any,
) -> Case:
    """A bundle that keeps the raw logits of teacher and student, and the student's rows."""
    teacher, student = pair or logits()
    held = {**(scored((teacher, student)) if arrays is None else arrays), **(changed or {})}
    content = {
        PATH: npz(held),
        RAW: student.tobytes(),
        TEACHER_RAW: teacher.tobytes(),
        **(files or {}),
    }
    hash_of_teacher = sha256(content[TEACHER_RAW]).hexdigest()
    windows = {
        "bf16": window("bf16", raw=True, rows=False, teacher=hash_of_teacher),
        "fp8": window("fp8", raw=True, rows=True, teacher=hash_of_teacher),
    }
    return case_of(bundle_of(content, windows, **protocol), content=content)


def change(name: str, at: Any, value: Any, *, arrays: Arrays | None = None) -> Arrays:
    array = (scored(logits()) if arrays is None else arrays)[name].copy()
    array[at] = value
    return {name: array}


def wrong(case: Case) -> list[tuple[str, Any, str]]:
    """Every mismatch about rows: array, number of rows, and the end of its message."""
    return [
        (found.location.partition("#/")[2], found.actual, found.message.rpartition(". ")[2])
        for found in mismatches(CHECK, case)
    ]


def test_honest_lists_contradict_nothing() -> None:
    case = with_lists()
    assert wrong(case) == []
    assert gaps(CHECK, case) == []
    found = comparisons(CHECK, case)
    assert [fact.basis for fact in found] == [Basis.SPEC] * 2 + [Basis.RECOMPUTED] * 21
    assert [fact.location.partition("#/")[2] for fact in found] == [
        *("teacher_topk_logp", "student_topk_logp"),
        *(["teacher_topk_ids"] * 2),
        *(["teacher_topk_logp"] * 3),
        *("teacher_top1", "teacher_top1_p", "teacher_logp_realized"),
        *(["teacher_entropy"] * 2),
        *(["student_topk_ids"] * 2),
        *(["student_topk_logp"] * 3),
        *("student_top1", "student_top1_p", "student_logp_realized"),
        *(["student_entropy"] * 2),
        "kld",
    ]


def test_honest_logits_contradict_nothing() -> None:
    case = with_logits()
    assert wrong(case) == []
    assert gaps(CHECK, case) == [(TEACHER_RAW, "no-evidence")]
    compared = {
        fact.location.partition("#/")[2]
        for fact in comparisons(CHECK, case)
        if RAW in fact.how and fact.location.startswith(PATH)
    }
    assert compared == set(scored(logits())) - {"realized_token"}


def test_without_lists_and_logits_there_is_nothing_to_compare() -> None:
    content = {PATH: npz({"kld": np.zeros(ROWS)})}
    windows = {"fp8": window("fp8", raw=False, rows=True, teacher=digest("gone"))}
    case = case_of(bundle_of(content, windows), content=content)
    assert CHECK.applies(case) == "neither top-k lists nor raw logits are retained"


@pytest.mark.parametrize("rows", [True, False])
def test_without_rows_there_is_nothing_to_compare(*, rows: bool) -> None:
    windows = {"fp8": window("fp8", raw=False, rows=rows, teacher=digest("gone"))}
    case = case_of(bundle_of({}, windows))
    assert CHECK.applies(case) == "neither top-k lists nor raw logits are retained"


@pytest.mark.parametrize("side", ["teacher", "student"])
def test_a_token_that_is_listed_twice(side: str) -> None:
    ids = f"{side}_topk_ids"
    arrays = scored(logits())
    twice = change(ids, (3, 3), arrays[ids][3, 2])
    # The row's other tokens keep their places, and its divergence is not computed any more.
    found = [entry for entry in wrong(with_lists(twice)) if entry[0] == ids]
    assert found == [(ids, 1, "Row: 3.")]


@pytest.mark.parametrize(("token", "count"), [(-1, 1), (VOCABULARY, 1), (VOCABULARY - 1, 0)])
def test_a_listed_token_outside_the_vocabulary(token: int, count: int) -> None:
    arrays = scored(logits())
    # The last of the list, so that nothing but the vocabulary is at stake.
    free = [token not in arrays["student_topk_ids"][row] for row in range(ROWS)]
    row = int(np.argmax(free))
    case = with_lists(change("student_topk_ids", (row, TOP - 1), token))
    outside = [fact for fact in comparisons(CHECK, case) if "outside the vocabulary" in fact.how]
    assert [fact.actual for fact in outside] == [0, count]


def test_without_a_vocabulary_only_negative_tokens_are_impossible() -> None:
    many = change("student_topk_ids", (1, TOP - 1), 10**6)
    how = "number of rows in which the list names a token outside the vocabulary"
    for vocabulary, count in ((None, 0), (VOCABULARY, 1)):
        case = with_lists(many, vocabulary=vocabulary)
        found = [fact.actual for fact in comparisons(CHECK, case) if fact.how == how]
        assert found == [0, count]


def test_a_list_that_does_not_descend() -> None:
    arrays = scored(logits())
    swapped = arrays["teacher_topk_logp"].copy()
    swapped[2, [2, 3]] = swapped[2, [3, 2]]
    found = wrong(with_lists({"teacher_topk_logp": swapped}))
    assert ("teacher_topk_logp", 1, "Row: 2.") in found


def test_listed_probabilities_that_exceed_one() -> None:
    heavy = change("student_topk_logp", 5, np.log([0.6, 0.3, 0.1, 1e-8]))
    found = [entry for entry in wrong(with_lists(heavy)) if entry[0] == "student_topk_logp"]
    assert found == [("student_topk_logp", 1, "Row: 5.")]


@pytest.mark.parametrize("side", ["teacher", "student"])
def test_a_top_1_that_does_not_lead_the_list(side: str) -> None:
    second = scored(logits())[f"{side}_topk_ids"][4, 1]
    found = wrong(with_lists(change(f"{side}_top1", 4, second)))
    assert found == [(f"{side}_top1", 1, "Row: 4.")]


def tied_at_the_top(vocabulary: int = VOCABULARY) -> Pair:
    teacher, student = logits(vocabulary=vocabulary)
    student[2, [1, 6]] = 20.0
    return teacher, student


def test_any_of_several_tied_tokens_may_be_the_top_1() -> None:
    pair = tied_at_the_top()
    arrays = scored(pair)
    arrays["student_top1"][2] = 6
    assert arrays["student_topk_ids"][2, :2].tolist() == [1, 6]
    assert wrong(with_logits(pair=pair, arrays=arrays)) == []


def test_a_tie_may_reach_beyond_a_list_as_far_as_probability_allows() -> None:
    pair = tied_at_the_top()
    arrays = scored(pair, top=1)
    arrays["student_top1"][2] = 6
    assert wrong(with_logits(pair=pair, arrays=arrays)) == []
    pair[1][2, 1] = 25.0
    arrays = scored(pair, top=1)
    arrays["student_top1"][2] = 6
    assert [entry[0] for entry in wrong(with_logits(pair=pair, arrays=arrays))] == [
        "student_top1",
        "student_top1",
    ]


@pytest.mark.parametrize(("error", "count"), [(0.9e-9, 0), (1.2e-9, 1), (-1.2e-9, 1)])
def test_a_top_1_probability_that_is_not_the_first_of_the_list(error: float, count: int) -> None:
    held = scored(logits())["teacher_top1_p"][6]
    found = wrong(with_lists(change("teacher_top1_p", 6, held + error)))
    assert found == [("teacher_top1_p", 1, "Row: 6.")] * count


def test_a_realised_token_with_another_log_probability_than_the_listed_one() -> None:
    arrays = scored(logits())
    listed = [
        t in ids
        for t, ids in zip(arrays["realized_token"], arrays["student_topk_ids"], strict=True)
    ]
    row = int(np.argmax(listed))
    held = arrays["student_logp_realized"][row]
    assert wrong(with_lists(change("student_logp_realized", row, held + 1e-10))) == []
    found = wrong(with_lists(change("student_logp_realized", row, held - 1e-6)))
    assert found == [("student_logp_realized", 1, f"Row: {row}.")]


def test_a_realised_token_that_is_likelier_than_the_list_it_is_not_on() -> None:
    arrays = scored(logits())
    listed = [
        t in ids
        for t, ids in zip(arrays["realized_token"], arrays["teacher_topk_ids"], strict=True)
    ]
    row = int(np.argmin(listed))
    last = arrays["teacher_topk_logp"][row, -1]
    assert wrong(with_lists(change("teacher_logp_realized", row, last))) == []
    found = wrong(with_lists(change("teacher_logp_realized", row, last + 1e-6)))
    assert found == [("teacher_logp_realized", 1, f"Row: {row}.")]


def bound(arrays: Arrays, row: int) -> float:
    """KL over shared tokens and one bucket, by hand."""
    p = dict(
        zip(arrays["teacher_topk_ids"][row], np.exp(arrays["teacher_topk_logp"][row]), strict=True)
    )
    q = dict(
        zip(arrays["student_topk_ids"][row], np.exp(arrays["student_topk_logp"][row]), strict=True)
    )
    shared = sorted(p.keys() & q.keys())
    pairs = [(p[token], q[token]) for token in shared]
    pairs.append((1 - sum(first for first, _ in pairs), 1 - sum(second for _, second in pairs)))
    return float(sum(first * np.log(first / second) for first, second in pairs))


@pytest.mark.parametrize(("below", "count"), [(0.5e-9, 0), (5e-9, 1)])
def test_a_divergence_below_that_of_the_lists(below: float, count: int) -> None:
    least = bound(scored(logits()), 3)
    found = wrong(with_lists(change("kld", 3, least - below)))
    assert found == [("kld", 1, "Row: 3.")] * count


def test_a_divergence_above_that_of_the_lists_is_possible() -> None:
    assert wrong(with_lists(change("kld", 3, 5.0))) == []


@pytest.mark.parametrize("error", [1e-8, -1e-8])
def test_lists_of_the_whole_vocabulary_leave_no_room(error: float) -> None:
    arrays = scored(logits(), top=VOCABULARY)
    assert wrong(with_lists(arrays)) == []
    off = {**arrays, **change("kld", 1, arrays["kld"][1] + error, arrays=arrays)}
    assert wrong(with_lists(off)) == [("kld", 1, "Row: 1.")]


def test_a_student_without_room_for_what_the_teacher_expects() -> None:
    """The rest of a sharp distribution is rounding: it must not make the divergence infinite."""
    teacher, student = logits()
    teacher[3], student[3] = 0.0, 0.0
    teacher[3, 0], student[3, 0] = 24.0, 40.0
    case = with_lists(scored((teacher, student)))
    assert wrong(case) == []


def test_rows_without_numbers_are_passed_over() -> None:
    arrays = scored(logits())
    for array in arrays.values():
        if array.dtype.kind == "f":
            array[2] = np.nan
    assert wrong(with_lists(arrays)) == []
    assert wrong(with_logits(arrays=arrays)) == []


def test_excluded_rows_count_too_and_the_first_are_named() -> None:
    found = wrong(with_lists(change("teacher_top1_p", slice(0, 5), 0.123)))
    assert found == [("teacher_top1_p", 5, "First rows: 0, 1, 2.")]
    found = wrong(with_lists(change("teacher_top1_p", [0, 6], 0.123)))
    assert found == [("teacher_top1_p", 2, "Rows: 0, 6.")]


@pytest.mark.parametrize(
    "misfit",
    [
        {"kld": np.zeros(ROWS - 1)},
        {"kld": np.zeros(ROWS, dtype=np.float32)},
        {"teacher_topk_ids": np.zeros((ROWS, TOP))},
        {"student_topk_logp": np.zeros((ROWS, 0))},
        {"student_topk_logp": np.zeros(ROWS)},
        {"realized_token": np.zeros((ROWS, 1), dtype=np.int32)},
    ],
)
def test_arrays_of_another_type_or_shape_are_left_to_score_arrays(misfit: Arrays) -> None:
    assert wrong(with_lists(misfit)) == []
    assert wrong(with_logits(misfit)) == []


@pytest.mark.parametrize(
    "name",
    [
        "kld",
        "teacher_entropy",
        "student_entropy",
        "teacher_top1_p",
        "student_top1_p",
        "teacher_logp_realized",
        "student_logp_realized",
    ],
)
def test_a_number_that_the_logits_do_not_give(name: str) -> None:
    held = scored(logits())[name][5]
    for error, count in ((0.5e-9, 0), (-1e-7, 1)):
        case = with_logits(change(name, 5, held + error))
        about_logits = [
            (fact.location, fact.message.rpartition(". ")[2])
            for fact in mismatches(CHECK, case)
            if RAW in fact.how
        ]
        assert about_logits == [(f"{PATH}#/{name}", "Row: 5.")] * count


def about_logits(case: Case) -> list[tuple[str, Any]]:
    return [
        (fact.location.partition("#/")[2], fact.actual)
        for fact in mismatches(CHECK, case)
        if RAW in fact.how
    ]


@pytest.mark.parametrize("side", ["teacher", "student"])
@pytest.mark.parametrize("token", [-1, VOCABULARY])
def test_tokens_that_the_logits_do_not_know(side: str, token: int) -> None:
    assert about_logits(with_logits(change(f"{side}_top1", 1, token))) == [(f"{side}_top1", 1)]
    assert about_logits(with_logits(change(f"{side}_topk_ids", (1, 0), token))) == [
        (f"{side}_topk_ids", 1),
        (f"{side}_topk_logp", 1),
    ]
    assert about_logits(with_logits(change("realized_token", 1, token))) == [
        ("teacher_logp_realized", 1),
        ("student_logp_realized", 1),
    ]


def test_a_list_that_leaves_out_a_likelier_token() -> None:
    pair = logits()
    longer = scored(pair, top=TOP + 1)
    arrays = scored(pair)
    for what in ("ids", "logp"):
        arrays[f"student_topk_{what}"] = np.delete(longer[f"student_topk_{what}"], 1, axis=1)
    assert about_logits(with_logits(arrays=arrays)) == [("student_topk_ids", ROWS)]


def test_a_tie_at_the_end_of_a_list_may_be_broken_either_way() -> None:
    pair = logits()
    order = np.argsort(-pair[1], axis=1)
    pair[1][2, order[2, TOP]] = pair[1][2, order[2, TOP - 1]]
    arrays = scored(pair)
    ids = arrays["student_topk_ids"]
    (other,) = {int(order[2, TOP - 1]), int(order[2, TOP])} - {int(ids[2, -1])}
    ids[2, -1] = other
    assert about_logits(with_logits(pair=pair, arrays=arrays)) == []


def test_a_log_probability_of_the_list_that_the_logits_do_not_give() -> None:
    held = scored(logits())["teacher_topk_logp"][4, 3]
    case = with_logits(change("teacher_topk_logp", (4, 3), held - 1e-6))
    assert about_logits(case) == [("teacher_topk_logp", 1)]


@pytest.mark.parametrize("dtype", ["u1", "S32", "V32"])
def test_row_hashes_in_each_form(dtype: str) -> None:
    digests = scored(logits())["row_sha256"]
    form = digests if dtype == "u1" else np.frombuffer(digests.tobytes(), dtype=dtype)
    assert wrong(with_logits({"row_sha256": form})) == []
    other = np.roll(form, 1, axis=0)
    assert about_logits(with_logits({"row_sha256": other})) == [("row_sha256", ROWS)]


def test_a_row_without_a_distribution_supports_no_number() -> None:
    teacher, student = logits()
    arrays = scored((teacher, student))
    del arrays["row_sha256"]
    student[3, 2] = np.nan
    found = about_logits(with_logits(pair=(teacher, student), arrays=arrays))
    assert found == [
        (name, 1)
        for name in (
            "kld",
            "student_entropy",
            "student_top1_p",
            "student_logp_realized",
            "student_topk_logp",
        )
    ]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_logits_of_every_type(dtype: str) -> None:
    teacher, student = logits()
    if dtype == "bfloat16":
        stored = [(side.view(np.uint32) >> 16).astype("<u2") for side in (teacher, student)]
        wide = [(side.astype(np.uint32) << 16).view(np.float32) for side in stored]
    else:
        stored = [side.astype(dtype) for side in (teacher, student)]
        wide = stored
    arrays = scored((wide[0], wide[1]))
    rows = [sha256(row.tobytes()).digest() for row in stored[1]]
    arrays["row_sha256"] = np.array([list(row) for row in rows], dtype=np.uint8)
    files = {TEACHER_RAW: stored[0].tobytes(), RAW: stored[1].tobytes()}
    case = with_logits(arrays=arrays, files=files, logits_dtype=dtype)
    assert wrong(case) == []
    assert len(comparisons(CHECK, case)) > len(scored(logits()))


def test_the_teacher_is_held_against_its_own_logits() -> None:
    case = with_logits()
    arm = case.bundle.arms[0]
    own = replace(arm.windows[0], rows_path=score_path("bf16", "w1"))
    pair = logits()
    arrays = scored((pair[0], pair[0]))
    content = {
        TEACHER_RAW: pair[0].tobytes(),
        own.rows_path or "": npz({**arrays, **change("kld", 2, 1e-6, arrays=arrays)}),
    }
    alone = bundle_of(content, {"bf16": own})
    found = mismatches(CHECK, case_of(alone, content=content))
    assert [(fact.location, fact.actual) for fact in found] == [
        (f"{own.rows_path}#/kld", 1),
    ]


def test_without_the_teachers_logits_the_students_are_compared_alone() -> None:
    case = with_logits(change("student_entropy", 1, 0.5))
    bundle = replace(case.bundle, arms=case.bundle.arms[1:])
    alone = replace(case, bundle=bundle)
    assert about_logits(alone) == [("student_entropy", 1)]
    [gap] = [fact for fact in facts(CHECK, alone) if isinstance(fact, Gap)]
    wanted = sha256(logits()[0].tobytes()).hexdigest()
    assert (gap.location, gap.concern) == (RAW, "not-recomputable")
    assert f"no raw file with SHA-256 {wanted}" in gap.reason
    compared = [
        fact.location.partition("#/")[2] for fact in comparisons(CHECK, alone) if RAW in fact.how
    ]
    assert not any(name.startswith("teacher_") or name == "kld" for name in compared)


def nameless(case: Case) -> Bundle:
    """The bundle without a teacher hash in its windows."""
    arms = tuple(
        replace(arm, windows=tuple(replace(entry, teacher=None) for entry in arm.windows))
        for arm in case.bundle.arms
    )
    return replace(case.bundle, arms=arms)


def test_a_window_that_names_no_teacher() -> None:
    case = with_logits()
    [gap] = [
        fact
        for fact in facts(CHECK, replace(case, bundle=nameless(case)))
        if isinstance(fact, Gap) and fact.location == RAW
    ]
    assert "no teacher hash is recorded" in gap.reason


@pytest.mark.parametrize("place", ["panel", "receipt"])
def test_the_teacher_may_be_named_by_the_panel_or_a_receipt(place: str) -> None:
    case = with_logits()
    bundle = nameless(case)
    teacher = Hash(value=sha256(logits()[0].tobytes()).hexdigest(), location="here")
    if place == "panel":
        panel = (Window(id="w1", location="bundle.json", groups={}, teacher=teacher),)
        bundle = replace(bundle, panel=panel)
    else:
        receipt = Receipt(
            location="receipt.json#",
            arm="fp8",
            window="w1",
            rows=ROWS,
            excluded=(0,),
            raw=None,
            raw_bytes=None,
            score=teacher,
            score_path=None,
            teacher=teacher,
            token=teacher,
            scored_at=None,
            retired_at=None,
        )
        arms = (bundle.arms[0], replace(bundle.arms[1], receipts=(receipt,)))
        bundle = replace(bundle, arms=arms)
    assert gaps(CHECK, replace(case, bundle=bundle)) == [(TEACHER_RAW, "no-evidence")]


def test_a_file_that_only_calls_itself_the_teacher_is_not() -> None:
    case = with_logits(files={TEACHER_RAW: logits(8)[0].tobytes()})
    honest = with_logits().bundle
    content = {**case.bundle.members, PATH: honest.members[PATH]}
    bundle = replace(honest, members={**content})
    assert (RAW, "not-recomputable") in gaps(CHECK, replace(case, bundle=bundle))


@pytest.mark.parametrize(("path", "size"), [(RAW, -1), (RAW, 4 * VOCABULARY), (TEACHER_RAW, -4)])
def test_a_raw_file_of_another_size(path: str, size: int) -> None:
    own = {RAW: logits()[1].tobytes(), TEACHER_RAW: logits()[0].tobytes()}[path]
    data = own[:size] if size < 0 else own + bytes(size)
    found = mismatches(CHECK, with_logits(files={path: data}))
    expected = 4 * ROWS * VOCABULARY
    assert [(fact.location, fact.expected, fact.actual) for fact in found] == [
        (path, expected, expected + size)
    ]
    assert found[0].basis is Basis.SPEC


def test_a_raw_file_that_is_not_there() -> None:
    case = with_logits()
    kept = {path: entry for path, entry in case.bundle.members.items() if path != RAW}
    found = mismatches(CHECK, replace(case, bundle=replace(case.bundle, members=kept)))
    assert [(fact.location, fact.actual, fact.concern, fact.subject) for fact in found] == [
        (RAW, None, "missing-member", RAW)
    ]


def test_a_raw_file_that_is_a_link_is_no_teacher() -> None:
    case = with_logits()
    linked = {**case.bundle.members, TEACHER_RAW: member(TEACHER_RAW, kind="symlink")}
    found = gaps(CHECK, replace(case, bundle=replace(case.bundle, members=linked)))
    assert (RAW, "not-recomputable") in found


@pytest.mark.parametrize(
    "protocol", [{"vocabulary": None}, {"logits_dtype": "float8"}, {"vocabulary": 2**40}]
)
def test_logits_whose_rows_cannot_be_told_apart(protocol: dict[str, Any]) -> None:
    case = with_logits(**protocol)
    assert (RAW, "not-recomputable") in gaps(CHECK, case)
    assert about_logits(case) == []


class BrokenStore(MemoryStore):
    """Cannot be read to the end, or not at all."""

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        if path == RAW:
            message = f"{path}: permission denied"
            raise StoreError(message)
        yield from super().blocks(path, size)


class ChangingStore(MemoryStore):
    """Notices after the last block that a file was written to."""

    def blocks(self, path: str, size: int) -> Iterator[bytes]:
        yield from super().blocks(path, size)
        message = f"{path}: changed while it was read"
        raise StoreError(message)


@pytest.mark.parametrize(
    ("store", "actual"),
    [
        (BrokenStore, f"{RAW} cannot be read"),
        (ChangingStore, f"{TEACHER_RAW}: changed while it was read"),
    ],
)
def test_logits_that_cannot_be_read(store: type[MemoryStore], actual: str) -> None:
    case = with_logits()
    pair = logits()
    content = {
        PATH: npz(scored(pair)),
        RAW: pair[1].tobytes(),
        TEACHER_RAW: pair[0].tobytes(),
    }
    found = mismatches(CHECK, replace(case, rows=StoreRows(store(files=content))))
    assert [(fact.location, fact.expected, fact.actual) for fact in found] == [
        (RAW, "readable raw logits", actual)
    ]


def test_rows_are_numbered_over_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.scores.rows._BLOCK_BYTES", 2 * 4 * VOCABULARY)
    case = with_logits(change("student_entropy", [1, 2, 5, 6], 9.0))
    found: list[Comparison] = [fact for fact in mismatches(CHECK, case) if RAW in fact.how]
    assert [(fact.actual, fact.message.rpartition(". ")[2]) for fact in found] == [
        (4, "First rows: 1, 2, 5.")
    ]


def test_a_list_with_more_tokens_than_log_probabilities() -> None:
    longer = scored(logits(), top=TOP + 1)["teacher_topk_ids"]
    case = with_lists({"teacher_topk_ids": longer})
    assert [(fact.location, fact.expected, fact.actual) for fact in mismatches(CHECK, case)] == [
        (f"{PATH}#/teacher_topk_logp", TOP + 1, TOP)
    ]
    assert wrong(with_logits({"teacher_topk_ids": longer})) == [
        ("teacher_topk_logp", TOP, "A list needs a log probability for each of its tokens.")
    ]


@pytest.mark.parametrize("kept", ["teacher_top1", "student_top1_p"])
def test_lists_beside_few_other_arrays(kept: str) -> None:
    arrays = scored(logits())
    few = {name: arrays[name] for name in arrays if "topk" in name or name == kept}
    content = {PATH: npz(few)}
    windows = {"fp8": window("fp8", raw=False, rows=True, teacher=digest("gone"))}
    case = case_of(bundle_of(content, windows), content=content)
    assert wrong(case) == []
    compared = {fact.location.partition("#/")[2] for fact in comparisons(CHECK, case)}
    assert compared == few.keys()


@pytest.mark.parametrize("kept", ["kld", "student_topk_ids", "row_sha256"])
def test_logits_beside_few_arrays(kept: str) -> None:
    arrays = scored(logits())
    case = with_logits(arrays={kept: arrays[kept]})
    assert wrong(case) == []
    assert [fact.location for fact in comparisons(CHECK, case) if RAW in fact.how] == [
        f"{PATH}#/{kept}"
    ]


def test_raw_logits_of_another_window_are_not_its_teacher() -> None:
    case = with_logits()
    teacher, student = case.bundle.arms
    moved = replace(teacher, windows=(replace(teacher.windows[0], window="w2"),))
    bundle = replace(case.bundle, arms=(moved, student))
    assert (RAW, "not-recomputable") in gaps(CHECK, replace(case, bundle=bundle))


def test_without_any_divergence_there_is_none_to_bound() -> None:
    assert wrong(with_lists({"kld": np.full(ROWS, np.nan)})) == []
