"""Limits over whole days of sessions that nobody arranged: whose budget a call is charged to, what an ordinary ask meets.

A person lives with these rows of what was once seen: turns whose prompt event was lost paid for those before; an account
of three a day let one question through; a denial waited for a disk.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.pipeline.test_pipeline_limits import STRICT, denied, trail
from tests.pipeline.test_presence_in_sessions import HEADLESS, Host, counted, reason
from tests.server.support import Agent, running_service, write_config

pytestmark = pytest.mark.anyio
ANY_HOME = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
BUDGET = 3
"""Reads that a turn may spend under STRICT."""
NUMBERS = itertools.count()
"""Of sessions: each example is its own, in one home."""


class Turn:
    """``lost``: no prompt event told of it. ``reads`` of its own, and whether a change ends them."""

    def __init__(self, lost: bool, reads: int, changes: bool) -> None:
        self.lost, self.reads, self.changes = lost, reads, changes

    def __repr__(self) -> str:
        return f"Turn({self.lost}, {self.reads}, {self.changes})"


turns = st.lists(st.builds(Turn, st.booleans(), st.integers(0, BUDGET + 2), st.booleans()), min_size=1, max_size=6)


@ANY_HOME
@given(turns)
async def test_no_turn_pays_for_another_whether_its_prompt_was_heard_or_lost(home: Path, day: list[Turn]) -> None:
    write_config(home, STRICT)
    async with running_service() as service:
        agent = Agent(service, session=f"s{next(NUMBERS)}")
        for number, turn in enumerate(day, 1):
            agent.prompts = number - 1
            if turn.lost:
                agent.prompts = number
            else:
                await agent.prompt(f"Do part {number} of the list.")
            for read in range(turn.reads):
                out = await agent.tool("Read", {"file_path": f"/w/orion/part{number}/f{read}.py"})
                assert bool(denied(out)) == (read >= BUDGET), f"read {read + 1} of turn {number}"
            if turn.changes:
                assert denied(await agent.edit(f"part{number}.py", f"part({number})")) == ""
            await agent.stop(f"Part {number} is done.")


@ANY_HOME
@given(ceiling=st.integers(1, 8), more=st.integers(1, 3))
async def test_an_ask_without_numbers_clears_exactly_while_its_account_is_unspent(
    home: Path, ceiling: int, more: int
) -> None:
    write_config(home, f"[interrupts]\ndaily_interrupt_budget = {ceiling}\n")
    for name in ("interrupts.jsonl", "inbox.jsonl"):
        (home / ".local/share/borgd" / name).unlink(missing_ok=True)
    async with running_service() as service:
        host = Host(service, HEADLESS)
        await host.prompt("Build the importer.")
        held = [bool(reason(await host.question(f"What is part {number} called?"))) for number in range(ceiling + more)]
        assert held == [False] * ceiling + [True] * more
        assert counted(service)["spent"] == ceiling


class Disk:
    """The two calls that wait for the disk: while it does not answer they return only after a long while."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done = 0
        self.answers = threading.Event()
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self._sync(getattr(os, name)))

    def _sync(self, really: Callable[[int], None]) -> Callable[[int], None]:
        def sync(descriptor: int) -> None:
            self.answers.wait(120)
            really(descriptor)
            self.done += 1

        return sync


async def test_a_denied_read_is_said_although_the_disk_does_not_answer(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It needs nothing durable; what is written of it follows when the disk is back."""
    write_config(home, STRICT)
    async with running_service() as service:
        agent = Agent(service)
        await agent.prompt("Look around.")
        for number in range(BUDGET):
            await agent.tool("Read", {"file_path": f"/w/orion/f{number}.py"})
        disk = Disk(monkeypatch)
        try:
            out = await agent.tool("Read", {"file_path": "/w/orion/more.py"})
            waited_for = disk.done
        finally:
            disk.answers.set()
    assert denied(out)
    assert waited_for == 0
    assert ("investigation", "deny") in [(one["limit"], one["verdict"]) for one in trail(home)]
