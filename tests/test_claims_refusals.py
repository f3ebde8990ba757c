"""``verifier claims`` where it cannot look or may not write."""

import errno
import sys
from pathlib import Path

import pytest

from tests.support.claims_folder import filled, report
from tests.support.command import Shell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


# --- what cannot be done ---


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--fail-on", "contradicted,typo"), "--fail-on: 'typo' is none of contradicted, unit"),
        (("--fail-on", ""), "--fail-on: '' is none of"),
        (("--min-coverage", "101"), "--min-coverage '101' is no number from 0 to 100"),
        (("--min-coverage", "-1"), "is no number from 0 to 100"),
        (("--min-coverage", "NaN"), "is no number from 0 to 100"),
        (("--min-coverage", "all"), "is no number from 0 to 100"),
        (("--bundle", ".", "--data", "run.json"), "--bundle and --data exclude each other"),
        (("--reference", "."), "--reference goes with --bundle"),
        (("--data", "run.json", "--data", "./run.json"), "--data names run.json twice"),
        (("run.md",), "a document is named twice"),
    ],
)
def test_options_that_do_not_fit_together_exit_2_with_a_hint(
    shell: Shell,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    says: str,
) -> None:
    monkeypatch.chdir(folder)

    ran = shell("claims", "run.md", *options)

    assert ran.code == 2
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert says in ran.err
    assert "\nhint: " in ran.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("absent.md",), "absent.md: no such file"),
        (("latin.md",), "latin.md: not UTF-8 at byte 3"),
        (("folder",), "folder: a folder where a file was expected"),
        (("run.md", "--claims", "absent.json"), "absent.json: no such file"),
        (("run.md", "--claims", "folder"), "folder: a folder where a file was expected"),
        (("run.md", "--data", "absent.json"), "absent.json: no such file"),
        (("run.md", "--data", "folder"), "folder: a folder where a file was expected"),
        (("run.md", "--bundle", "absent"), "absent: no such file or folder"),
        (("run.md", "--policy", "absent"), "absent"),
        (("fix", "absent.md"), "absent.md: no such file"),
        (("fix", "latin.md"), "latin.md: not UTF-8 at byte 3"),
        (("suggest", "absent.md", "--data", "run.json"), "absent.md: no such file"),
        (("suggest", "latin.md", "--data", "run.json"), "latin.md: not UTF-8 at byte 3"),
    ],
)
def test_what_cannot_be_looked_at_exits_3_with_a_hint(
    shell: Shell,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    says: str,
) -> None:
    (folder / "latin.md").write_bytes("caf\xe9 0.5".encode("latin-1"))
    (folder / "folder").mkdir()
    monkeypatch.chdir(folder)

    ran = shell("claims", *arguments)

    assert ran.code == 3
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert says in ran.err
    assert "\nhint: " in ran.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "line 1 column 2"),
        (b"\xff", "UTF-8"),
        (b"[]", "expected"),
        (b'{"format": "claims/2", "claims": []}', "claims/1"),
    ],
)
def test_a_broken_claims_file_fails_the_check_by_name(
    shell: Shell, folder: Path, content: bytes, says: str
) -> None:
    (folder / "broken.json").write_bytes(content)

    ran = shell("claims", folder / "run.md", "--claims", folder / "broken.json", "--format", "json")

    problems = report(ran.out)["documents"][0]["problems"]
    assert problems
    assert all(problem["location"].startswith("broken.json") for problem in problems)
    assert any(says in problem["message"] for problem in problems)
    assert ran.code == 1


# --- files that are written ---


def test_a_report_goes_to_a_new_file(shell: Shell, folder: Path) -> None:
    output = folder / "report.json"

    ran = shell("claims", folder / "run.md", "--format", "json", "--output", output)

    assert (ran.code, ran.out) == (0, "")
    assert report(output.read_text())["verdict"] == "PASSED"


@pytest.mark.parametrize("command", [("check",), ("suggest", "--data", "run.json")])
def test_an_output_is_never_overwritten(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    (folder / "kept.json").write_text("mine")
    name, *options = command

    ran = shell("claims", name, "run.md", *options, "--output", "kept.json")

    assert ran.code == 3
    assert "kept.json exists already" in ran.err
    assert (folder / "kept.json").read_text() == "mine"


def test_a_report_into_a_closed_pipe_is_no_verdict(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Closed:
        encoding = "utf-8"

        def write(self, _: str) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

        def flush(self) -> None:
            """Nothing was written."""

    monkeypatch.setattr(sys, "stdout", Closed())

    ran = shell("claims", folder / "wrong.md")

    assert ran.code == 3
    assert "the report cannot be printed: Broken pipe" in ran.err
