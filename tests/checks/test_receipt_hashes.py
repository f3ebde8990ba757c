from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from tests.support.bundles import (
    RAW_BYTES,
    ROWS,
    case_of,
    comparisons,
    differences,
    digest,
    files,
    gaps,
    in_order,
    member,
    mismatches,
    place,
    receipt,
    receipt_place,
    retired,
    sample,
    score_path,
    with_arm,
    with_receipt,
    with_window,
    without_receipts,
)
from verifier.checks.receipt_hashes import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Arm, Bundle, Flag, Hash, Protocol, WindowScore

HEX_RULE = "64 lower-case hex digits"
OTHER = digest("other")


def named(where: str, value: str = OTHER) -> Hash:
    return Hash(value=value, location=where)


def arm_of(bundle: Bundle, arm_id: str) -> Arm:
    arm = bundle.arm(arm_id)
    assert arm is not None
    return arm


def window_of(bundle: Bundle, arm_id: str, window: str) -> WindowScore:
    return next(entry for entry in arm_of(bundle, arm_id).windows if entry.window == window)


def bare() -> Bundle:
    """Per-window hashes only, as published records have them."""
    return without_receipts(sample())


def with_retired(bundle: Bundle, *entries: Any) -> Bundle:
    assert bundle.seal is not None
    return replace(bundle, seal=replace(bundle.seal, retired=entries))


def flag(*, value: bool) -> Flag:
    return Flag(
        location="audit.json#/all_pass", topic="receipt-hashes", statement="all pass", value=value
    )


@pytest.mark.parametrize("bundle", [sample(), bare()], ids=["receipts", "hashes-only"])
def test_an_untouched_bundle_has_no_mismatch(bundle: Bundle) -> None:
    case = case_of(bundle, reference=bundle)
    assert differences(CHECK, case) == []
    assert {fact.basis for fact in comparisons(CHECK, case)} == {
        Basis.SEALED,
        Basis.SPEC,
        Basis.RECOMPUTED,
    }


def test_receipts_for_every_window_leave_no_gap() -> None:
    assert gaps(CHECK, case_of(sample(), reference=sample())) == []


def test_an_arm_without_any_receipt_is_a_gap() -> None:
    assert gaps(CHECK, case_of(bare())) == [(arm.location, "no-evidence") for arm in bare().arms]


def test_a_hash_that_spells_out_the_demand_is_no_hash() -> None:
    demand = "64 lower-case hex digits"
    bundle = with_window(sample(), "fp8", "w1", raw=Hash(value=demand, location="here"))
    assert ("here", demand, repr(demand)) in differences(CHECK, case_of(bundle))


def test_a_bundle_without_hashes_and_flags_has_nothing_to_compare() -> None:
    bundle = replace(sample(), panel=(), arms=())
    assert CHECK.applies(case_of(bundle)).startswith("the bundle names no hash")


@pytest.mark.parametrize("value", [True, False])
def test_a_bare_statement_is_only_declared(value: bool) -> None:  # noqa: FBT001 - parametrised
    bundle = replace(sample(), panel=(), arms=(), seal=None, flags=(flag(value=value),))
    case = case_of(bundle)
    [fact] = comparisons(CHECK, case)
    assert (fact.basis, fact.concern) == (Basis.DECLARED, "")
    expected = [] if value else [("audit.json#/all_pass", True, False)]
    assert differences(CHECK, case) == expected


def test_a_statement_about_something_else_is_not_ours() -> None:
    other = replace(flag(value=False), topic="window-alignment")
    assert differences(CHECK, case_of(replace(bare(), flags=(other,)))) == []


@pytest.mark.parametrize("value", ["", "abc", OTHER.upper(), f"sha256:{OTHER}", f"{OTHER}\n"])
def test_a_malformed_hash_is_named_where_it_stands(value: str) -> None:
    bundle = with_window(bare(), "fp8", "w1", raw=named("here", value))
    assert differences(CHECK, case_of(bundle)) == [("here", HEX_RULE, value)]


@pytest.mark.parametrize("role", ["teacher", "token"])
def test_two_arms_with_different_inputs_for_a_window(role: str) -> None:
    bundle = with_window(bare(), "nvfp4", "w2", **{role: named("here")})
    case = case_of(bundle)
    assert differences(CHECK, case) == [("here", digest(f"{role} w2"), OTHER)]
    assert f"bundle.json#/windows/1/{role}" in mismatches(CHECK, case)[0].message


