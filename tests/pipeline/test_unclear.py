"""What cannot be known is told as that: cut off, or never delivered. And tests that turned green, whenever they were red."""

from __future__ import annotations

import json
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome, PoolEntry
from borgd.protocol import frames as wire
from borgd.server.server import Server
from borgd.sessions.lines import apply_line
from borgd.sessions.session import Session
from borgd.sessions.state_file import StateFile
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson(
    "CAP",
    "When the retry limit of the uploader changes, is the backoff cap raised with it?",
    situations=["changing the retry limit or the backoff of the uploader"],
    scope=["Orion"],
)
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."
TEST = {"command": "pytest -q tests/uploader"}


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")
    return home


def kinds(home: Path) -> list[tuple[str, str, bool]]:
    """(channel, kind, withheld) of each outcome."""
    found = Journal(home / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    return [(one.channel, one.kind, one.held) for one in found]


def holding(home: Path, text: str) -> list[Path]:
    """The files that hold ``text``."""
    return [path for path in home.rglob("*") if path.is_file() and text in path.read_text(errors="replace")]


async def working(agent: Agent) -> None:
    await agent.prompt(TASK)
    await agent.edit("src/config.py", "LIMIT = 8")


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("stops", [0, 1, 2])
async def test_only_what_the_agent_stopped_after_is_judged_by_a_sessions_end(
    orion: Path, stops: int, restarted: bool
) -> None:
    """0: cut off at work. 1: cut off after the block. 2: it came to its end."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        for again in range(stops):
            await agent.stop(DONE, stop_hook_active=bool(again))
        if not restarted:
            await agent.send("SessionEnd", reason="other")
    if restarted:
        async with running_service() as service:
            await Agent(service).send("SessionEnd", reason="other")
    expected = {
        0: [("early", "unclear", False)],
        1: [("early", "not_corrected", False), ("stop", "unclear", False)],
        2: [("stop", "ignored", False), ("early", "not_corrected", False)],
    }
    assert kinds(orion) == expected[stops]


@pytest.mark.parametrize("stops", [0, 1])
async def test_what_was_withheld_ends_as_what_was_shown_does(orion: Path, stops: int) -> None:
    write_config(orion, "[recall]\nholdout = 1.0\npolicy = 'budget'\nfloor = 0.05\n")
    async with running_service() as service:
        await Agent(service, session="before").prompt(TASK)  # the first contact with a lesson is never withheld
        agent = Agent(service)
        await working(agent)
        for _ in range(stops):
            assert await agent.stop(DONE) == ""
        await agent.send("SessionEnd", reason="other")
    found = kinds(orion)
    assert {kind for _, kind, _ in found} == {"not_corrected" if stops else "unclear"}
    assert all(held for _, _, held in found)


async def test_unclear_moves_nothing_and_gives_way_to_what_becomes_known(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        await agent.send("SessionEnd", reason="other")
        assert service.assembly is not None
        assert service.assembly.knowledge.memory.results("CAP") == {}
        await agent.prompt("No, that's wrong: you must raise the backoff cap of the uploader in Orion with the retry limit.")
        assert "corrected" in service.assembly.knowledge.memory.results("CAP")


@pytest.mark.parametrize("restart_after", ["", "red", "delivered"])
@pytest.mark.parametrize("channel", ["early", "stop"])
async def test_a_suite_red_before_a_lesson_came_and_green_after_it_counts(
    orion: Path, channel: str, restart_after: str
) -> None:
    async def turn(agent: Agent, step: str) -> None:
        if step == "red":
            await agent.tool("Bash", TEST, fails="1 failed")
        elif step == "delivered":
            assert "CAP" in (await agent.prompt(TASK) if channel == "early" else await agent.stop(DONE))
        elif step == "green":
            await agent.tool("Bash", TEST)

    steps, state = ["red", "delivered", "green"], Agent
    if channel == "stop":
        steps = ["work", *steps]
    service_steps: list[list[str]] = [steps]
    if restart_after:
        cut = steps.index(restart_after) + 1
        service_steps = [steps[:cut], steps[cut:]]
    tools = prompts = 0
    for part in service_steps:
        async with running_service() as service:
            agent = state(service)
            agent.tools, agent.prompts = tools, prompts
            for step in part:
                if step == "work":
                    await working(agent)
                await turn(agent, step)
            tools, prompts = agent.tools, agent.prompts
    assert (channel, "tested", False) in kinds(orion)


@pytest.mark.parametrize("order", [["delivered", "red", "green"], ["red", "green", "delivered"], ["delivered", "green"]])
async def test_a_suite_that_was_not_red_before_counts_for_nothing(orion: Path, order: list[str]) -> None:
    async with running_service() as service:
        agent = Agent(service)
        for step in order:
            if step == "delivered":
                assert "CAP" in await agent.prompt(TASK)
            else:
                await agent.tool("Bash", TEST, fails="1 failed" if step == "red" else "")
    assert kinds(orion) == []


async def test_no_secret_of_a_test_command_is_written_down(orion: Path) -> None:
    secret = "sk-ant-REDACTED"
    async with running_service() as service:
        agent = Agent(service)
        command = {"command": f"API_KEY={secret} pytest -q"}
        await agent.tool("Bash", command, fails="1 failed")
        await agent.prompt(TASK)
        await agent.tool("Bash", command)
    assert ("early", "tested", False) in kinds(orion)
    assert holding(orion, secret) == []


def decision(name: str) -> Decision:
    entry = PoolEntry(id=f"L{name}", score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.9, shown=True)
    return Decision(id=name, ms=0, agent="a", session="s", channel="stop", pool=(entry,))


def test_a_share_of_green_tests_for_each_decision_before_which_they_were_red(tmp_path: Path) -> None:
    session = Session(("a", "s", ""), StateFile(tmp_path / "x.ctx"))
    session.turned("one", passed=False)
    session.decide(decision("d1"))
    session.turned("two", passed=False)
    session.decide(decision("d2"))
    assert session.turned("two", passed=True) == ["d2"]
    assert session.turned("one", passed=True) == ["d1", "d2"]
    assert session.turned("one", passed=True) == []


async def gone(service: Any, event: str, body: dict[str, Any]) -> Server:
    """A client that asks and is gone before the answer."""
    ours, theirs = socket.socketpair()
    listener = socket.socket(socket.AF_UNIX)
    server = Server(service, listener, "unused")
    theirs.sendall(wire.request("hook", "claude-code", event) + json.dumps({**body, "hook_event_name": event}).encode())
    theirs.close()
    ours.setblocking(False)
    server.stats.open += 1
    await server._serve(ours)
    listener.close()
    return server


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_client_that_was_gone_was_not_told(orion: Path, restarted: bool) -> None:
    common = {"session_id": "s1", "cwd": "/w/orion"}
    async with running_service() as service:
        server = await gone(service, "UserPromptSubmit", {**common, "prompt": TASK, "prompt_id": "p0"})
        assert server.stats.abandoned == 1
        assert service.status()["undelivered"] == 1
        assert kinds(orion) == [("early", "unclear", False)]
        if not restarted:
            assert "CAP" in await Agent(service).prompt("Go on with the uploader of Orion")
    if restarted:
        async with running_service() as service:
            assert "CAP" in await Agent(service).prompt("Go on with the uploader of Orion")


async def test_a_block_that_was_not_delivered_is_asked_again(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        body = {"session_id": "s1", "cwd": "/w/orion", "prompt_id": "p1", "stop_hook_active": False}
        await gone(service, "Stop", {**body, "last_assistant_message": DONE})
        session = service.sessions.get("claude-code", "s1")
        assert session.open_ask == ""
        again = Session(session.key, StateFile(session.file.path))
        for kind, text in again.file.load():
            apply_line(again, kind, text)
        assert (again.open_ask, again.asked, again.blocked) == ("", set(), {})
        assert "CAP" in await agent.stop(f"{DONE} Truly.")


async def test_an_event_that_came_meanwhile_is_not_taken_back_for_another(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Hello")
        assert "CAP" in await agent.prompt(TASK)
        body = {"session_id": "s1", "cwd": "/w/orion", "hook_event_name": "UserPromptSubmit"}
        late = json.dumps({**body, "prompt": "Hello", "prompt_id": "p1"}).encode()
        await service.undelivered("claude-code", "UserPromptSubmit", late)
        await service.undelivered("claude-code", "UserPromptSubmit", json.dumps({**body, "session_id": "new"}).encode())
        assert service.status()["undelivered"] == 0
        assert service.sessions.get("claude-code", "s1").delivered == {"CAP"}


async def test_a_quiet_commit_is_remembered_by_what_is_checked_out(orion: Path, tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()

    def git(*words: str) -> str:
        who = ["-c", "user.name=d", "-c", "user.email=d@e.invalid"]
        return subprocess.run(
            ["git", *who, *words], cwd=repository, check=True, capture_output=True, text=True
        ).stdout.strip()

    async def commit(agent: Agent, command: str, *, really: bool, fails: str = "") -> None:
        """Announced, run, reported, as an agent does."""
        agent.tools += 1
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"t{agent.tools}", "prompt_id": "p1"}
        await agent.send("PreToolUse", **call)
        if really:
            git("commit", "-q", "--allow-empty", "-m", f"t{agent.tools}")
        if fails:
            await agent.send("PostToolUseFailure", **call, error=fails)
        else:
            await agent.send("PostToolUse", **call, tool_response={"stdout": "", "stderr": ""})

    git("init", "-q", "-b", "main", ".")
    async with running_service() as service:
        agent = Agent(service, cwd=str(repository))
        await agent.prompt(TASK)
        await commit(agent, "git commit -qm first", really=True)
        first = git("rev-parse", "HEAD")
        await commit(agent, "git commit --dry-run -q", really=False)
        await commit(agent, "git commit -q && false", really=False, fails="nothing to commit")
        await commit(agent, "make", really=True)
        await commit(agent, "cd . && git -c x.y=z commit --quiet -am second", really=True)
        second = git("rev-parse", "HEAD")
    made = [one["id"] for one in Journal(orion / ".local/share/borgd/commits.jsonl").read().records]
    assert made == [first, second]
