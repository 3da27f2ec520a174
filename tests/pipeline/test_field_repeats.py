"""What people met where hooks fire more than once: doubled effects, doubled records, work that grows with the copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from tests.pipeline.test_field_stops import CAP, DONE, TASK, working
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP, lesson("TWIN", "Is the uploader's changelog updated?", scope=["Vega"], source="constraint"))
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def journal(home: Path, name: str, kind: type[Any] = dict) -> list[Any]:
    path = home / ".local/share/borgd" / f"{name}.jsonl"
    return Journal(path).read(kind).records if kind is not dict else list(Journal(path).read().records)


async def at_once(service: Any, event: str, body: dict[str, Any], copies: int) -> list[dict[str, Any]]:
    """The answers to ``copies`` of the same event sent at the same time."""
    answers: list[dict[str, Any]] = []
    data = json.dumps({"session_id": "s1", "cwd": "/w/orion", "hook_event_name": event, **body}).encode()

    async def one() -> None:
        answers.append(json.loads(await service.hook("claude-code", event, data)))

    async with anyio.create_task_group() as tasks:
        for _ in range(copies):
            tasks.start_soon(one)
    return answers


EDIT = {"tool_name": "Edit", "tool_use_id": "t9", "tool_input": {"file_path": "/w/vega/a.py", "new_string": "x"}}


@pytest.mark.parametrize(
    ("event", "body", "told"),
    [
        ("UserPromptSubmit", {"prompt": TASK, "prompt_id": "p1"}, 1),
        ("UserPromptSubmit", {"prompt": TASK}, 1),
        ("PreToolUse", EDIT, 0),
        ("PostToolUse", EDIT, 1),
        ("SessionStart", {"source": "startup"}, 0),
        ("SubagentStop", {"agent_id": "a1", "agent_type": ""}, 0),
        ("Notification", {"notification_type": "permission_prompt"}, 0),
    ],
)
async def test_a_hundred_copies_of_an_event_are_told_at_most_once(
    orion: Path, event: str, body: dict[str, Any], told: int
) -> None:
    """With ids and without, whatever the event: one answer speaks, one record is written, the state changes once."""
    async with running_service() as service:
        answers = await at_once(service, event, body, 100)
        assert sum(answer != {} for answer in answers) == told
        session = service.sessions.get("claude-code", "s1")
        assert len(session.prompts) == (event == "UserPromptSubmit")
        assert len(session.changed_lines) <= 1
    assert len(journal(orion, "decisions", Decision)) == told


@pytest.mark.parametrize("copies", [2, 3, 8, 30])
async def test_what_compaction_took_comes_back_once_however_many_configurations_call(
    orion: Path, monkeypatch: pytest.MonkeyPatch, copies: int
) -> None:
    """A user's and a project's settings both name the hook: one block a compaction."""
    now_ms = 1_800_000_000_000
    monkeypatch.setattr("borgd.clock.now_ms", lambda: now_ms)
    async with running_service() as service:
        assert await Agent(service).prompt(TASK)
        for _ in range(2):
            now_ms += 60_000
            answers = await at_once(service, "SessionStart", {"source": "compact"}, copies)
            assert [list(answer) for answer in answers if answer] == [["hookSpecificOutput"]]


async def test_a_person_may_say_the_same_twice(orion: Path) -> None:
    """Without any id only what comes within a second is the same event; "go on" twice is two prompts."""
    async with running_service() as service:
        agent = Agent(service)
        for prompt_id in ("p1", "p2"):
            await agent.send("UserPromptSubmit", prompt="go on", prompt_id=prompt_id)
        assert len(service.sessions.get("claude-code", "s1").prompts) == 2


async def test_a_tool_call_that_fails_and_is_reported_as_both_counts_by_each(orion: Path) -> None:
    """The announcement, the end and the failure of one call are three events, each once."""
    async with running_service() as service:
        agent = Agent(service)
        call = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "pytest -q"}}
        for _ in range(2):
            await agent.send("PreToolUse", **call)
            await agent.send("PostToolUseFailure", **call, error="1 failed")
        assert service.sessions.get("claude-code", "s1").red == {"pytest -q"}


async def test_an_outcome_is_told_once_however_much_happens_in_between(orion: Path) -> None:
    """More tool calls than event keys are remembered lie between two looks at the same evidence."""
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        await agent.stop(DONE)
        await agent.stop("CAP: applies - the cap is raised too", stop_hook_active=True)
        session = service.sessions.get("claude-code", "s1")
        told = len(journal(orion, "outcomes", Outcome))
        for number in range(700):
            session.first_seen("PostToolUse", f"u{number}")
        for decision in session.decisions:
            await service.assembly.outcomes.tell(session, journal(orion, "outcomes", Outcome))  # type: ignore[union-attr]
            assert decision.id
    assert len(journal(orion, "outcomes", Outcome)) == told == 1


async def test_one_permission_dialog_for_a_question_is_one_interruption(orion: Path) -> None:
    """The host raises a permission dialog for the question's own tool as well: it is charged once."""
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Let us see")
        questions = [{"question": "Which one?", "header": "h", "options": [{"label": "a"}, {"label": "b"}]}]
        call = {"tool_name": "AskUserQuestion", "tool_input": {"questions": questions}, "tool_use_id": "q1"}
        await agent.send("PreToolUse", **call)
        for _ in range(3):
            await agent.send("PermissionRequest", tool_name="AskUserQuestion", tool_input={"questions": questions})
            await agent.send("Notification", notification_type="permission_prompt", message="waiting")
        await agent.send("PostToolUse", **call, tool_response={"answers": {"Which one?": "a"}})
        status = service.status()["interrupts"]
    assert status["observed"] == 0
    spent = [scope["spent"] for scope in status["scopes"].values()]
    assert max(spent) <= 1