def test_a_receipt_with_another_token_hash_differs_from_panel_and_record() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", token=named("here"))
    assert differences(CHECK, case_of(bundle)) == [("here", digest("token w1"), OTHER)] * 2


def test_the_reference_bundle_measured_another_input() -> None:
    reference = with_window(bare(), "fp8", "w3", token=named("there"))
    case = case_of(bare(), reference=reference)
    assert differences(CHECK, case) == [("bundle.json#/windows/2/token", OTHER, digest("token w3"))]
    assert "there of the reference bundle" in mismatches(CHECK, case)[0].message


def test_windows_that_only_the_reference_has_are_not_compared() -> None:
    reference = with_window(bare(), "fp8", "w3", window="w9", token=named("there"))
    assert differences(CHECK, case_of(bare(), reference=reference)) == []


@pytest.mark.parametrize("role", ["raw", "score"])
@pytest.mark.parametrize("arm", ["fp8", "nvfp4"])
def test_a_hash_duplicated_from_another_window_or_arm(role: str, arm: str) -> None:
    bundle = replace(bare(), protocol=Protocol())
    twin = {
        "raw": window_of(bundle, "fp8", "w1").raw,
        "score": window_of(bundle, "fp8", "w1").score,
    }
    original = twin[role]
    assert original is not None
    changes: dict[str, Any] = {role: named("here", original.value), "rows_path": None}
    case = case_of(with_window(bundle, arm, "w2", **changes))
    assert differences(CHECK, case) == [("here", f"a {role} hash of its own", original.value)]
    assert f"{original.location} (arm fp8, window w1)" in mismatches(CHECK, case)[0].message


def test_the_reference_scored_the_same_raw_file_with_other_scores() -> None:
    reference = with_window(bare(), "fp8", "w1", score=named("there"))
    case = case_of(bare(), reference=reference)
    assert differences(CHECK, case) == [
        (f"{place('fp8', 'w1')}/score", OTHER, window_score_of("fp8", "w1"))
    ]


def window_score_of(arm: str, window: str) -> str:
    return sha256(files()[score_path(arm, window)]).hexdigest()


def test_raw_bytes_of_other_rows_than_the_record_says() -> None:
    bundle = with_window(bare(), "fp8", "w1", raw_bytes=RAW_BYTES - 40)
    case = case_of(bundle)
    assert differences(CHECK, case) == [(place("fp8", "w1"), RAW_BYTES, RAW_BYTES - 40)]
    [finding] = mismatches(CHECK, case)
    assert finding.basis is Basis.RECOMPUTED
    assert finding.how == (
        f"{ROWS} rows x 10 logits x 4 bytes (the vocabulary is the declared one)"
    )


def test_without_a_declared_vocabulary_the_size_that_disagrees_is_named() -> None:
    bundle = replace(bare(), protocol=Protocol())
    case = case_of(with_window(bundle, "fp8", "w1", raw_bytes=RAW_BYTES + 16))
    assert differences(CHECK, case) == [(place("fp8", "w1"), RAW_BYTES, RAW_BYTES + 16)]
    assert "no vocabulary is declared" in mismatches(CHECK, case)[0].how


@pytest.mark.parametrize(("size", "rows"), [(RAW_BYTES + 1, ROWS), (0, ROWS), (RAW_BYTES, 0)])
def test_sizes_that_imply_no_vocabulary_at_all(size: int, rows: int) -> None:
    entry = replace(
        window_of(sample(), "fp8", "w1"), raw_bytes=size, predicted_rows=rows, rows_path=None
    )
    arm = Arm(id="fp8", name="fp8", location="x", windows=(entry,))
    bundle = replace(bare(), protocol=Protocol(), panel=(), arms=(arm,))
    assert differences(CHECK, case_of(bundle)) == [
        (place("fp8", "w1"), f"a multiple of {rows} rows x 4 bytes", size)
    ]


def test_unknown_raw_files_leave_the_rest_comparable() -> None:
    bundle = with_window(sample(), "fp8", "w1", raw=None, raw_bytes=None)
    bundle = with_receipt(bundle, "fp8", "w1", raw=None, raw_bytes=None, retired_at=None)
    remaining = [retired(arm, window) for arm in ("fp8", "nvfp4") for window in ("w1", "w2", "w3")]
    assert differences(CHECK, case_of(with_retired(bundle, *remaining[1:]))) == []


