"""What is forgotten stays forgotten while the daemon runs: nothing it still remembered is written down again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import anyio.to_thread
import pytest

from borgd.cli import dispatch
from borgd.journal import Journal
from borgd.memory.records import Outcome
from tests.server.support import Agent, client, lesson, running_daemon, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson(
    "CAP",
    "When the retry limit of the uploader changes, is the backoff cap raised with it?",
    consequence="The uploader hammers the storage backend until it is throttled.",
    situations=["changing the retry limit or the backoff of the uploader"],
    scope=["Orion"],
)
LOG = {**CAP, "id": "LOG", "question": "When the retry limit of the uploader changes, is each retry of the uploader logged?"}
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP, LOG)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n[people]\nengineer = 'mira'\n")
    return home


def outcomes(home: Path) -> list[Outcome]:
    return Journal(home / ".local/share/borgd/outcomes.jsonl").read(Outcome).records


def states(home: Path) -> list[str]:
    return sorted(path.name for path in (home / ".local/state/borgd/sessions").iterdir())


async def forget(service: Any, *argv: str, told: bool = True) -> None:
    """``borg forget`` in this process; ``told``: the daemon hears of it before and after, as the command does it."""

    async def call(sessions: Iterable[str], lessons: Iterable[str], since_ms: int) -> None:
        body = {"sessions": sorted(sessions), "lessons": sorted(lessons), "since_ms": since_ms}
        await service.call("forget", json.dumps(body).encode())

    name = argv[-1]
    span = 0 if argv[0] == "--since" else -1
    sessions, lessons = ([name], []) if argv[0] == "--session" else ([], [] if span == 0 else [name])
    if told:
        await call(sessions, lessons, span)
    assert await anyio.to_thread.run_sync(dispatch, ["forget", *argv]) == 0
    if told:
        await call(sessions, lessons, span)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("end", ["SessionEnd", "expire", "close"])
async def test_a_forgotten_session_writes_nothing_more(orion: Path, end: str, *, told: bool) -> None:
    async with running_service() as service:
        agent, other = Agent(service), Agent(service, "s2")
        assert "CAP" in await agent.prompt(TASK)
        assert "CAP" in await other.prompt(TASK)
        await agent.edit("src/config.py", "LIMIT = 8")
        assert await agent.stop(DONE)
        await forget(service, "--session", "s1", told=told)
        if end == "SessionEnd":
            await agent.send("SessionEnd", reason="other")
        if end == "expire":
            await service._expire(time.time_ns() // 1_000_000 + service.sessions.idle_ms + 1000)
    assert {one.session for one in outcomes(orion)} <= {"s2"}
    assert not any("s1" in name for name in states(orion)) or end == "SessionEnd"
    texts = "".join(path.read_text() for path in (orion / ".local/state/borgd/sessions").glob("*-s1*.ctx"))
    assert "uploader" not in texts
    assert "CAP" not in texts


@pytest.mark.parametrize("told", [True, False])
async def test_a_forgotten_lesson_gets_no_outcome_and_the_others_do(orion: Path, *, told: bool) -> None:
    async with running_service() as service:
        agent = Agent(service)
        early = await agent.prompt(TASK)
        assert "CAP" in early
        assert "LOG" in early
        await forget(service, "CAP", told=told)
        await agent.edit("src/config.py", "LIMIT = 8")
        block = await agent.stop(DONE)
        assert "CAP" not in block
        await agent.stop("CAP: applies - x\nLOG: applies - y", stop_hook_active=True)
        await agent.send("SessionEnd", reason="other")
        if told:
            session = service.sessions.get("claude-code", "s1")
            assert "CAP" not in session.told() | session.acted
            assert all(entry.id != "CAP" for one in session.decisions for entry in one.pool)
    assert {one.lesson for one in outcomes(orion)} == {"LOG"}
    assert not any("CAP" in path.read_text() for path in (orion / ".local/state/borgd/sessions").iterdir())


async def test_a_lesson_blanked_in_a_state_file_is_no_lesson_after_a_restart(orion: Path) -> None:
    async with running_service() as service:
        assert "CAP" in await Agent(service).prompt(TASK)
    dispatch(["forget", "CAP"])
    async with running_service() as service:
        await Agent(service).send("SessionEnd", reason="other")
    assert {one.lesson for one in outcomes(orion)} == {"LOG"}


async def test_a_forgotten_span_of_time_takes_the_sessions_of_that_time(orion: Path) -> None:
    async with running_service() as service:
        agent, old = Agent(service), Agent(service, "old")
        await agent.prompt(TASK)
        await old.prompt(TASK)
        service.sessions.get("claude-code", "old").last_ms = 5
        await service.call("forget", json.dumps({"since_ms": 10}).encode())
        assert [one.id for one in service.sessions.live.values()] == ["old"]
        await agent.send("SessionEnd", reason="other")
    assert outcomes(orion) == []


async def test_a_session_is_not_forgotten_under_the_hands_of_its_own_event(orion: Path) -> None:
    """The event at work is finished first, the one that waits starts from nothing."""
    async with running_service() as service:
        agent = Agent(service)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.prompt, TASK)
            await anyio.lowlevel.checkpoint()
            tasks.start_soon(service.call, "forget", b'{"sessions": ["s1"]}')
            tasks.start_soon(agent.stop, DONE)
        await agent.send("SessionEnd", reason="other")
    assert outcomes(orion) == []


async def test_forget_takes_only_what_it_is_made_for(orion: Path) -> None:
    async with running_service() as service:
        await Agent(service).prompt(TASK)
        bodies: list[dict[str, Any]] = [{}, {"sessions": []}, {"sessions": [""]}, {"since_ms": -1}, {"lessons": ["X"]}]
        for body in bodies:
            answer = await service.call("forget", json.dumps(body).encode())
            assert json.loads(answer.out)["sessions"] == 0, body
        assert len(service.sessions.live) == 1


def test_the_command_and_a_real_daemon(home: Path) -> None:
    write_lessons(home, CAP, LOG)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")
    with running_daemon(home) as env:

        def reaches(name: str) -> bool:
            body = {"session_id": name, "cwd": "/w/orion", "prompt": TASK, "prompt_id": "p1"}
            return b"CAP" in client(env, "UserPromptSubmit", json.dumps(body).encode())

        assert reaches("s1")
        assert reaches("s2")
        for target in (["--session", "s1"], ["CAP"]):
            done = subprocess.run(
                [sys.executable, "-I", "-m", "borgd", "forget", *target],
                env=env,
                capture_output=True,
                timeout=240,
                check=True,
            )
            assert done.stderr == b""
        for name in ("s1", "s2"):
            client(env, "SessionEnd", json.dumps({"session_id": name, "cwd": "/w/orion", "reason": "other"}).encode())
    assert {(one.session, one.lesson) for one in outcomes(home)} == {("s2", "LOG")}
    for path in home.rglob("*"):
        if path.is_file() and path.name not in ("lessons.jsonl", "daemon.log"):
            assert b"CAP" not in path.read_bytes(), path


async def test_subagents_end_with_their_parent(orion: Path) -> None:
    """Live ones, and those that only their files know; those of another session go on."""
    async with running_service() as service:
        await work_as_subagent(Agent(service, cwd="/w"), "sub0")
    async with running_service() as service:
        agent, other = Agent(service, cwd="/w"), Agent(service, "s1x", cwd="/w")
        await work_as_subagent(agent, "sub1")
        await work_as_subagent(other, "sub2")
        assert outcomes(orion) == []
        await agent.send("SessionEnd", reason="other")
        first = outcomes(orion)
        assert {one.decision for one in first} == decided(orion, "s1", {"sub0", "sub1"})
        assert {one.kind for one in first} == {"not_corrected"}
        await agent.send("SessionEnd", reason="other")
        assert outcomes(orion) == first


async def work_as_subagent(agent: Agent, name: str) -> None:
    tool = {"tool_name": "Edit", "tool_input": {"file_path": "/w/orion/uploader/retry_limit.py", "new_string": "LIMIT = 8"}}
    await agent.send("PostToolUse", agent_id=name, agent_type="Explore", tool_use_id=f"x{name}", **tool, tool_response={})
    await agent.send("SubagentStop", agent_id=name, agent_type="Explore", last_assistant_message=DONE)


def decided(home: Path, session: str, subagents: set[str]) -> set[str]:
    records = Journal(home / ".local/share/borgd/decisions.jsonl").read().records
    found = {one["subagent"]: one["id"] for one in records if one["session"] == session}
    assert set(found) == subagents
    return set(found.values())


@pytest.mark.parametrize("reason", ["clear", "resume"])
async def test_a_session_that_goes_on_elsewhere_is_judged_when_it_falls_silent(orion: Path, reason: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.send("SessionEnd", reason=reason)
        assert outcomes(orion) == []
        await service._expire(time.time_ns() // 1_000_000 + service.sessions.idle_ms + 1000)
    assert {one.kind for one in outcomes(orion)} == {"unclear"}


async def test_an_end_is_written_down(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.send("SessionEnd", reason="other")
        path = service.sessions.get("claude-code", "s1").file.path
        assert "#borg-ended" in path.read_text()
