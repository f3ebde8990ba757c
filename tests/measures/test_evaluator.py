"""Measures by hand: which windows, which rows, which evidence, and what is missing."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import core
from tests.support.core import FP8, NVFP4, MemoryRows, arm, array, bundle
from verifier import catalog
from verifier.measures.evaluator import Evaluator
from verifier.model.basis import Level
from verifier.model.bundle import Arm, Bundle, Protocol, ReferenceName
from verifier.model.measure import Measure, WindowSelection
from verifier.model.plugin import Missing, Units, Value

MEAN = Measure(statistic="mean", arms=("fp8",))


def evaluator(
    looked_at: Bundle,
    rows: MemoryRows | None = None,
    reference: Bundle | None = None,
    reference_rows: MemoryRows | None = None,
) -> Evaluator:
    return Evaluator(
        bundle=looked_at,
        rows=rows or MemoryRows(),
        statistics=catalog.statistics(),
        reference=reference,
        reference_rows=reference_rows,
    )


def number(value: float, n: int, level: Level = Level.WINDOW_SCORES) -> Value:
    return Value(number=value, level=level, n=n)


def value(measure: Measure, looked_at: Bundle | None = None, **others: Any) -> Value | Missing:
    return evaluator(looked_at or bundle(), **others).value(measure)


def units(measure: Measure, looked_at: Bundle | None = None, **others: Any) -> list[float]:
    found = evaluator(looked_at or bundle(), **others).units(measure)
    assert isinstance(found, Units)
    return [float(number) for number in found.values]


def reason(measure: Measure, looked_at: Bundle | None = None, **others: Any) -> str:
    found = value(measure, looked_at, **others)
    assert isinstance(found, Missing)
    return found.reason


def with_rows(**columns: NDArray[Any]) -> tuple[Arm, MemoryRows]:
    """One arm of one window with five rows, the first excluded, and these arrays."""
    held = arm("fp8", (0.5,), column="latency", rows_path=True, level=Level.ROW_SCORES)
    return held, MemoryRows({"fp8/w0.npz": columns})


def test_a_mean_over_windows_is_the_exactly_rounded_sum_over_n() -> None:
    assert value(MEAN) == number(math.fsum(FP8) / 8, 8)


def test_units_stand_in_the_order_of_the_arm() -> None:
    assert units(MEAN) == list(FP8)
    turned = replace(arm("fp8", FP8), windows=tuple(reversed(arm("fp8", FP8).windows)))
    assert units(MEAN, bundle(arms=(turned,))) == list(reversed(FP8))


def test_a_window_that_lists_no_mask_has_that_of_the_protocol() -> None:
    held, rows = with_rows(kld=array(9.0, 1.0, 2.0, 3.0, 4.0))
    unlisted = replace(held, windows=tuple(replace(w, excluded=None) for w in held.windows))
    declared = replace(bundle(arms=(unlisted,)), protocol=Protocol(excluded=(0,)))

    assert units(MEAN, declared, rows=rows) == [2.5]


def test_a_group_selects_its_windows_alone() -> None:
    law = replace(MEAN, windows=WindowSelection(group=("domain", "law")))
    assert units(law) == list(FP8[1::2])
    assert (
        reason(replace(MEAN, windows=WindowSelection(group=("domain", "poetry"))))
        == "the measure selects no window"
    )
    assert (
        reason(replace(MEAN, windows=WindowSelection(group=("tongue", "law"))))
        == "the measure selects no window"
    )


def test_a_difference_is_first_minus_second_by_window_id() -> None:
    shuffled = arm("nvfp4", NVFP4)
    shuffled = replace(shuffled, windows=tuple(reversed(shuffled.windows)))
    looked_at = bundle(arms=(arm("fp8", FP8), shuffled))
    assert units(core.DIFFERENCE, looked_at) == [a - b for a, b in zip(FP8, NVFP4, strict=True)]


def test_lower_is_one_where_the_first_arm_is_lower_and_not_where_it_is_equal() -> None:
    looked_at = bundle(arms=(arm("fp8", (1.0, 2.0, 3.0)), arm("nvfp4", (1.5, 2.0, 2.5))))
    assert units(core.LOWER, looked_at) == [1.0, 0.0, 0.0]
    assert value(core.LOWER, looked_at) == number(1.0, 3)


def test_several_arms_without_a_pair_follow_one_another() -> None:
    both = Measure(statistic="size", arms=("fp8", "nvfp4"))
    assert units(both) == [*FP8, *NVFP4]
    assert value(both) == number(16.0, 16)


@pytest.mark.parametrize("arms", [("fp8",), ("fp8", "nvfp4", "fp8")])
def test_a_pair_of_other_than_two_arms_is_missing(arms: tuple[str, ...]) -> None:
    measure = replace(core.DIFFERENCE, arms=arms)
    assert reason(measure) == f"a paired measure needs two arms, not {len(arms)}"


def test_arms_with_different_windows_are_not_paired() -> None:
    looked_at = bundle(arms=(arm("fp8", FP8), arm("nvfp4", NVFP4[:-1])))
    assert reason(core.DIFFERENCE, looked_at) == "arms fp8 and nvfp4 hold different windows"


def test_an_arm_that_is_not_retained_is_named() -> None:
    assert reason(replace(MEAN, arms=("int4",))) == "no arm 'int4' is retained in study"


def test_a_window_listed_twice_gives_no_value_of_its_arm() -> None:
    held = arm("fp8", FP8)
    doubled = replace(held, windows=(*held.windows, held.windows[0]))
    assert reason(MEAN, bundle(arms=(doubled,))) == "arm 'fp8' lists a window twice"


def test_a_column_that_nothing_retains_is_named() -> None:
    assert reason(replace(MEAN, column="nll")) == (
        "arm fp8 retains neither rows nor a window score 'nll'"
    )


def test_a_statistic_of_a_later_version_is_named() -> None:
    assert reason(replace(MEAN, statistic="mode")) == (
        "this version knows no statistic 'mode' (`verifier measures` lists them)"
    )


def test_the_panel_can_be_counted_as_a_whole_and_by_group() -> None:
    size = Measure(statistic="size", arms=())
    assert value(size) == number(8.0, 8)
    code = replace(size, windows=WindowSelection(group=("domain", "code")))
    assert value(code) == number(4.0, 4)
    assert (
        reason(replace(size, windows=WindowSelection(group=("domain", "poetry"))))
        == "the measure selects no window"
    )


@pytest.mark.parametrize("statistic", ["mean", "sum", "common", "count"])
def test_a_measure_without_arms_cannot_pass_a_one_for_a_quantity(statistic: str) -> None:
    measure = Measure(statistic=statistic, column="top1_agreement", arms=())
    assert reason(measure) == f"the measure names no arm to take the {statistic} of"


def test_rows_of_a_window_are_counted_as_recorded() -> None:
    assert units(replace(MEAN, statistic="sum", column="predicted_rows")) == [5.0] * 8
    total = value(replace(MEAN, statistic="sum", column="scored_rows"))
    assert total == number(32.0, 8)


def test_rows_that_are_not_recorded_are_missing_with_their_place() -> None:
    held = arm("fp8", FP8)
    silent = replace(held, windows=(replace(held.windows[0], scored_rows=None),))
    measure = replace(MEAN, statistic="sum", column="scored_rows")
    assert reason(measure, bundle(arms=(silent,))) == (
        "comparison.json#/arms/fp8/per_window/0 does not say its scored_rows"
    )


def test_a_common_value_that_is_not_common_is_no_number() -> None:
    held = arm("fp8", FP8)
    odd = replace(held, windows=(replace(held.windows[0], scored_rows=3), *held.windows[1:]))
    measure = replace(MEAN, statistic="common", column="scored_rows")
    found = value(measure, bundle(arms=(odd,)))
    assert isinstance(found, Value)
    assert math.isnan(found.number)
    assert value(measure) == number(4.0, 8)


def test_a_perplexity_is_the_exponential_of_the_mean() -> None:
    looked_at = bundle(arms=(arm("fp8", (1.0, 2.0), column="nll"),))
    measure = replace(MEAN, column="nll", scale="exp")
    assert value(measure, looked_at) == number(math.exp(1.5), 2)


def test_a_perplexity_beyond_fp64_is_infinite_and_no_crash() -> None:
    looked_at = bundle(arms=(arm("fp8", (1e6,), column="nll"),))
    measure = replace(MEAN, column="nll", scale="exp")
    assert value(measure, looked_at) == number(math.inf, 1)


def test_scores_whose_sum_exceeds_fp64_are_missing_and_no_crash() -> None:
    looked_at = bundle(arms=(arm("fp8", (1.7e308, 1.7e308)),))
    assert reason(MEAN, looked_at).startswith("the mean of 2 values is undefined: ")
    assert reason(replace(MEAN, statistic="sum"), looked_at).startswith(
        "the sum is undefined: the sum of 2 units exceeds FP64"
    )


def test_figures_against_a_reference_need_one() -> None:
    cross = replace(core.DIFFERENCE, arms=("fp8", "reference:fp8"))
    needed = "needs the reference bundle; name it with --reference PATH"
    assert reason(cross) == needed
    assert reason(cross, reference=bundle()) == needed  # without its rows


def test_an_arm_of_the_reference_is_read_from_the_reference() -> None:
    older = bundle(arms=(arm("fp8", NVFP4),))
    cross = replace(core.DIFFERENCE, arms=("fp8", "reference:fp8"))
    assert units(cross, reference=older, reference_rows=MemoryRows()) == [
        a - b for a, b in zip(FP8, NVFP4, strict=True)
    ]
    absent = replace(cross, arms=("fp8", "reference:nvfp4"))
    assert reason(absent, reference=older, reference_rows=MemoryRows()) == (
        "no arm 'nvfp4' is retained in study"
    )


def test_row_means_of_bundle_and_reference_are_not_mixed_up() -> None:
    own, rows = with_rows(kld=array(9, 1, 2, 3, 4))
    other, other_rows = with_rows(kld=array(9, 5, 6, 7, 8))
    found = evaluator(bundle(arms=(own,)), rows, bundle(arms=(other,)), other_rows)
    first, second = (found.value(replace(MEAN, arms=(name,))) for name in ("fp8", "reference:fp8"))
    assert first == number(2.5, 1, Level.ROW_SCORES)
    assert second == number(6.5, 1, Level.ROW_SCORES)


def test_rows_are_preferred_to_window_scores_and_the_excluded_one_does_not_count() -> None:
    held, rows = with_rows(kld=array(1000, 1, 2, 3, 4))
    assert value(MEAN, bundle(arms=(held,)), rows=rows) == number(2.5, 1, Level.ROW_SCORES)


def test_window_scores_decide_while_a_window_has_no_rows() -> None:
    held, rows = with_rows(kld=array(1000, 1, 2, 3, 4))
    (window,) = held.windows
    recorded = replace(window, values={"kld": 0.5})
    shallow = replace(held, level=Level.WINDOW_SCORES, windows=(recorded,))
    assert value(MEAN, bundle(arms=(shallow,)), rows=rows) == number(0.5, 1)
    assert rows.loaded == []


def test_a_pair_is_as_deep_as_its_shallower_arm() -> None:
    held, rows = with_rows(kld=array(1000, 1, 2, 3, 4))
    looked_at = bundle(arms=(held, arm("nvfp4", (0.5,))))
    assert value(core.DIFFERENCE, looked_at, rows=rows) == replace(number(2.0, 1), scale=2.5)


def test_row_files_are_read_once_for_many_figures() -> None:
    held, rows = with_rows(kld=array(1000, 1, 2, 3, 4))
    found = evaluator(bundle(arms=(held,)), rows)
    assert found.value(MEAN) == found.value(MEAN)
    assert found.window_values(held, "kld") == {"w0": 2.5}
    assert rows.loaded == ["fp8/w0.npz"]


def test_exclusions_that_lie_outside_the_window_exclude_nothing() -> None:
    held, rows = with_rows(kld=array(1, 1, 2, 3, 4))
    window = replace(held.windows[0], excluded=(-1, 5, 99))
    odd = replace(held, windows=(window,))
    assert evaluator(bundle(arms=(odd,)), rows).window_values(odd, "kld") == {"w0": 2.2}


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param({}, "fp8/w0.npz holds no usable kld", id="no such array"),
        pytest.param(
            {"kld": array(0, 1, 2, 3)},
            "fp8/w0.npz does not hold one value per predicted row",
            id="one row short",
        ),
        pytest.param(
            {"kld": np.ones((5, 1))},
            "fp8/w0.npz holds no usable kld",
            id="two dimensions",
        ),
        pytest.param(
            {"kld": array(0, 1, math.nan, 3, 4)},
            "1 of 4 selected rows of kld of fp8 in window w0 are not finite, the first is row 2",
            id="NaN",
        ),
        pytest.param(
            {"kld": array(0, 1, -math.inf, 3, 4)},
            "1 of 4 selected rows of kld of fp8 in window w0 are not finite, the first is row 2",
            id="infinity",
        ),
        pytest.param(
            {"kld": np.array(["1", "2", "3", "4", "5"])},
            "fp8/w0.npz holds no usable kld",
            id="texts",
        ),
        pytest.param(
            {"kld": np.array([1, 2, 3, 4, 5], dtype="M8[s]")},
            "fp8/w0.npz holds no usable kld",
            id="dates",
        ),
        pytest.param(
            {"kld": np.array([1, 2, 3, 4, 5], dtype=np.complex128)},
            "fp8/w0.npz holds no usable kld",
            id="complex",
        ),
    ],
)
def test_hostile_row_arrays_are_missing_with_a_reason(
    columns: Mapping[str, NDArray[Any]], expected: str
) -> None:
    held, rows = with_rows(**columns)
    assert reason(MEAN, bundle(arms=(held,)), rows=rows) == expected


def test_nan_in_the_excluded_row_does_not_matter() -> None:
    held, rows = with_rows(kld=array(math.nan, 1, 2, 3, 4))
    assert value(MEAN, bundle(arms=(held,)), rows=rows) == number(2.5, 1, Level.ROW_SCORES)


def test_rows_whose_sum_exceeds_fp64_are_missing() -> None:
    held, rows = with_rows(kld=array(0, 1.7e308, 1.7e308, 0, 0))
    assert reason(MEAN, bundle(arms=(held,)), rows=rows).startswith(
        "window w0: kld of fp8: the mean of 4 values is undefined: "
    )


def test_a_window_without_scored_rows_is_missing() -> None:
    held, rows = with_rows(kld=array(0, 1, 2, 3, 4))
    bare = replace(held, windows=(replace(held.windows[0], excluded=(0, 1, 2, 3, 4)),))
    assert reason(MEAN, bundle(arms=(bare,)), rows=rows) == ("no row of window w0 is selected")


def test_a_derived_column_names_all_arrays_that_it_needs() -> None:
    held, rows = with_rows(kld=array(0, 1, 2, 3, 4))
    measure = replace(MEAN, column="top1_agreement")
    assert reason(measure, bundle(arms=(held,)), rows=rows) == (
        "fp8/w0.npz holds no usable student_top1 and teacher_top1"
    )


def test_an_arm_that_claims_rows_and_names_no_file_is_missing() -> None:
    held = replace(arm("fp8", (0.5,), column="latency"), level=Level.ROW_SCORES)
    assert reason(MEAN, bundle(arms=(held,))) == (
        "comparison.json#/arms/fp8/per_window/0: no row arrays are retained"
    )


def test_a_column_that_is_no_row_column_comes_from_the_window_scores() -> None:
    held = arm("fp8", (0.5,), column="latency", rows_path=True, level=Level.ROW_SCORES)
    measure = replace(MEAN, column="latency")
    assert value(measure, bundle(arms=(held,))) == number(0.5, 1)
    assert evaluator(bundle(arms=(held,))).window_values(held, "latency") == Missing(
        reason="this version derives no column 'latency' from rows (`verifier measures` lists them)"
    )


def test_one_lost_row_file_does_not_spare_the_other_windows() -> None:
    held = arm("fp8", (0.5, 0.5), rows_path=True)
    first, second = held.windows
    partial = replace(held, windows=(first, replace(second, rows_path=None)))
    rows = MemoryRows({"fp8/w0.npz": {"kld": array(0, 1, 2, 3, 4)}})
    found = evaluator(bundle(arms=(partial,)), rows)
    assert found.window_values(partial, "kld") == {"w0": 2.5}


def test_a_reference_that_the_record_names_is_asked_for_by_its_hash() -> None:
    named = ReferenceName(location="comparison.json#/reference", sha256=64 * "e")
    cross = replace(core.DIFFERENCE, arms=("fp8", "reference:fp8"))
    assert reason(cross, replace(bundle(), reference=named)) == (
        f"needs the reference bundle (the record names sha256 {64 * 'e'}); "
        "name it with --reference PATH"
    )


@pytest.mark.parametrize("short", ["student_top1", "teacher_top1"])
def test_one_short_array_of_two_is_missing_and_no_crash(short: str) -> None:
    columns = {name: np.arange(5) for name in ("student_top1", "teacher_top1")}
    held, rows = with_rows(**{**columns, short: np.arange(4)})
    measure = replace(MEAN, column="top1_agreement")
    assert reason(measure, bundle(arms=(held,)), rows=rows) == (
        "fp8/w0.npz does not hold one value per predicted row"
    )


def test_rows_that_no_mask_excludes_all_count() -> None:
    held, rows = with_rows(kld=array(10, 0, 0, 0, 0))
    unmasked = replace(held, windows=tuple(replace(w, excluded=None) for w in held.windows))
    assert units(MEAN, bundle(arms=(unmasked,)), rows=rows) == [2.0]
