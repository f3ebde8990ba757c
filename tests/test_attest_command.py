import base64
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.command import Shell
from verifier import pipeline
from verifier.errors import CannotLook

TIME = "2026-11-29T12:00:00Z"


@pytest.fixture
def copied(kv_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kv_bundle, tmp_path / "copied"))


@pytest.fixture
def keys(shell: Shell, tmp_path: Path) -> tuple[Path, Path]:
    assert shell("keygen", "--out", tmp_path / "reviewer").code == 0
    return tmp_path / "reviewer.key", tmp_path / "reviewer.pub"


def attested(shell: Shell, bundle: Path, key: Path, target: Path, *more: object) -> Path:
    shell("verify", bundle, "--attest", target, "--key", key, "--time", TIME, "--quiet", *more)
    return target


def test_a_signed_verdict_is_accepted_for_the_bundle_it_speaks_of(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")

    ran = shell(
        "check-attestation", verdict, "--trust", keys[1], "--bundle", kv_bundle,
        "--require", "WARNED",
    )  # fmt: skip

    assert ran.code == 0
    assert ran.out.startswith("WARNED, signed by SHA256:")
    assert "bundle.json sha256:" in ran.out or "figures.json sha256:" in ran.out
    assert "  policy review sha256:" in ran.out
    assert "  program verifier " in ran.out


def test_without_a_bundle_the_output_says_that_no_file_was_compared(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")

    ran = shell("check-attestation", verdict, "--trust", keys[1], "--require", "WARNED")

    assert ran.code == 0
    assert "The files were not compared" in ran.out


def test_warned_is_not_enough_by_default(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")

    ran = shell("check-attestation", verdict, "--trust", keys[1])

    assert ran.code == 1
    assert "the attested result is WARNED, required: PASSED" in ran.err


def test_a_failed_verdict_is_signed_and_never_accepted(
    shell: Shell, copied: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    (copied / "extra.txt").write_text("not sealed")
    verdict = attested(shell, copied, keys[0], tmp_path / "verdict.json")

    ran = shell("check-attestation", verdict, "--trust", keys[1], "--require", "WARNED")

    assert ran.code == 1
    assert "the attested result is FAILED" in ran.err


def test_another_key_is_refused(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")
    shell("keygen", "--out", tmp_path / "stranger")

    ran = shell("check-attestation", verdict, "--trust", tmp_path / "stranger.pub")

    assert ran.code == 1
    assert "no trusted key made this signature" in ran.err


def test_an_altered_payload_is_refused(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")
    envelope = json.loads(verdict.read_text())
    payload = base64.b64decode(envelope["payload"]).replace(b'"WARNED"', b'"PASSED"')
    envelope["payload"] = base64.b64encode(payload).decode()
    verdict.write_text(json.dumps(envelope))

    ran = shell("check-attestation", verdict, "--trust", keys[1])

    assert ran.code == 1
    assert "the signature does not fit" in ran.err


def test_another_bundle_is_refused(
    shell: Shell, copied: Path, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, kv_bundle, keys[0], tmp_path / "verdict.json")
    shell("seal", copied, "--time", "2030-01-01T00:00:00Z")

    ran = shell(
        "check-attestation", verdict, "--trust", keys[1], "--bundle", copied, "--require", "WARNED"
    )

    assert ran.code == 1
    assert "seal.json has sha256" in ran.err.replace("'", "")


def test_a_file_changed_under_an_untouched_seal_is_noticed(
    shell: Shell, copied: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    verdict = attested(shell, copied, keys[0], tmp_path / "verdict.json")
    scores = copied / "arms" / "fp8" / "windows.json"
    scores.write_text(scores.read_text() + "\n")

    ran = shell(
        "check-attestation", verdict, "--trust", keys[1], "--bundle", copied, "--require", "WARNED"
    )

    assert ran.code == 1
    assert "arms/fp8/windows.json" in ran.err
    assert "is not as the seal promises" in ran.err


def test_a_file_removed_after_the_verdict_is_noticed_unless_it_was_allowed(
    shell: Shell, copied: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    (copied / "notes.txt").write_text("sealed")
    shell("seal", copied, "--time", TIME)
    whole = attested(shell, copied, keys[0], tmp_path / "whole.json")
    (copied / "notes.txt").unlink()
    allowed = attested(
        shell, copied, keys[0], tmp_path / "allowed.json", "--allow-missing", "notes.txt"
    )
    options = ("--trust", keys[1], "--bundle", copied, "--require", "WARNED")

    removed = shell("check-attestation", whole, *options)

    assert removed.code == 1
    assert "no file 'notes.txt'" in removed.err
    assert shell("check-attestation", allowed, *options).code == 0


def test_the_same_bundle_and_time_give_the_same_bytes(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    first = attested(shell, kv_bundle, keys[0], tmp_path / "first.json")
    second = attested(shell, kv_bundle, keys[0], tmp_path / "second.json", "--jobs", "1")

    assert first.read_bytes() == second.read_bytes()


def test_the_sigstore_bundle_holds_the_same_envelope(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    wrapped = tmp_path / "verdict.sigstore.json"
    verdict = attested(
        shell, kv_bundle, keys[0], tmp_path / "verdict.json", "--sigstore-bundle", wrapped
    )

    assert json.loads(wrapped.read_text())["dsseEnvelope"] == json.loads(verdict.read_text())
    checked = shell("check-attestation", wrapped, "--trust", keys[1], "--require", "WARNED")
    assert checked.code == 0


def test_an_existing_attestation_is_kept(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    target = tmp_path / "verdict.json"
    target.write_text("precious")

    ran = shell("verify", kv_bundle, "--attest", target, "--key", keys[0])

    assert ran.code == 3
    assert target.read_text() == "precious"


def test_a_public_key_cannot_sign(
    shell: Shell, kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    ran = shell("verify", kv_bundle, "--attest", tmp_path / "verdict.json", "--key", keys[1])

    assert ran.code == 3
    assert "hint: " in ran.err
    assert not (tmp_path / "verdict.json").exists()


def test_an_unreadable_bundle_gives_no_attestation(
    shell: Shell, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    target = tmp_path / "verdict.json"

    ran = shell("verify", tmp_path / "absent", "--attest", target, "--key", keys[0])

    assert ran.code == 3
    assert not target.exists()


def test_keygen_never_overwrites(shell: Shell, keys: tuple[Path, Path], tmp_path: Path) -> None:
    before = keys[0].read_bytes()

    ran = shell("keygen", "--out", tmp_path / "reviewer")

    assert ran.code == 3
    assert keys[0].read_bytes() == before
    assert keys[0].stat().st_mode & 0o777 == 0o600


def test_an_attestation_of_a_bundle_without_a_seal_is_compared_by_its_records(
    shell: Shell, copied: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    (copied / "seal.json").unlink()
    verdict = attested(shell, copied, keys[0], tmp_path / "verdict.json")

    ran = shell(
        "check-attestation", verdict, "--trust", keys[1], "--bundle", copied, "--require", "WARNED"
    )

    assert ran.code == 0


def test_a_bundle_without_a_file_to_name_is_not_attested(
    kv_bundle: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    report = pipeline.audit_path(kv_bundle, pipeline.Options(policy=pipeline.load_policy("review")))
    nameless = replace(report, bundle=replace(report.bundle, subjects=()))
    target = tmp_path / "verdict.json"

    with pytest.raises(CannotLook, match="no file that an attestation could name"):
        pipeline.attest(nameless, now=TIME, key=keys[0], outputs={"envelope": target})
    assert not target.exists()
