"""A session file is read to its end whether or not events come, and what no hook told is taken from it, once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from borgd.server.service import Service
from borgd.sessions.session import Session
from borgd.sessions.transcript_tail import READ_BYTES
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CAP = lesson("CAP", "When the retry limit of the uploader changes, is the backoff cap raised?", scope=["Orion"])
TASK = "In Orion, raise the retry limit of the uploader."


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")
    return home


class File:
    """A session file that an agent writes, row by row."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = 0

    def add(self, kind: str, content: Any, *, after: int | None = None, **fields: Any) -> int:
        parent = self.rows if after is None else after
        self.rows += 1
        message = {"id": f"m{self.rows}", "role": kind, "content": content}
        known = {"type": kind, "uuid": f"u{self.rows}", "parentUuid": f"u{parent}" if parent else None, "message": message}
        with self.path.open("a") as file:
            file.write(json.dumps(known | fields) + "\n")
        return self.rows

    def prompt(self, text: str, id: str = "", **fields: Any) -> int:
        fields |= {"promptId": id} if id else {}
        return self.add("user", text, **fields)

    def says(self, text: str, **fields: Any) -> int:
        return self.add("assistant", [{"type": "text", "text": text}], **fields)

    def calls(self, name: str, **given: Any) -> int:
        return self.add("assistant", [{"type": "tool_use", "id": f"c{self.rows}", "name": name, "input": given}])

    def compacted(self) -> int:
        self.add("system", None, subtype="compact_boundary")
        return self.add("user", "The summary.", isCompactSummary=True)


@pytest.fixture
def file(tmp_path: Path) -> File:
    return File(tmp_path / "t.jsonl")


def speaking(service: Service, file: File) -> Agent:
    agent = Agent(service)
    agent.common["transcript_path"] = str(file.path)
    return agent


def session_of(service: Service) -> Session:
    return service.sessions.get("claude-code", "s1")


async def nothing(agent: Agent) -> None:
    """An event that says nothing, so that the file is read."""
    await agent.send("Notification", message="x", notification_type="idle_prompt")


async def test_a_long_file_is_read_to_its_end_without_another_event(orion: Path, file: File) -> None:
    for number in range(60):
        file.says("x" * 50_000, usage_note=number)
    file.calls("Edit", file_path="/w/orion/last.py")
    assert file.path.stat().st_size > 2 * READ_BYTES
    async with running_service() as service:
        agent = speaking(service, file)
        await nothing(agent)
        assert "last.py" not in session_of(service).touches
        with anyio.fail_after(120):
            while "last.py" not in session_of(service).touches:  # noqa: ASYNC110 (as an onlooker would)
                await anyio.sleep(0.01)


async def test_what_is_written_while_a_hook_reads_is_seen_by_the_watcher(orion: Path, file: File) -> None:
    """Whatever lies between the read and the end of the event is news."""
    file.says("x")
    async with running_service() as service:
        agent = speaking(service, file)
        await nothing(agent)
        session = session_of(service)
        assert session.tail is not None
        read = session.tail.read

        def and_then_it_grows(*limits: int) -> Any:
            facts = read(*limits)
            file.calls("Edit", file_path="/w/orion/late.py")
            session.tail.read = read  # type: ignore[method-assign, union-attr]
            return facts

        session.tail.read = and_then_it_grows  # type: ignore[method-assign, assignment]
        await nothing(agent)
        service.watcher.rescan()
        assert "late.py" in session.touches


async def test_prompts_that_no_hook_told_are_taken_in_their_order_and_once(orion: Path, file: File) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        await agent.prompt("First.", prompt_id="id1")
        file.prompt("First.", "id1")
        file.prompt("Second, while nobody listened. password=hunter2Correct9Horse", "id2")
        await agent.prompt("Third.", prompt_id="id3")
        file.prompt("Third.", "id3")
        await nothing(agent)
        expected = ["First.", "Second, while nobody listened. password=[redacted]", "Third."]
        assert session_of(service).prompts == expected
    async with running_service() as service:
        await nothing(speaking(service, file))
        assert session_of(service).prompts[-3:] == expected or sorted(session_of(service).prompts) == sorted(expected)
        assert len(session_of(service).prompts) == 3
    written = (orion / ".local/state/borgd/sessions/claude-code-s1.ctx").read_text()
    assert written.count("prompt: Second") == 1
    assert "hunter2" not in written


