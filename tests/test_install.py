"""The wheel installs into a clean environment with today's newest dependencies, no extras."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - commands of this test
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_the_wheel_installs_alone_and_starts(root: Path, tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    reachable = run(python, "-m", "pip", "download", "--no-deps", "rfc8785", cwd=tmp_path)
    if reachable.returncode != 0:
        pytest.skip("no package index can be reached")

    installed = run(python, "-m", "pip", "install", root, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr

    program = environment / "bin" / "verifier"
    assert run(program, "--help", cwd=tmp_path).returncode == 0
    assert "receipt-1" in run(program, "schemas", cwd=tmp_path).stdout
    ran = run(program, "verify", root / "bundles" / "kv-cache-kld-20260909", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("VERDICT: WARNED\n")


def test_the_program_starts_without_any_development_tool(root: Path) -> None:
    """Nothing that only developers have may be imported by the command line."""
    code = (
        "import sys, verifier.cli;"
        "print(sorted({'scipy','hypothesis','pytest','securesystemslib','sigstore'}"
        " & set(sys.modules)))"
    )
    assert run(sys.executable, "-c", code, cwd=root).stdout == "[]\n"
