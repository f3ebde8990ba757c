"""Published words against what their rules make of the retained scores."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from tests.support import core
from tests.support.core import DIFFERENCE, LOWER, RECIPE, MemoryRows, audited, bundle, demanding
from verifier.checks.published_decisions import CHECK
from verifier.model.basis import Basis, Level
from verifier.model.comparison import Comparison, Gap
from verifier.model.figure import Decision, Figure
from verifier.model.measure import Measure
from verifier.model.number import Published
from verifier.model.plugin import Case, Measures, Missing, Spent, Value
from verifier.model.policy import Policy
from verifier.model.recipe import Interval, Recipe
from verifier.model.report import Report

READING = Decision(rule="reading", better="lower")
ZERO = Decision(rule="includes-zero")
FRACTION = replace(DIFFERENCE, statistic="fraction")
RELATIVE = replace(DIFFERENCE, relative_to=Measure(statistic="mean", arms=("nvfp4",)))
GATE = Decision(rule="gate", operator=">=", threshold=5.0)
OPEN = demanding()
PLACE = "comparison.json#/d"
DECLARED = f"{RECIPE.label} (declared)"


VALUE = Value(number=-0.5, level=Level.ROW_SCORES, n=8)
INTERVAL = Interval(low=-1.0, high=-0.25, standard_error=0.125, degenerate=False, units=6)


@dataclass(frozen=True, kw_only=True)
class Given:
    """What a decision asks of ``Measures``, with given answers; ``drawn`` is remembered."""

    answer: Value | Missing = VALUE
    ends: Interval | Missing = INTERVAL
    drawn: list[tuple[Measure, Recipe]] = field(default_factory=list)

    def value(self, _: Measure) -> Value | Missing:
        return self.answer

    def interval(self, measure: Measure, recipe: Recipe, before: Spent) -> Interval | Missing:
        assert before == ()
        self.drawn.append((measure, recipe))
        return self.ends

    def spent(self, _: Measure, recipe: Recipe) -> Spent:
        return (((8,), recipe.resamples),)


def decision(
    word: str,
    rule: Decision | None = READING,
    *,
    measure: Measure | None = DIFFERENCE,
    recipe: Recipe | None = RECIPE,
    name: str = "d",
) -> Figure:
    return replace(
        core.figure(name, "0", measure, kind="decision", recipe=recipe),
        published=Published(text=word, value=float("nan")),
        decision=rule,
    )


def holding(*figures: Figure, policy: Policy = OPEN, measures: Given | None = None) -> Case:
    return Case(
        bundle=bundle(*figures),
        policy=policy,
        rows=MemoryRows(),
        measures=cast("Measures", measures or Given()),
    )


def interval(low: float, high: float) -> Given:
    return Given(ends=replace(INTERVAL, low=low, high=high))


def value(number: float) -> Given:
    return Given(answer=Value(number=number, level=Level.WINDOW_SCORES, n=8))


def looked(*figures: Figure, policy: Policy = OPEN, measures: Given | None = None) -> Report:
    return audited(holding(*figures, policy=policy, measures=measures), CHECK)


def gaps(*figures: Figure, measures: Given) -> list[str]:
    """Reasons of the gaps; that each is one of the figure is held on the way."""
    facts = list(CHECK.run(holding(*figures, measures=measures)))
    found = [fact for fact in facts if isinstance(fact, Gap)]
    assert {(gap.concern, gap.figure, gap.location) for gap in found} <= {
        ("not-recomputable", "d", PLACE)
    }
    assert not [fact for fact in facts if isinstance(fact, Comparison) and fact.figure]
    return [gap.reason for gap in found]


@pytest.mark.parametrize(
    ("measures", "rule", "word"),
    [
        (interval(-1.0, -0.25), READING, "improvement"),
        (interval(-1.0, -0.25), replace(READING, better="higher"), "harm"),
        (interval(0.25, 1.0), READING, "harm"),
        (interval(-1.0, 0.25), READING, "no detectable change"),
        (interval(-1.0, 0.25), ZERO, "true"),
        (interval(-1.0, -0.25), ZERO, "false"),
        (interval(-0.02, 0.04), Decision(rule="equivalent", margin=0.05), "true"),
        (interval(-0.02, 0.06), Decision(rule="equivalent", margin=0.05), "false"),
        (
            interval(-1.0, -0.25),
            Decision(rule="gate", operator="<", threshold=0.0, of="high"),
            "true",
        ),
        (
            interval(-1.0, -0.25),
            Decision(rule="gate", operator=">", threshold=-0.5, of="low"),
            "false",
        ),
    ],
)
def test_the_word_that_the_rule_gives_passes_and_no_other_does(
    measures: Given, rule: Decision, word: str
) -> None:
    report = looked(decision(word, rule), measures=measures)
    assert report.verdict == "PASSED"
    assert core.figure_statuses(report) == {"d": "REPRODUCED"}
    # The word, and method, stream, resamples and level against the policy.
    assert core.outcome_of(report, CHECK.id).compared == 5
    words = {"improvement", "harm", "no detectable change", "true", "false", "equal", "True", ""}
    for other in words - {word}:
        report = looked(decision(other, rule), measures=measures)
        assert core.failures(report) == [(CHECK.id, PLACE)]
        assert core.figure_statuses(report) == {"d": "MISMATCH"}


def test_a_comparison_says_what_it_rests_on() -> None:
    facts = list(CHECK.run(holding(decision("harm"))))
    assert [fact.basis for fact in facts[:-1] if isinstance(fact, Comparison)] == 4 * [Basis.POLICY]
    assert facts[-1] == Comparison(
        location=PLACE,
        expected="harm",
        actual="improvement",
        basis=Basis.RECOMPUTED,
        figure="d",
        how=(f"reading, lower is better; {DECLARED}; high end -0.25 is 0.25 (2 SE) from 0"),
        level=Level.ROW_SCORES,
        n=6,
        message=(
            'The retained scores give "improvement", 0.25 (2 standard errors) from another word.'
        ),
    )


def test_a_mismatch_tells_word_margin_and_rule() -> None:
    report = looked(decision("harm"))
    (finding,) = core.outcome_of(report, CHECK.id).findings
    assert (finding.expected, finding.actual) == ("harm", "improvement")
    assert finding.message == (
        'The retained scores give "improvement", 0.25 (2 standard errors) from another word. '
        f"Computed as: reading, lower is better; {DECLARED}; "
        "high end -0.25 is 0.25 (2 SE) from 0. "
        "This is the word that the same rule gives with higher as the better direction; "
        "a word fits by chance easily."
    )


def test_no_detectable_change_is_never_told_as_equality() -> None:
    report = looked(decision("no detectable change"), measures=interval(-1.0, 0.25))
    (figure,) = report.figures
    assert figure.how == (
        f"exact; reading, lower is better; {DECLARED}; "
        "high end 0.25 is 0.25 (2 SE) from 0; this is no statement of equality"
    )
    # "Equal" is no word of this rule, and equivalence is another figure with a margin of its own.
    assert looked(decision("equal"), measures=interval(-1.0, 0.25)).verdict == "FAILED"
    wide = decision("true", Decision(rule="equivalent", margin=0.5), name="e")
    report = looked(decision("no detectable change"), wide, measures=interval(-1.0, 0.25))
    assert core.figure_statuses(report) == {"d": "REPRODUCED", "e": "MISMATCH"}


def test_a_gate_on_a_count_is_exact_on_its_threshold() -> None:
    fives = decision("true", GATE, measure=LOWER, recipe=None)
    (fact,) = CHECK.run(holding(fives, measures=value(5.0)))
    assert fact == Comparison(
        location=PLACE,
        expected="true",
        actual="true",
        basis=Basis.RECOMPUTED,
        figure="d",
        how="gate: value >= 5; value 5 is 0 from 5",
        level=Level.WINDOW_SCORES,
        n=8,
        message='The retained scores give "true", 0 from another word.',
    )
    assert looked(fives, measures=value(5.0)).verdict == "PASSED"
    assert looked(fives, measures=value(4.0)).verdict == "FAILED"


@pytest.mark.parametrize(
    "measure",
    [
        pytest.param(FRACTION, id="fraction"),
        pytest.param(DIFFERENCE, id="mean that happens to be whole"),
        pytest.param(replace(LOWER, scale="percent"), id="percent"),
        pytest.param(replace(LOWER, relative_to=LOWER), id="relative"),
        pytest.param(replace(LOWER, weights="equal-group", stratum="domain"), id="mean of groups"),
        pytest.param(replace(LOWER, over="mean"), id="mean over runs"),
    ],
)
def test_what_is_no_count_depends_on_rounding_at_its_threshold(measure: Measure) -> None:
    fives = decision("true", GATE, measure=measure, recipe=None)
    (reason,) = gaps(fives, measures=value(5.0))
    assert reason == (
        "the decision depends on rounding: value 5 is 0 from 5; within the tolerance lie "
        "false and true"
    )


@pytest.mark.parametrize(
    "measure",
    [replace(LOWER, statistic="size"), replace(LOWER, over="minimum"), replace(LOWER, over="sum")],
)
def test_sizes_and_the_least_of_several_counts_are_counts(measure: Measure) -> None:
    fives = decision("true", GATE, measure=measure, recipe=None)
    assert looked(fives, measures=value(5.0)).verdict == "PASSED"


def test_an_end_of_the_interval_of_a_count_is_no_count() -> None:
    at_end = replace(GATE, of="low", threshold=0.0)
    (reason,) = gaps(decision("true", at_end, measure=LOWER), measures=interval(0.0, 1.0))
    assert reason == (
        "the decision depends on rounding: low end 0 is 0 (0 SE) from 0; within the tolerance lie "
        "false and true"
    )


@pytest.mark.parametrize("word", ["improvement", "no detectable change", "harm"])
@pytest.mark.parametrize("high", [-1e-12, 0.0, 1e-12])
def test_a_word_that_rounding_could_change_is_a_gap_whatever_was_published(
    word: str, high: float
) -> None:
    (reason,) = gaps(decision(word), measures=interval(-1.0, high))
    assert reason.startswith("the decision depends on rounding: high end ")
    assert reason.endswith("; within the tolerance lie improvement and no detectable change")
    report = looked(decision(word), measures=interval(-1.0, high))
    assert core.figure_statuses(report) == {"d": "NOT_RECOMPUTABLE"}
    assert report.verdict == "WARNED"


def test_how_much_rounding_may_do_is_for_the_policy_to_say() -> None:
    close = interval(-1.0, -1e-6)
    assert looked(decision("improvement"), measures=close).verdict == "PASSED"
    tolerance = replace(OPEN.tolerance, interval_standard_errors=1e-4)
    wide = replace(OPEN, tolerance=tolerance)
    report = looked(decision("improvement"), measures=close, policy=wide)
    assert core.figure_statuses(report) == {"d": "NOT_RECOMPUTABLE"}


def test_constant_data_decide_nothing() -> None:
    constant = Given(
        ends=Interval(low=-1.0, high=-1.0, standard_error=0.0, degenerate=True, units=8)
    )
    assert gaps(decision("improvement"), measures=constant) == ["undefined: constant data"]


@pytest.mark.parametrize(
    ("figure", "measures", "reason"),
    [
        pytest.param(
            decision("harm", measure=None),
            Given(),
            "the engine's startup log is not retained",
            id="no measure",
        ),
        pytest.param(
            decision("harm", None), Given(), "no rule says how this word is decided", id="no rule"
        ),
        pytest.param(
            decision("harm"),
            Given(answer=Missing(reason="no arm is named q")),
            "no arm is named q",
            id="no value",
        ),
        pytest.param(
            decision("harm"),
            Given(ends=Missing(reason="two windows are needed")),
            f"{RECIPE.label} gives no interval: two windows are needed",
            id="no interval",
        ),
        pytest.param(
            decision("harm", recipe=None),
            Given(),
            "undefined: the rule looks at an interval, and none is drawn",
            id="no recipe",
        ),
        pytest.param(
            decision("true", GATE, measure=LOWER, recipe=None),
            value(float("nan")),
            "undefined: what the rule looks at is not finite",
            id="not a number",
        ),
    ],
)
def test_what_cannot_be_decided_is_a_gap_that_says_what_is_missing(
    figure: Figure, measures: Given, reason: str
) -> None:
    assert gaps(figure, measures=measures) == [reason]


@pytest.mark.parametrize(
    ("change", "expected", "actual"),
    [
        ({"resamples": 10}, "at least 9999 resamples", "10"),
        ({"level": 0.5}, "a level of at least 0.9", "0.5"),
    ],
)
def test_a_recipe_that_the_policy_does_not_permit_decides_nothing(
    change: Mapping[str, Any], expected: str, actual: str
) -> None:
    report = looked(decision("improvement", recipe=replace(RECIPE, **change)))
    (finding,) = core.outcome_of(report, CHECK.id).findings
    assert (finding.location, finding.expected, finding.actual) == (PLACE, expected, actual)
    assert finding.basis == "POLICY"
    assert report.verdict == "FAILED"


def test_a_gate_on_the_value_takes_only_the_scale_of_its_margin_from_an_interval() -> None:
    rule = Decision(rule="gate", operator="<", threshold=-0.25)
    report = looked(decision("true", rule))
    (figure,) = report.figures
    assert figure.how == (
        f"exact; gate: value < -0.25; {DECLARED}; value -0.5 is 0.25 (2 SE) from -0.25"
    )
    assert figure.n == 8
    without = Given(ends=Missing(reason="a median has no interval"))
    report = looked(decision("true", rule), measures=without)
    assert report.verdict == "PASSED"
    assert report.figures[0].how == "exact; gate: value < -0.25; value -0.5 is 0.25 from -0.25"


def test_decisions_on_one_interval_draw_it_once() -> None:
    measures = Given()
    held = (decision("improvement"), decision("false", ZERO, name="z"))
    assert looked(*held, measures=measures).verdict == "PASSED"
    assert measures.drawn == [(DIFFERENCE, RECIPE)]


def test_figures_of_other_kinds_are_left_to_other_checks() -> None:
    held = holding(core.figure("mean", "0.1", DIFFERENCE), decision("improvement"))
    answered = [fact.figure for fact in CHECK.run(held) if isinstance(fact, Comparison)]
    assert [name for name in answered if name] == ["d"]


def test_a_bundle_without_decisions_is_not_looked_at() -> None:
    assert CHECK.applies(holding(core.figure("mean", "0.1", DIFFERENCE))) == (
        "the bundle publishes no decision"
    )
    assert CHECK.applies(holding(decision("harm"))) == ""


@pytest.mark.parametrize(
    ("figure", "how"),
    [
        (
            decision("improvement"),
            (
                f"reading, lower is better; {DECLARED}; "
                "high end -0.000989875 is 0.000989875 (1.29 SE) from 0"
            ),
        ),
        (
            decision("true", Decision(rule="equivalent", margin=0.15), measure=RELATIVE),
            (
                f"equivalent within +/-0.15, an end on the margin is outside; {DECLARED}; "
                "low end -0.111832 is 0.0381682 (1.78 SE) from -0.15"
            ),
        ),
        (
            decision("true", replace(GATE, threshold=6.0), measure=LOWER, recipe=None),
            "gate: value >= 6; value 6 is 0 from 6",
        ),
    ],
)
def test_retained_scores_are_read_drawn_and_decided(figure: Figure, how: str) -> None:
    report = audited(core.case(bundle(figure), policy=OPEN), CHECK)
    assert report.verdict == "PASSED"
    assert report.figures[0].how == f"exact; {how}"
    assert report.figures[0].n == 8
