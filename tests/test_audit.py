"""The runner: nothing passes that was not compared, and no check takes the others down."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.support import core
from tests.support.core import BROKEN, MEAN_FP8, audited, bundle, case, demanding, figure
from verifier import audit
from verifier.audit import text
from verifier.model.basis import Basis
from verifier.model.bundle import Seal
from verifier.model.comparison import Aggregate, Comparison, Fact, Gap
from verifier.model.files import Member
from verifier.model.plugin import Case, Check
from verifier.model.policy import Policy
from verifier.policy import REVIEW, STRICT

EQUAL = Comparison(location="a.json#/x", expected=1, actual=1, basis=Basis.SEALED)
DIFFERENT = Comparison(
    location="a.json#/y", expected=1, actual=2, basis=Basis.SEALED, message="Ask the author."
)
ABSENT = DIFFERENT._replace(
    location="a.json", actual=None, concern="missing-member", subject="a.json"
)
NO_SEAL = Gap(location="bundle", reason="there is no seal", concern="no-seal")
DECLARED = Comparison(location="a.json#/flag", expected=True, actual=True, basis=Basis.DECLARED)
MEAN = figure("mean", "0.0333", MEAN_FP8)
OPEN = demanding()


def yielding(*facts: Fact, check_id: str = "fake", reason: str = "", **fields: Any) -> Check:
    """A check that yields these facts, or does not apply for this reason."""
    return Check(id=check_id, title="Fake", applies=lambda _: reason, run=lambda _: facts, **fields)


def crashing(check_id: str = "crash", error: Exception | None = None) -> Check:
    """A check that yields one mismatch and then crashes."""

    def run(_: Case) -> Iterable[Fact]:
        yield DIFFERENT
        raise error or RuntimeError("index out of range")

    return Check(id=check_id, title="Crash", applies=lambda _: "", run=run)


def answered(*, actual: float = 0.0333, **changes: Any) -> Comparison:
    """A comparison that answers for the figure ``mean``."""
    fact = Comparison(
        location="comparison.json#/mean",
        expected=0.0333,
        actual=actual,
        basis=Basis.RECOMPUTED,
        rule=Aggregate(),
        figure="mean",
    )
    return fact._replace(**changes)


def looked(*checks: Check, policy: Policy = OPEN) -> dict[str, str]:
    """Status by check over a bundle whose one figure is reproduced."""
    answer = yielding(answered(), check_id="answer")
    return core.statuses(audited(case(bundle(MEAN), policy=policy), answer, *checks))


def test_equal_values_and_a_reproduced_figure_pass() -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(EQUAL, answered()))
    assert report.verdict == "PASSED"
    assert core.statuses(report) == {"fake": "PASSED", "figure-coverage": "PASSED"}
    assert core.outcome_of(report, "fake").compared == 2
    assert core.outcome_of(report, "figure-coverage").compared == 1


def test_a_crash_is_an_error_with_its_text_and_the_other_checks_still_run() -> None:
    report = audited(
        case(bundle(MEAN), policy=OPEN), crashing(), yielding(answered(), check_id="later")
    )
    assert core.statuses(report) == {
        "crash": "ERROR",
        "figure-coverage": "PASSED",
        "later": "PASSED",
    }
    assert report.verdict == "FAILED"
    crash = core.outcome_of(report, "crash")
    assert crash.reason == "the check crashed: RuntimeError: index out of range"
    assert [finding.message for finding in crash.findings] == [f"{crash.reason}."]
    assert crash.compared == 0


def test_a_crash_explains_the_figure_that_it_left_unanswered() -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), crashing())
    assert core.statuses(report) == {"crash": "ERROR", "figure-coverage": "FAILED"}
    reason = "a check crashed before it answered for this figure (crash)"
    assert [result.how for result in report.figures] == [reason]
    coverage = core.outcome_of(report, "figure-coverage")
    assert [finding.message for finding in coverage.findings] == [f"{reason}."]


@pytest.mark.parametrize(
    "error", [MemoryError("no room"), RecursionError("too deep"), KeyError("arm")], ids=repr
)
def test_any_kind_of_crash_stays_inside_its_check(error: Exception) -> None:
    assert looked(crashing(error=error))["crash"] == "ERROR"


def test_a_crash_while_asking_whether_it_applies_is_an_error() -> None:
    def applies(_: Case) -> str:
        raise ZeroDivisionError

    check = Check(id="asks", title="Asks", applies=applies, run=lambda _: (EQUAL,))
    assert looked(check)["asks"] == "ERROR"


def test_a_fact_of_an_unknown_kind_is_an_error_of_its_check() -> None:
    assert looked(yielding(cast("Fact", "looks OK")))["fake"] == "ERROR"


@pytest.mark.parametrize(
    "fact", [answered(figure="typo"), Gap(location="x", reason="r", concern="no-seal", figure="t")]
)
def test_an_answer_for_a_figure_that_is_not_published_is_an_error(fact: Fact) -> None:
    assert looked(yielding(fact))["fake"] == "ERROR"


def test_digits_that_are_no_number_are_an_error_of_the_check_and_no_traceback() -> None:
    assert looked(yielding(answered(actual=1.0, printed="about 3")))["fake"] == "ERROR"


def test_a_check_that_applies_and_yields_nothing_is_an_error() -> None:
    report = audited(
        case(bundle(MEAN), policy=OPEN), yielding(), yielding(answered(), check_id="b")
    )
    assert core.statuses(report)["fake"] == "ERROR"
    assert core.outcome_of(report, "fake").reason == "the check applies but compared nothing"
    assert report.verdict == "FAILED"


def test_no_check_at_all_never_passes() -> None:
    assert audited(case(bundle(MEAN), policy=OPEN)).verdict == "FAILED"
    assert audited(case(bundle(), policy=OPEN)).verdict == "FAILED"


def test_a_check_that_does_not_apply_is_a_warning_at_best() -> None:
    report = audited(
        case(bundle(MEAN), policy=OPEN),
        yielding(answered(), check_id="answer"),
        yielding(reason="no counters are retained"),
    )
    fake = core.outcome_of(report, "fake")
    assert (fake.status, fake.reason) == ("NOT_APPLICABLE", "no counters are retained")
    assert fake.findings == ()
    assert report.verdict == "WARNED"


@pytest.mark.parametrize("policy", [OPEN, replace(OPEN, not_applicable="fail")])
def test_a_bundle_may_lack_what_an_optional_check_compares(policy: Policy) -> None:
    prose = replace(yielding(reason="no document is listed"), optional=True)
    report = audited(
        case(bundle(MEAN), policy=policy), yielding(answered(), check_id="answer"), prose
    )
    assert core.outcome_of(report, "fake").status == "NOT_APPLICABLE"
    assert report.verdict == "PASSED"


def test_an_optional_check_that_is_required_fails_when_it_does_not_apply() -> None:
    prose = replace(yielding(reason="no document is listed"), optional=True)
    report = audited(
        case(bundle(MEAN), policy=demanding("fake")), yielding(answered(), check_id="answer"), prose
    )
    assert core.outcome_of(report, "fake").status == "FAILED"


def test_optional_checks_alone_never_pass() -> None:
    prose = replace(yielding(reason="no document is listed"), optional=True)
    assert audited(case(bundle(), policy=OPEN), prose).verdict != "PASSED"


def test_a_required_check_that_does_not_apply_fails() -> None:
    report = audited(
        case(bundle(MEAN), policy=demanding("fake")),
        yielding(answered(), check_id="answer"),
        yielding(reason="no counters are retained"),
    )
    fake = core.outcome_of(report, "fake")
    assert fake.status == "FAILED"
    (finding,) = fake.findings
    assert (finding.expected, finding.actual, finding.basis) == (
        "something to compare",
        "nothing",
        "POLICY",
    )
    assert finding.message == (
        "The policy requires this check, but it compared nothing: no counters are retained."
    )


def test_a_policy_that_lets_no_check_be_idle_fails_every_one_that_is() -> None:
    strict = replace(STRICT, required_checks=())
    report = audited(case(bundle(MEAN), policy=strict), yielding(reason="no images"))
    (finding,) = core.outcome_of(report, "fake").findings
    assert finding.message == (
        "The policy requires every check, but it compared nothing: no images."
    )


def test_a_required_check_with_nothing_but_a_tolerated_gap_fails() -> None:
    assert looked(yielding(NO_SEAL))["fake"] == "WARNED"
    report = audited(
        case(bundle(MEAN), policy=demanding("fake")),
        yielding(NO_SEAL),
        yielding(answered(), check_id="answer"),
    )
    fake = core.outcome_of(report, "fake")
    assert (fake.status, fake.compared) == ("FAILED", 0)
    assert [(finding.severity, finding.message) for finding in fake.findings] == [
        ("warning", "there is no seal [no-seal]"),
        (
            "failure",
            "The policy requires this check, but it compared nothing: see its other findings.",
        ),
    ]


def test_a_gap_beside_a_comparison_satisfies_a_required_check() -> None:
    assert looked(yielding(EQUAL, NO_SEAL), policy=demanding("fake"))["fake"] == "WARNED"


def test_a_gap_that_the_policy_does_not_tolerate_fails() -> None:
    strict = replace(STRICT, required_checks=(), not_applicable="warn")
    report = audited(
        case(bundle(MEAN), policy=strict),
        yielding(EQUAL, NO_SEAL),
        yielding(answered(), check_id="answer"),
    )
    assert core.failures(report) == [("fake", "bundle")]


def test_figure_gaps_alone_make_a_check_not_applicable_and_say_where_to_look() -> None:
    unknown = Gap(location="x", reason="needs rows", concern="not-recomputable", figure="mean")
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(unknown))
    fake = core.outcome_of(report, "fake")
    assert fake.status == "NOT_APPLICABLE"
    assert fake.reason == "none of its 1 figures can be recomputed; see figure-coverage"
    assert core.statuses(report)["figure-coverage"] == "WARNED"
    assert report.verdict == "WARNED"
    required = audited(case(bundle(MEAN), policy=demanding("fake")), yielding(unknown))
    assert core.failures(required) == [("fake", "")]


def test_a_required_check_that_this_version_does_not_have_is_an_error() -> None:
    report = audited(
        case(bundle(MEAN), policy=demanding("quantum-proof")), yielding(answered(), EQUAL)
    )
    outcome = core.outcome_of(report, "quantum-proof")
    assert outcome.status == "ERROR"
    assert outcome.reason == "the policy requires a check that this version does not have"
    assert report.verdict == "FAILED"


def test_figure_coverage_can_be_required_and_then_needs_a_recomputed_figure() -> None:
    policy = demanding("figure-coverage")
    passed = audited(case(bundle(MEAN), policy=policy), yielding(answered()))
    assert core.statuses(passed) == {"fake": "PASSED", "figure-coverage": "PASSED"}
    unknown = figure("capacity", "7", None)
    idle = audited(case(bundle(unknown), policy=policy), yielding(EQUAL))
    assert core.failures(idle) == [("figure-coverage", "")]


def test_a_mismatch_fails_and_carries_both_sides() -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(EQUAL, DIFFERENT, answered()))
    fake = core.outcome_of(report, "fake")
    assert (fake.status, fake.compared, fake.declared) == ("FAILED", 3, 0)
    (finding,) = fake.findings
    assert (finding.severity, finding.location, finding.expected, finding.actual) == (
        "failure",
        "a.json#/y",
        "1",
        "2",
    )
    assert (finding.basis, finding.message) == ("SEALED", "Ask the author.")


def test_a_mismatch_with_a_concern_warns_only_where_the_policy_tolerates_it() -> None:
    allowing = replace(OPEN, allowed_missing=("a.json",))
    other = replace(OPEN, allowed_missing=("b.json",))
    check = yielding(EQUAL, ABSENT)
    assert looked(check, policy=OPEN)["fake"] == "FAILED"
    assert looked(check, policy=other)["fake"] == "FAILED"
    assert looked(check, policy=allowing)["fake"] == "WARNED"
    report = audited(case(bundle(MEAN), policy=allowing), check)
    (finding,) = core.outcome_of(report, "fake").findings
    assert finding.actual == "absent"
    assert finding.message == "Ask the author. The policy tolerates this."


def test_a_figure_that_differs_is_never_tolerated() -> None:
    fact = answered(actual=0.5, concern="no-evidence")
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(fact))
    assert core.failures(report) == [("fake", "comparison.json#/mean")]
    assert core.figure_statuses(report) == {"mean": "MISMATCH"}


def test_what_is_only_declared_is_a_warning_and_counted_apart() -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(EQUAL, DECLARED, answered()))
    fake = core.outcome_of(report, "fake")
    assert (fake.status, fake.compared, fake.declared) == ("WARNED", 3, 1)
    (finding,) = fake.findings
    assert (finding.severity, finding.expected, finding.actual, finding.basis) == (
        "warning",
        "true",
        "true",
        "DECLARED",
    )
    assert finding.message == (
        "Declared, not verified: nothing retained could contradict it. [declared-only]"
    )


def test_what_is_only_declared_fails_where_the_policy_says_so() -> None:
    strict = replace(STRICT, required_checks=())
    assert looked(yielding(EQUAL, DECLARED), policy=strict)["fake"] == "FAILED"


def test_a_declared_statement_that_is_false_is_a_mismatch() -> None:
    assert looked(yielding(EQUAL, DECLARED._replace(actual=False)))["fake"] == "FAILED"


def test_an_unreadable_bundle_runs_only_the_checks_that_do_not_read_its_records() -> None:
    broken = bundle(records=(BROKEN,))
    schema = yielding(DIFFERENT, check_id="schema", reads_records=False)
    report = audited(
        case(broken, policy=demanding("reader")), schema, yielding(DIFFERENT, check_id="reader")
    )
    assert core.statuses(report) == {
        "figure-coverage": "NOT_APPLICABLE",
        "reader": "NOT_APPLICABLE",
        "schema": "FAILED",
    }
    assert core.failures(report) == [("schema", "a.json#/y")]
    assert core.outcome_of(report, "reader").reason == "a record breaks its schema"
    assert report.verdict == "FAILED"


def test_an_unreadable_bundle_fails_even_when_no_check_complains() -> None:
    check = yielding(EQUAL, reads_records=False)
    report = audited(case(bundle(records=(BROKEN,)), policy=OPEN), check)
    assert core.failures(report) == [("figure-coverage", "")]
    assert core.outcome_of(report, "figure-coverage").reason == "a record breaks its schema"
    assert report.verdict == "FAILED"


def explained(explain: Callable[[Case, str], str], *facts: Comparison) -> str:
    """The message of the one mismatch of a check with this explanation."""
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(*facts, explain=explain))
    (finding,) = core.outcome_of(report, "fake").findings
    return finding.message


def test_a_mismatch_in_a_figure_is_explained_and_says_how_it_was_drawn() -> None:
    fact = answered(actual=0.5, message="Not this number.", how="BCa 95 %")
    message = explained(lambda _, figure_id: f"{figure_id} is a median.", fact)
    assert message == "Not this number. Computed as: BCa 95 %. mean is a median."


def test_a_mismatch_that_is_no_figure_is_not_explained() -> None:
    assert explained(lambda _case, _figure: "never asked", answered(), DIFFERENT) == (
        "Ask the author."
    )


def test_an_explanation_that_crashes_leaves_the_mismatch() -> None:
    def explain(_: Case, figure_id: str) -> str:
        raise LookupError(figure_id)

    message = explained(explain, answered(actual=0.5, message="Not this number."))
    assert message == "Not this number. No explanation could be computed (LookupError: mean)."


def test_the_first_mismatches_are_explained_and_a_flood_of_them_is_not() -> None:
    asked: list[str] = []

    def explain(_: Case, figure_id: str) -> str:
        asked.append(figure_id)
        return "It is a median."

    flood = yielding(*[answered(actual=0.5)] * 30, explain=explain)
    report = audited(case(bundle(MEAN), policy=OPEN), flood)
    messages = [finding.message for finding in core.outcome_of(report, "fake").findings]
    assert len(asked) == 20
    assert messages == [
        *["It is a median."] * 20,
        *["Not explained: only the first 20 mismatches of a check are."] * 10,
    ]


def test_a_match_is_never_explained() -> None:
    def explain(_: Case, figure_id: str) -> str:
        raise AssertionError(figure_id)

    report = audited(case(bundle(MEAN), policy=OPEN), yielding(answered(), explain=explain))
    assert report.verdict == "PASSED"


def test_the_report_does_not_depend_on_the_order_of_the_checks() -> None:
    checks = [
        yielding(answered(), check_id="z"),
        crashing("m"),
        yielding(NO_SEAL, check_id="a"),
        yielding(reason="nothing", check_id="g"),
    ]
    looked_at = case(bundle(MEAN), policy=demanding("unknown-b", "unknown-a"))
    report = audited(looked_at, *checks)
    assert report == audited(looked_at, *reversed(checks))
    assert [outcome.check for outcome in report.outcomes] == [
        "a",
        "figure-coverage",
        "g",
        "m",
        "unknown-a",
        "unknown-b",
        "z",
    ]


def test_the_report_names_policy_verifier_evidence_and_reference() -> None:
    reference = replace(bundle(MEAN), id="older")
    report = audited(case(bundle(MEAN), policy=OPEN, reference=reference), yielding(answered()))
    assert report.policy == core.POLICY_IDENTITY
    assert report.verifier == core.VERIFIER_IDENTITY
    assert report.evidence == {"fp8": "window-scores", "nvfp4": "window-scores"}
    assert report.reference is not None
    assert report.reference.id == "older"
    assert audited(case(bundle(MEAN), policy=OPEN), yielding(answered())).reference is None


def test_a_bundle_is_named_by_its_published_records_and_its_seal() -> None:
    def member(path: str, sha256: str) -> Member:
        kind = "file" if sha256 else "symlink"
        return Member(path=path, kind=kind, size=1, sha256=sha256, blake3="")  # type: ignore[arg-type] # a literal, chosen above

    unpublished = replace(core.READABLE, path="audit.json", published=False)
    linked = replace(core.READABLE, path="linked.json")
    absent = replace(core.READABLE, path="absent.json")
    whole = replace(
        bundle(MEAN, records=(core.READABLE, unpublished, linked, absent, core.READABLE)),
        members={
            name: member(name, sha256)
            for name, sha256 in (
                ("seal.json", 64 * "1"),
                ("comparison.json", 64 * "2"),
                ("audit.json", 64 * "3"),
                ("linked.json", ""),
            )
        },
        seal=Seal(
            path="seal.json",
            entries=(),
            closed=True,
            unsealed=frozenset(),
            root=64 * "4",
            computed_root=64 * "5",
        ),
    )
    identity = audit.identify(whole)
    assert [(subject.name, subject.sha256) for subject in identity.subjects] == [
        ("comparison.json", 64 * "2"),
        ("seal.json", 64 * "1"),
    ]
    assert identity.root == 64 * "5"
    assert audit.identify(bundle(MEAN)).subjects == ()
    assert audit.identify(bundle(MEAN)).root is None


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "absent"),
        (True, "true"),
        (False, "false"),
        (22, "22"),
        (0.1, "0.1"),
        (1.0, "1.0"),
        (0.1 + 0.2, "0.30000000000000004"),
        ("sha256:00", "sha256:00"),
    ],
)
def test_values_are_shown_with_all_their_digits(value: Any, shown: str) -> None:
    assert text(value) == shown


def test_the_review_policy_is_the_default_of_the_tests() -> None:
    assert replace(OPEN, required_checks=REVIEW.required_checks) == REVIEW


@pytest.mark.parametrize(
    "gap",
    [NO_SEAL, Gap(location="x", reason="lost", concern="not-recomputable", figure="mean")],
    ids=["gap", "figure gap"],
)
def test_a_gap_hides_nothing_that_comes_after_it(gap: Gap) -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(gap, DIFFERENT, answered()))
    assert core.failures(report) == [("fake", "a.json#/y")]
    assert core.outcome_of(report, "fake").compared == 2
    assert core.figure_statuses(report) == {"mean": "REPRODUCED"}


def test_no_explanation_is_even_asked_for_when_a_figure_matches() -> None:
    asked: list[str] = []

    def explain(_: Case, figure_id: str) -> str:
        asked.append(figure_id)
        return "never shown"

    audited(case(bundle(MEAN), policy=OPEN), yielding(answered(), explain=explain))
    assert asked == []
    audited(case(bundle(MEAN), policy=OPEN), yielding(answered(actual=0.5), explain=explain))
    assert asked == ["mean"]


def test_a_mismatch_of_a_check_that_explains_nothing_says_nothing_more() -> None:
    fact = answered(actual=0.5, message="Not this number.")
    report = audited(case(bundle(MEAN), policy=OPEN), yielding(fact))
    (finding,) = core.outcome_of(report, "fake").findings
    assert finding.message == "Not this number."


def test_a_mismatch_shows_the_digits_that_were_published() -> None:
    report = audited(
        case(bundle(MEAN), policy=OPEN), yielding(answered(actual=0.5, printed="0.03330"))
    )
    (finding,) = core.outcome_of(report, "fake").findings
    assert (finding.expected, finding.actual) == ("0.03330", "0.5")


def test_of_two_crashes_the_first_by_id_explains_the_figure() -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), crashing("m"), crashing("b"))
    (result,) = report.figures
    assert result.how == "a check crashed before it answered for this figure (b)"


def test_a_crash_over_an_unreadable_bundle_is_reported_once() -> None:
    def run(_: Case) -> Iterable[Fact]:
        raise ZeroDivisionError

    crash = Check(id="crash", title="Crash", applies=lambda _: "", run=run, reads_records=False)
    report = audited(case(bundle(records=(BROKEN,)), policy=OPEN), crash)
    assert core.statuses(report) == {"crash": "ERROR", "figure-coverage": "NOT_APPLICABLE"}
    assert core.failures(report) == [("crash", "")]


@pytest.mark.parametrize(
    "check",
    [crashing("fake"), yielding(), yielding(reason="no images")],
    ids=["crashed", "yielded nothing", "does not apply"],
)
def test_a_check_without_a_result_counts_no_comparison(check: Check) -> None:
    report = audited(case(bundle(MEAN), policy=OPEN), check)
    outcome = core.outcome_of(report, "fake")
    assert (outcome.compared, outcome.declared) == (0, 0)


def test_a_bundle_without_a_seal_is_named_by_all_its_files_in_order() -> None:
    names = [f"{letter}.json" for letter in "hgfedcba"]
    members = {
        name: Member(path=name, kind="file", size=1, sha256=64 * "a", blake3="") for name in names
    }
    identity = audit.identify(replace(bundle(MEAN), members=members))
    assert [subject.name for subject in identity.subjects] == sorted(names)
