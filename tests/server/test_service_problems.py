"""What cannot be stored or read is told in the status until it works again, one source apart from the other."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from borgd import clock
from borgd.errors import BorgError
from borgd.server.service import Service
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson("CAP", "When the retry limit of the uploader changes, is the backoff cap raised?", scope=["Orion"])
TASK = "In Orion, raise the retry limit of the uploader."


def problems(service: Service) -> list[str]:
    found: list[str] = service.status()["problems"]
    return found


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")
    return home


async def test_decisions_that_cannot_be_stored_show_until_they_can(orion: Path) -> None:
    path = orion / ".local/share/borgd/decisions.jsonl"
    path.mkdir()
    async with running_service() as service:
        agent = Agent(service)
        with pytest.raises(BorgError):
            await agent.prompt(TASK)
        assert any("decisions.jsonl" in problem for problem in problems(service))
        await agent.send("PostToolUse", tool_name="Read", tool_input={}, tool_use_id="x")
        await Agent(service, "other", cwd="/w/elsewhere").prompt("Paint the fence.")
        assert any("decisions.jsonl" in problem for problem in problems(service)), "nothing was stored since"
        path.rmdir()
        assert "CAP" in await Agent(service, "s2").prompt(TASK)
        assert service.assembly is not None
        await service.assembly.every_minute(clock.now_ms())
        assert problems(service) == []


async def test_one_problem_does_not_hide_another(orion: Path) -> None:
    path = orion / ".local/share/borgd/decisions.jsonl"
    path.mkdir()
    async with running_service() as service:
        with pytest.raises(BorgError):
            await Agent(service).prompt(TASK)
        write_config(orion, "[recall]\nholdout = 7\n")
        service.watcher.rescan()
        told = problems(service)
        assert any("decisions.jsonl" in problem for problem in told)
        assert any("holdout" in problem for problem in told)
        write_config(orion, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")
        service.watcher.rescan()
        assert not any("holdout" in problem for problem in problems(service))
        assert any("decisions.jsonl" in problem for problem in problems(service))


async def test_limits_that_cannot_be_counted_show_until_they_can(orion: Path) -> None:
    directory = orion / ".local/state/borgd/investigations"
    directory.parent.mkdir(parents=True)
    directory.write_text("")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Paint the fence.")  # what is not counted stops nothing
        assert any("investigations" in problem for problem in problems(service))
        directory.unlink()
        await agent.prompt("Paint the fence, please.")
        await agent.send("PreToolUse", tool_name="Read", tool_input={"file_path": "/w/a"}, tool_use_id="x")
        assert problems(service) == []


async def test_a_state_file_that_cannot_be_written_shows_until_it_can(orion: Path) -> None:
    async with running_service() as service:
        path = orion / ".local/state/borgd/sessions/claude-code-s1.ctx"
        path.mkdir()
        agent = Agent(service)
        await agent.prompt("Paint the fence.")
        assert any("claude-code-s1.ctx" in problem for problem in problems(service))
        path.rmdir()
        await agent.prompt("Paint the fence, please.")
        assert problems(service) == []


@pytest.mark.parametrize("name", [".local/state/borgd/sessions", ".local/share/borgd"])
def test_a_file_where_a_directory_belongs_is_said_in_a_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("")
    done = subprocess.run(
        [sys.executable, "-I", "-m", "borgd", "run"],
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"borg: {path} cannot be used as a directory")
    assert len(done.stderr.splitlines()) == 1