def test_a_retirement_without_a_raw_hash_need_not_be_in_the_seal() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", raw=None, raw_bytes=None)
    remaining = [retired(arm, window) for arm in ("fp8", "nvfp4") for window in ("w1", "w2", "w3")]
    assert differences(CHECK, case_of(with_retired(bundle, *remaining[1:]))) == []


def test_a_window_without_a_receipt_in_an_arm_that_has_receipts() -> None:
    bundle = sample()
    kept = arm_of(bundle, "fp8").receipts[1:]
    case = case_of(with_arm(bundle, "fp8", receipts=kept))
    entry = retired("fp8", "w1")
    assert differences(CHECK, case) == in_order(
        (place("fp8", "w1"), 1, 0),
        (entry.location, "a receipt that says when the raw file was retired", entry.receipt),
    )


def test_a_receipt_of_another_window_in_place_of_the_right_one() -> None:
    bundle = sample()
    first, second, third = arm_of(bundle, "fp8").receipts
    where = receipt_place("fp8", "w1")
    moved = replace(
        second,
        location=where,
        raw=named(f"{where}/raw", second.raw.value if second.raw else ""),
        score=named(f"{where}/score", second.score.value),
    )
    assert first.location == where
    entry = retired("fp8", "w1")
    case = case_of(with_arm(bundle, "fp8", receipts=(moved, second, third)))
    assert differences(CHECK, case) == in_order(
        (place("fp8", "w1"), 1, 0),
        (place("fp8", "w2"), 1, 2),
        (entry.location, digest("raw fp8 w2"), digest("raw fp8 w1")),
    )


def test_a_receipt_of_a_window_that_the_arm_does_not_have() -> None:
    bundle = sample()
    content = files()
    stray = replace(
        receipt("fp8", "w1", content),
        window="w9",
        location="stray.json#",
        raw=None,
        raw_bytes=None,
        score=named("stray.json#/score"),
        score_path=None,
        retired_at=None,
    )
    receipts = (*arm_of(bundle, "fp8").receipts, stray)
    assert differences(CHECK, case_of(with_arm(bundle, "fp8", receipts=receipts))) == [
        ("stray.json#", "a window of arm fp8", "w9")
    ]


@pytest.mark.parametrize(
    ("change", "expected", "actual"),
    [
        ({"excluded": ()}, "0", "none"),
        ({"excluded": (1, 0)}, "0", "0, 1"),
        ({"excluded": (0, 0)}, "0", "0, 0"),
    ],
)
def test_a_receipt_that_masks_other_rows(
    change: dict[str, Any], expected: str, actual: str
) -> None:
    bundle = with_receipt(sample(), "fp8", "w1", **change)
    assert differences(CHECK, case_of(bundle)) == [(receipt_place("fp8", "w1"), expected, actual)]


def test_a_mask_that_the_record_does_not_list_is_not_compared() -> None:
    bundle = with_window(sample(), "fp8", "w1", excluded=None)
    assert differences(CHECK, case_of(bundle)) == []


def test_a_receipt_of_other_rows_contradicts_the_record_and_its_raw_size() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", rows=ROWS - 1)
    where = receipt_place("fp8", "w1")
    assert differences(CHECK, case_of(bundle)) == in_order(
        (where, (ROWS - 1) * 40, RAW_BYTES), (where, ROWS, ROWS - 1)
    )


def test_a_receipt_with_another_raw_hash_contradicts_the_record_and_the_seal() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", raw=named("here"))
    assert differences(CHECK, case_of(bundle)) == in_order(
        ("here", digest("raw fp8 w1"), OTHER),
        (retired("fp8", "w1").location, OTHER, digest("raw fp8 w1")),
    )


def test_a_receipt_with_another_score_hash_contradicts_record_and_file() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", score=named("here"))
    score = window_score_of("fp8", "w1")
    assert differences(CHECK, case_of(bundle)) == in_order(
        ("here", score, OTHER), (score_path("fp8", "w1"), OTHER, score)
    )


def test_a_receipt_that_names_the_score_file_of_another_window() -> None:
    elsewhere = score_path("fp8", "w2")
    bundle = with_receipt(sample(), "fp8", "w1", score_path=elsewhere)
    assert differences(CHECK, case_of(bundle)) == in_order(
        (receipt_place("fp8", "w1"), score_path("fp8", "w1"), elsewhere),
        (elsewhere, window_score_of("fp8", "w1"), window_score_of("fp8", "w2")),
    )


