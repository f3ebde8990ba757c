from dataclasses import replace

import pytest

from tests.support.identities import arm, bundle, case, look
from verifier.checks.evidence_level import CHECK
from verifier.model.basis import Basis, Level
from verifier.policy import REVIEW, STRICT

DEMANDING = replace(STRICT, expected_evidence=Level.ROW_DISTRIBUTIONS)


@pytest.mark.parametrize("level", [Level.DECLARED, Level.WINDOW_SCORES])
def test_an_arm_below_the_required_level_is_one_mismatch_and_no_gap(level: Level) -> None:
    shallow = replace(arm("fp8", "w0"), level=level)

    found = look(CHECK, case(bundle(arms=(shallow,)), policy=DEMANDING))

    assert found.mismatches == [(shallow.location, "at least row-scores", level.label)]
    assert found.missing == []
    assert found.bases == {Basis.POLICY}
    assert "row arrays" in found.messages[0]


def test_an_arm_between_required_and_expected_is_a_gap_that_says_what_is_needed() -> None:
    middling = replace(arm("fp8", "w0"), level=Level.ROW_SCORES)

    found = look(CHECK, case(bundle(arms=(middling,)), policy=DEMANDING))

    assert found.mismatches == []
    assert found.missing == [(middling.location, "no-evidence")]
    assert found.gaps[0].reason == (
        "arm 'fp8' keeps row-scores; row-distributions would need top-k ids and log probabilities "
        "in every window's row arrays"
    )


@pytest.mark.parametrize("level", [Level.ROW_SCORES, Level.RAW_LOGITS])
def test_an_arm_at_the_expected_level_or_deeper_matches(level: Level) -> None:
    deep = replace(arm("fp8", "w0"), level=level)

    found = look(CHECK, case(bundle(arms=(deep,)), policy=REVIEW))

    assert found.mismatches == []
    assert found.missing == []
    assert len(found.comparisons) == 1


def test_each_arm_is_judged_by_its_own_level() -> None:
    deep = replace(arm("fp8", "w0"), level=Level.RAW_LOGITS)
    shallow = replace(arm("nvfp4", "w0"), level=Level.DECLARED)

    found = look(CHECK, case(bundle(arms=(deep, shallow))))

    assert found.mismatches == [(shallow.location, "at least window-scores", "declared")]


def test_a_bundle_without_arms_has_no_level_to_compare() -> None:
    assert CHECK.applies(case(bundle())) == "the bundle holds no arm"
