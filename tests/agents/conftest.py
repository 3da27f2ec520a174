"""Fixtures for tests that drive a real agent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.claude import Home, find_client


@pytest.fixture
def claude_home(tmp_path: Path) -> Iterator[Home]:
    """A home with a real Claude Code to be driven in it, borgd installed and running; all of it gone afterwards."""
    if find_client() is None:
        if "claude-code" in os.environ.get("BORGD_NEEDS_AGENTS", "").split():
            pytest.fail("Claude Code is not installed although this run promised it")
        pytest.skip("Claude Code is not installed: npm install --prefix . @anthropic-ai/claude-code")
    home = Home(tmp_path)
    yield home
    home.borg("stop", check=False)
