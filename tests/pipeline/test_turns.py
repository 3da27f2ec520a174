"""Turns: what is typed while the agent works is heard, lost prompts move the turn, commands and subagents have work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.agents.event import Event, Moment
from borgd.journal import Journal
from borgd.lessons.episodes import Episode
from borgd.server.service import Service
from borgd.sessions.repeats import is_repeated
from borgd.sessions.session import Session
from borgd.sessions.state_file import StateFile
from borgd.sessions.turn import KNOWN_TURNS, Turns
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

QUAY = lesson("QUAY", "Does the Quay scheduler keep its lock while it sleeps?", scope=["Quay"])


def episodes(home: Path) -> list[Episode]:
    return Journal(home / ".local/share/borgd/episodes.jsonl").read(Episode).records


def session_of(service: Service, name: str = "s1") -> Session:
    return service.sessions.live["claude-code", name, ""]


def add_rows(path: Path, *rows: dict[str, Any]) -> None:
    with path.open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def queued(text: str, *, blocks: bool = True, number: int = 1) -> dict[str, Any]:
    """A row of the session file: a person typed this while the agent worked."""
    prompt: Any = [{"type": "text", "text": text}] if blocks else text
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}
    return {"type": "attachment", "uuid": f"q{number}", "attachment": attachment}


@given(st.lists(st.sampled_from(["", "a", "b", "c", "d"])))
def test_a_turn_moves_with_each_new_id_and_never_back(ids: list[str]) -> None:
    turns = Turns()
    moved = [turns.move(id) for id in ids]
    fresh = list(dict.fromkeys(id for id in ids if id))
    assert sum(moved) == turns.now.number == len(fresh)
    assert turns.now.id == (fresh[-1] if fresh else "")


def test_turns_are_remembered_within_a_bound() -> None:
    turns = Turns()
    for number in range(3 * KNOWN_TURNS):
        turns.move(f"p{number}")
    assert len(turns.known) == KNOWN_TURNS
    assert turns.now.number == 3 * KNOWN_TURNS


@pytest.mark.parametrize(
    "said",
    [
        "stop, not there. templates live in web/templates and nowhere else",
        "nein, so nicht. Vorlagen gehören immer nach web/templates",
        "non, pas là. les gabarits vont toujours dans web/templates",
        "いや、そこじゃなくて、テンプレートは必ず web/templates に置いてください",
    ],
)
async def test_what_is_typed_while_the_agent_works_is_heard_at_once(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Move the mail templates out of the code.")
        await agent.edit("src/mail.py", "TEMPLATE = load('src/mail_templates/welcome.html')")
        told = await agent.prompt(said, prompt_id="p1")
        assert "lesson propose" in told
        agent.prompts = 1
        assert session_of(service).prompts == ["Move the mail templates out of the code.", said]
        assert session_of(service).turns.now.number == 1
        assert session_of(service).changed
    [found] = episodes(home)
    assert found.task == "Move the mail templates out of the code."
    assert "src/mail.py" in found.proposal
    assert found.paths == ("src/mail.py",)
    assert "TEMPLATE" in found.lines[0]


@pytest.mark.parametrize(
    ("words", "prompt_id", "later_ms", "repeated"),
    [
        ("Sort the imports.", "p1", 30, True),
        ("Sort the imports.", "p1", 60_000, False),
        ("Drop the unused ones.", "p1", 30, False),
        ("Sort the imports.", "p2", 30, False),
    ],
)
def test_which_prompts_are_one_prompt_told_twice(
    tmp_path: Path, words: str, prompt_id: str, later_ms: int, *, repeated: bool
) -> None:
    session = Session(("claude-code", "s1", ""), StateFile(tmp_path / "s.ctx"))
    first = Event(
        agent="claude-code",
        name="UserPromptSubmit",
        moment=Moment.PROMPT,
        session="s1",
        prompt="Sort the imports.",
        prompt_id="p1",
    )
    assert not is_repeated(session, first, 1_000)
    second = msgspec.structs.replace(first, prompt=words, prompt_id=prompt_id)
    assert is_repeated(session, second, 1_000 + later_ms) is repeated


async def test_different_words_under_one_id_are_two_prompts(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Sort the imports.")
        await agent.prompt("Sort the imports.", prompt_id="p1")
        assert session_of(service).prompts == ["Sort the imports."]
        await agent.prompt("And drop the unused ones.", prompt_id="p1")
        assert session_of(service).prompts == ["Sort the imports.", "And drop the unused ones."]


async def test_words_typed_while_the_agent_works_that_bring_up_a_system_bring_its_lessons(home: Path) -> None:
    write_lessons(home, QUAY)
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        agent = Agent(service, cwd="/w/none")
        await agent.prompt("Tidy up the module.")
        assert "QUAY" in await agent.prompt(
            "In Quay too: does the Quay scheduler keep its lock while it sleeps?", prompt_id="p1"
        )


@pytest.mark.parametrize("blocks", [True, False])
async def test_a_queued_command_of_the_transcript_is_heard_where_no_hook_told_of_it(
    home: Path, tmp_path: Path, *, blocks: bool
) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Add a column for the due date.")
        await agent.edit("db/schema.sql", "due timestamp")
        add_rows(transcript, queued("no, never a timestamp without a zone in our schema", blocks=blocks))
        out = await agent.edit("db/schema.sql", "paid timestamp")
        assert "lesson propose" in out["hookSpecificOutput"]["additionalContext"]
        assert await agent.edit("db/schema.sql", "late boolean") == {}
    [found] = episodes(home)
    assert found.correction == "no, never a timestamp without a zone in our schema"
    assert "schema.sql" in found.proposal


async def test_a_queued_command_that_a_hook_told_of_is_heard_once(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    said = "no, never a timestamp without a zone in our schema"
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Add a column for the due date.")
        await agent.edit("db/schema.sql", "due timestamp")
        assert "lesson propose" in await agent.prompt(said, prompt_id="p1")
        agent.prompts = 1
        add_rows(transcript, queued(said))
        assert await agent.edit("db/schema.sql", "late boolean") == {}
        assert session_of(service).prompts.count(said) == 1
    assert len(episodes(home)) == 1


async def test_a_turn_whose_prompt_was_lost_is_one_all_the_same(home: Path) -> None:
    """Blocks, changes and what a correction is about follow the turn, not the prompts that arrived."""
    async with running_service() as service:
        agent = Agent(service)
        for turn in range(1, 7):
            agent.prompts = turn - 1
            if turn in (3, 5):
                agent.prompts += 1
            else:
                await agent.prompt(f"Do step {turn} of the list.")
            assert session_of(service).turns.now.number == turn or turn in (3, 5)
            await agent.edit(f"step{turn}.py", f"step({turn})")
            assert session_of(service).turns.now.number == turn
            assert session_of(service).turns.now.paths == [f"step{turn}.py"]
            assert session_of(service).prompt_id == f"p{turn}"
            await agent.stop(f"Step {turn} is done.")
        assert session_of(service).turns.before.said == "Step 5 is done."


async def test_late_events_of_an_earlier_turn_open_no_turn(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("One.")
        await agent.prompt("Two.")
        await agent.send("Notification", prompt_id="p1", message="x", notification_type="permission_prompt")
        assert session_of(service).turns.now.number == 2
        assert session_of(service).prompt_id == "p2"


async def test_turns_survive_a_restart(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        for number in range(3):
            await agent.prompt(f"Task {number} of the plan.")
            await agent.edit("a.py", "x")
    async with running_service() as service:
        agent = Agent(service)
        agent.prompts = 3
        await agent.edit("b.py", "y")
        assert session_of(service).turns.now.number == 3
        await agent.prompt("One more.")
        assert session_of(service).turns.now.number == 4


def command_rows(name: str, arguments: str, text: str, prompt_id: str) -> list[dict[str, Any]]:
    """The rows in which a session file tells of a slash command."""
    line = f"<command-message>{name}</command-message>\n<command-name>/{name}</command-name>"
    line += f"\n<command-args>{arguments}</command-args>" if arguments else ""
    return [
        {"type": "user", "uuid": "c1", "promptId": prompt_id, "message": {"role": "user", "content": line}},
        {
            "type": "user",
            "uuid": "c2",
            "promptId": prompt_id,
            "isMeta": True,
            "turnCompanion": True,
            "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        },
    ]


async def test_what_a_slash_command_stands_for_is_work_and_brings_lessons(home: Path, tmp_path: Path) -> None:
    write_lessons(home, QUAY)
    write_config(home, "[recall]\nholdout = 0.0\n")
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    text = "Never mind the old way. In Quay, does the scheduler still keep its lock while it sleeps?"
    async with running_service() as service:
        agent = Agent(service, cwd="/w/none")
        agent.common["transcript_path"] = str(transcript)
        assert await agent.prompt("/longer") == ""
        add_rows(transcript, *command_rows("longer", "night shift", text, "p1"))
        call = {"tool_name": "Read", "tool_input": {"file_path": "/w/none/a.py"}, "tool_use_id": "t1", "prompt_id": "p1"}
        out = await agent.send("PreToolUse", **call)
        assert "QUAY" in out["hookSpecificOutput"]["additionalContext"]
        assert await agent.send("PostToolUse", **call, tool_response={}) == {}
        assert session_of(service).prompts == ["/longer night shift", text]
    assert episodes(home) == []


async def test_arguments_of_a_slash_command_are_work(home: Path) -> None:
    write_lessons(home, QUAY)
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        agent = Agent(service, cwd="/w/none")
        await agent.prompt("/fix")
        fields = {"expansion_type": "slash_command", "command_name": "fix", "prompt": "/fix", "prompt_id": "p1"}
        out = await agent.send(
            "UserPromptExpansion", command_args="does the Quay scheduler keep its lock while it sleeps?", **fields
        )
        assert "QUAY" in out["hookSpecificOutput"]["additionalContext"]
        assert session_of(service).prompts == ["/fix does the Quay scheduler keep its lock while it sleeps?"]


@pytest.mark.parametrize("tool", ["Agent", "Task"])
async def test_a_subagent_is_told_what_its_own_prompt_brings_up(home: Path, tool: str) -> None:
    write_lessons(home, QUAY)
    write_config(home, "[recall]\nholdout = 0.0\n")
    async with running_service() as service:
        agent = Agent(service, cwd="/w/none")
        await agent.prompt("Look into the two things from the list.")
        for number, asked in enumerate(
            ("Count the lines of each file.", "Does the Quay scheduler keep its lock while it sleeps?")
        ):
            given = {"description": "look", "prompt": asked, "subagent_type": f"kind{number}"}
            await agent.send("PreToolUse", tool_name=tool, tool_input=given, tool_use_id=f"s{number}", prompt_id="p1")
        start = {"prompt_id": "p1"}
        second = await agent.send("SubagentStart", agent_id="b", agent_type="kind1", **start)
        assert "QUAY" in second["hookSpecificOutput"]["additionalContext"]
        assert second["hookSpecificOutput"]["hookEventName"] == "SubagentStart"
        assert await agent.send("SubagentStart", agent_id="a", agent_type="kind0", **start) == {}
        assert await agent.send("SubagentStart", agent_id="c", agent_type="kind0", **start) == {}


async def test_a_denied_call_of_a_subagent_leaves_no_work_behind(home: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look around.")
        await agent.send("SubagentStart", agent_id="a", agent_type="x", prompt_id="p1")
        assert session_of(service).spawning == []


@pytest.mark.parametrize(
    "said",
    [
        "and add a line to the changelog when you are done",
        "run the tests afterwards please",
        "oh, and the same for the second file",
        "danach bitte noch committen",
        "快好了吗",
        "take your time",
    ],
)
async def test_more_work_typed_while_the_agent_works_is_no_episode(home: Path, said: str) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Move the mail templates out of the code.")
        await agent.edit("src/mail.py", "TEMPLATE = load('src/mail_templates/welcome.html')")
        assert "--episode" not in await agent.prompt(said, prompt_id="p1")
        assert session_of(service).prompts[-1] == said
    assert episodes(home) == []


async def test_a_correction_whose_hook_was_lost_is_heard_from_the_transcript(home: Path, tmp_path: Path) -> None:
    transcript = tmp_path / "t.jsonl"
    transcript.touch()
    said = "no, that's wrong, amounts are never floats in this project"
    row = {"type": "user", "uuid": "u2", "promptId": "p2", "message": {"role": "user", "content": said}}
    async with running_service() as service:
        agent = Agent(service)
        agent.common["transcript_path"] = str(transcript)
        await agent.prompt("Add the shipping costs.")
        await agent.edit("orders.py", "shipping = 4.9")
        await agent.stop("Shipping is a float on the order now.")
        add_rows(transcript, row)
        agent.prompts = 2
        out = await agent.edit("orders.py", "shipping = Decimal('4.90')")
        assert "lesson propose" in out["hookSpecificOutput"]["additionalContext"]
        assert session_of(service).turns.now.number == 2
    [found] = episodes(home)
    assert found.correction == said
    assert found.proposal == "Shipping is a float on the order now."
    assert found.lines == ("shipping = 4.9",)
