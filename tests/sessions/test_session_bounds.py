"""A daemon of weeks: what a session and all sessions take of memory is bounded, and nothing that was shown goes unjudged."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.memory.records import Decision, PoolEntry
from borgd.server.service import Service
from borgd.sessions import expiry as sweep_module
from borgd.sessions import sessions as sessions_module
from borgd.sessions.expiry import KEPT_MS, Expiry
from borgd.sessions.lines import apply_line
from borgd.sessions.seen_keys import SeenKeys
from borgd.sessions.session import BLOCKED, DECISIONS, FREE, PENDING, Session
from borgd.sessions.state_file import StateFile
from tests.pipeline.test_forget_live import TASK, orion, outcomes
from tests.server.support import Agent, running_service

pytestmark = pytest.mark.anyio
__all__ = ["orion"]


def decision(number: int) -> Decision:
    entry = PoolEntry(id="CAP", score=1, base=1, share=1, rank=0, draw=0.5, mean=0.5, p=0.9, shown=True)
    return Decision(id=f"d{number}", ms=number, agent="a", session="s", channel="early", pool=(entry,), repo="")


def session(path: Path) -> Session:
    return Session(("claude-code", "s", ""), StateFile(path / "s.ctx"))


def test_what_a_session_gathers_is_bounded(tmp_path: Path) -> None:
    one = session(tmp_path)
    for number in range(3 * max(DECISIONS, FREE, BLOCKED)):
        one.decide(decision(number))
        one.judged.add((f"d{number}", "CAP"))
        one.tell_later(f"text {number}")
        one.block(f"p{number}")
        apply_line(one, "#borg-blocked", f"q{number}")
    for number in range(2 * PENDING):
        one.write(("#borg-topic", f"1 t{number}"))
    assert len(one.decisions) == DECISIONS
    assert len(one.judged) <= DECISIONS
    assert len(one.free) == FREE
    assert len(one.blocked) == BLOCKED
    assert len(one.pending) == PENDING
    assert one.free[-1] == f"text {3 * max(DECISIONS, FREE, BLOCKED) - 1}"


def test_what_is_judged_makes_room_before_what_is_not(tmp_path: Path) -> None:
    one = session(tmp_path)
    for number in range(DECISIONS):
        one.decide(decision(number))
    one.judged.add(("d7", "CAP"))
    one.decide(decision(DECISIONS))
    assert {f"d{number}" for number in range(DECISIONS + 1)} - {each.id for each in one.decisions} == {"d7"}
    one.decide(decision(DECISIONS + 1))
    assert "d0" not in {each.id for each in one.decisions}


async def test_sessions_past_the_bound_go_on_from_their_files(orion: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "LIVE", 3)
    async with running_service() as service:
        agents = [Agent(service, f"s{number}") for number in range(8)]
        for agent in agents:
            assert "CAP" in await agent.prompt(TASK)
            assert len(service.sessions.live) <= 3
            assert len(service.locks) <= 4
        assert len([path for path in service.watcher._files if path.suffix == ".ctx"]) <= 3
        for agent in agents:
            assert await agent.prompt("Go on in Orion") == "", "it was told already"
            await agent.send("SessionEnd", reason="other")
    assert {one.session for one in outcomes(orion)} == {f"s{number}" for number in range(8)}


async def test_many_files_of_an_earlier_life_are_ended_look_by_look(orion: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bounded number a look; none is removed unjudged, however old; nothing is read twice."""

    async def no_look(service: Service, now_ms: int) -> None:
        """The service's own looks are left out: this test alone looks, so that it knows what each look finds."""

    monkeypatch.setattr(Service, "_end_silent", no_look)
    async with running_service() as service:
        for number in range(7):
            await Agent(service, f"s{number}").prompt(TASK)
    now = time.time_ns() // 1_000_000
    for path in (orion / ".local/state/borgd/sessions").iterdir():
        os.utime(path, ns=(0, (now - 2 * KEPT_MS) * 1_000_000))
    monkeypatch.setattr(sweep_module, "LOOK", 3)
    async with running_service() as service:
        ended: list[int] = []
        for _ in range(4):
            for one in service._expiry.silent(set(), now):
                await service._end(one, "silent", now)
            ended.append(len({one.session for one in outcomes(orion)}))
    assert ended == [3, 6, 7, 7]
    assert len(list((orion / ".local/state/borgd/sessions").iterdir())) == 7
    async with running_service() as service:
        assert service._expiry.silent(set(), now + 2 * KEPT_MS) == []
        service._expiry.silent(set(), now + 2 * KEPT_MS)
        service._expiry.silent(set(), now + 2 * KEPT_MS)
    assert list((orion / ".local/state/borgd/sessions").iterdir()) == []


def test_a_session_taken_up_while_its_file_is_looked_at_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the listing of the directory and the removal, the old file may be written again: then it is not old."""
    one = session(tmp_path)
    one.write(("prompt", "go on"))
    one.save()
    path = tmp_path / "s.ctx"
    os.utime(path, ns=(0, 0))
    load = sweep_module._load

    def taken_up(path: Path, key: tuple[str, str, str]) -> Session:
        loaded = load(path, key)
        os.utime(path, ns=(0, KEPT_MS * 1_000_000))
        return loaded

    monkeypatch.setattr(sweep_module, "_load", taken_up)
    Expiry(tmp_path, idle_ms=1).silent(set(), KEPT_MS + 10)
    assert path.exists()
    monkeypatch.setattr(sweep_module, "_load", load)
    Expiry(tmp_path, idle_ms=1).silent(set(), 3 * KEPT_MS)
    assert not path.exists()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=2)), max_size=60), st.integers(1, 8))
def test_seen_keys_know_exactly_the_last_ones(keys: list[tuple[str, str]], limit: int) -> None:
    seen = SeenKeys(limit)
    known: list[tuple[str, str]] = []
    for key in keys:
        assert seen.first(key) is (key not in known)
        if key not in known:
            known = [*known, key][-limit:]
    assert len(seen) <= limit
