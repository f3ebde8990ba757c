import subprocess
import sys
from pathlib import Path

from verifier import __version__


def test_python_m_verifier_is_verifier(root: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "verifier", "--version"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ran.stdout == f"verifier {__version__}\n"