@pytest.mark.parametrize("receipts", [True, False])
def test_one_changed_score_file_is_one_mismatch(receipts: bool) -> None:  # noqa: FBT001 - parametrised
    path = score_path("fp8", "w1")
    bundle = sample() if receipts else bare()
    changed = member(path, b"changed")
    case = case_of(replace(bundle, members={**bundle.members, path: changed}))
    assert differences(CHECK, case) == [(path, window_score_of("fp8", "w1"), changed.sha256)]
    assert mismatches(CHECK, case)[0].concern == ""


def test_a_score_file_replaced_by_a_link_is_not_the_sealed_one() -> None:
    path = score_path("fp8", "w1")
    bundle = sample()
    link = member(path, kind="symlink")
    case = case_of(replace(bundle, members={**bundle.members, path: link}))
    assert differences(CHECK, case) == [(path, window_score_of("fp8", "w1"), "symlink")]


@pytest.mark.parametrize("receipts", [True, False])
def test_a_missing_score_file_can_be_asked_for_by_name(receipts: bool) -> None:  # noqa: FBT001 - parametrised
    path = score_path("fp8", "w1")
    bundle = sample() if receipts else bare()
    kept = {name: value for name, value in bundle.members.items() if name != path}
    [finding] = mismatches(CHECK, case_of(replace(bundle, members=kept)))
    assert (finding.location, finding.actual) == (path, None)
    assert (finding.concern, finding.subject) == ("missing-member", path)


def test_a_receipt_that_keeps_no_score_file_leaves_the_record_to_answer_for_it() -> None:
    path = score_path("fp8", "w1")
    bundle = with_receipt(sample(), "fp8", "w1", score_path=None)
    changed = member(path, b"changed")
    case = case_of(replace(bundle, members={**bundle.members, path: changed}))
    assert differences(CHECK, case) == [(path, window_score_of("fp8", "w1"), changed.sha256)]


def test_a_receipt_that_keeps_no_score_file_still_says_which_one_was_scored() -> None:
    path = score_path("fp8", "w1")
    bundle = with_receipt(sample(), "fp8", "w1", score_path=None)
    bundle = with_window(bundle, "fp8", "w1", score=None)
    changed = member(path, b"changed")
    case = case_of(replace(bundle, members={**bundle.members, path: changed}))
    assert differences(CHECK, case) == [(path, window_score_of("fp8", "w1"), changed.sha256)]


def test_one_score_file_for_two_windows_is_counted_twice_though_no_record_names_its_hash() -> None:
    bundle = with_window(bare(), "fp8", "w1", score=None)
    twice = with_window(bundle, "fp8", "w2", score=None, rows_path=score_path("fp8", "w1"))
    sha = window_score_of("fp8", "w1")
    path = score_path("fp8", "w1")
    assert differences(CHECK, case_of(twice)) == [(path, "a score hash of its own", sha)]


def test_a_copy_of_another_windows_score_file_is_counted_twice() -> None:
    bundle = with_window(bare(), "fp8", "w1", score=None)
    bundle = with_window(bundle, "nvfp4", "w3", score=None)
    source, path = score_path("fp8", "w1"), score_path("nvfp4", "w3")
    copy = replace(bundle.members[source], path=path)
    case = case_of(replace(bundle, members={**bundle.members, path: copy}))
    assert differences(CHECK, case) == [(path, "a score hash of its own", copy.sha256)]


def test_a_missing_receipt_can_be_asked_for_by_name() -> None:
    path = "arms/fp8/receipts/w1.json"
    bundle = with_window(sample(), "fp8", "w1", receipt_path=path)
    kept = tuple(entry for entry in arm_of(bundle, "fp8").receipts if entry.window != "w1")
    members = {name: entry for name, entry in bundle.members.items() if name != path}
    case = case_of(replace(with_arm(bundle, "fp8", receipts=kept), members=members))
    assert differences(CHECK, case) == in_order(
        (place("fp8", "w1"), 1, 0),
        (
            retired("fp8", "w1").location,
            "a receipt that says when the raw file was retired",
            path,
        ),
    )
    assert {(found.concern, found.subject) for found in mismatches(CHECK, case)} == {
        ("missing-member", path)
    }


