"""When a lesson comes, through hooks: beside the edit that shows its sign, once, and as a block only where it is open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from borgd.journal import Journal
from borgd.memory.records import Outcome
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

CONFIG = "[recall]\nholdout = 0.0\n"
SLUICE = lesson(
    "SLUICE",
    "Does every gate command carry the interlock token of its chamber?",
    scope=["Weir Control"],
    situations=["sending a command to a gate", "a new valve driver"],
    signs=[r"GateCommand\(", r"angle\s*="],
    handled=[r"interlock_token\s*="],
)
ANYWHERE = lesson(
    "ANYWHERE",
    "Is the subprocess's output read before it is waited for?",
    situations=["running a child process and reading what it prints"],
    signs=[r"Popen\(", r"\.wait\(\)"],
    handled=[r"communicate\("],
)
OPEN = "await bus.send(GateCommand(gate=north, angle=40))"
HANDLED = "await bus.send(GateCommand(gate=north, angle=40, interlock_token=chamber.token))"


@pytest.fixture
def weir(home: Path) -> Path:
    write_lessons(home, SLUICE, ANYWHERE)
    write_config(home, CONFIG)
    return home


def edit(text: str, call: str = "t1", cwd: str = "/w/weir-control", name: str = "src/north.py") -> dict[str, Any]:
    given = {"file_path": f"{cwd}/{name}", "old_string": "pass", "new_string": text}
    return {"tool_name": "Edit", "tool_use_id": call, "tool_input": given}


def context(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))


async def test_a_line_comes_beside_the_edit_that_shows_the_sign_and_denies_nothing(weir: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        assert "SLUICE" not in await agent.prompt("tidy the north lock")
        reply = await agent.send("PreToolUse", **edit(OPEN))
        assert "SLUICE" in context(reply)
        assert "permissionDecision" not in reply["hookSpecificOutput"]
        after = await agent.send("PostToolUse", **edit(OPEN), tool_response={})
        assert "SLUICE" not in context(after), "once is enough"


async def test_where_the_host_tells_only_of_what_has_run_the_line_comes_then(weir: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        await agent.prompt("tidy the north lock")
        assert "SLUICE" in context(await agent.send("PostToolUse", **edit(OPEN), tool_response={}))


async def test_a_stop_blocks_where_the_point_is_open_and_not_where_it_is_handled(weir: Path) -> None:
    async with running_service() as service:
        for session, written, decision in (("one", HANDLED, None), ("two", OPEN, "block")):
            agent = Agent(service, session, cwd="/w/weir-control")
            await agent.prompt("a new valve driver, sending a command to a gate")
            await agent.send("PostToolUse", **edit(written), tool_response={})
            service.sessions.get("claude-code", session).delivered.clear()  # as if no line had come
            stop = await agent.send("Stop", stop_hook_active=False, last_assistant_message="Done.")
            assert stop.get("decision") == decision


@pytest.mark.parametrize(("later", "credited"), [("north.start()", False), ("interlock_token = chamber.token", True)])
async def test_a_line_is_credited_by_what_is_written_after_it_alone(weir: Path, later: str, *, credited: bool) -> None:
    """The edit beside which it came was on its way already, whatever it holds."""
    named = {**SLUICE, "question": "Does every GateCommand carry the interlock_token of its chamber?", "handled": []}
    write_lessons(weir, named)
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        await agent.prompt("tidy the north lock")
        assert "SLUICE" in context(await agent.send("PreToolUse", **edit(OPEN, "e1")))
        await agent.send("PostToolUse", **edit(OPEN, "e1"), tool_response={})
        await agent.edit("src/north.py", later)
        await agent.send("Stop", stop_hook_active=True, last_assistant_message="Done.")
    told = Journal(weir / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    assert [one.kind for one in told] == (["changed"] if credited else [])


async def test_what_is_written_after_a_line_at_a_prompt_is_credited_to_it(weir: Path) -> None:
    write_lessons(weir, {**SLUICE, "question": "Does every GateCommand carry the interlock_token of its chamber?"})
    write_config(weir, CONFIG + "policy = 'budget'\nfloor = 0.05\n")
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        assert "SLUICE" in await agent.prompt("In Weir Control, send a command to a gate by a new valve driver")
        await agent.edit("src/north.py", HANDLED)
        await agent.send("Stop", stop_hook_active=True, last_assistant_message="Done.")
    told = Journal(weir / ".local/share/borgd/outcomes.jsonl").read(Outcome).records
    assert [one.kind for one in told] == ["changed"]


async def test_a_lesson_without_a_system_comes_where_code_speaks_for_it_and_not_elsewhere(weir: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, "here", cwd="/w/elsewhere")
        await agent.prompt("a small helper for the nightly job, it runs a child process and reads what it prints")
        code = "child = Popen(command, stdout=PIPE)\nchild.wait()\nprint(child.stdout.read())"
        assert "ANYWHERE" in context(await agent.send("PreToolUse", **edit(code, cwd="/w/elsewhere")))
        other = Agent(service, "there", cwd="/w/elsewhere")
        await other.prompt("paint the fence")
        assert context(await other.send("PreToolUse", **edit("colour = 'green'", "t2", "/w/elsewhere"))) == ""


async def test_a_system_stays_open_for_lessons_that_have_not_come(weir: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        for number in range(6):
            said = await agent.prompt(f"weir control: tidy page {number} of the handbook")
            wrote = edit(f"page = {number}", f"p{number}", name="docs/handbook.py")
            assert "SLUICE" not in said + context(await agent.send("PostToolUse", **wrote, tool_response={}))
        await agent.prompt("now the north lock")
        assert "SLUICE" in context(await agent.send("PreToolUse", **edit(OPEN, "last")))


async def test_signs_seen_before_a_restart_count_at_the_stop_after_it(weir: Path) -> None:
    async with running_service() as service:
        agent = Agent(service, cwd="/w/weir-control")
        await agent.prompt("a new valve driver")
        await agent.send("PostToolUse", **edit(OPEN), tool_response={})
    async with running_service() as service:
        session = service.sessions.get("claude-code", "s1")
        assert session.work.whole.hits["SLUICE"].signs == 2
        assert "gate" in session.work.whole.stems
