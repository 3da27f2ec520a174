"""What people met at the end of a turn elsewhere: loops, repeated questions, a Stop that is not the turn's end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from tests.server.support import Agent, client, lesson, running_daemon, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson(
    "CAP",
    "When the retry limit of the uploader changes, is the backoff cap raised with it?",
    situations=["changing the retry limit or the backoff of the uploader"],
    scope=["Orion"],
)
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def journal(home: Path, name: str, kind: type[Any]) -> list[Any]:
    return Journal(home / ".local/share/borgd" / f"{name}.jsonl").read(kind).records


async def working(agent: Agent) -> None:
    """A prompt, and an edit that makes its end worth a question."""
    await agent.prompt(TASK)
    await agent.edit("src/config.py", "LIMIT = 8")


@pytest.mark.parametrize("again", [True, False])
async def test_twenty_stops_in_a_row_are_blocked_at_most_once(orion: Path, again: bool) -> None:
    """Whether or not the host says that it was blocked before, the agent gets away after one question."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        reasons = [await agent.stop(DONE)]
        reasons += [await agent.stop(f"{DONE} {number}", stop_hook_active=again) for number in range(20)]
    assert [bool(reason) for reason in reasons] == [True] + 20 * [False]


async def test_a_host_without_any_flag_or_message_is_not_held_either(orion: Path) -> None:
    """A host that sends the same bare Stop for ever is let go after one block."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        answers = [await agent.send("Stop") for _ in range(20)]
    assert sum(answer != {} for answer in answers) == 1


async def test_the_count_of_blocks_survives_tool_calls_and_reports_of_the_machine(orion: Path) -> None:
    """Work between two Stops, and a task's report that comes as a prompt, do not open the way for another block."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        blocks = 0
        for number in range(9):
            blocks += bool(await agent.stop(f"{DONE} {number}"))
            await agent.edit(f"src/uploader_{number}.py", "retry limit")
            await agent.prompt("<task-notification>\n<task-id>a1</task-id> the uploader of Orion, retry limit")
            await agent.tool("Read", {"file_path": "/w/orion/a.py"})
    assert blocks == 1


async def test_a_stop_sent_twice_is_asked_once_and_not_judged_by_what_was_said_before_the_question(orion: Path) -> None:
    """Hooks that are registered twice fire twice: the second call must not take the blocked message for the answer."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        assert await agent.stop(DONE)
        assert await agent.stop(DONE) == ""
        assert journal(orion, "outcomes", Outcome) == []
        await agent.stop("CAP: applies - the cap is raised too", stop_hook_active=True)
        await agent.stop("CAP: applies - the cap is raised too", stop_hook_active=True)
    assert [one.kind for one in journal(orion, "outcomes", Outcome)] == ["changed"]
    assert len([one for one in journal(orion, "decisions", Decision) if one.channel == "stop"]) == 1


async def test_the_same_last_words_under_a_new_prompt_are_a_new_stop(orion: Path) -> None:
    """Only the very Stop that was blocked is a repetition; a person who spoke again opened another turn."""
    write_lessons(orion, CAP, {**CAP, "id": "CAP2", "question": CAP["question"] + " And its jitter?"})
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        assert await agent.stop(DONE)
        await agent.prompt("Go on")
        await agent.stop(DONE)
    assert {one.decision for one in journal(orion, "outcomes", Outcome)} != set()


async def test_a_running_background_task_keeps_the_turn_open(orion: Path) -> None:
    """Neither a question nor a judgement while something that the agent started still runs."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        for _ in range(5):
            assert await agent.stop(DONE, background_tasks=[{"id": "b", "status": "running"}]) == ""
        assert journal(orion, "outcomes", Outcome) == []
        assert await agent.stop(DONE, background_tasks=[{"id": "b", "status": "completed"}])


async def test_an_answer_never_says_continue_and_never_adds_context_to_a_stop(orion: Path) -> None:
    """Both would prolong the turn: one without a reason, the other without a question."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        blocked = await agent.send("Stop", last_assistant_message=DONE, stop_hook_active=False)
        quiet = await agent.send("Stop", last_assistant_message="x", stop_hook_active=True)
    assert set(blocked) == {"decision", "reason"}
    assert quiet == {}


async def test_a_subagents_stop_without_its_id_is_nothing_at_all(orion: Path) -> None:
    """It must not speak for the main thread, take its last words' place, or switch it to another transcript."""
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(orion / "main.jsonl")
        (orion / "main.jsonl").write_text("")
        await working(agent)
        main = service.sessions.get("claude-code", "s1")
        tail = main.tail
        sent = {"last_assistant_message": "sub", "agent_transcript_path": str(orion / "sub.jsonl")}
        assert await agent.send("SubagentStop", **sent) == {}
        assert await agent.send("SubagentStop", agent_id="", agent_type="", **sent) == {}
        assert main.last_message != "sub"
        assert main.tail is tail
        assert await agent.stop(DONE)


def test_a_stop_without_anything_to_say_prints_one_empty_object(home: Path) -> None:
    """Silence is a whole JSON object and exit 0: an empty stdout is an error to some hosts, a loop to others."""
    body = {"session_id": "s", "cwd": "/w", "hook_event_name": "Stop", "stop_hook_active": True}
    with running_daemon(home) as env:
        for event in ("Stop", "SubagentStop", "SessionEnd", "PreToolUse", "NoSuchEvent"):
            assert client(env, event, json.dumps(body).encode()) == b"{}\n"
