"""``verifier claims suggest`` and ``fix`` as they are typed."""

import json
import stat
from pathlib import Path

import pytest

from tests.support.claims_folder import DOCUMENT, WRONG, claims_file, filled, statuses
from tests.support.command import Shell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path)


# --- suggest ---


def test_what_is_suggested_can_be_used_as_it_is(shell: Shell, tmp_path: Path) -> None:
    document, data = tmp_path / "table.md", tmp_path / "arms.json"
    document.write_text(
        "# Divergence\n\n| Arm | mean kld |\n|---|---|\n| fp8 | 0.0127 |\n| nvfp4 | 0.0388 |\n"
    )
    data.write_text('{"fp8": {"mean_kld": 0.01268}, "nvfp4": {"mean_kld": 0.03879}}')
    proposal = tmp_path / "claims.json"

    ran = shell("claims", "suggest", document, "--data", data, "--output", proposal)
    check = shell("claims", document, "--data", data, "--min-coverage", "100", "--format", "json")

    assert (ran.code, ran.out) == (0, "")
    assert [claim["source"] for claim in json.loads(proposal.read_text())["claims"]] == [
        "arms.json#/fp8/mean_kld",
        "arms.json#/nvfp4/mean_kld",
    ]
    assert (check.code, statuses(check.out)) == (
        0,
        [
            ("8", "NOT A CLAIM"),
            ("0.0127", "SUPPORTED"),
            ("4", "NOT A CLAIM"),
            ("0.0388", "SUPPORTED"),
        ],
    )


def test_a_suggestion_is_printed(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "suggest", folder / "run.md", "--data", folder / "run.json")

    assert ran.code == 0
    assert json.loads(ran.out)["format"] == "claims/1"


def test_figures_of_a_bundle_are_suggested(shell: Shell, tmp_path: Path, root: Path) -> None:
    document = tmp_path / "arms.md"
    document.write_text("| arm | mean kld |\n|---|---|\n| alpha | 0.0451 |\n| beta | 0.0338 |\n")
    bundle = root / "bundles" / "example-rows"

    ran = shell("claims", "suggest", document, "--bundle", bundle)

    assert ran.code == 0
    assert {claim["source"] for claim in json.loads(ran.out)["claims"]} <= {
        "figure:alpha/kld",
        "figure:beta/kld",
    }


def test_suggesting_from_nothing_exits_2(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "suggest", folder / "run.md")

    assert ran.code == 2
    assert "there is nothing to suggest from" in ran.err
    assert "\nhint: Name a bundle" in ran.err


# --- fix ---


def test_fix_shows_the_difference_and_changes_the_number_alone(shell: Shell, folder: Path) -> None:
    path = folder / "wrong.md"
    path.write_bytes(WRONG.replace("\n", "\r\n").encode())
    path.chmod(0o640)

    ran = shell("claims", "fix", path)

    assert ran.code == 0
    assert "-The mean is 0.25 nats" in ran.out
    assert "+The mean is 0.26 nats" in ran.out
    assert ran.err == f"wrote {path}\n"
    assert path.read_bytes() == DOCUMENT.replace("\n", "\r\n").encode()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_fix_leaves_a_right_document_alone(shell: Shell, folder: Path) -> None:
    path = folder / "run.md"
    before = path.stat()

    ran = shell("claims", "fix", path)

    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_dry_run_writes_nothing(shell: Shell, folder: Path) -> None:
    ran = shell("claims", "fix", folder / "wrong.md", "--dry-run")

    assert ran.code == 0
    assert "+The mean is 0.26 nats" in ran.out
    assert ran.err == "nothing was written\n"
    assert (folder / "wrong.md").read_text() == WRONG


@pytest.fixture
def unclear(folder: Path) -> Path:
    path = folder / "unclear.md"
    path.write_text(
        "Mean 0.25 <!-- claim: run.json#/mean -->, most 0.0091 <!-- claim: run.json#/most -->.\n"
    )
    return path


def test_what_a_person_has_to_decide_stops_the_whole_correction(
    shell: Shell, unclear: Path
) -> None:
    before = unclear.read_text()

    ran = shell("claims", "fix", unclear)

    assert ran.code == 1
    assert f"{unclear}:1:48: 0.0091: Whether the number or its unit is wrong" in ran.err
    assert ran.err.endswith("nothing was written\n")
    assert unclear.read_text() == before


def test_a_partial_correction_writes_what_is_clear(shell: Shell, unclear: Path) -> None:
    before = unclear.read_text()

    ran = shell("claims", "fix", unclear, "--partial")

    assert ran.code == 1
    assert ran.err.endswith(f"wrote {unclear}\n")
    assert unclear.read_text() == before.replace("0.25", "0.26")


def test_fix_follows_claims_that_are_derived_from_others(shell: Shell, folder: Path) -> None:
    path = folder / "sums.md"
    path.write_text("A has 3, B has 5, both have 9.\n")
    (folder / "counts.json").write_text('{"a": 4, "b": 5}')
    named = claims_file(
        folder / "sums.json",
        {"id": "a", "quote": "A has {}", "source": "counts.json#/a"},
        {"id": "b", "quote": "B has {}", "source": "counts.json#/b"},
        {"id": "both", "quote": "both have {}.", "source": {"sum": ["claim:a", "claim:b"]}},
    )

    ran = shell("claims", "fix", path, "--claims", named)

    assert ran.code == 0
    assert path.read_text() == "A has 4, B has 5, both have 9.\n"


def test_a_long_chain_of_derived_claims_takes_several_runs(shell: Shell, folder: Path) -> None:
    path, names = folder / "chain.md", "abcdefghijkl"
    path.write_text(" ".join(f"{name}: 5." for name in names) + "\n")
    (folder / "first.json").write_text('{"x": 6}')
    sources = ["first.json#/x", *({"max": f"claim:{name}"} for name in names)]
    links = [
        {"id": name, "quote": f"{name}: {{}}.", "source": source}
        for name, source in zip(names, sources, strict=False)
    ]
    named = claims_file(folder / "chain.json", *links)

    first = shell("claims", "fix", path, "--claims", named)
    unwritten = path.read_text()
    partial = shell("claims", "fix", path, "--claims", named, "--partial")
    rest = shell("claims", "fix", path, "--claims", named)

    assert (first.code, unwritten.count("5.")) == (1, len(names))
    assert "more corrections follow from these" in first.err
    assert partial.code == 1
    assert rest.code == 0
    assert path.read_text().count("6.") == len(names)


def test_fix_refuses_a_link(shell: Shell, folder: Path) -> None:
    link = folder / "link.md"
    link.symlink_to("wrong.md")

    ran = shell("claims", "fix", link)

    assert ran.code == 3
    assert (folder / "wrong.md").read_text() == WRONG
    assert link.is_symlink()