def test_a_receipt_that_is_there_and_belongs_to_nobody_is_not_missing() -> None:
    path = "arms/fp8/receipts/w1.json"
    bundle = with_window(sample(), "fp8", "w1", receipt_path=path)
    kept = tuple(entry for entry in arm_of(bundle, "fp8").receipts if entry.window != "w1")
    case = case_of(with_arm(bundle, "fp8", receipts=kept))
    assert [found.concern for found in mismatches(CHECK, case)] == ["", ""]


def test_a_raw_file_retired_before_it_was_scored() -> None:
    early = "2026-09-08T06:59:00+02:00"
    bundle = with_receipt(sample(), "fp8", "w1", retired_at=early)
    assert differences(CHECK, case_of(bundle)) == [
        (
            receipt_place("fp8", "w1"),
            "not before 2026-09-08T05:02:20Z, when it was scored",
            early,
        )
    ]


@pytest.mark.parametrize(
    "moment", ["2026-09-08T05:02:20Z", "2026-09-08t05:02:20.5z", "2026-09-08 05:02:20-00:00"]
)
def test_retirement_at_the_moment_of_scoring_or_later_is_fine(moment: str) -> None:
    bundle = with_receipt(sample(), "fp8", "w1", retired_at=moment)
    assert differences(CHECK, case_of(bundle)) == []


@pytest.mark.parametrize("field", ["scored_at", "retired_at"])
@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2026-09-09", "2026-09-09T01:02:03", "2026-13-09T01:02:03Z", "2026-W37-3"],
)
def test_a_time_that_cannot_be_read(field: str, text: str) -> None:
    bundle = with_receipt(sample(), "fp8", "w1", **{field: text})
    assert differences(CHECK, case_of(bundle)) == [
        (receipt_place("fp8", "w1"), "an RFC 3339 time such as 2026-09-08T05:02:20Z", text)
    ]


def test_a_retired_file_that_the_seal_does_not_remember() -> None:
    bundle = sample()
    remaining = [retired(arm, window) for arm in ("fp8", "nvfp4") for window in ("w1", "w2", "w3")]
    assert differences(CHECK, case_of(with_retired(bundle, *remaining[1:]))) == [
        (
            receipt_place("fp8", "w1"),
            "an entry among the seal's retired files",
            digest("raw fp8 w1"),
        )
    ]


def test_a_plain_hash_list_has_no_place_for_retired_files() -> None:
    bundle = sample()
    assert bundle.seal is not None
    plain = replace(bundle.seal, root=None, computed_root=None, retired=())
    assert differences(CHECK, case_of(replace(bundle, seal=plain))) == []


def test_a_retired_file_whose_receipt_says_that_it_is_still_there() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", retired_at=None)
    entry = retired("fp8", "w1")
    assert differences(CHECK, case_of(bundle)) == [
        (entry.location, "a receipt that says when the raw file was retired", entry.receipt)
    ]


@pytest.mark.parametrize(
    ("change", "expected", "actual"),
    [
        ({"sha256": OTHER}, digest("raw fp8 w1"), OTHER),
        ({"size": 1}, RAW_BYTES, 1),
    ],
)
def test_the_seal_remembers_another_raw_file_than_the_receipt(
    change: dict[str, Any], expected: object, actual: object
) -> None:
    remaining = [retired(arm, window) for arm in ("fp8", "nvfp4") for window in ("w1", "w2", "w3")]
    entry = replace(remaining[0], **change)
    bundle = with_retired(sample(), entry, *remaining[1:])
    assert differences(CHECK, case_of(bundle)) == [(entry.location, expected, actual)]


def basis_of(bundle: Bundle, message: str) -> set[Basis]:
    """The bases of the comparisons whose message holds these words."""
    found = {fact.basis for fact in comparisons(CHECK, case_of(bundle)) if message in fact.message}
    assert found
    return found


def test_what_a_recorded_hash_decides_rests_on_the_seal() -> None:
    assert basis_of(sample(), "name different") == {Basis.SEALED}
    assert basis_of(sample(), "This is not the score file") == {Basis.SEALED}
    assert basis_of(sample(), "remember different raw files") == {Basis.SEALED}


def test_what_the_format_demands_of_receipts_rests_on_the_format() -> None:
    assert basis_of(sample(), "needs exactly one receipt") == {Basis.SPEC}
    assert basis_of(sample(), "state different") == {Basis.SPEC}


