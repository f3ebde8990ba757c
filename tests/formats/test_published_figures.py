"""Every number outside the per-window lists is a figure; what it means decides its measure."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.published import (
    REMOVED,
    SINGLE,
    at,
    changed,
    encoded,
    failing,
    family,
    read,
    reference,
    report,
)
from verifier.model.figure import Figure
from verifier.model.measure import Measure
from verifier.model.report import FigureResult

COMPARISON = {"comparison.json": family()["comparison.json"]}


def figures(files: Mapping[str, bytes]) -> dict[str, Figure]:
    return {figure.id: figure for figure in read(files).figures}


def results(
    files: Mapping[str, bytes], other: Mapping[str, bytes] | None = None
) -> dict[str, FigureResult]:
    return {figure.id: figure for figure in report(files, reference=other).figures}


def three_arms(**fields: Any) -> dict[str, bytes]:
    """A record of arms a, b and c with these fields beside them."""
    arms = at(COMPARISON, "comparison.json#/arms")
    names = {"a": arms["fp8"], "b": arms["nvfp4"], "c": arms["fp8"]}
    return {"comparison.json": encoded({"arms": names, **fields})}


def test_each_number_outside_the_windows_is_exactly_one_figure() -> None:
    files = family(cross=True)

    def numbers(value: Any, place: str) -> list[tuple[str, str]]:
        if isinstance(value, dict):
            return [
                found
                for key, item in value.items()
                if key != "per_window"
                for found in numbers(item, f"{place}/{key}")
            ]
        if isinstance(value, list):
            return [f for k, item in enumerate(value) for f in numbers(item, f"{place}/{k}")]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return [(place, json.dumps(value))] if is_number else []

    expected = [
        found
        for path in ("comparison.json", "audit.json", SINGLE)
        for found in numbers(json.loads(files[path]), f"{path}#")
    ]
    assert [(f.id, f.published.text) for f in read(files).figures] == expected
    assert len(expected) == 50


def test_everything_with_a_measure_is_reproduced_and_the_rest_says_what_is_missing() -> None:
    found = results(family(cross=True), reference())

    missing = {figure.id: figure.how for figure in found.values() if figure.status != "REPRODUCED"}
    capacity = "correctness_profile_engine_capacity_tokens/0"
    log = "the engine's startup log is not retained"
    launch = "the launch configuration is not retained"
    assert missing == {
        f"comparison.json#/arms/nvfp4/{capacity}": log,
        f"comparison.json#/arms/fp8/{capacity}": log,
        "comparison.json#/historical_dcp1_context_only": (
            "the record it comes from is named for context and not retained"
        ),
        f"{SINGLE}#/conditions/bpw": launch,
        f"{SINGLE}#/tp": launch,
    }


def test_a_number_in_an_unknown_place_is_a_figure_too() -> None:
    files = changed(family(), "comparison.json#/per_window", {"mean": 0.25, "rows": [{"x": 1}]})
    found = results(files)

    for place in ("mean", "rows/0/x"):
        figure = found[f"comparison.json#/per_window/{place}"]
        assert figure.status == "NOT_RECOMPUTABLE"
        assert figure.how == "no retained value is known to give it"


def test_the_difference_its_interval_and_its_count_belong_to_the_named_pair() -> None:
    found = figures(COMPARISON)
    pair = ("fp8", "nvfp4")
    difference = Measure(statistic="mean", arms=pair, pair="difference")

    assert found["comparison.json#/fp8_minus_nvfp4"].measure == difference
    low, high = (found[f"comparison.json#/paired_window_bca95/{k}"] for k in (0, 1))
    assert (low.measure, low.end, high.end) == (difference, "low", "high")
    assert low.interval == high.interval == "comparison.json#/paired_window_bca95"
    assert found["comparison.json#/fp8_lower_windows"].measure == Measure(
        statistic="count", arms=pair, pair="lower"
    )


def test_the_count_of_the_second_arm_is_known_too() -> None:
    other = 8 - at(COMPARISON, "comparison.json#/fp8_lower_windows")
    files = changed(COMPARISON, "comparison.json#/nvfp4_lower_windows", other)

    figure = results(files)["comparison.json#/nvfp4_lower_windows"]

    assert (figure.status, figure.recomputed) == ("REPRODUCED", str(other))


def test_without_a_difference_two_arms_are_compared_with_each_other() -> None:
    files = changed(COMPARISON, "comparison.json#/fp8_minus_nvfp4", REMOVED)
    found = figures(files)

    assert found["comparison.json#/fp8_lower_windows"].measure == Measure(
        statistic="count", arms=("fp8", "nvfp4"), pair="lower"
    )
    interval = found["comparison.json#/paired_window_bca95/0"]
    assert interval.measure is None
    assert interval.missing == "the record does not say which two of its arms it compares"


def test_an_interval_beside_several_differences_belongs_to_none() -> None:
    found = figures(
        three_arms(
            a_minus_b=0.1,
            a_minus_c=0.0,
            paired_window_bca95=[0.0, 0.1],
            a_lower_windows=3,
            b_lower_windows=5,
            c_lower_windows=0,
        )
    )
    measured = {
        place: found[f"comparison.json#/{place}"].measure
        for place in ("a_minus_b", "a_minus_c", "b_lower_windows", "c_lower_windows")
    }

    assert measured == {
        "a_minus_b": Measure(statistic="mean", arms=("a", "b"), pair="difference"),
        "a_minus_c": Measure(statistic="mean", arms=("a", "c"), pair="difference"),
        "b_lower_windows": Measure(statistic="count", arms=("b", "a"), pair="lower"),
        "c_lower_windows": Measure(statistic="count", arms=("c", "a"), pair="lower"),
    }
    for place in ("paired_window_bca95/0", "paired_window_bca95/1", "a_lower_windows"):
        figure = found[f"comparison.json#/{place}"]
        assert figure.measure is None
        assert figure.missing == "the record does not say which two of its arms it compares"


@pytest.mark.parametrize("key", ["a_minus_d", "d_minus_a", "a_minus_a", "a_minus_", "A_minus_b"])
def test_a_difference_to_something_that_is_no_arm_names_no_pair(key: str) -> None:
    figure = figures(three_arms(**{key: 0.5}))[f"comparison.json#/{key}"]

    assert (figure.measure, figure.missing) == (None, "it names no two arms of this record")


def test_a_difference_that_reads_in_two_ways_means_nothing() -> None:
    arm = at(COMPARISON, "comparison.json#/arms/fp8")
    names = dict.fromkeys(("a", "a_minus_b", "c", "b_minus_c"), arm)
    files = {"comparison.json": encoded({"arms": names, "a_minus_b_minus_c": 0.0})}

    assert figures(files)["comparison.json#/a_minus_b_minus_c"].measure is None


def test_swapped_end_points_are_mismatches() -> None:
    swapped = changed(family(), "comparison.json#/arms/fp8/window_bca95", lambda ends: ends[::-1])
    found = results(swapped)

    assert [found[f"comparison.json#/arms/fp8/window_bca95/{k}"].status for k in (0, 1)] == [
        "MISMATCH",
        "MISMATCH",
    ]


def test_constant_windows_give_degenerate_intervals_with_null_ends() -> None:
    found = report(family(constant=True))

    assert failing(found) == set()
    assert found.coverage == {
        "REPRODUCED": 25,
        "MISMATCH": 0,
        "NOT_RECOMPUTABLE": 5,
        "DEGENERATE": 8,
    }
    ends = [figure for figure in read(family(constant=True)).figures if figure.kind == "interval"]
    assert {figure.published.text for figure in ends} == {"null"}
    assert all(math.isnan(figure.published.value) for figure in ends)


def test_null_ends_of_windows_that_vary_are_mismatches() -> None:
    found = results(changed(family(), "comparison.json#/arms/fp8/window_bca95", [None, None]))

    for end in (0, 1):
        figure = found[f"comparison.json#/arms/fp8/window_bca95/{end}"]
        assert (figure.status, figure.published) == ("MISMATCH", "null")


def test_a_null_elsewhere_is_no_figure() -> None:
    files = changed(family(), "comparison.json#/remark", None)

    assert "comparison.json#/remark" not in figures(files)


def test_cross_system_figures_are_this_arm_minus_the_references_same_arm() -> None:
    found = figures(family(cross=True))
    at_ = "comparison.json#/cross_system_comparison/fp8"
    pair = ("fp8", "reference:fp8")
    difference = Measure(statistic="mean", arms=pair, pair="difference")

    assert {
        place: found[f"{at_}/{place}"].measure
        for place in (
            "tr3_minus_reference",
            "paired_window_bca95/0",
            "tr3_lower_windows",
            "reference_mean",
            "tr3_mean",
        )
    } == {
        "tr3_minus_reference": difference,
        "paired_window_bca95/0": difference,
        "tr3_lower_windows": Measure(statistic="count", arms=pair, pair="lower"),
        "reference_mean": Measure(statistic="mean", arms=("reference:fp8",)),
        "tr3_mean": Measure(statistic="mean", arms=("fp8",)),
    }


def test_cross_system_counts_are_known_for_both_systems() -> None:
    place = "comparison.json#/cross_system_comparison/fp8"
    files = family(cross=True)
    lower = at(files, f"{place}/tr3_lower_windows")
    files = changed(files, f"{place}/reference_lower_windows", 8 - lower)

    found = results(files, reference())

    assert found[f"{place}/reference_lower_windows"].status == "REPRODUCED"


def test_a_cross_system_interval_without_its_difference_has_no_sign() -> None:
    place = "comparison.json#/cross_system_comparison/fp8"
    files = changed(family(cross=True), f"{place}/tr3_minus_reference", REMOVED)

    assert figures(files)[f"{place}/paired_window_bca95/0"].measure is None


def test_cross_system_figures_without_the_reference_say_what_they_need() -> None:
    found = results(family(cross=True))
    place = "comparison.json#/cross_system_comparison/fp8"

    assert found[f"{place}/tr3_mean"].status == "REPRODUCED"
    needing = [
        figure
        for figure in found.values()
        if "/cross_system" in figure.id and not figure.id.endswith("/tr3_mean")
    ]
    assert {figure.status for figure in needing} == {"NOT_RECOMPUTABLE"}
    named = json.loads(family(cross=True)["comparison.json"])["reference_comparison_sha256"]
    needed = f"needs the reference bundle (the record names sha256 {named})"
    assert {figure.how for figure in needing} == {f"{needed}; name it with --reference PATH"}
    assert len(needing) == 10


@pytest.mark.parametrize(
    ("text", "hints"),
    [
        ("NumPy default_rng(20260902),20000resamples; RandomState(20260902)", (20260902, 20000)),
        ("seed 12, 99 resamples", ()),
        ("made from 1234567890123456789", ()),
        ("101 102 103 104 105 106", (101, 102, 103, 104)),
        ("\u0661\u0662\u0663\u0664", ()),
        ("", ()),
    ],
)
@pytest.mark.parametrize("path", ["comparison.json", SINGLE])
def test_a_record_may_name_few_seeds_and_resample_counts(
    path: str, text: str, hints: tuple[int, ...]
) -> None:
    found = figures(changed(family(), f"{path}#/bootstrap_rng", text))

    ends = [f for f in found.values() if f.kind == "interval" and f.id.startswith(f"{path}#")]
    assert {figure.hints for figure in ends} == {hints}


def test_the_interval_of_a_single_arm_record_is_reproduced_with_pcg64() -> None:
    found = results(family())

    assert found[f"{SINGLE}#/window_bca95/0"].how.endswith(
        "BCa 95 %, 20000 resamples, PCG64(20260902) (found by search)"
    )
    assert found["comparison.json#/arms/fp8/window_bca95/0"].how.endswith(
        "BCa 95 %, 20000 resamples, RandomState(20260902) (found by search)"
    )


def test_an_audit_of_an_arm_that_is_not_there_is_named_as_not_recomputable() -> None:
    found = results(changed(family(), "audit.json#/arms/1/arm", "fp9"))

    figure = found["audit.json#/arms/1/windows"]
    assert figure.status == "NOT_RECOMPUTABLE"
    assert figure.how.startswith("no arm 'fp9' is retained")
