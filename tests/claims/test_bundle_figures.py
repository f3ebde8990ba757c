import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.support import core
from verifier import catalog
from verifier.claims.bundle_figures import BundleFigures
from verifier.errors import UsageError
from verifier.formats._bundle_query import read_query
from verifier.model.claim import Absent, Found
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure
from verifier.model.plugin import Case

FP8 = core.arm("fp8", (0.5, 0.25, 1.0, 0.75))
NVFP4 = core.arm("nvfp4", (0.75, 0.5, 1.5, 0.25))


def figures_of(*figures: Figure) -> BundleFigures:
    return of(core.case(core.bundle(*figures, arms=(FP8, NVFP4))))


def of(case: Case) -> BundleFigures:
    def query(text: str) -> tuple[Figure, ...]:
        return read_query(text, case.bundle, catalog.SCHEMAS)

    return BundleFigures(case, query)


def found(told: Found | Absent) -> Found:
    assert isinstance(told, Found), told
    return told


def test_a_figure_is_recomputed_and_not_read() -> None:
    told = found(figures_of(core.figure("mean", "9.5", core.MEAN_FP8)).figure("mean"))

    assert told.value == Decimal("0.625")
    assert 0 < told.slack < Decimal("1e-12")
    assert told.unit == ""
    assert told.origin.startswith("recomputed: ")


def test_a_published_value_that_is_reproduced_is_what_a_document_has_to_print() -> None:
    told = found(
        figures_of(core.figure("mean", "0.6250000000000001", core.MEAN_FP8)).figure("mean")
    )

    assert told.value == Decimal("0.6250000000000001")
    assert told.slack == 0


def test_a_count_is_exact() -> None:
    told = found(figures_of(core.figure("lower", "1", core.LOWER, kind="count")).figure("lower"))

    assert told.value == 3
    assert told.slack == 0


def test_a_percentage_says_its_unit() -> None:
    measure = Measure(statistic="mean", arms=("fp8",), scale="percent")

    told = found(figures_of(core.figure("share", "1", measure)).figure("share"))

    assert (told.value, told.unit) == (Decimal("62.5"), "percent")


def test_the_ends_of_an_interval_are_recomputed() -> None:
    figures = figures_of(*core.ends("difference", "-1", "1", core.DIFFERENCE))

    low, high = (found(figures.figure(f"difference/{end}")) for end in ("low", "high"))

    assert isinstance(low.value, Decimal)
    assert isinstance(high.value, Decimal)
    assert Decimal("-0.5") <= low.value < high.value <= Decimal("0.5")
    assert 0 < low.slack < Decimal("1e-9")
    assert 0 < high.slack < Decimal("1e-9")


def test_a_figure_that_is_not_published_is_named() -> None:
    assert figures_of().figure("nvfp4/kld") == Absent(
        reason="the bundle publishes no figure 'nvfp4/kld'"
    )


def test_a_figure_without_evidence_says_what_is_missing() -> None:
    told = figures_of(core.figure("capacity", "0.9", None)).figure("capacity")

    assert told == Absent(reason="the engine's startup log is not retained")


def test_a_measure_whose_scores_are_not_retained_says_so() -> None:
    absent = Measure(statistic="mean", arms=("fp8",), column="nll")

    told = figures_of(core.figure("nll", "0.9", absent)).figure("nll")

    assert isinstance(told, Absent)
    assert "nll" in told.reason
    assert not told.broken


def test_an_interval_whose_scores_are_not_retained_says_so() -> None:
    absent = replace(core.DIFFERENCE, column="nll")
    figures = figures_of(*core.ends("nll", "-1", "1", absent))

    told = figures.figure("nll/low")

    assert isinstance(told, Absent)
    assert "nll" in told.reason


def test_a_value_beyond_all_numbers_is_none() -> None:
    huge = core.arm("fp8", (1e308, 1e308))
    measure = Measure(statistic="sum", arms=("fp8",))
    case = core.case(core.bundle(core.figure("sum", "1", measure), arms=(huge,)))

    told = of(case).figure("sum")

    assert isinstance(told, Absent)


