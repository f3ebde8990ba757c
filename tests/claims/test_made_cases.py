"""Ten documents with faults that real ones had, each beside its right version."""

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command import Shell
from tests.support.repository import Repository
from verifier import catalog

Wrong = tuple[int, str, str, str, tuple[str, ...]]
"""Line, printed text, verdict, right text, flaws."""

MINUS = "\N{MINUS SIGN}"

CASES: dict[str, set[Wrong]] = {
    "missing-file": {(4, "3.87", "UNSUPPORTED", "", ())},
    "percent-for-fraction": {(3, "0.934", "UNIT", "93.380", ())},
    "reduction": {(4, "-28.5", "CONTRADICTED", "-25.8", ())},
    "rounded-bound": {
        (3, "1.03", "CONTRADICTED", "1.04", ("wrong-bound",)),
        (4, "0.98", "CONTRADICTED", "0.97", ("wrong-bound",)),
    },
    "shifted-rows": {
        (9, "152.9", "CONTRADICTED", "41.7", ()),
        (9, "131.6", "CONTRADICTED", "118.2", ()),
        (10, "498.3", "CONTRADICTED", "152.9", ()),
        (10, "174.5", "CONTRADICTED", "131.6", ()),
        (11, "913.0", "CONTRADICTED", "498.3", ()),
        (11, "402.8", "CONTRADICTED", "174.5", ()),
    },
    "six-and-seven": {(3, "Six", "CONTRADICTED", "Seven", ())},
    "split-exponent": {
        (3, "1.2", "CONTRADICTED", "", ()),
        (4, "-5", "UNBOUND", "", ()),
        (4, "3.4e-6", "CONTRADICTED", "3.4e-7", ()),
        (5, "5.6e-5", "CONTRADICTED", "5.6e-6", ()),
    },
    "stale-prose": {(4, "0.0412", "STALE", "0.0388", ())},
    "sum-row": {
        (8, "212", "CONTRADICTED", "221", ()),
        (8, "1,127,016", "CONTRADICTED", "1,132,761", ()),
    },
    "true-minus": {
        (5, "0.0052", "UNIT", "-0.0052", ()),
        (6, f"{MINUS}0.31", "UNIT", "0.31", ()),
        (8, f"{MINUS}0.0079", "CONTRADICTED", f"{MINUS}0.0097", ()),
        (8, "0.0011", "UNIT", "-0.0011", ()),
    },
}

MADE = Path(__file__).parents[1] / "data" / "claims"


@pytest.fixture(params=sorted(CASES))
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A case outside of every checkout but its own."""
    folder = tmp_path / str(request.param)
    if request.param == "stale-prose":
        commit_older_data(folder)
    return Path(shutil.copytree(MADE / folder.name, folder, dirs_exist_ok=True))


def commit_older_data(folder: Path) -> tuple[str, str]:
    older = (MADE / "stale-prose" / "arms-before.json").read_bytes()
    newer = (MADE / "stale-prose" / "arms.json").read_bytes()
    first, second = Repository(folder).line({"arms.json": older}, {"arms.json": newer})
    return first, second


def checked(shell: Shell, document: Path, *options: object) -> tuple[int, dict[str, Any]]:
    ran = shell("claims", document, "--format", "json", *options)
    report: dict[str, Any] = json.loads(ran.out)
    jsonschema.validate(report, catalog.SCHEMAS.get("claims-report-1"))
    return ran.code, report


def document(case: Path, version: str) -> Path:
    (path,) = case.glob(f"{version}.*")
    return path


def wrong(report: dict[str, Any]) -> set[Wrong]:
    (only,) = report["documents"]
    return {
        (item["line"], item["text"], item["status"], item["expected"], tuple(item["flaws"]))
        for item in only["results"]
        if item["status"] not in {"SUPPORTED", "NOT A CLAIM"} or item["flaws"]
    }


def test_every_case_has_a_folder() -> None:
    assert {folder.name for folder in MADE.iterdir()} == CASES.keys()


def test_the_fault_is_found_and_nothing_else(shell: Shell, case: Path) -> None:
    code, report = checked(shell, document(case, "wrong"))

    assert wrong(report) == CASES[case.name]
    assert report["documents"][0]["problems"] == []
    assert code == 1


def test_the_right_version_is_supported_in_full(shell: Shell, case: Path) -> None:
    code, report = checked(
        shell, document(case, "right"), "--min-coverage", "100", "--fail-on", "flaw,unbound"
    )

    assert wrong(report) == set()
    assert report["documents"][0]["problems"] == []
    assert report["coverage"]["percent"] == "100.0"
    assert report["failures"] == []
    assert code == 0


def test_fix_gives_the_right_version_or_leaves_the_wrong_one_to_a_person(
    shell: Shell, case: Path
) -> None:
    path, right = document(case, "wrong"), document(case, "right").read_text()
    before = path.read_text()

    ran = shell("claims", "fix", path)

    left = {
        "missing-file": (0, before),
        "percent-for-fraction": (1, before),
        "split-exponent": (1, before),
        "true-minus": (1, before),
    }
    assert (ran.code, path.read_text()) == left.get(case.name, (0, right))


def test_a_stale_figure_names_the_commit_that_it_comes_from(shell: Shell, tmp_path: Path) -> None:
    first, _ = commit_older_data(tmp_path)
    case = Path(shutil.copytree(MADE / "stale-prose", tmp_path, dirs_exist_ok=True))

    _, report = checked(shell, document(case, "wrong"))

    (stale,) = (item for item in report["documents"][0]["results"] if item["status"] == "STALE")
    assert stale["reason"] == f"It was 0.04117 in commit {first[:12]} and has changed since."
    assert stale["origin"] == "arms.json#/small/mean"


def test_a_figure_without_a_history_is_plainly_wrong(shell: Shell, tmp_path: Path) -> None:
    case = Path(shutil.copytree(MADE / "stale-prose", tmp_path, dirs_exist_ok=True))

    _, report = checked(shell, document(case, "wrong"))

    assert wrong(report) == {(4, "0.0412", "CONTRADICTED", "0.0388", ())}


def test_a_cited_file_that_was_never_committed_is_named(shell: Shell, tmp_path: Path) -> None:
    case = Path(shutil.copytree(MADE / "missing-file", tmp_path, dirs_exist_ok=True))

    _, report = checked(shell, document(case, "wrong"))

    (bound,) = (item for item in report["documents"][0]["results"] if item["text"] == "3.87")
    assert bound["reason"] == "there is no file 'cold/starts.json'"
    assert report["failures"] == ["1 unsupported"]


def test_percent_for_a_fraction_is_named(shell: Shell, tmp_path: Path) -> None:
    case = Path(shutil.copytree(MADE / "percent-for-fraction", tmp_path, dirs_exist_ok=True))

    _, report = checked(shell, document(case, "wrong"))

    assert report["documents"][0]["results"][0]["reason"] == (
        "The source gives 93.38 percent: the number is off by a factor of 100, a fraction printed "
        "as percent (if it is, the binding has to say so)."
    )


def test_an_exponent_on_the_next_line_is_not_patched_into_nonsense(
    shell: Shell, tmp_path: Path
) -> None:
    case = Path(shutil.copytree(MADE / "split-exponent", tmp_path, dirs_exist_ok=True))

    _, report = checked(shell, document(case, "wrong"))

    first = report["documents"][0]["results"][0]
    assert first["reason"].endswith(
        "Its exponent stands apart from it, so that it is read without."
    )
    assert [patch["line"] for patch in report["documents"][0]["patches"]] == [4]