def test_hashes_without_sizes_and_sizes_without_hashes_are_looked_at() -> None:
    nothing: dict[str, Any] = {
        "raw": None,
        "score": None,
        "teacher": None,
        "token": None,
        "rows_path": None,
    }
    window = window_of(sample(), "fp8", "w1")
    alone = Arm(id="fp8", name="fp8", location="x", windows=(window,))
    bundle = replace(bare(), panel=(), arms=(alone,))
    assert CHECK.applies(case_of(with_window(bundle, "fp8", "w1", raw_bytes=None))) == ""
    assert CHECK.applies(case_of(with_window(bundle, "fp8", "w1", **nothing))) == ""
    neither = with_window(bundle, "fp8", "w1", **nothing, raw_bytes=None)
    assert CHECK.applies(case_of(neither)).startswith("the bundle names no hash")


def test_a_receipt_that_nothing_announced_and_is_missing_cannot_be_tolerated_as_a_file() -> None:
    bundle = sample()
    kept = arm_of(bundle, "fp8").receipts[1:]
    found = mismatches(CHECK, case_of(with_arm(bundle, "fp8", receipts=kept)))
    [missing] = [fact for fact in found if fact.location == place("fp8", "w1")]
    assert (missing.concern, missing.subject) == ("", "")


def test_a_receipt_of_another_raw_size_contradicts_the_record_itself() -> None:
    where = receipt_place("fp8", "w1")
    bundle = with_receipt(sample(), "fp8", "w1", raw_bytes=2 * RAW_BYTES)
    found = mismatches(CHECK, case_of(bundle))
    assert (where, RAW_BYTES, 2 * RAW_BYTES) in [
        (fact.location, fact.expected, fact.actual)
        for fact in found
        if fact.message == f"The receipt and {place('fp8', 'w1')} state different raw bytes."
    ]


def test_a_receipt_of_another_teacher_contradicts_panel_and_record() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", teacher=named("here"))
    assert differences(CHECK, case_of(bundle)) == [("here", digest("teacher w1"), OTHER)] * 2


@pytest.mark.parametrize("window", ["w2", "w3"])
def test_a_changed_score_file_behind_an_answered_window_is_still_seen(window: str) -> None:
    path = score_path("fp8", window)
    bundle = with_receipt(sample(), "fp8", window, score_path=None)
    changed = member(path, b"changed")
    case = case_of(replace(bundle, members={**bundle.members, path: changed}))
    assert differences(CHECK, case) == [(path, window_score_of("fp8", window), changed.sha256)]


def test_a_raw_file_that_is_still_kept_need_not_be_among_the_retired() -> None:
    bundle = with_receipt(sample(), "fp8", "w1", retired_at=None)
    remaining = [retired(arm, window) for arm in ("fp8", "nvfp4") for window in ("w1", "w2", "w3")]
    assert differences(CHECK, case_of(with_retired(bundle, *remaining[1:]))) == []


def test_a_time_whose_offset_has_seconds_is_no_rfc_3339_time() -> None:
    odd = "2026-09-08T05:02:20+00:00:30"
    bundle = with_receipt(sample(), "fp8", "w1", scored_at=odd)
    assert differences(CHECK, case_of(bundle)) == [
        (receipt_place("fp8", "w1"), "an RFC 3339 time such as 2026-09-08T05:02:20Z", odd)
    ]


def test_a_window_whose_unnamed_score_file_is_gone_or_a_link_names_no_hash() -> None:
    path = score_path("fp8", "w1")
    bundle = with_window(bare(), "fp8", "w1", score=None)
    kept = {name: entry for name, entry in bundle.members.items() if name != path}
    for members in (kept, {**kept, path: member(path, kind="symlink")}):
        assert differences(CHECK, case_of(replace(bundle, members=members))) == []


def test_each_place_that_names_an_input_is_held_against_the_first_and_not_against_itself() -> None:
    bundle = sample()
    inputs = [
        fact.message.partition(" hash at ")[0]
        for fact in comparisons(CHECK, case_of(bundle, reference=bundle))
        if "the same input" in fact.message
    ]
    # Window and receipt of two arms against the panel, and the reference's one hash.
    assert sorted(inputs) == sorted(
        f"Window {window} has another {role}"
        for window in ("w1", "w2", "w3")
        for role in ("teacher", "token")
        for _ in range(5)
    )
    assert basis_of(bundle, "the same input") == {Basis.SEALED}