def test_what_differing_units_share_has_no_value() -> None:
    common = Measure(statistic="common", arms=("fp8",))

    told = figures_of(core.figure("shared", "1", common)).figure("shared")

    assert told == Absent(reason="the units share no single value")


def gate(threshold: float, measure: Measure = core.MEAN_FP8) -> Figure:
    figure = core.figure("gate", "null", measure, kind="decision")
    return replace(figure, decision=Decision(rule="gate", operator="<=", threshold=threshold))


@pytest.mark.parametrize(("threshold", "word"), [(0.7, "true"), (0.6, "false")])
def test_a_decision_is_taken_again(threshold: float, word: str) -> None:
    told = found(figures_of(gate(threshold)).figure("gate"))

    assert told.value == word
    assert told.slack == 0


def test_a_decision_that_rounding_could_turn_is_none() -> None:
    told = figures_of(gate(0.625)).figure("gate")

    assert isinstance(told, Absent)
    assert told.reason.startswith("the decision depends on rounding: ")


def test_a_decision_without_scores_or_rule_says_what_is_missing() -> None:
    without_scores = gate(0.7, Measure(statistic="mean", arms=("fp8",), column="nll"))
    without_rule = replace(gate(0.7), id="bare", decision=None)
    figures = figures_of(without_scores, without_rule)

    scores, rule = figures.figure("gate"), figures.figure("bare")

    assert isinstance(scores, Absent)
    assert "nll" in scores.reason
    assert rule == Absent(reason="no rule says how this word is decided")


def test_a_figure_is_computed_once() -> None:
    figures = figures_of(core.figure("mean", "0.5", core.MEAN_FP8))

    assert figures.figure("mean") is figures.figure("mean")
    assert figures.figure("none") is figures.figure("none")


# --- measures ---


def test_a_measure_is_asked_for_as_json() -> None:
    asked = []
    case = core.case(core.bundle(arms=(FP8, NVFP4)))

    def query(text: str) -> tuple[Figure, ...]:
        asked.append(json.loads(text))
        return (core.figure("asked", "null", core.MEAN_FP8),)

    told = found(BundleFigures(case, query).measure({"statistic": "mean"}))

    assert asked == [{"statistic": "mean"}]
    assert (told.value, told.values) == (Decimal("0.625"), ())


def test_a_measure_of_an_interval_gives_both_ends() -> None:
    case = core.case(core.bundle(arms=(FP8, NVFP4)))
    ends = core.ends("asked", "null", "null", core.DIFFERENCE)

    told = found(BundleFigures(case, lambda _: tuple(ends)).measure({"a": 1}))

    low, high = told.values
    assert told.value == low
    assert isinstance(low, Decimal)
    assert isinstance(high, Decimal)
    assert low < high


def test_one_missing_end_is_the_answer() -> None:
    case = core.case(core.bundle(arms=(FP8, NVFP4)))
    ends = core.ends("asked", "null", "null", replace(core.DIFFERENCE, column="nll"))

    told = BundleFigures(case, lambda _: tuple(ends)).measure({"a": 1})

    assert isinstance(told, Absent)
    assert "nll" in told.reason


def test_a_measure_that_makes_no_sense_breaks_its_claim() -> None:
    def query(_: str) -> tuple[Figure, ...]:
        message = "no such statistic"
        raise UsageError(message)

    told = BundleFigures(core.case(core.bundle()), query).measure({"statistic": "best"})

    assert told == Absent(reason="no such statistic", broken=True)


def test_a_measure_of_an_unknown_statistic_has_no_value() -> None:
    told = of(core.case(core.bundle(arms=(FP8, NVFP4)))).measure({"statistic": "best"})

    assert told == Absent(
        reason="this version knows no statistic 'best' (`verifier measures` lists them)"
    )


@pytest.mark.parametrize("measure", [{"arm": "fp8"}, {"statistic": []}])
def test_a_measure_of_a_hostile_claims_file_breaks_its_claim(measure: dict[str, Any]) -> None:
    case = core.case(core.bundle(arms=(FP8, NVFP4)))

    told = of(case).measure(measure)

    assert isinstance(told, Absent)
    assert told.broken
