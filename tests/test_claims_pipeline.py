"""What ``verifier claims`` takes for a document, and what for a source of numbers."""

from pathlib import Path

import pytest

from tests.support.command import Shell
from verifier.claims_pipeline import Bench, Options, read_document
from verifier.errors import CannotLook
from verifier.pipeline import load_policy

MIB = 1024 * 1024


def test_a_claims_file_is_no_source_of_numbers(tmp_path: Path) -> None:
    """It holds what was taken from a document: indices of tables, and quotes of it."""
    document, data, claims = (tmp_path / name for name in ("run.md", "run.json", "claims.json"))
    document.write_text("5 windows\n")
    data.write_text('{"format": 1, "windows": 5}')
    claims.write_text(
        '{"format": "claims/1", "claims": [{"id": "w", "at": {"table": 5, "row": 1, "column": 1},'
        ' "source": "run.json#/windows"}]}'
    )
    options = Options(policy=load_policy("review"), data=(data, claims))

    found = [one.source for one in Bench([document], options).candidates()]

    assert found == ["run.json#/format", "run.json#/windows"]


def test_lines_of_json_under_their_other_name_are_suggested(shell: Shell, tmp_path: Path) -> None:
    document, data = tmp_path / "run.md", tmp_path / "run.ndjson"
    document.write_text("The mean speed was 5.25 tok/s.\n")
    data.write_text('{"mean_speed": 5.25}\n')

    ran = shell("claims", "suggest", document, "--data", data)

    assert (ran.code, '"run.ndjson#/0/mean_speed"' in ran.out) == (0, True)


def test_a_document_over_the_limit_is_refused() -> None:
    with pytest.raises(CannotLook, match=r"^big\.md: 33554433 bytes, over the limit of 33554432"):
        read_document(Path("big.md"), b"a" * (32 * MIB + 1))
