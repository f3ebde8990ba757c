import json
import shutil
import sys
from pathlib import Path

import jsonschema
import pytest
import typer

from tests.support.command import Shell
from verifier import catalog, pipeline

TIME = "2026-11-29T12:00:00Z"


@pytest.fixture
def copied(kv_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kv_bundle, tmp_path / "copied"))


def valid(document: str, schema: str) -> dict[str, object]:
    parsed: dict[str, object] = json.loads(document)
    jsonschema.validate(parsed, catalog.SCHEMAS.get(schema))
    return parsed


def test_a_warned_bundle_exits_0_and_prints_its_report(shell: Shell, kv_bundle: Path) -> None:
    ran = shell("verify", kv_bundle)

    assert ran.code == 0
    assert ran.out.startswith("VERDICT: WARNED\n")
    assert ran.out.endswith("recapture.\n")
    assert ran.err == ""


def test_strict_turns_warned_into_exit_1(shell: Shell, kv_bundle: Path) -> None:
    ran = shell("verify", kv_bundle, "--strict")

    assert ran.code == 1
    assert ran.out.startswith("VERDICT: WARNED\n")


def test_the_strict_policy_fails_what_retains_no_rows(shell: Shell, kv_bundle: Path) -> None:
    assert shell("verify", kv_bundle, "--policy", "strict").code == 1


def test_a_changed_file_exits_1(shell: Shell, copied: Path) -> None:
    (copied / "figures.json").write_text(
        (copied / "figures.json").read_text().replace("0.0354562238", "0.0354562239")
    )

    ran = shell("verify", copied)

    assert ran.code == 1
    assert ran.out.startswith("VERDICT: FAILED\n")


def test_the_json_report_obeys_its_schema(shell: Shell, kv_bundle: Path) -> None:
    report = valid(shell("verify", kv_bundle, "--format", "json").out, "report-1")

    assert report["verdict"] == "WARNED"


def test_several_paths_are_all_reported_and_the_worst_exit_wins(
    shell: Shell, kv_bundle: Path, copied: Path, tmp_path: Path
) -> None:
    (copied / "extra.txt").write_text("not sealed")
    absent = tmp_path / "absent"

    ran = shell("verify", kv_bundle, copied, absent, "--format", "json")

    reports = valid(ran.out, "reports-1")["reports"]
    assert isinstance(reports, list)
    assert [item["path"] for item in reports] == [str(kv_bundle), str(copied), str(absent)]
    assert [item.get("report", {}).get("verdict") for item in reports] == ["WARNED", "FAILED", None]
    assert ran.code == 3
    assert "no such file or folder" in ran.err


def test_two_paths_without_an_error_give_the_worse_verdict(
    shell: Shell, kv_bundle: Path, copied: Path
) -> None:
    (copied / "extra.txt").write_text("not sealed")

    ran = shell("verify", copied, kv_bundle)

    assert ran.code == 1
    assert "VERDICT: FAILED" in ran.out
    assert "VERDICT: WARNED" in ran.out


def test_a_path_that_does_not_exist_exits_3_with_a_hint(shell: Shell, tmp_path: Path) -> None:
    ran = shell("verify", tmp_path / "absent")

    assert ran.code == 3
    assert ran.out == ""
    assert ran.err.startswith("error: ")
    assert "\nhint: " in ran.err


def test_an_empty_folder_is_never_a_pass(shell: Shell, tmp_path: Path) -> None:
    ran = shell("verify", tmp_path)

    assert ran.code == 3
    assert "the folder holds no files" in ran.err


def test_a_folder_of_no_known_format_exits_3(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing here")

    ran = shell("verify", tmp_path)

    assert ran.code == 3
    assert "no known bundle format" in ran.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--attest", "x.json"), "--attest FILE and --key FILE go together"),
        (("--key", "x.key"), "--attest FILE and --key FILE go together"),
        (("--sigstore-bundle", "x.json"), "--sigstore-bundle goes with --attest"),
        (("--time", "yesterday"), "no RFC 3339 time"),
        (("--time", "2026-11-29T12:00:00"), "no RFC 3339 time"),
        (("--time", "2026-13-29T12:00:00Z"), "no RFC 3339 time"),
        (("--jobs", "0"), "--jobs"),
        (("--format", "xml"), "xml"),
        (("--nonsense",), "nonsense"),
    ],
)
def test_options_that_do_not_fit_exit_2(
    shell: Shell, kv_bundle: Path, options: tuple[str, ...], says: str
) -> None:
    ran = shell("verify", kv_bundle, *options)

    assert ran.code == 2
    assert says in ran.err
    assert ran.out == ""


