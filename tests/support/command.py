"""Run the command line inside the test process, as a shell would see it."""

import sys
from dataclasses import dataclass

import pytest

from verifier import cli


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command gave."""

    code: int
    out: str
    err: str


class Shell:
    """Runs ``verifier ARGS...`` through its real entry point."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *args: object) -> Ran:
        self._monkeypatch.setattr(sys, "argv", ["verifier", *map(str, args)])
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as exit_info:
            cli.main()
        captured = self._capsys.readouterr()
        code = exit_info.value.code
        return Ran(code=code if isinstance(code, int) else 0, out=captured.out, err=captured.err)
