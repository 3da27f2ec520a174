"""A text is chosen for an event only where the agent takes one with it; what is due elsewhere waits for one that does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.agents import AGENTS, Event, Moment, Reply, agent, takes_context
from borgd.journal import Journal
from borgd.memory.records import Decision
from tests.server.support import lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

SLUICE = lesson(
    "SLUICE",
    "Does every gate command carry the interlock token of its chamber?",
    situations=["sending a command to a gate", "a new valve driver"],
    signs=[r"GateCommand\("],
)


def context(reply: dict[str, Any]) -> str:
    return str(reply.get("hookSpecificOutput", {}).get("additionalContext", ""))


class GeminiSession:
    """Speaks to a service as Gemini CLI would."""

    def __init__(self, service: Any) -> None:
        self._service = service
        self._second = 0

    async def send(self, event: str, **fields: Any) -> dict[str, Any]:
        self._second += 1
        common = {"session_id": "s1", "cwd": "/w/lock", "timestamp": f"2026-11-30T08:00:{self._second:02}.000Z"}
        body = json.dumps({**common, "hook_event_name": event, **fields}).encode()
        said: dict[str, Any] = json.loads(await self._service.hook("gemini", event, body))
        return said


def writing(text: str) -> dict[str, Any]:
    return {"tool_name": "write_file", "tool_input": {"file_path": "/w/lock/src/north.py", "content": text}}


async def test_a_line_beside_an_edit_comes_after_it_where_nothing_is_heard_before(home: Path) -> None:
    write_lessons(home, SLUICE)
    write_config(home, "[recall]\nholdout = 0.0\n")
    call = writing("await bus.send(GateCommand(gate=north))")
    async with running_service() as service:
        gemini = GeminiSession(service)
        await gemini.send("BeforeAgent", prompt="tidy the north lock")
        assert await gemini.send("BeforeTool", **call) == {}
        decisions = Journal(home / ".local/share/borgd/decisions.jsonl").read(Decision).records
        assert not [one for one in decisions if any(entry.shown for entry in one.pool)], "nothing was told"
        assert "SLUICE" in context(await gemini.send("AfterTool", **call, tool_response={"llmContent": "written"}))


async def test_what_a_limit_warns_of_waits_for_an_event_that_is_heard(home: Path) -> None:
    write_config(home, "[investigation.main]\nmode = 'warn'\nmax_retrieval_calls = 1\nmax_iterations = 'none'\n")
    async with running_service() as service:
        gemini = GeminiSession(service)
        await gemini.send("BeforeAgent", prompt="look around")
        told = []
        for number in range(3):
            call = {"tool_name": "read_file", "tool_input": {"file_path": f"/w/lock/f{number}"}}
            assert await gemini.send("BeforeTool", **call) == {}
            told.append(context(await gemini.send("AfterTool", **call, tool_response={"llmContent": "x"})))
    assert any("retrieval" in text for text in told), "the warning never came"


@pytest.mark.parametrize("name", AGENTS)
def test_whether_a_text_is_heard_is_what_the_agent_s_answer_shows(name: str) -> None:
    moments = agent(name).MOMENTS
    heard = {
        moment
        for event, moment in moments.items()
        if takes_context(Event(agent=name, name=event, moment=moment, session="s"))
        and agent(name).render(Event(agent=name, name=event, moment=moment, session="s"), Reply(context="some text"))
    }
    assert Moment.PROMPT in heard
    assert Moment.SESSION_END not in heard
