"""A Stop while something runs in the background: only agents put it off, not for ever, and nothing is lost meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from borgd import clock
from borgd.pipeline.pipeline import POSTPONED_MS
from tests.server.support import Agent, lesson, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio
QUESTION = "Is the backoff cap raised with the retry limit of the Orion uploader?"
AGENT = {"id": "sub1", "type": "subagent", "status": "running", "description": "look", "agent_type": "Explore"}
OTHERS = [
    {"id": "b1", "type": "shell", "status": "running", "command": "tail -f app.log", "description": "log"},
    {"id": "b2", "type": "monitor", "status": "running", "server": "s", "tool": "t", "description": "watch"},
    {"id": "b3", "type": "local_bash", "status": "pending", "description": "server"},
    {**AGENT, "status": "completed"},
]


@pytest.fixture
def orion(home: Path) -> Path:
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.05\n")  # a block is sure, whatever it costs
    write_lessons(
        home, lesson("orion1", QUESTION, scope=["Orion"], situations=["changing retries or backoff of the uploader"])
    )
    return home


def outcomes(home: Path) -> list[tuple[str, str]]:
    path = home / ".local/share/borgd/outcomes.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(one["lesson"], one["kind"]) for one in map(json.loads, lines)]


async def changed(agent: Agent) -> None:
    await agent.prompt("raise the retry limit of the Orion uploader to 8")
    await agent.edit("uploader_retry.py", "retries = 8")


@pytest.mark.parametrize("task", OTHERS, ids=lambda task: f"{task['type']} {task['status']}")
async def test_what_is_no_agent_at_work_puts_no_stop_off(orion: Path, task: dict[str, Any]) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await changed(agent)
        assert QUESTION in await agent.stop("The limit is 8 now.", background_tasks=[task])
    assert orion


async def test_an_agent_at_work_puts_it_off_but_not_for_ever(orion: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead, now_ms = [0], clock.now_ms
    monkeypatch.setattr(clock, "now_ms", lambda: now_ms() + ahead[0])
    async with running_service() as service:
        agent = Agent(service)
        await changed(agent)
        for part in (0, POSTPONED_MS // 2, POSTPONED_MS - 5000):
            ahead[0] = part
            assert await agent.stop(f"It works, {part}.", background_tasks=[AGENT]) == ""
        ahead[0] = POSTPONED_MS + 1000
        assert QUESTION in await agent.stop("It still works.", background_tasks=[AGENT])
    assert orion


async def test_answers_to_an_earlier_block_are_read_while_an_agent_works(orion: Path) -> None:
    async with running_service() as service:
        agent = Agent(service)
        await changed(agent)
        assert QUESTION in await agent.stop("The limit is 8 now.")
        again = {"background_tasks": [AGENT], "stop_hook_active": True}
        await agent.stop("I started an agent for it.", **again)
        assert outcomes(orion) == []
        await agent.stop("orion1: applies - the cap is 8 as well", **again)
        assert outcomes(orion) == [("orion1", "changed")]


async def test_what_a_subagent_changed_that_died_without_a_word_is_its_parents(orion: Path) -> None:
    async with running_service() as service:
        agent, child = Agent(service), Agent(service)
        child.common = {**child.common, "agent_id": "sub1", "agent_type": "general-purpose"}
        await agent.prompt("raise the retry limit of the Orion uploader to 8")
        child.prompts = 1
        await child.edit("uploader_retry.py", "retries = 8")
        assert await agent.stop("It works.", background_tasks=[AGENT]) == ""
        assert QUESTION in await agent.stop("The limit is 8 now.")
    assert orion
