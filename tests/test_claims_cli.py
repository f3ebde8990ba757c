import errno
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command import Shell
from verifier import catalog

ESCAPE = "\x1b[31m"

DOCUMENT = """# Run

The mean is 0.26 nats <!-- claim: run.json#/mean -->, at most 0.91 <!-- claim: run.json#/most -->.
It took 12 minutes.
"""
WRONG = DOCUMENT.replace("0.26", "0.25")
DATA = {"mean": 0.2604, "most": 0.9087}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "run.md").write_text(DOCUMENT)
    (tmp_path / "wrong.md").write_text(WRONG)
    (tmp_path / "run.json").write_text(json.dumps(DATA))
    return tmp_path


def claims_file(path: Path, *claims: dict[str, Any]) -> Path:
    path.write_text(json.dumps({"format": "claims/1", "claims": claims}))
    return path


def report(text: str) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(text)
    jsonschema.validate(parsed, catalog.SCHEMAS.get("claims-report-1"))
    return parsed


def statuses(text: str) -> list[tuple[str, str]]:
    (only,) = report(text)["documents"]
    return [(item["text"], item["status"]) for item in only["results"]]


# --- the check itself ---


def test_the_check_is_what_happens_without_a_command(shell: Shell, folder: Path) -> None:
    plain = shell("claims", folder / "run.md")

    assert plain == shell("claims", "check", folder / "run.md")
    assert plain.code == 0
    assert plain.out.startswith("CLAIMS: PASSED\n")
    assert plain.err == ""


def test_a_document_called_like_a_command_is_checked_when_the_command_is_given(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "fix").write_text("The mean is 0.26.\n")
    monkeypatch.chdir(folder)

    assert statuses(shell("claims", "check", "fix", "--format", "json").out) == [
        ("0.26", "UNBOUND")
    ]


def test_without_arguments_the_commands_are_listed(shell: Shell) -> None:
    ran = shell("claims")

    assert ran.code == 2
    for command in ("check", "suggest", "fix"):
        assert f"\n  {command} " in ran.out + ran.err


def test_options_without_a_document_exit_2(shell: Shell) -> None:
    ran = shell("claims", "--format", "json")

    assert ran.code == 2
    assert "Missing argument 'DOC...'" in ran.err


def test_a_wrong_number_exits_1_with_its_place_and_a_patch(shell: Shell, folder: Path) -> None:
    ran = shell("claims", folder / "wrong.md")

    assert ran.code == 1
    assert ran.out.startswith("CLAIMS: FAILED\n  1 contradicted\n")
    assert "wrong.md:3:13\n    printed    0.25\n    right      0.26\n" in ran.out
    assert "  + The mean is 0.26 nats" in ran.out


def test_the_json_report_obeys_its_schema(shell: Shell, folder: Path) -> None:
    ran = shell("claims", folder / "wrong.md", "--format", "json")

    found = report(ran.out)
    assert (ran.code, found["verdict"], found["failures"]) == (1, "FAILED", ["1 contradicted"])
    assert found["coverage"] == {
        "percent": "66.6",
        "owned": 2,
        "unsupported": 0,
        "unbound": 1,
        "ignored": 0,
    }
    (document,) = found["documents"]
    assert document["document"] == str(folder / "wrong.md")
    assert [item["status"] for item in document["results"]] == [
        "CONTRADICTED",
        "SUPPORTED",
        "UNBOUND",
    ]
    assert document["patches"] == [
        {"line": 3, "old": WRONG.splitlines()[2], "new": DOCUMENT.splitlines()[2]}
    ]


def test_the_markdown_report_has_a_row_for_what_is_wrong(shell: Shell, folder: Path) -> None:
    ran = shell("claims", folder / "wrong.md", "--format", "markdown")

    assert ran.code == 1
    assert ran.out.startswith("## Claims: FAILED\n")
    row = "| `3:13` | `0.25` | `CONTRADICTED` | `0.26` | `The source gives 0.2604 nat.` |"
    assert row in ran.out.splitlines()


def test_every_document_is_reported(shell: Shell, folder: Path) -> None:
    paths = [folder / "run.md", folder / "wrong.md"]

    ran = shell("claims", *paths, "--format", "json")

    found = report(ran.out)
    assert [item["document"] for item in found["documents"]] == list(map(str, paths))
    assert (ran.code, found["coverage"]["owned"]) == (1, 4)


def test_data_is_named_file_by_file(shell: Shell, folder: Path) -> None:
    ran = shell("claims", folder / "run.md", "--data", folder / "run.json", "--format", "json")

    assert statuses(ran.out) == [("0.26", "SUPPORTED"), ("0.91", "SUPPORTED"), ("12", "UNBOUND")]


