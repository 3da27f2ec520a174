"""What the version before wrote is read by this one: settings, journals, the state of a session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from borgd.cli import dispatch
from borgd.config.read import read_config
from borgd.paths import user_paths
from tests.server.support import running_service

BEFORE = Path(__file__).parents[1] / "data" / "version-0.1.0"
SESSION = "5e551000-0000-4000-8000-000000000001"


@pytest.fixture
def old(home: Path) -> Path:
    for name, place in (("config", ".config/borgd"), ("data", ".local/share/borgd"), ("state", ".local/state/borgd")):
        shutil.copytree(BEFORE / name, home / place)
        (home / place).chmod(0o700)
    return home


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    capsys.readouterr()
    assert dispatch(list(argv)) == 0
    found = capsys.readouterr()
    assert found.err == ""
    return found.out


def test_its_settings_count(old: Path) -> None:
    config = read_config(user_paths())
    assert config.recall.holdout == 0.0
    assert config.people.engineer == "mira"
    assert config.interrupts.scopes["team/orion"].ceiling == 2
    assert config.investigation.main.mode == "warn"


def test_its_journals_are_read_by_every_command(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lessons = json.loads(said(capsys, "lesson", "list", "--json"))["lessons"]
    assert len(lessons) == 3
    assert "retry limit" in said(capsys, "lesson", "show", "Ldb7pxrkv")
    assert "changed" in said(capsys, "lesson", "show", "Ldb7pxrkv")
    assert "30 s or below" in said(capsys, "lesson", "ratify")
    inbox = said(capsys, "inbox", "list", "--all")
    assert inbox.count("Which store for part") == 5
    assert "9 verdicts, no problems" in said(capsys, "audit", "verify")
    assert "retry limit" in said(capsys, "recall", "raise the retry limit of the Orion uploader")
    assert "stop" in said(capsys, "why", SESSION[:6])


@pytest.mark.anyio
async def test_its_session_goes_on(old: Path) -> None:
    async with running_service() as service:
        event = {"session_id": SESSION, "transcript_path": "", "cwd": "/src/orion", "hook_event_name": "UserPromptSubmit"}
        event |= {"prompt": "Show me the changed files.", "prompt_id": "p3"}
        await service.hook("claude-code", "UserPromptSubmit", json.dumps(event).encode())
        (session,) = service.sessions.live.values()
        assert any("raise the uploader's retry limit" in prompt for prompt in session.prompts)
        assert "Ldb7pxrkv" in session.asked
        status = service.status()
        assert status["lessons"] == 3
        assert status["problems"] == []
