"""Fixtures and settings that every test shares."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.command import Shell

# The machines that run this are shared and noisy, so no test may depend on how long it takes.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

ROOT = Path(__file__).parent.parent


@pytest.fixture
def root() -> Path:
    """The repository's root."""
    return ROOT


@pytest.fixture
def kv_bundle(root: Path) -> Path:
    """The shipped reference comparison; window scores only, so WARNED under ``review``."""
    return root / "bundles" / "kv-cache-kld-20260909"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    """Runs ``verifier ARGS...`` through its real entry point."""
    return Shell(monkeypatch, capsys)
