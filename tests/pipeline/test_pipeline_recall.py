"""An event's way through the service: what is told, when, how often; what is written down; what survives a restart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from borgd.journal import Journal
from borgd.memory.records import Decision, Outcome
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson(
    "CAP",
    "When the retry limit of the uploader changes, is the backoff cap raised with it?",
    consequence="The uploader hammers the storage backend until it is throttled.",
    situations=["changing the retry limit or the backoff of the uploader", "editing uploader_retry.py"],
    scope=["Orion"],
    area="reliability",
    engineers=["mira"],
)
TASK = "In Orion, raise the retry limit of the uploader from 3 to 8, and keep the backoff cap of the uploader as it is."
DONE = "The uploader of Orion now has a retry limit of 8; the backoff cap is unchanged."
STANDING = lesson("RULE", "Is the changelog updated?", scope=["Orion"], source="constraint")


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n[people]\nengineer = 'mira'\n")
    return home


def journal(home: Path, name: str, kind: type[Any]) -> list[Any]:
    return Journal(home / ".local/share/borgd" / f"{name}.jsonl").read(kind).records


async def test_a_session_from_prompt_to_outcome(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.send("SessionStart", source="startup")
        early = await agent.prompt(TASK)
        assert "CAP" in early
        await agent.edit("src/config.py", "LIMIT = 8")
        block = await agent.stop(DONE)
        assert "CAP" in block
        assert "applies - " in block
        assert await agent.stop("CAP: applies - the cap is raised too", stop_hook_active=True) == ""
        assert service.assembly is not None
        assert service.assembly.knowledge.memory.belief("CAP").alpha == 2
    decisions = journal(orion, "decisions", Decision)
    assert [one.channel for one in decisions] == ["early", "stop"]
    for one in decisions:
        assert (one.agent, one.session, one.engineer, one.prompt_id) == ("claude-code", "s1", "mira", "p1")
        assert all(0 < entry.p <= 1 for entry in one.pool)
        assert one.micros > 0
    [outcome] = journal(orion, "outcomes", Outcome)
    assert (outcome.lesson, outcome.kind, outcome.area) == ("CAP", "changed", "reliability")
    assert "applies" in outcome.evidence


async def test_nothing_applies_nothing_is_said(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/elsewhere")
        assert await agent.prompt("What does idempotent mean?") == ""
        await agent.edit("notes.md", "hello")
        assert await agent.stop("It means that doing it twice is doing it once.") == ""
    assert journal(orion, "decisions", Decision) == []


async def test_the_same_event_twice_is_told_once(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        first = await agent.prompt(TASK)
        agent.prompts = 0
        assert first
        assert await agent.prompt(TASK) == ""
    assert len(journal(orion, "decisions", Decision)) == 1


async def test_a_hundred_identical_requests_at_once_have_one_effect(orion: Path) -> None:
    answers: list[dict[str, Any]] = []
    async with running_service() as service:
        agent = Agent(service)

        async def one() -> None:
            answers.append(await agent.send("UserPromptSubmit", prompt=TASK, prompt_id="p1"))

        async with anyio.create_task_group() as tasks:
            for _ in range(100):
                tasks.start_soon(one)
    assert sum(answer != {} for answer in answers) == 1
    assert len(journal(orion, "decisions", Decision)) == 1


@pytest.mark.parametrize(
    "prompt",
    [
        "<task-notification>\nOrion uploader retry limit backoff",
        "Stop hook feedback:\nOrion uploader",
        "  ",
        "[borg] Orion uploader",
    ],
)
async def test_a_prompt_that_no_person_typed_is_not_the_user(orion: Path, prompt: str) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/elsewhere")
        assert await agent.prompt(prompt) == ""
        assert service.sessions.get("claude-code", "s1").prompts == []


async def test_a_turn_that_changed_nothing_is_not_blocked(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.tool("Read", {"file_path": "/w/orion/src/config.py"})
        assert await agent.stop(DONE) == ""


async def test_at_most_one_block_a_prompt_whatever_the_agent_does_between(orion: Path) -> None:
    write_lessons(orion, CAP, *({**CAP, "id": f"CAP{number}"} for number in range(30)))
    write_config(orion, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.0001\n")
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        blocks = 0
        for number in range(12):
            await agent.edit(f"src/uploader_{number}.py", f"LIMIT = {number}")
            blocks += bool(await agent.stop(DONE))
        assert blocks == 1
        await agent.prompt(TASK)
        await agent.edit("src/uploader_again.py", "LIMIT = 9")
        assert await agent.stop(DONE)


async def test_while_a_background_task_runs_the_turn_is_not_over(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.edit("src/config.py", "LIMIT = 8")
        assert await agent.stop(DONE, background_tasks=[{"id": "a", "status": "running"}]) == ""
        assert await agent.stop(DONE) != ""


async def test_what_compaction_took_comes_back(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        again = await agent.send("SessionStart", source="compact")
        assert "CAP" in again["hookSpecificOutput"]["additionalContext"]
        assert await agent.send("SessionStart", source="resume") == {}
    assert len(journal(orion, "decisions", Decision)) == 1


async def test_a_standing_lesson_comes_with_its_system_matched_or_not(orion: Path) -> None:
    write_lessons(orion, STANDING)
    async with running_service() as service:
        agent = Agent(service, cwd="/w/elsewhere")
        assert await agent.prompt("Hello there") == ""
        assert "RULE" in await agent.prompt("Now something about Orion")
        assert await agent.prompt("And Orion again") == ""
    [decision] = journal(orion, "decisions", Decision)
    assert decision.pool[0].p == 1


async def test_a_restart_forgets_nothing(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        assert await agent.prompt(TASK)
        await agent.edit("src/config.py", "LIMIT = 8")
        assert await agent.stop(DONE)
    async with running_service() as service:
        agent = Agent(service)
        assert await agent.prompt(TASK) == "", "the same prompt event again"
        agent.prompts = 1
        assert await agent.stop("CAP: skip - there is no cap", stop_hook_active=True) == ""
        assert await agent.stop(DONE) == "", "blocked once for this prompt already"
        session = service.sessions.get("claude-code", "s1")
        assert session.prompts == [TASK]
        assert list(session.touches) == ["src/config.py"]
        assert session.cwd == "/w/orion"
    assert [one.kind for one in journal(orion, "outcomes", Outcome)] == ["not_arisen"]


async def test_what_someone_appends_to_the_state_file_is_work(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/elsewhere")
        assert await agent.prompt("Please finish what the notes say.") == ""
        path = service.sessions.get("claude-code", "s1").file.path
        with path.open("a") as other:
            other.write(f"{TASK}\n#borg-asked d1 CAP\n")
        await agent.edit("src/config.py", "LIMIT = 8")
        assert "CAP" in await agent.stop(DONE)


async def test_subagents_have_a_state_of_their_own(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.send(
            "PostToolUse", agent_id="sub1", agent_type="Explore", tool_name="Edit", tool_use_id="x1",
            tool_input={"file_path": "/w/orion/a.py", "new_string": "x"}, tool_response={},
        )  # fmt: skip
        assert not service.sessions.get("claude-code", "s1").changed
        assert service.sessions.get("claude-code", "s1", "sub1").changed
        assert await agent.send("SubagentStop", agent_id="sub9", agent_type="", stop_hook_active=False) == {}


async def test_without_a_log_nothing_is_shown(orion: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_service() as service:
        agent = Agent(service)
        assert service.assembly is not None
        decisions = service.assembly.recall.decisions
        blocked = decisions.path.parent / "decisions.jsonl"
        blocked.mkdir()  # a directory where the journal should be: no append can succeed
        with pytest.raises(Exception, match="decisions"):
            await agent.prompt(TASK)
        blocked.rmdir()
        assert "CAP" in await agent.prompt(TASK)


async def test_a_veto_as_a_prompt(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        assert "takes back 1" in await agent.prompt("borg no: the cap is fixed by the backend")
    [outcome] = journal(orion, "outcomes", Outcome)
    assert (outcome.kind, outcome.credit, "backend" in outcome.evidence) == ("vetoed", 1.0, True)


async def test_a_correction_reaches_what_was_shown(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.edit("src/config.py", "LIMIT = 8")
        await agent.stop(DONE)
        await agent.stop("CAP: skip - the cap stays", stop_hook_active=True)
        await agent.prompt("No, that's wrong: you must raise the backoff cap of the uploader in Orion with the retry limit.")
    kinds = [one.kind for one in journal(orion, "outcomes", Outcome)]
    assert "corrected" in kinds


async def test_the_end_of_a_session_judges_the_rest(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt(TASK)
        await agent.stop("I have read it and changed nothing.")
        await agent.send("SessionEnd", reason="other")
    [outcome] = journal(orion, "outcomes", Outcome)
    assert outcome.kind == "not_corrected"
    assert "ended" in outcome.evidence


async def test_new_lessons_and_settings_are_taken_in_while_it_runs(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/elsewhere")
        write_lessons(orion, CAP, STANDING)
        assert "RULE" in await agent.prompt("Something about Orion")
        write_config(orion, "[recall]\nholdoutt = 1\n")
        service._reconfigure()
        assert "holdoutt" in service.status()["problems"][0]
        write_config(orion, "[recall]\nholdout = 1.0\n")
        service._reconfigure()
        assert service.assembly is not None
        assert service.assembly.recall.policy.holdout == 1.0


async def test_bad_lines_are_reported_and_cost_only_themselves(orion: Path) -> None:
    path = orion / ".local/share/borgd/lessons.jsonl"
    path.write_text('{"id": "X"}\nnot json\n' + json.dumps(STANDING) + "\n")
    async with running_service() as service:
        agent = Agent(service)
        assert "RULE" in await agent.prompt("Orion")
        problems = "\n".join(service.status()["problems"])
    assert "lessons.jsonl:1" in problems
    assert "question" in problems
    assert "lessons.jsonl:2" in problems
