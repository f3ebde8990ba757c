import math
from dataclasses import replace
from typing import Any

import pytest

from tests.support.bundles import (
    ROWS,
    case_of,
    comparisons,
    differences,
    files,
    gaps,
    in_order,
    mismatches,
    place,
    sample,
    score_path,
    with_arm,
    with_window,
)
from verifier.checks.row_masks import CHECK
from verifier.model.basis import Basis
from verifier.model.bundle import Bundle, Protocol
from verifier.model.comparison import Aggregate

HERE = place("fp8", "w1")
LATER = place("nvfp4", "w1")
KLD = 0.25
PREFILL = 2.0
INCLUDING = 0.6875
KLD_RULE = "a finite number, not below -1e-9"


def one_arm(protocol: Protocol | None = None, /, **changes: Any) -> Bundle:
    """The sample with its first arm alone, and that with its first window alone."""
    bundle = sample()
    arm = bundle.arms[0]
    window = replace(arm.windows[0], **changes)
    return replace(
        bundle,
        arms=(replace(arm, windows=(window,)),),
        protocol=bundle.protocol if protocol is None else protocol,
    )


def test_an_untouched_bundle_has_no_mismatch_and_no_gap() -> None:
    case = case_of(sample())
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []
    assert {fact.basis for fact in comparisons(CHECK, case)} == {Basis.SPEC, Basis.RECOMPUTED}


@pytest.mark.parametrize("arms", [(), ("fp8", "nvfp4")])
def test_arms_without_windows_have_no_masks(arms: tuple[str, ...]) -> None:
    bundle = sample()
    empty = tuple(replace(arm, windows=()) for arm in bundle.arms if arm.id in arms)
    assert CHECK.applies(case_of(replace(bundle, arms=empty))) == "no arm has windows"


def test_a_window_that_says_almost_nothing_is_still_compared() -> None:
    bundle = one_arm(
        Protocol(),
        values={},
        scored_rows=None,
        excluded=None,
        including_prefill=None,
        prefill=None,
    )
    case = case_of(bundle)
    assert [(fact.location, fact.actual) for fact in comparisons(CHECK, case)] == [(HERE, ROWS)]
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []


def test_a_row_un_masked_in_one_arm_contradicts_protocol_and_first_arm() -> None:
    bundle = with_window(sample(), "nvfp4", "w1", excluded=(), scored_rows=ROWS)
    case = case_of(bundle)
    assert differences(CHECK, case) == in_order(
        (LATER, "0", "none"), (LATER, ROWS - 1, ROWS), (LATER, "0", "none")
    )
    assert gaps(CHECK, case) == [(LATER, "not-recomputable")]


def test_a_row_un_masked_in_every_arm_still_contradicts_the_protocol() -> None:
    changes: dict[str, Any] = {"excluded": (), "scored_rows": ROWS}
    bundle = with_window(with_window(sample(), "nvfp4", "w1", **changes), "fp8", "w1", **changes)
    assert differences(CHECK, case_of(bundle)) == in_order(
        (HERE, "0", "none"), (LATER, "0", "none")
    )


def test_scored_rows_that_do_not_follow_from_the_mask() -> None:
    case = case_of(one_arm(scored_rows=ROWS))
    assert differences(CHECK, case) == [(HERE, ROWS, ROWS - 1)]
    [finding] = mismatches(CHECK, case)
    assert finding.basis is Basis.RECOMPUTED
    assert finding.how == "4 predicted rows less the excluded rows (0)"


def test_a_window_that_lists_no_mask_takes_that_of_the_protocol() -> None:
    assert differences(CHECK, case_of(one_arm(excluded=None))) == []
    assert differences(CHECK, case_of(one_arm(excluded=None, scored_rows=ROWS))) == [
        (HERE, ROWS, ROWS - 1)
    ]


def test_a_window_that_lists_its_mask_needs_no_protocol() -> None:
    assert differences(CHECK, case_of(one_arm(Protocol()))) == []


def test_a_mask_without_a_count_of_scored_rows_is_held_to_the_range_of_rows() -> None:
    bundle = one_arm(scored_rows=None, prefill=None, excluded=(ROWS,))
    assert differences(CHECK, case_of(bundle)) == in_order(
        (HERE, "0", "4"), (HERE, "different rows from 0 to 3", "4")
    )


def test_scored_rows_without_any_mask_are_a_gap() -> None:
    case = case_of(one_arm(Protocol(), excluded=None))
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == [(HERE, "not-recomputable")]