def test_a_file_that_was_not_named_is_not_read(shell: Shell, folder: Path) -> None:
    (folder / "other.json").write_text("{}")

    ran = shell("claims", folder / "run.md", "--data", folder / "other.json", "--format", "json")

    assert [status for _, status in statuses(ran.out)] == ["UNSUPPORTED", "UNSUPPORTED", "UNBOUND"]
    assert ran.code == 1


@pytest.mark.parametrize("name", ["claims.json", "claims.toml"])
def test_a_claims_file_beside_the_document_is_found(shell: Shell, folder: Path, name: str) -> None:
    (folder / "plain.md").write_text("The mean is 0.26.\n")
    claim = {
        "id": "mean",
        "document": "plain.md",
        "quote": "mean is {}.",
        "source": "run.json#/mean",
    }
    if name == "claims.json":
        claims_file(folder / name, claim)
    else:
        entry = "".join(f"{field} = {json.dumps(value)}\n" for field, value in claim.items())
        (folder / name).write_text(f'format = "claims/1"\n[[claims]]\n{entry}')

    ran = shell("claims", folder / "plain.md", "--min-coverage", "100", "--format", "json")

    assert (ran.code, statuses(ran.out)) == (0, [("0.26", "SUPPORTED")])


def test_two_data_files_of_one_name_are_told_apart_by_their_folders(
    shell: Shell, folder: Path
) -> None:
    for name, mean in (("a", 1.5), ("b", 2.5)):
        (folder / name).mkdir()
        (folder / name / "run.json").write_text(json.dumps({"mean": mean}))
    (folder / "two.md").write_text(
        "1.5 <!-- claim: a/run.json#/mean -->, 2.5 <!-- claim: b/run.json#/mean -->,"
        " 2.5 <!-- claim: run.json#/mean -->\n"
    )
    data = [folder / "a" / "run.json", folder / "b" / "run.json"]

    ran = shell(
        "claims", folder / "two.md", "--data", data[0], "--data", data[1], "--format", "json"
    )

    assert [status for _, status in statuses(ran.out)] == ["SUPPORTED", "SUPPORTED", "UNSUPPORTED"]
    (document,) = report(ran.out)["documents"]
    assert document["results"][2]["reason"] == (
        "there is no file 'run.json'; did you mean 'a/run.json'?"
    )


def test_a_claims_file_of_other_documents_fails(shell: Shell, folder: Path) -> None:
    named = claims_file(
        folder / "named.json",
        {"id": "a", "document": "gone.md", "quote": "is {}", "source": "run.json#/mean"},
    )

    ran = shell("claims", folder / "run.md", "--claims", named, "--format", "json")

    (problem,) = report(ran.out)["documents"][0]["problems"]
    assert problem["location"] == "named.json"
    assert problem["message"].startswith("it binds no number of ")
    assert ran.code == 1


