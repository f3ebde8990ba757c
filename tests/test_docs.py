"""What the documents show is what the program does."""

import base64
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts import make_docs
from tests.support.command import Shell

PAGES = ("README.md", "docs/attestation.md", "docs/format.md", "bundles/README.md")
# These two are what CI itself runs; running them from inside a test would never end.
RUN_BY_CI = ("make verify", "make test")
INSTALLED = "pip install ."


def commands(root: Path) -> list[tuple[str, str]]:
    """Every ``$ command`` of a console block, with its page, in order."""
    found: list[tuple[str, str]] = []
    for page in PAGES:
        blocks = re.findall(r"```console\n(.*?)```", (root / page).read_text(), re.DOTALL)
        found.extend(
            (page, line.removeprefix("$ "))
            for block in blocks
            for line in block.splitlines()
            if line.startswith("$ ")
        )
    return found


def test_every_command_of_the_documents_runs(
    shell: Shell, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ""
    for where, command in commands(root):
        if where != page:
            page = where
            folder = tmp_path / where.replace("/", "-")
            folder.mkdir()
            (folder / "bundles").symlink_to(root / "bundles")
            monkeypatch.chdir(folder)
        if command in (*RUN_BY_CI, INSTALLED):
            continue
        program, *arguments = shlex.split(command)
        assert program == "verifier", f"{where}: no test runs {command!r}"
        assert shell(*arguments).code == 0, f"{where}: {command}"


def test_ci_runs_the_two_commands_of_the_first_screen(root: Path) -> None:
    script = (root / ".ci" / "run").read_text()

    assert all(f"\n{command}\n" in f"{script}\n" for command in RUN_BY_CI)


def test_the_first_screen_shows_the_two_commands_and_a_real_report(root: Path) -> None:
    screen = (root / "README.md").read_text().splitlines()[:40]

    assert "$ make verify" in screen
    assert "$ make test" in screen
    assert any(line.startswith("VERDICT: ") for line in screen)


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_help_lists_the_targets(root: Path) -> None:
    listed = subprocess.run(  # noqa: S603 - a fixed command
        [shutil.which("make") or "make", "help"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    for target in ("verify", "test", "lint", "bench", "docs"):
        assert re.search(rf"make {target} +\S", listed)


def _programs(*names: str) -> None:
    for name in names:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")


def test_the_recipe_without_this_program_accepts_a_verdict_and_refuses_an_altered_one(
    shell: Shell, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _programs("bash", "jq", "base64", "openssl")
    page = (root / "docs" / "attestation.md").read_text()
    chapter = page.partition("## Without this program")[2]
    recipe = chapter.partition("```text\n")[2].partition("```")[0]
    monkeypatch.chdir(tmp_path)
    verdict = Path("verdict.intoto.json")
    bundle = root / "bundles" / "example-rows"
    assert shell("keygen", "--out", "reviewer").code == 0
    assert shell("verify", bundle, "--attest", verdict, "--key", "reviewer.key").code == 0

    def followed() -> tuple[int, str]:
        done = subprocess.run(  # noqa: S603 - the recipe of our own page
            [shutil.which("bash") or "bash", "-c", recipe],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout.strip()

    assert followed() == (0, "Signature Verified Successfully")
    envelope = json.loads(verdict.read_text())
    payload = base64.b64decode(envelope["payload"]).replace(b'"review"', b'"strict"')
    verdict.write_text(json.dumps({**envelope, "payload": base64.b64encode(payload).decode()}))
    assert followed() == (1, "Signature Verification Failure")


def test_the_page_of_checks_is_generated() -> None:
    assert make_docs.CHECKS_PAGE.read_text() == make_docs.checks_page(), "run `make docs`"


def test_the_report_in_the_readme_is_the_real_one() -> None:
    assert make_docs.README.read_text() == make_docs.readme(), "run `make docs`"


def test_links_between_the_documents_lead_somewhere(root: Path) -> None:
    pages = [root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"