@pytest.mark.parametrize(
    ("excluded", "text"), [((0, 0), "0, 0"), ((-1,), "-1"), ((ROWS,), str(ROWS))]
)
def test_a_mask_with_a_row_twice_or_outside_the_window(
    excluded: tuple[int, ...], text: str
) -> None:
    bundle = one_arm(Protocol(), excluded=excluded)
    assert differences(CHECK, case_of(bundle)) == [(HERE, "different rows from 0 to 3", text)]


def test_the_last_row_may_be_excluded_and_the_order_does_not_matter() -> None:
    protocol = Protocol(excluded=(0, ROWS - 1))
    bundle = one_arm(protocol, excluded=(ROWS - 1, 0), scored_rows=ROWS - 2, including_prefill=None)
    assert differences(CHECK, case_of(bundle)) == []


def test_predicted_rows_that_differ_from_the_protocol() -> None:
    bundle = one_arm(Protocol(predicted_rows=ROWS + 1))
    assert differences(CHECK, case_of(bundle)) == [(HERE, ROWS + 1, ROWS)]


def test_a_window_without_rows_measures_nothing() -> None:
    bundle = one_arm(Protocol(), predicted_rows=0, scored_rows=0, excluded=(), prefill=None)
    assert differences(CHECK, case_of(bundle)) == [(HERE, "at least one predicted row", 0)]


def test_arms_that_predict_different_rows_for_one_window() -> None:
    bundle = with_window(
        replace(sample(), protocol=Protocol()),
        "nvfp4",
        "w1",
        predicted_rows=ROWS + 1,
        scored_rows=ROWS,
        prefill=None,
    )
    case = case_of(bundle)
    assert differences(CHECK, case) == in_order((LATER, ROWS, ROWS + 1), (LATER, ROWS - 1, ROWS))
    assert all(HERE in finding.message for finding in mismatches(CHECK, case))


def test_what_an_arm_does_not_state_is_not_compared_across_arms() -> None:
    bundle = with_window(
        replace(sample(), protocol=Protocol()), "nvfp4", "w1", scored_rows=None, excluded=None
    )
    assert differences(CHECK, case_of(bundle)) == []


def test_a_mean_over_other_rows_breaks_the_prefill_identity() -> None:
    bundle = one_arm(values={"kld": KLD * (1 + 1e-9)})
    case = case_of(bundle)
    [(location, expected, actual)] = differences(CHECK, case)
    assert (location, expected) == (f"{HERE}/including_prefill", INCLUDING)
    assert actual == pytest.approx(INCLUDING, rel=1e-8)
    assert mismatches(CHECK, case)[0].how == "(3 x mean over scored rows + prefill row) / 4"


def test_rounding_within_the_tolerance_keeps_the_prefill_identity() -> None:
    assert differences(CHECK, case_of(one_arm(prefill=PREFILL * (1 + 1e-13)))) == []
    assert differences(CHECK, case_of(one_arm(including_prefill=math.nextafter(0.6875, 1)))) == []


@pytest.mark.parametrize("field", ["including_prefill", "prefill"])
def test_half_of_the_prefill_identity_is_no_identity(field: str) -> None:
    case = case_of(one_arm(**{field: None}))
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []


@pytest.mark.parametrize("scored", [None, ROWS, ROWS - 2])
def test_the_prefill_identity_needs_exactly_one_excluded_row(scored: int | None) -> None:
    excluded = None if scored is None else tuple(range(ROWS - scored))
    bundle = one_arm(Protocol(), excluded=excluded, scored_rows=scored)
    case = case_of(bundle)
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == [(HERE, "not-recomputable")]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_window_mean_that_is_no_finite_number(value: float) -> None:
    bundle = one_arm(values={"kld": value, "nll": value})
    assert differences(CHECK, case_of(bundle)) == in_order(
        (f"{HERE}/values/kld", KLD_RULE, str(value)),
        (f"{HERE}/values/nll", "a finite number", str(value)),
    )


@pytest.mark.parametrize("field", ["including_prefill", "prefill"])
def test_a_divergence_that_is_no_finite_number(field: str) -> None:
    bundle = one_arm(**{field: math.inf})
    assert differences(CHECK, case_of(bundle)) == [(f"{HERE}/{field}", KLD_RULE, "inf")]


def test_a_divergence_below_what_rounding_can_do() -> None:
    values = {"kld": -1.1e-9, "nll": -5.0}
    bundle = one_arm(values=values, including_prefill=None)
    assert differences(CHECK, case_of(bundle)) == [(f"{HERE}/values/kld", KLD_RULE, -1.1e-9)]


def test_a_zero_divergence_may_round_to_a_little_less() -> None:
    bundle = one_arm(values={"kld": -1e-17}, including_prefill=None)
    assert differences(CHECK, case_of(bundle)) == []