def test_a_reference_that_gives_two_windows_one_token_hash_differs_in_both() -> None:
    reference = bare()
    for window in ("w1", "w2"):
        reference = with_window(reference, "fp8", window, token=named("there"))
    assert differences(CHECK, case_of(bare(), reference=reference)) == [
        ("bundle.json#/windows/0/token", OTHER, digest("token w1")),
        ("bundle.json#/windows/1/token", OTHER, digest("token w2")),
    ]


def test_a_reference_that_gives_one_hash_to_teacher_and_token_differs_in_both() -> None:
    reference = with_window(bare(), "fp8", "w1", teacher=named("there"), token=named("there"))
    assert differences(CHECK, case_of(bare(), reference=reference)) == [
        ("bundle.json#/windows/0/teacher", OTHER, digest("teacher w1")),
        ("bundle.json#/windows/0/token", OTHER, digest("token w1")),
    ]


@pytest.mark.parametrize("lost", ["raw", "score"])
@pytest.mark.parametrize("side", ["own", "reference"])
def test_without_a_raw_or_a_score_hash_no_scoring_is_shared(side: str, lost: str) -> None:
    changes: dict[str, Any] = {lost: None, "rows_path": None}
    partial = with_window(bare(), "fp8", "w1", **changes)
    rescored = with_window(bare(), "fp8", "w1", score=named("there"), rows_path=None)
    own, reference = (partial, rescored) if side == "own" else (rescored, partial)
    assert differences(CHECK, case_of(own, reference=reference)) == []


def test_other_scores_of_a_raw_file_that_the_reference_scored_rest_on_the_seal() -> None:
    case = case_of(bare(), reference=bare())
    found = {fact.basis for fact in comparisons(CHECK, case) if "got other scores" in fact.message}
    assert found == {Basis.SEALED}


def one_arm(*sizes: int) -> Bundle:
    """An arm whose windows have raw files of these sizes, and no declared vocabulary."""
    window = replace(window_of(sample(), "fp8", "w1"), raw=None, score=None, rows_path=None)
    windows = tuple(
        replace(window, window=f"w{index}", location=f"x/{index}", raw_bytes=size)
        for index, size in enumerate(sizes)
    )
    arm = Arm(id="fp8", name="fp8", location="x", windows=windows)
    return replace(bare(), protocol=Protocol(), panel=(), arms=(arm,))


def test_sizes_that_imply_nothing_have_no_vote_on_the_vocabulary() -> None:
    assert differences(CHECK, case_of(one_arm(RAW_BYTES + 1, RAW_BYTES + 2, RAW_BYTES))) == [
        ("x/0", RAW_BYTES, RAW_BYTES + 1),
        ("x/1", RAW_BYTES, RAW_BYTES + 2),
    ]


def test_every_size_that_implies_no_vocabulary_is_named() -> None:
    demand = f"a multiple of {ROWS} rows x 4 bytes"
    assert differences(CHECK, case_of(one_arm(RAW_BYTES + 1, RAW_BYTES + 2))) == [
        ("x/0", demand, RAW_BYTES + 1),
        ("x/1", demand, RAW_BYTES + 2),
    ]


def test_a_raw_hash_that_is_given_for_the_scores_too() -> None:
    raw = window_of(bare(), "fp8", "w1").raw
    assert raw is not None
    twin = Hash(value=raw.value, location="there")
    bundle = with_window(bare(), "fp8", "w2", score=twin)

    assert ("there", "a score hash of its own", raw.value) in differences(CHECK, case_of(bundle))


def test_a_receipt_too_many_is_not_excused_by_another_that_is_gone() -> None:
    bundle = sample()
    arm = bundle.arms[0]
    twice = replace(arm, receipts=(*arm.receipts, arm.receipts[0]))
    path = twice.receipts[0].location.partition("#")[0]
    windows = (replace(arm.windows[0], receipt_path="gone.json"), *arm.windows[1:])
    named = replace(bundle, arms=(replace(twice, windows=windows), *bundle.arms[1:]))
    wrong = [
        fact
        for fact in comparisons(CHECK, case_of(named))
        if (fact.expected, fact.actual) == (1, 2)
    ]

    assert path in bundle.members
    assert [fact.concern for fact in wrong] == [""]
