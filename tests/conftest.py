"""Fixtures every test may use: one event loop backend, one throw-away home; what hypothesis runs by.

The default run tries the same examples each time; ``BORGD_HYPOTHESIS=random`` with ``--hypothesis-seed`` tries others.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("repeatable", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("random", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("BORGD_HYPOTHESIS", "repeatable"))


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A HOME of its own: every XDG place inside it, no runtime directory."""
    root = tmp_path / "home"
    root.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(root))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    return root
