"""opencode and oh-my-pi through the whole service: subagents that begin at once, a slash command, a compaction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd.server.service import Service
from tests.server.support import lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio
QUESTION = "Is the cap of the {} raised with its retry limit?"


@pytest.fixture
def taught(home: Path) -> Path:
    """A home with a lesson about Orion and one about Quay."""
    write_lessons(
        home,
        lesson("L1", QUESTION.format("uploader"), scope=["Orion"], situations=["raise the retry limit in Orion"]),
        lesson("L2", QUESTION.format("scheduler"), scope=["Quay"], situations=["raise the retry limit in Quay"]),
    )
    write_config(home, "[recall]\nholdout = 0.0\n")
    return home


async def opencode(service: Service, event: str, session: str = "s1", output: Any = None, **fields: Any) -> dict[str, Any]:
    more: dict[str, Any] = {name: fields.pop(name) for name in ("root", "promptID", "machine") if name in fields}
    body: dict[str, Any] = {"input": {"sessionID": session, **fields}, "output": output, "directory": "/w/app", **more}
    answer: dict[str, Any] = json.loads(await service.hook("opencode", event, json.dumps(body).encode()))
    return answer


def spoken(text: str, number: int = 1) -> dict[str, Any]:
    return {"message": {"id": f"m{number}"}, "parts": [{"type": "text", "text": text}]}


async def test_each_of_two_subagents_is_told_of_its_own_work(taught: Path) -> None:
    async with running_service() as service:
        assert await opencode(service, "chat.message", output=spoken("look into both")) == {}
        for call, place in (("c1", "Orion"), ("c2", "Quay")):
            asked = {"prompt": f"Raise the retry limit in {place}", "subagent_type": "general"}
            assert await opencode(service, "tool.execute.before", output={"args": asked}, tool="task", callID=call) == {}
        for child, place in (("b", "Quay"), ("a", "Orion")):  # the second begins first
            work = spoken(f"Raise the retry limit in {place}")
            answer = await opencode(service, "chat.message", session=child, output=work, root="s1", agent="general")
            told = answer["parts"][0]["text"]
            assert ("L1" in told, "L2" in told) == (place == "Orion", place == "Quay")


async def test_a_commands_arguments_are_work_and_its_text_is_no_prompt(taught: Path) -> None:
    async with running_service() as service:
        given = {"command": "do", "arguments": "raise the retry limit in Orion", "promptID": "c1"}
        answer = await opencode(service, "command.execute.before", output={"parts": []}, **given)
        assert "L1" in answer["parts"][0]["text"]
        text = spoken("Be careful. Never do anything else than: raise the retry limit in Orion")
        assert await opencode(service, "chat.message", output=text, machine=True) == {}
        [session] = service.sessions.live.values()
        assert session.prompts == ["/do raise the retry limit in Orion"]


async def test_what_was_told_comes_again_after_a_compaction(taught: Path) -> None:
    async with running_service() as service:
        await opencode(service, "session.created", info={"id": "s1"})
        answer = await opencode(service, "chat.message", output=spoken("raise the retry limit in Orion"))
        assert "L1" in answer["parts"][0]["text"]
        assert "L1" in (await opencode(service, "session.compacted"))["later"]


async def test_omps_own_notices_are_nobodys_prompt(taught: Path) -> None:
    async with running_service() as service:
        for context in ({"id": "s1", "cwd": "/w/app"}, {"id": "a", "parent": "s1", "cwd": "/w/app"}):
            body = {"input": {"prompt": "<system-notice>\nRaise the retry limit in Orion\n</system-notice>"}, "ctx": context}
            assert await service.hook("omp", "before_agent_start", json.dumps(body).encode()) == b"{}"
        assert not any(session.prompts for session in service.sessions.live.values())
