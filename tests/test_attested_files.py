"""An accepted attestation stands for every file that the verdict rested on."""

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import published
from tests.support.command import Ran, Shell

Check = Callable[[Path], Ran]


@pytest.fixture
def check(shell: Shell, tmp_path: Path) -> tuple[Callable[[Path], None], Check]:
    """Sign the verdict on a folder, and check the signed verdict against a folder."""
    assert shell("keygen", "--out", tmp_path / "reviewer").code == 0
    verdict = tmp_path / "verdict.json"

    def sign(bundle: Path) -> None:
        key = tmp_path / "reviewer.key"
        ran = shell("verify", bundle, "--attest", verdict, "--key", key, "--quiet")
        assert ran.code == 0

    def checked(bundle: Path) -> Ran:
        trusted = tmp_path / "reviewer.pub"
        return shell(
            "check-attestation", verdict, "--trust", trusted, "--bundle", bundle,
            "--require", "WARNED",
        )  # fmt: skip

    return sign, checked


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A folder of published records with a hash list."""
    folder = tmp_path / "record"
    folder.mkdir()
    for name, data in published.family(1).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def unsealed(kv_bundle: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(kv_bundle, tmp_path / "unsealed"))
    (folder / "seal.json").unlink()
    return folder


def listed(path: Path) -> str:
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def test_an_untouched_record_is_accepted(
    check: tuple[Callable[[Path], None], Check], record: Path
) -> None:
    sign, checked = check
    sign(record)

    assert checked(record).code == 0


def test_a_second_hash_list_cannot_vouch_for_a_file_that_the_first_contradicts(
    check: tuple[Callable[[Path], None], Check], record: Path
) -> None:
    sign, checked = check
    readme = record / "README.md"
    (record / "SHA256SUMS").write_text(listed(readme))
    sign(record)
    readme.write_text("Something else.\n")
    (record / "SHA256SUMS").write_text(listed(readme))

    ran = checked(record)

    assert ran.code == 1
    assert "SHA256SUMS' has sha256" in ran.err


def test_a_hash_list_added_after_the_verdict_vouches_for_nothing(
    check: tuple[Callable[[Path], None], Check], record: Path
) -> None:
    sign, checked = check
    sign(record)
    (record / "new.txt").write_text("new")
    (record / "SHA256SUMS").write_text(listed(record / "new.txt"))

    ran = checked(record)

    assert ran.code == 1
    assert "the attestation does not speak of 'SHA256SUMS'" in ran.err


def test_a_file_that_two_lists_promise_differently_departs_from_the_seal(
    check: tuple[Callable[[Path], None], Check], record: Path
) -> None:
    sign, checked = check
    sign(record)
    readme = record / "README.md"
    readme.write_text("Something else.\n")
    (record / "SHA256SUMS").write_text(listed(readme))

    ran = checked(record)

    assert ran.code == 1
    assert "'README.md' is not as the seal promises" in ran.err


def test_scores_changed_in_a_bundle_without_a_seal_are_noticed(
    check: tuple[Callable[[Path], None], Check], unsealed: Path
) -> None:
    sign, checked = check
    sign(unsealed)
    assert checked(unsealed).code == 0
    scores = unsealed / "arms/fp8/windows.json"
    document = json.loads(scores.read_text())
    document["windows"][0]["values"]["kld"] += 0.001
    scores.write_text(json.dumps(document))

    ran = checked(unsealed)

    assert ran.code == 1
    assert "'arms/fp8/windows.json' has sha256" in ran.err


def test_a_file_added_to_a_bundle_without_a_seal_is_noticed(
    check: tuple[Callable[[Path], None], Check], unsealed: Path
) -> None:
    sign, checked = check
    sign(unsealed)
    (unsealed / "new.txt").write_text("new")

    ran = checked(unsealed)

    assert ran.code == 1
    assert "the attestation does not speak of 'new.txt'" in ran.err
