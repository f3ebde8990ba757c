"""Documents and data that were made to break ``verifier claims``."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.support.claims_folder import filled, report, statuses
from tests.support.command import Shell

ESCAPE = "\x1b[31m"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


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
