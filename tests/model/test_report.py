"""The verdict is derived from the outcomes, the worst of them deciding."""

import pytest

from tests.support.reports import figure, report
from verifier.model.report import Report, Status, Verdict


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        (("PASSED",), "PASSED"),
        (("PASSED", "PASSED"), "PASSED"),
        (("PASSED", "WARNED"), "WARNED"),
        (("PASSED", "NOT_APPLICABLE"), "WARNED"),
        (("PASSED", "WARNED", "FAILED"), "FAILED"),
        (("PASSED", "ERROR"), "FAILED"),
        (("NOT_APPLICABLE", "ERROR"), "FAILED"),
    ],
)
def test_the_worst_outcome_decides(statuses: tuple[Status, ...], verdict: Verdict) -> None:
    assert report(*statuses).verdict == verdict
    assert report(*reversed(statuses)).verdict == verdict


def test_a_report_without_outcomes_is_never_a_pass() -> None:
    whole = report("PASSED")
    bare = Report(
        bundle=whole.bundle,
        policy=whole.policy,
        verifier=whole.verifier,
        outcomes=(),
        figures=(),
        evidence={},
    )
    assert bare.verdict == "FAILED"


def test_coverage_counts_every_status_even_those_without_a_figure() -> None:
    figures = (figure("a"), figure("b"), figure("c", "NOT_RECOMPUTABLE"))
    assert report("PASSED", figures=figures).coverage == {
        "REPRODUCED": 2,
        "MISMATCH": 0,
        "NOT_RECOMPUTABLE": 1,
        "DEGENERATE": 0,
    }