def test_one_attestation_for_two_bundles_is_refused(shell: Shell, kv_bundle: Path) -> None:
    ran = shell("verify", kv_bundle, kv_bundle, "--attest", "x.json", "--key", "x.key")

    assert ran.code == 2
    assert "one PATH" in ran.err


def test_an_unknown_policy_exits_3_and_names_the_built_in_ones(
    shell: Shell, kv_bundle: Path
) -> None:
    ran = shell("verify", kv_bundle, "--policy", "lenient")

    assert ran.code == 3
    assert "review, publication, strict" in ran.err


def test_a_policy_file_sets_the_bar(shell: Shell, kv_bundle: Path, tmp_path: Path) -> None:
    policy = tmp_path / "mine.toml"
    policy.write_text('name = "mine"\nrequired_evidence = "row-scores"\n')

    ran = shell("verify", kv_bundle, "--policy", policy)

    assert ran.code == 1
    assert "policy     mine" in ran.out


def test_a_policy_that_is_a_folder_is_refused(
    shell: Shell, kv_bundle: Path, tmp_path: Path
) -> None:
    (tmp_path / "inner.toml").write_text("")

    ran = shell("verify", kv_bundle, "--policy", tmp_path)

    assert ran.code == 3
    assert "a folder where a file was expected" in ran.err


def test_output_writes_the_report_and_prints_nothing(
    shell: Shell, kv_bundle: Path, tmp_path: Path
) -> None:
    target = tmp_path / "report.txt"

    ran = shell("verify", kv_bundle, "--output", target)

    assert ran.out == ""
    assert target.read_text().startswith("VERDICT: WARNED\n")


