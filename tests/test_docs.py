"""What the documents show is what the program does."""

import base64
import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest

from scripts import make_docs
from tests.support.command import Shell
from verifier.claims.rules import RULES
from verifier.claims.summary import FAIL_ON
from verifier.claims.units import canonical
from verifier.model.claim import Flaw, Form, Status

PAGES = (
    *("README.md", "docs/attestation.md", "docs/claims.md", "docs/format.md", "bundles/README.md"),
    "examples/claims/README.md",
)
# These two are what CI itself runs; running them from inside a test would never end.
RUN_BY_CI = ("make verify", "make test")
INSTALLED = "pip install ."


_EXIT_CODE = "  # exit code "


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A command of a page, with the exit code and the output that the page gives for it."""

    page: str
    command: str
    code: int
    output: str


def commands(root: Path) -> list[Shown]:
    """Every ``$ command`` of a console block, in order."""
    found: list[Shown] = []
    for page in PAGES:
        blocks = re.findall(r"```console\n(.*?)```", (root / page).read_text(), re.DOTALL)
        for shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", "".join(blocks), re.MULTILINE):
            command, _, code = shown[0].partition(_EXIT_CODE)
            found.append(Shown(page=page, command=command, code=int(code or "0"), output=shown[1]))
    return found


def test_every_command_of_the_documents_runs_and_prints_what_they_show(
    shell: Shell, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ""
    for shown in commands(root):
        if shown.page != page:
            page = shown.page
            folder = tmp_path / page.replace("/", "-")
            folder.mkdir()
            (folder / "bundles").symlink_to(root / "bundles")
            # A copy: one of the commands corrects a document in place.
            shutil.copytree(root / "examples" / "claims", folder / "examples" / "claims")
            monkeypatch.chdir(folder)
        if shown.command in (*RUN_BY_CI, INSTALLED):
            continue
        program, *arguments = shlex.split(shown.command)
        assert program == "verifier", f"{page}: no test runs {shown.command!r}"
        ran = shell(*arguments)
        assert ran.code == shown.code, f"{page}: {shown.command}"
        for part in shown.output.split("...\n"):
            assert part in ran.out, f"{page}: {shown.command}"


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
        prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", prose):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def _claims_page(root: Path) -> str:
    return (root / "docs" / "claims.md").read_text()


def test_the_example_of_the_page_of_claims_is_the_one_in_the_examples(root: Path) -> None:
    page = _claims_page(root)
    shown = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", page, re.DOTALL))

    files = [
        f"examples/claims/minimal/{name}" for name in ("report.md", "results.json", "claims.json")
    ]
    assert list(shown) == files
    for file in files:
        assert shown[file] == (root / file).read_text(), file


def test_the_page_of_claims_lists_every_verdict_flaw_rule_form_and_gate(root: Path) -> None:
    page = _claims_page(root)
    coded = set(re.findall(r"`([^`\n]+)`", page))
    forms = {match for text in coded for match in re.findall(r"^(?:\{\")?([a-z-]+)", text)}

    assert [status for status in get_args(Status) if f"\n| {status} |" not in page] == []
    assert [flaw for flaw in get_args(Flaw) if f"\n| `{flaw}` |" not in page] == []
    assert {*RULES, *FAIL_ON} - coded == set()
    assert set(get_args(Form)) - forms == set()


def test_the_units_of_the_page_of_claims_are_known_by_those_names(root: Path) -> None:
    chapter = _claims_page(root).partition("## 5. Units")[2].partition("## 6.")[0]
    table = chapter.partition("|---|---|\n")[2]
    units = [unit for row in table.splitlines() for unit in re.findall(r"`([^`]+)`", row)]

    assert len(set(units)) == 35
    assert {unit: canonical(unit) for unit in units} == {unit: unit for unit in units}


@pytest.mark.parametrize("command", ["check", "suggest", "fix"])
def test_the_page_of_claims_names_every_option_of_the_help(
    shell: Shell, root: Path, command: str
) -> None:
    page = _claims_page(root)
    options = set(
        re.findall(r"^ +(--[a-z-]+)", shell("claims", command, "--help").out, re.MULTILINE)
    )

    assert "--bundle" in options
    assert {option for option in options if not re.search(rf"`{option}[ `]", page)} == set()