def test_figures_of_a_bundle_are_recomputed(shell: Shell, tmp_path: Path, root: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("Mean 0.0354562238 <!-- claim: figure:nothing -->.\n")

    ran = shell("claims", path, "--bundle", root / "bundles" / "example-rows", "--format", "json")

    assert statuses(ran.out) == [("0.0354562238", "UNSUPPORTED")]
    assert ran.code == 1


def test_a_typed_measure_is_computed_from_the_bundle(
    shell: Shell, tmp_path: Path, root: Path
) -> None:
    path = tmp_path / "notes.md"
    path.write_text("Alpha comes to 0.04509.\n")
    measure = {"measure": {"statistic": "mean", "column": "kld", "arm": "alpha"}}
    named = claims_file(tmp_path / "c.json", {"id": "a", "quote": "to {}.", "source": measure})
    bundle = root / "bundles" / "example-rows"

    ran = shell("claims", path, "--bundle", bundle, "--claims", named, "--format", "json")

    assert (ran.code, statuses(ran.out)) == (0, [("0.04509", "SUPPORTED")])


def test_a_measure_without_a_bundle_has_no_source(shell: Shell, folder: Path) -> None:
    measure = {"measure": {"statistic": "mean", "column": "kld", "arm": "alpha"}}
    (folder / "plain.md").write_text("It is 0.26.\n")
    named = claims_file(folder / "c.json", {"id": "a", "quote": "is {}.", "source": measure})

    ran = shell("claims", folder / "plain.md", "--claims", named, "--format", "json")

    assert statuses(ran.out) == [("0.26", "UNSUPPORTED")]


def test_a_list_for_one_number_is_refused(shell: Shell, folder: Path) -> None:
    (folder / "list.json").write_text('{"list": [7, 8]}')
    (folder / "list.md").write_text("We saw 7 <!-- claim: list.json#/list -->.\n")

    ran = shell("claims", folder / "list.md", "--format", "json")

    assert statuses(ran.out) == [("7", "UNSUPPORTED")]
    (problem,) = report(ran.out)["documents"][0]["problems"]
    assert problem["message"] == "1 number stands there, and the source gives 2 values"
    assert ran.code == 1


def test_two_numbers_for_one_value_are_refused(shell: Shell, folder: Path) -> None:
    (folder / "two.md").write_text("Between 0.26 and 0.91 lies it.\n")
    named = claims_file(
        folder / "two.json", {"id": "a", "quote": "{} and {} lies", "source": "run.json#/mean"}
    )

    ran = shell("claims", folder / "two.md", "--claims", named, "--format", "json")

    (problem,) = report(ran.out)["documents"][0]["problems"]
    assert problem["message"] == "2 numbers stand there, and the source gives a single value"
    assert statuses(ran.out) == [("0.26", "UNSUPPORTED"), ("0.91", "UNSUPPORTED")]


# --- the gate ---


@pytest.mark.parametrize(
    ("name", "options", "code"),
    [
        ("run.md", (), 0),
        ("run.md", ("--fail-on", "unbound"), 1),
        ("run.md", ("--fail-on", "contradicted,unit,stale,unsupported,flaw"), 0),
        ("run.md", ("--min-coverage", "66.6"), 0),
        ("run.md", ("--min-coverage", "66.7"), 1),
        ("run.md", ("--min-coverage", "100"), 1),
        ("wrong.md", (), 1),
        ("wrong.md", ("--fail-on", "none"), 0),
        ("wrong.md", ("--fail-on", "unit, STALE"), 0),
        ("wrong.md", ("--fail-on", "none", "--min-coverage", "0"), 0),
        ("wrong.md", ("--fail-on", "none", "--min-coverage", "100"), 1),
    ],
)
def test_the_gate_is_what_fails(
    shell: Shell, folder: Path, name: str, options: tuple[str, ...], code: int
) -> None:
    assert shell("claims", folder / name, *options).code == code


def test_a_document_without_claims_has_no_coverage(shell: Shell, folder: Path) -> None:
    (folder / "words.md").write_text("Nothing to see.\n")

    ran = shell("claims", folder / "words.md", "--min-coverage", "0", "--format", "json")

    assert report(ran.out)["failures"] == [
        "coverage: no number claims anything, at least 0 % is asked for"
    ]
    assert ran.code == 1


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


# --- suggest ---


def test_what_is_suggested_can_be_used_as_it_is(shell: Shell, tmp_path: Path) -> None:
    document, data = tmp_path / "table.md", tmp_path / "arms.json"
    document.write_text(
        "# Divergence\n\n| Arm | mean kld |\n|---|---|\n| fp8 | 0.0127 |\n| nvfp4 | 0.0388 |\n"
    )
    data.write_text('{"fp8": {"mean_kld": 0.01268}, "nvfp4": {"mean_kld": 0.03879}}')
    proposal = tmp_path / "claims.json"

    ran = shell("claims", "suggest", document, "--data", data, "--output", proposal)
    check = shell("claims", document, "--data", data, "--min-coverage", "100", "--format", "json")

    assert (ran.code, ran.out) == (0, "")
    assert [claim["source"] for claim in json.loads(proposal.read_text())["claims"]] == [
        "arms.json#/fp8/mean_kld",
        "arms.json#/nvfp4/mean_kld",
    ]
    assert (check.code, statuses(check.out)) == (
        0,
        [
            ("8", "NOT A CLAIM"),
            ("0.0127", "SUPPORTED"),
            ("4", "NOT A CLAIM"),
            ("0.0388", "SUPPORTED"),
        ],
    )


def test_a_suggestion_is_printed(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "suggest", folder / "run.md", "--data", folder / "run.json")

    assert ran.code == 0
    assert json.loads(ran.out)["format"] == "claims/1"


def test_figures_of_a_bundle_are_suggested(shell: Shell, tmp_path: Path, root: Path) -> None:
    document = tmp_path / "arms.md"
    document.write_text("| arm | mean kld |\n|---|---|\n| alpha | 0.0451 |\n| beta | 0.0338 |\n")
    bundle = root / "bundles" / "example-rows"

    ran = shell("claims", "suggest", document, "--bundle", bundle)

    assert ran.code == 0
    assert {claim["source"] for claim in json.loads(ran.out)["claims"]} <= {
        "figure:alpha/kld",
        "figure:beta/kld",
    }


def test_suggesting_from_nothing_exits_2(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "suggest", folder / "run.md")

    assert ran.code == 2
    assert "there is nothing to suggest from" in ran.err
    assert "\nhint: Name a bundle" in ran.err


# --- fix ---


def test_fix_shows_the_difference_and_changes_the_number_alone(shell: Shell, folder: Path) -> None:
    path = folder / "wrong.md"
    path.write_bytes(WRONG.replace("\n", "\r\n").encode())
    path.chmod(0o640)

    ran = shell("claims", "fix", path)

    assert ran.code == 0
    assert "-The mean is 0.25 nats" in ran.out
    assert "+The mean is 0.26 nats" in ran.out
    assert ran.err == f"wrote {path}\n"
    assert path.read_bytes() == DOCUMENT.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_fix_leaves_a_right_document_alone(shell: Shell, folder: Path) -> None:
    path = folder / "run.md"
    before = path.stat()

    ran = shell("claims", "fix", path)

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_dry_run_writes_nothing(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "fix", folder / "wrong.md", "--dry-run")

    assert ran.code == 0
    assert "+The mean is 0.26 nats" in ran.out
    assert ran.err == "nothing was written\n"
    assert (folder / "wrong.md").read_text() == WRONG


@pytest.fixture
def unclear(folder: Path) -> Path:
    path = folder / "unclear.md"
    path.write_text(
        "Mean 0.25 <!-- claim: run.json#/mean -->, most 0.0091 <!-- claim: run.json#/most -->.\n"
    )
    return path


def test_what_a_person_has_to_decide_stops_the_whole_correction(
    shell: Shell, unclear: Path
) -> None:
    before = unclear.read_text()

    ran = shell("claims", "fix", unclear)

    assert ran.code == 1
    assert f"{unclear}:1:48: 0.0091: Whether the number or its unit is wrong" in ran.err
    assert ran.err.endswith("nothing was written\n")
    assert unclear.read_text() == before


def test_a_partial_correction_writes_what_is_clear(shell: Shell, unclear: Path) -> None:
    before = unclear.read_text()

    ran = shell("claims", "fix", unclear, "--partial")

    assert ran.code == 1
    assert ran.err.endswith(f"wrote {unclear}\n")
    assert unclear.read_text() == before.replace("0.25", "0.26")


def test_fix_follows_claims_that_are_derived_from_others(shell: Shell, folder: Path) -> None:
    path = folder / "sums.md"
    path.write_text("A has 3, B has 5, both have 9.\n")
    (folder / "counts.json").write_text('{"a": 4, "b": 5}')
    named = claims_file(
        folder / "sums.json",
        {"id": "a", "quote": "A has {}", "source": "counts.json#/a"},
        {"id": "b", "quote": "B has {}", "source": "counts.json#/b"},
        {"id": "both", "quote": "both have {}.", "source": {"sum": ["claim:a", "claim:b"]}},
    )

    ran = shell("claims", "fix", path, "--claims", named)

    assert ran.code == 0
    assert path.read_text() == "A has 4, B has 5, both have 9.\n"


def test_a_long_chain_of_derived_claims_takes_several_runs(shell: Shell, folder: Path) -> None:
    path, names = folder / "chain.md", "abcdefghijkl"
    path.write_text(" ".join(f"{name}: 5." for name in names) + "\n")
    (folder / "first.json").write_text('{"x": 6}')
    sources = ["first.json#/x", *({"max": f"claim:{name}"} for name in names)]
    links = [
        {"id": name, "quote": f"{name}: {{}}.", "source": source}
        for name, source in zip(names, sources, strict=False)
    ]
    named = claims_file(folder / "chain.json", *links)

    first = shell("claims", "fix", path, "--claims", named)
    unwritten = path.read_text()
    partial = shell("claims", "fix", path, "--claims", named, "--partial")
    rest = shell("claims", "fix", path, "--claims", named)

    assert (first.code, unwritten.count("5.")) == (1, len(names))
    assert "more corrections follow from these" in first.err
    assert partial.code == 1
    assert rest.code == 0
    assert path.read_text().count("6.") == len(names)


def test_fix_refuses_a_link(shell: Shell, folder: Path) -> None:
    link = folder / "link.md"
    link.symlink_to("wrong.md")

    ran = shell("claims", "fix", link)

    assert ran.code == 3
    assert (folder / "wrong.md").read_text() == WRONG
    assert link.is_symlink()


# --- hostile documents and data ---


@pytest.mark.parametrize(
    "arguments",
    [
        ("hostile.md",),
        ("hostile.md", "--format", "markdown"),
        ("hostile.md", "--format", "json"),
        ("fix", "hostile.md", "--dry-run"),
        ("fix", "hostile.md", "--dry-run", "--partial"),
        ("suggest", "hostile.md", "--data", "hostile.json"),
    ],
)
def test_no_escape_of_a_document_reaches_the_terminal(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(folder)
    override, separator = "\N{RIGHT-TO-LEFT OVERRIDE}", "\N{LINE SEPARATOR}"
    (folder / "hostile.json").write_text(json.dumps({f"{ESCAPE}mean": 0.26, "text": ESCAPE}))
    (folder / "hostile.md").write_text(
        f"# {ESCAPE}title{override}\n\nmean {ESCAPE} 0.25 <!-- claim: run.json#/mean -->{separator}"
        f"\rand 5 <!-- claim: hostile.json#/text -->\n"
        f"\n{ESCAPE} 0.25 <!-- claim: {ESCAPE} -->\n"
        f"\n0.25 <!-- claim: {ESCAPE}.json#/a -->\n"
    )

    ran = shell("claims", *arguments)

    shown = ran.out + ran.err
    assert not any(character in shown for character in ("\x1b", override, separator, "\r"))
    assert "internal error" not in shown


def test_a_difference_can_be_printed_where_letters_cannot(
    shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "greek.md"
    path.write_text("\N{GREEK SMALL LETTER ALPHA} 0.25 <!-- claim: run.json#/mean -->\n")

    class Narrow:
        encoding = "ascii"

        def __init__(self) -> None:
            self.text = ""

        def write(self, text: str) -> int:
            text.encode("ascii")
            self.text += text
            return len(text)

        def flush(self) -> None:
            """Nothing is held back."""

    narrow = Narrow()
    monkeypatch.setattr(sys, "stdout", narrow)
    ran = shell("claims", "fix", path)

    assert ran.code == 0
    assert "+\\u03b1 0.26 <!--" in narrow.text


@pytest.mark.parametrize(
    ("citation", "says"),
    [
        ("../secret.json#/x", "does not name a file"),
        ("a/../../secret.json#/x", "does not name a file"),
        ("/etc/hostname#/x", "does not name a file"),
    ],
)
def test_a_citation_outside_of_the_folder_cannot_be_written(
    shell: Shell, folder: Path, citation: str, says: str
) -> None:
    inside = folder / "inside"
    inside.mkdir()
    (folder / "secret.json").write_text('{"x": 1.5}')
    (inside / "doc.md").write_text(f"It is 1.5 <!-- claim: {citation} -->.\n")

    ran = shell("claims", inside / "doc.md", "--format", "json")

    (problem,) = report(ran.out)["documents"][0]["problems"]
    assert says in problem["message"]
    assert statuses(ran.out) == [("1.5", "UNBOUND")]
    assert ran.code == 1


@pytest.mark.parametrize("citation", ["link.json#/x", "folder/secret.json#/x"])
def test_a_link_out_of_the_folder_is_not_followed(
    shell: Shell, folder: Path, citation: str
) -> None:
    inside, outside = folder / "inside", folder / "outside"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.json").write_text('{"x": 1.5}')
    (inside / "link.json").symlink_to(outside / "secret.json")
    (inside / "folder").symlink_to(outside)
    (inside / "doc.md").write_text(f"It is 1.5 <!-- claim: {citation} -->.\n")

    ran = shell("claims", inside / "doc.md", "--format", "json")

    (found,) = report(ran.out)["documents"][0]["results"]
    assert found["status"] == "UNSUPPORTED"
    assert "a link or special file" in found["reason"]
    assert ran.code == 1


def test_a_pipe_in_the_place_of_a_data_file_is_not_waited_for(shell: Shell, folder: Path) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "doc.md").write_text("It is 1.5 <!-- claim: pipe.json#/x -->.\n")

    ran = shell("claims", folder / "doc.md", "--format", "json")

    assert statuses(ran.out) == [("1.5", "UNSUPPORTED")]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\0",
        "9" * 20_000,
        "| 1 " * 500,
        "0.1e" * 500,
        "<!-- claim: " * 5000,
        "1\r2\x0c3\x85",
    ],
)
@pytest.mark.parametrize("suffix", [".md", ".html", ".rst", ".txt"])
def test_whatever_a_document_holds_there_is_a_report(
    shell: Shell, tmp_path: Path, content: str, suffix: str
) -> None:
    path = tmp_path / f"odd{suffix}"
    path.write_text(content)

    ran = shell("claims", path, "--format", "json")

    assert report(ran.out)["documents"][0]["document"] == str(path)
    assert ran.code in {0, 1}
    assert ran.err == ""
