"""What people met with stores: losses under load, endings that never came, files that grow for ever, silent exclusions."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from borgd.errors import JournalError
from borgd.journal import Journal
from borgd.journal.layer import FileLayer
from borgd.memory.records import Decision, Outcome
from borgd.sessions.expiry import KEPT_MS
from tests.journal.support import FaultyLayer
from tests.pipeline.test_field_stops import CAP, DONE, TASK, working
from tests.server.support import Agent, running_service, write_config, write_lessons

pytestmark = pytest.mark.anyio

DAY_MS = 24 * 3600 * 1000


@pytest.fixture
def orion(home: Path) -> Path:
    write_lessons(home, CAP)
    write_config(home, "[recall]\nholdout = 0.0\npolicy = 'budget'\nfloor = 0.01\n")
    return home


def journal(home: Path, name: str, kind: type[Any]) -> list[Any]:
    return Journal(home / ".local/share/borgd" / f"{name}.jsonl").read(kind).records


class SlowDisk(FileLayer):
    """A disk whose every sync takes ``pause_s``; ``syncs`` counts them."""

    def __init__(self, pause_s: float) -> None:
        super().__init__()
        self.pause_s = pause_s
        self.syncs = 0

    def sync(self, descriptor: int) -> None:
        self.syncs += 1
        time.sleep(self.pause_s)
        super().sync(descriptor)


async def test_a_burst_on_a_slow_disk_loses_nothing_that_was_answered(orion: Path) -> None:
    """A hundred sessions at once, each told something: every decision is there, and they share the waits."""
    disk = SlowDisk(0.03)
    told: list[str] = []
    async with running_service() as service:
        assert service.assembly is not None
        service.assembly.recall.decisions = Journal(orion / ".local/share/borgd/decisions.jsonl", disk)

        async def one(number: int) -> None:
            if "CAP" in await Agent(service, f"s{number}").prompt(TASK):
                told.append(f"s{number}")

        async with anyio.create_task_group() as tasks:
            for number in range(100):
                tasks.start_soon(one, number)
        undelivered = service.status()["undelivered"]
    assert len(told) == 100
    assert sorted(one.session for one in journal(orion, "decisions", Decision)) == sorted(told)
    assert disk.syncs < 50
    assert undelivered <= 100


@pytest.mark.parametrize("fault", [{"write": [28] * 9}, {"sync": [5] * 9}])
async def test_a_disk_that_fails_costs_what_it_could_not_store_and_says_so(orion: Path, fault: dict[str, list[int]]) -> None:
    """Nothing is told that is not on the disk; other sessions, other journals and the daemon go on."""
    async with running_service() as service:
        assert service.assembly is not None
        whole = service.assembly.recall.decisions
        service.assembly.recall.decisions = Journal(whole.path, FaultyLayer(**fault))
        agent = Agent(service)
        with pytest.raises(JournalError, match=r"decisions\.jsonl"):
            await agent.prompt(TASK)
        assert service.sessions.get("claude-code", "s1").told() == set()
        service.assembly.recall.decisions = Journal(whole.path, FaultyLayer())
        assert "CAP" in await agent.prompt(TASK)
    assert len(journal(orion, "decisions", Decision)) == 1


async def test_silence_that_cannot_be_written_down_ends_neither_daemon_nor_the_others(
    orion: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of many sessions on a full disk is a problem to report; hooks are answered on."""
    async with running_service() as service:
        for number in range(3):
            await Agent(service, f"s{number}").prompt(TASK)
        assert service.assembly is not None
        learning = service.assembly.pipeline.outcomes
        outcomes = learning.outcomes
        learning.outcomes = Journal(outcomes.path, FaultyLayer(write=[0, 0, 28]))
        await service._expire(time.time_ns() // 1_000_000 + service.sessions.idle_ms + 1000)
        assert len(service.sessions.live) == 0
        assert "outcomes.jsonl" in service.status()["problems"][0]
        learning.outcomes = outcomes
        assert "CAP" in await Agent(service, "after").prompt(TASK)
    assert len(journal(orion, "outcomes", Outcome)) == 2


async def test_a_session_left_open_by_an_earlier_daemon_gets_its_end(orion: Path) -> None:
    """The host was killed, the daemon started anew: a day later what was shown has an outcome all the same, once."""
    async with running_service() as service:
        await Agent(service).prompt(TASK)
        path = service.sessions.get("claude-code", "s1").file.path
    now = time.time_ns() // 1_000_000
    os.utime(path, ns=(0, (now - 2 * DAY_MS) * 1_000_000))
    for _ in range(2):
        async with running_service() as service:
            await service._end_silent(now)
            await service._end_silent(now + 3 * DAY_MS)
    assert [one.kind for one in journal(orion, "outcomes", Outcome)] == ["unclear"]


async def test_an_end_that_is_due_comes_by_itself(orion: Path) -> None:
    async with running_service() as service:
        await Agent(service).prompt(TASK)
        path = service.sessions.get("claude-code", "s1").file.path
    os.utime(path, ns=(0, time.time_ns() - 2 * DAY_MS * 1_000_000))
    async with running_service(periodic=True):
        with anyio.fail_after(120):
            while not journal(orion, "outcomes", Outcome):  # noqa: ASYNC110 (as an onlooker would)
                await anyio.sleep(0.01)
    assert [one.kind for one in journal(orion, "outcomes", Outcome)] == ["unclear"]


async def test_a_session_that_is_alive_or_only_silent_for_a_while_is_not_ended(orion: Path) -> None:
    """Idle for less than a day, or still known to the daemon: its end is not told by looking at files."""
    async with running_service() as service:
        await Agent(service).prompt(TASK)
        now = time.time_ns() // 1_000_000
        path = service.sessions.get("claude-code", "s1").file.path
        os.utime(path, ns=(0, (now - 2 * DAY_MS) * 1_000_000))
        await service._end_silent(now)
    os.utime(path, ns=(0, (now - DAY_MS // 2) * 1_000_000))
    async with running_service() as service:
        await service._end_silent(now)
    assert journal(orion, "outcomes", Outcome) == []


async def test_state_files_do_not_pile_up_for_ever(orion: Path) -> None:
    """A month after its last word a session's state is removed; younger ones and foreign files stay."""
    async with running_service() as service:
        now = time.time_ns() // 1_000_000
        directory = service.where.sessions
        for name, age in (("old.ctx", KEPT_MS + DAY_MS), ("young.ctx", KEPT_MS - DAY_MS), ("old.txt", 9 * KEPT_MS)):
            (directory / name).write_text("prompt: hello\n")
            os.utime(directory / name, ns=(0, (now - age) * 1_000_000))
        await service._end_silent(now)
        assert {path.name for path in directory.iterdir()} == {"young.ctx", "old.txt"}


async def test_a_resumed_session_is_open_again(orion: Path) -> None:
    """What comes after its end is judged anew."""
    async with running_service() as service:
        await Agent(service).prompt(TASK)
        await service._expire(time.time_ns() // 1_000_000 + service.sessions.idle_ms + 1000)
        path = service.where.sessions / "claude-code-s1.ctx"
        assert "#borg-ended" in path.read_text()
        agent = Agent(service)
        agent.prompts = 5
        await agent.prompt("Go on in Orion")
        session = service.sessions.get("claude-code", "s1")
        assert session.delivered == {"CAP"}
        assert not session.ended


async def test_a_call_that_ran_although_it_was_denied_is_seen(orion: Path) -> None:
    """Some hosts do not obey in some of their tools: the status says where, and counts each call once."""
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("hello")
        session = service.sessions.get("claude-code", "s1")
        session.denied["t1"] = session.denied["t2"] = None
        for _ in range(2):
            await agent.send("PostToolUse", tool_name="Bash", tool_use_id="t1", tool_input={"command": "ls"})
        await agent.send("PostToolUseFailure", tool_name="Bash", tool_use_id="t2", tool_input={"command": "ls"}, error="no")
        assert service.status()["not_enforced"] == {"claude-code Bash": 1}


async def test_every_exclusion_has_its_reason_and_its_way_back(orion: Path) -> None:
    """A lesson that did not come can be asked why: what was cut or held is in the record, and nothing hides for good."""
    write_lessons(orion, *({**CAP, "id": f"C{number}"} for number in range(30)))
    async with running_service() as service:
        agent = Agent(service)
        await working(agent)
        await agent.stop(DONE)
    for decision in journal(orion, "decisions", Decision):
        assert all(entry.p > 0 for entry in decision.pool)
        assert len([entry for entry in decision.pool if entry.shown or entry.cut or entry.held]) <= decision.slots
    told = json.loads((orion / ".local/share/borgd/decisions.jsonl").read_text().split("\n")[0])
    assert {"id", "score", "p"} <= set(told["pool"][0])
