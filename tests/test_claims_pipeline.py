"""What ``verifier claims`` takes for a document, and what for a source of numbers."""

import json
from pathlib import Path

import pytest

from tests.support.command import Shell
from verifier.claims_pipeline import Bench, Correction, Options, corrected, read_document
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


def fixed(folder: Path, name: str, text: str, quote: str, value: str) -> Correction:
    """A document of one bound number, corrected but not written."""
    document = folder / name
    document.write_text(text)
    (folder / "run.json").write_text(f'{{"a": {value}}}')
    claim = {"id": "a", "quote": quote, "source": "run.json#/a"}
    (folder / "claims.json").write_text(json.dumps({"format": "claims/1", "claims": [claim]}))
    return corrected(document, Options(policy=load_policy("review")))


GRID = """+-----+-----+
| arm | kld |
+=====+=====+
| fp8 | is 4|
+-----+-----+
"""


def test_a_correction_that_is_wider_than_its_column_of_a_drawn_table_is_refused(
    tmp_path: Path,
) -> None:
    found = fixed(tmp_path, "run.rst", GRID, "is {}", "123456")

    assert (found.changed, found.difference) == (False, "")
    (refused,) = found.refused
    assert refused == (
        f"{tmp_path}/run.rst: the corrections (line 4) change how the rest is read, as a wider "
        "number does to a table drawn with lines; correct it by hand"
    )


def test_a_correction_that_fits_its_column_of_a_drawn_table_is_made(tmp_path: Path) -> None:
    found = fixed(tmp_path, "run.rst", GRID, "is {}", "5")

    assert found.new.decode() == GRID.replace("is 4", "is 5")
    assert found.refused == ()


def test_a_minus_that_would_be_read_as_the_dash_of_a_range_is_not_written(tmp_path: Path) -> None:
    found = fixed(tmp_path, "run.md", "from 1-4 ms\n", "from 1-{}", "-2")

    assert not found.changed
    assert "change how the rest is read" in found.refused[0]
