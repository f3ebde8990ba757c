"""A reference bundle counts only as the files that its own seal promises."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support import published
from tests.support.command import Shell


@pytest.fixture
def record(tmp_path: Path) -> Path:
    folder = tmp_path / "record"
    folder.mkdir()
    for name, data in published.family(1, cross=True).items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def copied(kv_bundle: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kv_bundle, tmp_path / "copied"))


def test_a_reference_whose_scores_changed_under_its_seal_is_no_reference(
    shell: Shell, record: Path, copied: Path
) -> None:
    scores = copied / "arms/fp8/windows.json"
    document = json.loads(scores.read_text())
    document["windows"][0]["values"]["kld"] += 0.001
    scores.write_text(json.dumps(document))

    ran = shell("verify", record, "--reference", copied)

    assert ran.code == 3
    assert (
        "the reference bundle is not as its seal promises: arms/fp8/windows.json differs" in ran.err
    )
    assert ran.out == ""


def test_a_reference_whose_seal_was_edited_is_no_reference(
    shell: Shell, record: Path, copied: Path
) -> None:
    seal = copied / "seal.json"
    document = json.loads(seal.read_text())
    document["root"] = "0" * 64
    seal.write_text(json.dumps(document))

    ran = shell("verify", record, "--reference", copied)

    assert ran.code == 3
    assert "the reference bundle is not as its seal promises: seal.json differs" in ran.err


def test_a_reference_with_a_file_that_its_seal_does_not_list_is_no_reference(
    shell: Shell, record: Path, copied: Path
) -> None:
    (copied / "extra.txt").write_text("not sealed")

    ran = shell("verify", record, "--reference", copied)

    assert ran.code == 3
    assert "the reference bundle is not as its seal promises: extra.txt differs" in ran.err


def test_a_sound_reference_may_lack_a_file_or_a_seal(
    shell: Shell, record: Path, tmp_path: Path
) -> None:
    (record / "README.md").unlink()
    alone = tmp_path / "reference"
    alone.mkdir()
    (alone / "comparison.json").write_bytes(published.reference(1)["comparison.json"])

    for reference in (record, alone):
        ran = shell("verify", record, "--reference", reference)
        assert ran.code != 3
        assert "REFERENCE, the bundle that figures across bundles were taken from" in ran.out
