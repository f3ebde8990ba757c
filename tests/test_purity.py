"""The core computes: an audit in memory opens no file, no socket and no process."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# The last figures differ on purpose, so that explanations are computed as well.
GUARDED = """
import importlib
import pkgutil
import sys

import numpy.random

import verifier
from tests.support import core
from verifier import audit, catalog
from verifier.model.basis import Level

# Everything is imported before the gate closes; Python opens files to import.
for module in pkgutil.walk_packages(verifier.__path__, "verifier."):
    if module.name != "verifier.__main__":
        importlib.import_module(module.name)
checks = dict(catalog.checks())
catalog.statistics()

forbidden = ("open", "os.", "socket.", "subprocess.", "shutil.", "tempfile.", "urllib.", "glob.")
events = []


def gate(event, arguments):
    if events is not None and event.startswith(forbidden):
        events.append((event, str(arguments)[:200]))
        raise RuntimeError(f"the core asked for {event}")


rows = {"kld": core.array(9.0, 1.0, 2.0, 3.0, 4.0)}
held = core.arm("fp8", (2.5, 2.5, 2.5), rows_path=True, level=Level.ROW_SCORES)
figures = (
    core.figure("mean", "2.5", core.MEAN_FP8),
    core.figure("wrong", "2.6", core.MEAN_FP8),
    core.figure("lower", "3", core.LOWER, kind="count"),
    core.figure("capacity", "0.9", None),
    *core.ends("declared", "0.02", "0.03", core.DIFFERENCE),
    *core.ends("searched", "0.02", "0.03", core.DIFFERENCE, recipe=None, hints=(7,)),
)
looked_at = core.case(
    core.bundle(*figures, arms=(held, core.arm("nvfp4", (0.5, 0.6, 0.7)))),
    rows=core.MemoryRows({window.rows_path: rows for window in held.windows}),
)

sys.addaudithook(gate)
report = core.audited(looked_at, *checks.values())
seen, events = events, None

crashed = [outcome for outcome in report.outcomes if outcome.status == "ERROR"]
print(len(seen), len(crashed), report.verdict, len(report.outcomes) > len(checks))
for line in (*seen, *(outcome.reason for outcome in crashed)):
    print(line)
"""


def run(source: str) -> subprocess.CompletedProcess[str]:
    """Run in a process of its own, because an audit hook can never be removed again."""
    return subprocess.run(  # noqa: S603 - this very Python runs the text above
        [sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_an_audit_in_memory_touches_nothing_outside() -> None:
    ran = run(GUARDED)
    assert ran.stderr == ""
    assert ran.stdout == "0 0 FAILED True\n"


@pytest.mark.parametrize(
    ("outside", "event"),
    [
        ("open('pyproject.toml')", "open"),
        ("socket.socket()", "socket.__new__"),
        ("subprocess.Popen(['true'])", "subprocess.Popen"),
        ("os.listdir('.')", "os.listdir"),
    ],
)
def test_the_gate_of_this_test_is_closed(outside: str, event: str) -> None:
    source = GUARDED.replace("report = core", f"{outside}\nreport = core")
    ran = run(f"import os, socket, subprocess\n{source}")
    assert ran.returncode == 1
    assert f"RuntimeError: the core asked for {event}\n" in ran.stderr