def test_output_is_never_overwritten(shell: Shell, kv_bundle: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    target.write_text("precious")

    ran = shell("verify", kv_bundle, "--output", target)

    assert ran.code == 3
    assert "exists already" in ran.err
    assert target.read_text() == "precious"


def test_output_into_the_reference_is_refused(shell: Shell, kv_bundle: Path, copied: Path) -> None:
    target = copied / "report.txt"

    ran = shell("verify", kv_bundle, "--reference", copied, "--output", target)

    assert ran.code == 2
    assert "lies inside the bundle" in ran.err
    assert not target.exists()


@pytest.mark.parametrize("second", ["--output", "--sigstore-bundle"])
def test_one_file_for_two_outputs_is_refused_before_anything_is_written(
    shell: Shell, kv_bundle: Path, tmp_path: Path, second: str
) -> None:
    target = tmp_path / "verdict.json"
    assert shell("keygen", "--out", tmp_path / "reviewer").code == 0

    ran = shell(
        "verify", kv_bundle, "--attest", target, "--key", tmp_path / "reviewer.key",
        second, tmp_path / "." / "verdict.json",
    )  # fmt: skip

    assert ran.code == 2
    assert "is named for two outputs" in ran.err
    assert not target.exists()


def test_a_report_that_cannot_be_printed_is_no_verdict(
    shell: Shell, kv_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(message: str, *, nl: bool = True, err: bool = False) -> None:
        if not err:
            raise BrokenPipeError(32, "Broken pipe")
        sys.stderr.write(message + "\n" * nl)

    monkeypatch.setattr(typer, "echo", closed)

    ran = shell("verify", kv_bundle)

    assert ran.code == 3
    assert "the report cannot be printed: Broken pipe" in ran.err


def test_output_into_the_bundle_is_refused(shell: Shell, copied: Path) -> None:
    ran = shell("verify", copied, "--output", copied / "report.txt")

    assert ran.code == 2
    assert "lies inside the bundle" in ran.err
    assert not (copied / "report.txt").exists()


def test_quiet_prints_nothing_and_keeps_the_exit_code(shell: Shell, copied: Path) -> None:
    (copied / "extra.txt").write_text("not sealed")

    ran = shell("verify", copied, "--quiet")

    assert (ran.code, ran.out, ran.err) == (1, "", "")


def test_allow_missing_tolerates_only_the_named_file_and_is_recorded(
    shell: Shell, copied: Path
) -> None:
    receipts = sorted(path.relative_to(copied) for path in copied.glob("arms/*/receipts/*"))
    victim = "bundle-notes.txt"
    (copied / victim).write_text("sealed with the rest")
    assert shell("seal", copied, "--time", TIME).code == 0
    (copied / victim).unlink()

    assert len(receipts) == 64
    assert shell("verify", copied).code == 1
    assert shell("verify", copied, "--allow-missing", "other.txt").code == 1
    allowed = shell("verify", copied, "--allow-missing", victim, "--format", "json")
    assert allowed.code == 0
    report = valid(allowed.out, "report-1")
    policy = report["policy"]
    assert isinstance(policy, dict)
    assert policy["allowed_missing"] == [victim]


def test_without_debug_an_error_has_no_traceback(shell: Shell, tmp_path: Path) -> None:
    assert "Traceback" not in shell("verify", tmp_path / "absent", "--quiet").err


def test_a_bug_in_this_program_is_one_line_and_exit_3(
    shell: Shell, kv_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        message = "a bug"
        raise RuntimeError(message)

    monkeypatch.setattr(pipeline, "verify", broken)

    plain = shell("verify", kv_bundle)
    debug = shell("verify", kv_bundle, "--debug")

    assert plain.code == debug.code == 3
    assert "internal error: RuntimeError: a bug" in plain.err
    assert "Traceback" not in plain.err
    assert "Traceback" in debug.err


def test_debug_shows_the_traceback_of_a_deliberate_error(shell: Shell, kv_bundle: Path) -> None:
    ran = shell("verify", kv_bundle, "--policy", "lenient", "--debug")

    assert ran.code == 3
    assert "Traceback" in ran.err


@pytest.mark.parametrize(
    "command", ["verify", "check-attestation", "keygen", "seal", "checks", "schemas"]
)
def test_every_command_has_help_with_an_example(shell: Shell, command: str) -> None:
    ran = shell(command, "--help")

    assert ran.code == 0
    assert f"verifier {command}" in ran.out.replace("Usage: verifier", "")


def test_version(shell: Shell) -> None:
    assert shell("--version").out.startswith("verifier ")


def test_checks_lists_every_check_and_prints_a_page(shell: Shell) -> None:
    listed = shell("checks").out
    page = shell("checks", "receipt-hashes").out

    assert [line.split()[0] for line in listed.splitlines()] == list(catalog.checks())
    assert page.strip() == catalog.check_page("receipt-hashes")


def test_an_unknown_check_exits_2_and_lists_the_known_ones(shell: Shell) -> None:
    ran = shell("checks", "nonsense")

    assert ran.code == 2
    assert "receipt-hashes" in ran.err


def test_schemas_lists_every_schema_and_prints_one(shell: Shell) -> None:
    listed = shell("schemas").out

    assert [line.split()[0] for line in listed.splitlines()] == list(catalog.SCHEMAS.names())
    assert json.loads(shell("schemas", "receipt-1").out) == catalog.SCHEMAS.get("receipt-1")


def test_an_unknown_schema_exits_2_and_lists_the_known_ones(shell: Shell) -> None:
    ran = shell("schemas", "nonsense")

    assert ran.code == 2
    assert "receipt-1" in ran.err


def test_sealing_again_gives_the_same_bytes(shell: Shell, copied: Path) -> None:
    shell("seal", copied, "--time", TIME)
    first = (copied / "seal.json").read_bytes()

    assert shell("seal", copied, "--time", TIME).out == f"wrote {copied / 'seal.json'}\n"
    assert (copied / "seal.json").read_bytes() == first


def test_a_broken_record_is_not_sealed(shell: Shell, copied: Path) -> None:
    before = (copied / "seal.json").read_bytes()
    (copied / "figures.json").write_text("[]")

    ran = shell("seal", copied)

    assert ran.code == 3
    assert "figures.json" in ran.err
    assert (copied / "seal.json").read_bytes() == before


def test_a_folder_in_another_format_is_not_sealed(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "comparison.json").write_text("{}")

    ran = shell("seal", tmp_path)

    assert ran.code == 3
    assert "measurement-bundle/1" in ran.err
    assert not (tmp_path / "seal.json").exists()


def test_a_broken_seal_can_be_replaced(shell: Shell, copied: Path) -> None:
    (copied / "seal.json").write_text("{}")

    assert shell("seal", copied, "--time", TIME).code == 0
    assert shell("verify", copied).code == 0


def test_an_unreadable_reference_keeps_the_verdict_from_being_given(
    shell: Shell, kv_bundle: Path, copied: Path
) -> None:
    (copied / "figures.json").write_text("[]")

    ran = shell("verify", kv_bundle, "--reference", copied)

    assert ran.code == 3
    assert "reference bundle breaks its schema" in ran.err
