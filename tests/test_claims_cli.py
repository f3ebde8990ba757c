"""``verifier claims`` as it is typed: what is checked, and what fails it."""

import json
from pathlib import Path

import pytest

from tests.support.claims_folder import DOCUMENT, WRONG, claims_file, filled, report, statuses
from tests.support.command import Shell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


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
        "nothing binds any number, so nothing was compared",
        "coverage: no number claims anything, at least 0 % is asked for",
    ]
    assert ran.code == 1