async def test_a_prompt_that_the_file_told_before_its_hook_is_answered_and_counts_once(orion: Path, file: File) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        file.prompt(TASK, "id1")
        assert "CAP" in await agent.prompt(TASK, prompt_id="id1")
        assert session_of(service).prompts == [TASK]


@pytest.mark.parametrize(
    "text",
    [
        "<task-notification>done</task-notification>",
        "<command-name>/clear</command-name>",
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "[borg] Before you finish: 1 question from earlier corrections on work like this.",
        "Stop hook feedback:\n[borg] x",
    ],
)
async def test_what_no_person_typed_is_no_prompt(orion: Path, file: File, text: str) -> None:
    file.prompt(text, "id1")
    file.prompt("An agent's words to its subagent.", agentId="a1", isSidechain=True)
    file.prompt("Meta.", "id2", isMeta=True)
    async with running_service() as service:
        await nothing(speaking(service, file))
        assert session_of(service).prompts == []


async def test_a_rewind_takes_back_what_was_said_after_it(orion: Path, file: File) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        await agent.prompt("First.", prompt_id="id1")
        file.prompt("First.", "id1")
        file.calls("Read", file_path="/w/orion/before.py")
        kept = file.says("Shall I?")
        await agent.prompt("A wrong turn.", prompt_id="id2")
        file.prompt("A wrong turn.", "id2")
        file.calls("Edit", file_path="/w/orion/wrong.py")
        file.calls("Edit", file_path="/w/orion/before.py")
        file.calls("ExitPlanMode", plan="Go wrong.")
        file.says("I went wrong.")
        await nothing(agent)
        session = session_of(service)
        assert session.plan == "Go wrong."
        assert list(session.touches) == ["wrong.py", "before.py"]
        await agent.prompt("The right turn.", prompt_id="id3")
        file.prompt("The right turn.", "id3", after=kept)
        await nothing(agent)
        assert session.prompts == ["First.", "The right turn."]
        assert list(session.touches) == ["before.py"]
        assert (session.plan, session.last_message) == ("", "")
        assert "wrong" not in session.work_text().lower()


async def test_lessons_come_again_at_the_next_prompt_after_a_compaction_that_no_hook_told(orion: Path, file: File) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        file.prompt(TASK, "id1")
        assert "CAP" in await agent.prompt(TASK, prompt_id="id1")
        for number in (2, 4):
            file.compacted()
            assert "CAP" in await agent.prompt("Go on.", prompt_id=f"id{number}")
            assert await agent.prompt("And on.", prompt_id=f"id{number + 1}") == ""


@pytest.mark.parametrize("row_first", [True, False])
async def test_a_compaction_that_a_hook_told_brings_them_once(orion: Path, file: File, row_first: bool) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        file.prompt(TASK, "id1")
        assert "CAP" in await agent.prompt(TASK, prompt_id="id1")
        for number in (2, 3):
            if row_first:
                file.compacted()
            again = await agent.send("SessionStart", source="compact")
            assert "CAP" in again["hookSpecificOutput"]["additionalContext"]
            if not row_first:
                file.compacted()
            assert await agent.prompt("Go on.", prompt_id=f"id{number}") == ""


async def test_compactions_before_the_daemon_met_the_file_bring_nothing(orion: Path, file: File) -> None:
    async with running_service() as service:
        agent = speaking(service, file)
        file.prompt(TASK, "id1")
        assert "CAP" in await agent.prompt(TASK, prompt_id="id1")
    file.compacted()
    async with running_service() as service:
        assert await speaking(service, file).prompt("Go on.", prompt_id="id2") == ""
