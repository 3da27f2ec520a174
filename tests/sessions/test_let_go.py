"""What a session held in memory goes when it has been silent for long; one that speaks again is not ended."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from borgd.clock import now_ms
from borgd.server.service import SILENT, Service
from borgd.sessions.session import Session
from tests.server.support import Agent, lesson, running_service, write_lessons

pytestmark = pytest.mark.anyio

NAME = "vanishing-5f3a"
NO_DATA = (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType, types.FrameType, types.CoroutineType)
BOUNDED = ("event_log", "_expiry", "named", "_mark", "numbers")
"""Parts that keep a bounded number of names whatever comes; ``numbers`` are the sessions that outcomes are counted by."""


def parts_of(value: object) -> Iterator[tuple[str, object]]:
    match value:
        case dict():
            yield from (("", one) for pair in value.items() for one in pair)
        case list() | tuple() | set() | frozenset():
            yield from (("", one) for one in value)
        case types.MethodType():
            yield "", value.__self__
        case _:
            names = list(getattr(value, "__dict__", ())) + [
                name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ()) if isinstance(name, str)
            ]
            yield from ((name, getattr(value, name)) for name in names if hasattr(value, name))


def places_of(root: object, text: str) -> set[str]:
    """Where below ``root`` a text that holds ``text`` is, by the names of attributes."""
    found, seen, waiting = set(), set(), [("", root)]
    while waiting:
        path, value = waiting.pop()
        if id(value) in seen or isinstance(value, NO_DATA):
            continue
        seen.add(id(value))
        if isinstance(value, (str, bytes)):
            if text in (value if isinstance(value, str) else value.decode("latin-1")):
                found.add(path)
            continue
        for name, part in parts_of(value):
            if name not in BOUNDED:
                waiting.append((f"{path}.{name}" if name else path, part))
    return found


async def work(service: Service, name: str) -> None:
    agent = Agent(service, session=name)
    await agent.prompt("raise the limit of the uploader")
    await agent.edit("uploader.py", "limit = 7")
    await agent.tool("Read", {"file_path": "/w/orion/other.py"})
    await agent.tool(
        "Edit", {"file_path": "/w/orion/a.py", "old_string": "x", "new_string": "cap = 8"}, fails="no such line"
    )
    await agent.send("SubagentStart", agent_id="a1", agent_type="general-purpose")
    await agent.send(
        "PreToolUse", agent_id="a1", tool_name="Read", tool_use_id="r1", tool_input={"file_path": "/w/orion/b.py"}
    )
    await agent.stop("raised it")


async def test_nothing_in_memory_names_a_session_that_expired(home: Path) -> None:
    write_lessons(home, lesson("cap", "Is the limit of the uploader raised?", situations=["raising the uploader's limit"]))
    async with running_service() as service:
        await work(service, NAME)
        assert places_of(service, NAME), "it is there as long as it lives"
        await service._expire(now_ms() + 3 * service.sessions.idle_ms)
        assert places_of(service, NAME) == set()


async def test_a_session_that_speaks_while_others_are_ended_is_not_ended(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[tuple[str, str]] = []
    write_lessons(home, lesson("cap", "Is the limit of the uploader raised?", situations=["raising the uploader's limit"]))
    async with running_service() as service:
        for name in ("first", "second"):
            await work(service, name)
        real = service._end

        async def end(session: Session, reason: str, now: int) -> None:
            if session.id == "first" and not session.subagent:
                await Agent(service, session="second").prompt("raise the uploader's limit once more")
            if reason == SILENT:
                ended.append(session.key[1:])
            await real(session, reason, now)

        monkeypatch.setattr(service, "_end", end)
        with anyio.fail_after(60):
            await service._expire(now_ms() + 3 * service.sessions.idle_ms)
        key = ("claude-code", "second", "")
        assert not service.sessions.live[key].ended
        assert service.locks.get(key) is not None
    assert ("first", "") in ended
    assert ("second", "") not in ended