def test_a_window_that_only_one_arm_has_is_compared_with_nobody() -> None:
    bundle = sample()
    bundle = with_arm(bundle, "nvfp4", windows=bundle.arms[1].windows[1:])
    assert differences(CHECK, case_of(bundle)) == []


def test_no_rows_predicted_and_a_negative_count_of_scored_rows_do_not_divide_by_zero() -> None:
    bundle = one_arm(Protocol(), predicted_rows=0, scored_rows=-1, excluded=())
    assert differences(CHECK, case_of(bundle)) == in_order(
        (HERE, "at least one predicted row", 0), (HERE, -1, 0)
    )


def test_one_predicted_row_is_enough_and_may_be_the_excluded_one() -> None:
    single: dict[str, Any] = {"predicted_rows": 1, "rows_path": None}
    counted = one_arm(
        Protocol(), **single, scored_rows=1, excluded=(), including_prefill=None, prefill=None
    )
    assert differences(CHECK, case_of(counted)) == []
    masked = one_arm(Protocol(), **single, scored_rows=0, excluded=(0,), including_prefill=PREFILL)
    assert differences(CHECK, case_of(masked)) == []


def test_the_one_row_that_is_excluded_is_the_mean_that_includes_it() -> None:
    bundle = one_arm(
        Protocol(),
        predicted_rows=1,
        rows_path=None,
        scored_rows=0,
        excluded=(0,),
        including_prefill=INCLUDING,
    )
    assert differences(CHECK, case_of(bundle)) == [
        (f"{HERE}/including_prefill", INCLUDING, PREFILL)
    ]


def test_a_divergence_as_low_as_rounding_can_make_it_is_accepted() -> None:
    bundle = one_arm(values={"kld": -1e-9}, including_prefill=None)
    assert differences(CHECK, case_of(bundle)) == []


def test_a_prefill_value_beside_other_scores_than_a_divergence_is_no_identity() -> None:
    case = case_of(one_arm(values={"nll": 1.0}))
    assert differences(CHECK, case) == []
    assert gaps(CHECK, case) == []


def prefill_rows(bundle: Bundle) -> list[tuple[str, object, object]]:
    """Location, expected and actual of each prefill value that was held against its row."""
    return [
        (fact.location, fact.expected, fact.actual)
        for fact in comparisons(CHECK, case_of(bundle, content=files()))
        if fact.message == "The row arrays give the excluded row another value."
    ]


def test_the_prefill_value_is_held_against_its_row_of_the_arrays() -> None:
    bundle = one_arm()
    assert prefill_rows(bundle) == [(f"{HERE}/prefill", PREFILL, 2.0)]
    [fact] = [
        fact
        for fact in comparisons(CHECK, case_of(bundle, content=files()))
        if fact.location == f"{HERE}/prefill" and fact.how
    ]
    assert (fact.basis, fact.rule, fact.how) == (
        Basis.RECOMPUTED,
        Aggregate(),
        f"row 0 of {score_path('fp8', 'w1')}",
    )


def test_a_prefill_value_that_the_arrays_do_not_give_is_a_mismatch() -> None:
    changed = PREFILL * (1 + 1e-9)
    bundle = one_arm(prefill=changed, including_prefill=None)
    assert differences(CHECK, case_of(bundle, content=files())) == [
        (f"{HERE}/prefill", changed, PREFILL)
    ]


def test_the_row_that_the_mask_excludes_is_the_one_that_is_read() -> None:
    assert prefill_rows(one_arm(Protocol(), excluded=(ROWS - 1,))) == [
        (f"{HERE}/prefill", PREFILL, 0.3)
    ]
    assert prefill_rows(one_arm(excluded=None)) == [(f"{HERE}/prefill", PREFILL, 2.0)]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"prefill": None}, id="nothing published"),
        pytest.param({"rows_path": None}, id="no arrays"),
        pytest.param({"excluded": ()}, id="no excluded row"),
        pytest.param({"excluded": (0, 1)}, id="two excluded rows"),
        pytest.param({"excluded": (ROWS,)}, id="a row that does not exist"),
        pytest.param({"predicted_rows": ROWS + 1}, id="an array of other rows"),
        pytest.param({"rows_path": "bundle.json"}, id="no score file"),
    ],
)
def test_without_one_excluded_row_of_a_usable_array_no_prefill_row_is_read(
    changes: dict[str, Any],
) -> None:
    assert prefill_rows(one_arm(**changes)) == []


def test_what_the_first_arm_does_not_state_is_not_held_against_the_next() -> None:
    bundle = with_window(
        replace(sample(), protocol=Protocol()), "fp8", "w1", scored_rows=None, excluded=None
    )
    assert differences(CHECK, case_of(bundle)) == []
