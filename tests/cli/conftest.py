"""Commands in this process, as an engineer named ada runs them in a home of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from borgd.cli import dispatch
from borgd.paths import private_dir, user_paths

Borg = Callable[..., Any]


@pytest.fixture
def borg(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Borg:
    """``borg ARGUMENTS`` must succeed; what it prints, read where ``--json`` is among them."""
    monkeypatch.chdir(home)
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID", raising=False)
    (home / ".config/borgd").mkdir(parents=True)
    (home / ".config/borgd/config.toml").write_text('[people]\nengineer = "ada"\n')
    private_dir(user_paths().data)

    def call(*argv: str) -> Any:
        assert dispatch([*argv]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if "--json" in argv else out

    return call
