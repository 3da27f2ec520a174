"""What people met with installed hooks: copies that multiply, paths that break, places that are links or the home itself."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from borgd.agents.claude_code.hooks import MOMENTS
from borgd.agents.event import Moment
from borgd.journal.watch import _forbidden
from borgd.paths import shipped
from tests.pipeline.test_field_stops import CAP, TASK
from tests.server.processes import Home
from tests.server.support import Agent, client, running_daemon, running_service, write_config, write_lessons

NOISY = {"MessageDisplay", "PostToolBatch", "InstructionsLoaded", "FileChanged", "CwdChanged", "ConfigChange"}
"""host: events that fire for every piece of text or file; nothing is worth a process for each."""


def borg(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    return subprocess.run(
        [sys.executable, "-m", "borgd", *arguments], env=env, capture_output=True, text=True, timeout=240, check=True
    )


def test_installed_five_times_the_settings_are_the_same_bytes(home: Path) -> None:
    """With a person's own entries beside ours, and with copies of ours that something else multiplied."""
    path = home / ".claude/settings.json"
    path.parent.mkdir()
    foreign = {"hooks": [{"type": "command", "command": "/usr/bin/true"}]}
    path.write_text(json.dumps({"model": "x", "hooks": {"Stop": [foreign], "Other": [foreign]}}, indent=4))
    seen = set()
    for _ in range(5):
        borg(home, "install", "claude-code", "--apply")
        seen.add(path.read_bytes())
    assert len(seen) == 1
    settings = json.loads(path.read_text())
    for groups in settings["hooks"].values():
        groups.extend([group for group in groups if group != foreign] * 11)
    path.write_text(json.dumps(settings, indent=4))
    borg(home, "install", "claude-code", "--apply")
    assert json.loads(path.read_bytes()) == json.loads(next(iter(seen)))


def test_every_entry_is_one_absolute_program_with_bounds(home: Path) -> None:
    """No shell, no relative path, no interpreter before it, a timeout of seconds: nothing a changed directory breaks."""
    borg(home, "install", "claude-code", "--apply")
    hooks = json.loads((home / ".claude/settings.json").read_text())["hooks"]
    for event, groups in hooks.items():
        [hook] = [hook for group in groups for hook in group["hooks"]]
        assert os.access(hook["command"], os.X_OK)
        assert Path(hook["command"]).is_absolute()
        assert hook["args"] == ["claude-code", event]
        assert 1 <= hook["timeout"] <= 5
        assert "onFailure" not in hook
    assert set(hooks) <= {name for name, moment in MOMENTS.items() if moment is not Moment.OTHER}
    assert not set(hooks) & NOISY


def test_only_events_that_are_used_are_asked_for() -> None:
    """Each registered event is a process for every time it fires."""
    for agent in ("claude-code",):
        events = set(json.loads((shipped("hooks") / agent / "hooks.json").read_text()))
        assert events <= set(MOMENTS)
        assert not events & NOISY
        assert len(events) <= 12


def test_a_home_behind_a_link_with_a_space_and_a_quote(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Client and daemon meet whichever way the home is written, and whatever its name holds."""
    tmp_path = tmp_path_factory.mktemp("h")  # short: a socket's path has some hundred bytes
    real = tmp_path / "a 'ö\""
    real.mkdir(mode=0o700)
    linked = tmp_path / "linked"
    linked.symlink_to(real)
    write_lessons(real, CAP)
    write_config(real, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    with running_daemon(real) as env:
        for number, home in enumerate((real, linked)):
            body = {"session_id": f"s{number}", "cwd": "/w/orion", "prompt": TASK, "prompt_id": "p"}
            assert b"CAP" in client({**env, "HOME": str(home)}, "UserPromptSubmit", json.dumps(body).encode())


def test_a_state_directory_that_is_a_link_to_another_volume(tmp_path: Path) -> None:
    """The directories themselves may be links; nothing is made beside them."""
    home = Home(tmp_path / "home")
    volume = tmp_path / "volume"
    for directory in (home.directory, volume, volume / "state", volume / "claude"):
        directory.mkdir(mode=0o700)
    (home.directory / ".local").mkdir(mode=0o700)
    (home.directory / ".local/state").symlink_to(volume / "state")
    (home.directory / ".claude").symlink_to(volume / "claude")
    with home.daemon():
        assert home.client("Stop", b'{"session_id": "s"}').stdout.startswith(b"{")
    borg(home.directory, "install", "claude-code", "--apply")
    assert (home.directory / ".claude").is_symlink()
    assert (volume / "claude/settings.json").is_file()


@pytest.mark.anyio
async def test_work_in_the_home_directory_itself(home: Path) -> None:
    """Hooks work there as anywhere, and the home is not watched for it."""
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    (home / "s1.jsonl").write_text("")
    async with running_service() as service:
        agent = Agent(service, cwd=str(home))
        agent.common["transcript_path"] = str(home / "s1.jsonl")
        assert "CAP" in await agent.prompt(TASK)
        assert _forbidden(home)
        assert home not in service.watcher._parents()


@pytest.mark.anyio
@pytest.mark.parametrize(
    "place", ["/", "/proc/self", "/dev", "/sys/kernel", "/nonexistent/x", "relative/dir", "~", "C:\\work"]
)
async def test_any_place_is_a_place_to_work(home: Path, place: str) -> None:
    """Roots, devices, other systems' paths and none at all: the prompt is answered."""
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    async with running_service() as service:
        agent = Agent(service, cwd=place)
        agent.common["transcript_path"] = f"{place}/t.jsonl"
        assert "CAP" in await agent.prompt(TASK)


def test_the_hook_runs_from_a_shell_too(home: Path) -> None:
    """Some hosts hand the command line to a shell: quoted as shells quote, it is the same program."""
    borg(home, "install", "claude-code", "--apply")
    [group] = json.loads((home / ".claude/settings.json").read_text())["hooks"]["Stop"]
    [hook] = group["hooks"]
    line = shlex.join([hook["command"], *hook["args"]])
    done = subprocess.run(
        line, shell=True, env={"HOME": str(home), "PATH": os.environ["PATH"]}, input=b'{"session_id":"s"}',
        capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"{}\n")
