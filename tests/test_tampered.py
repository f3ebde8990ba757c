"""Every tampered bundle of the corpus: regenerated to the byte, and failed by the right checks."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts import build_tampered
from scripts.build_tampered import ATTACKS, TARGET, folder
from scripts.tampering import Attack
from tests.support.build import failing, messages, valid
from verifier import catalog, pipeline

CASES = sorted(path.parent for path in TARGET.glob("*/*/expected.json"))


def tree(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file()
    }


def expected(case: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((case / "expected.json").read_bytes())
    return document


def test_the_committed_corpus_is_what_the_script_writes(tmp_path: Path) -> None:
    build_tampered.main([str(tmp_path / "tampered")])
    assert tree(tmp_path / "tampered") == tree(TARGET)


def test_every_folder_holds_one_attack_of_the_script() -> None:
    assert sorted(TARGET / folder(attack) for attack in ATTACKS) == CASES


def test_every_check_has_a_tampered_bundle_that_it_fails() -> None:
    assert {case.parent.name for case in CASES} == set(catalog.checks())
    assert all(case.parent.name in expected(case)["failing"] for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_exactly_the_right_checks_fail_and_say_why(case: Path) -> None:
    wanted = expected(case)
    policy = pipeline.load_policy(wanted["policy"])
    report = pipeline.audit_path(case / "bundle", pipeline.Options(policy=policy))
    assert report.verdict == "FAILED"
    assert sorted(failing(report)) == wanted["failing"]
    assert [line for line in messages(report) if wanted["message"] in line]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: f"{attack.check}/{attack.name}")
def test_an_attack_changes_something(attack: Attack) -> None:
    assert attack.change(valid()) != valid()
