"""Appends that arrive together: one fsync, each durable or absent, each error to its own caller."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest

from borgd.errors import JournalError, ReadOnlyError
from borgd.journal import GroupCommit, Journal
from tests.journal.support import FaultyLayer

pytestmark = pytest.mark.anyio


class GatedLayer(FaultyLayer):
    """A disk whose fsync waits until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.waiting = threading.Event()

    def sync(self, descriptor: int) -> None:
        self.waiting.set()
        assert self.gate.wait(120)
        super().sync(descriptor)


@pytest.fixture
def gated() -> GatedLayer:
    return GatedLayer()


async def reach(event: threading.Event) -> None:
    assert await anyio.to_thread.run_sync(event.wait, 20)


async def test_an_append_is_durable_on_return(tmp_path: Path) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    async with GroupCommit() as commit:
        await commit.append(journal, [{"n": 1}, {"n": 2}])
        assert layer.calls[-1] == "sync"
        assert journal.read().records == [{"n": 1}, {"n": 2}]
        await commit.append(journal, [])
    assert commit.batches == 1


async def test_a_burst_shares_fsyncs_and_loses_nothing(tmp_path: Path, gated: GatedLayer) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    acknowledged: list[int] = []

    async def caller(n: int) -> None:
        await commit.append(journal, [{"n": n}])
        acknowledged.append(n)

    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        callers.start_soon(caller, 0)
        await reach(gated.waiting)
        for n in range(1, 500):
            callers.start_soon(caller, n)
        await anyio.wait_all_tasks_blocked()
        assert acknowledged == []
        gated.gate.set()
    assert commit.batches == 2
    assert sorted(acknowledged) == list(range(500))
    assert [record["n"] for record in journal.read().records] == list(range(500))


async def test_one_slow_journal_holds_up_no_other(tmp_path: Path, gated: GatedLayer) -> None:
    slow, fast = Journal(tmp_path / "slow", gated), Journal(tmp_path / "fast")
    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        callers.start_soon(commit.append, slow, [{"n": 1}])
        await reach(gated.waiting)
        await commit.append(fast, [{"n": 2}])
        assert fast.read().records == [{"n": 2}]
        gated.gate.set()
    assert slow.read().records == [{"n": 1}]


async def test_a_caller_that_is_cancelled_before_the_write_leaves_nothing(tmp_path: Path, gated: GatedLayer) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        callers.start_soon(commit.append, journal, [{"n": 1}])
        await reach(gated.waiting)
        with anyio.CancelScope() as scope:
            callers.start_soon(commit.append, journal, [{"n": 3}])
            scope.cancel()
            await commit.append(journal, [{"n": 2}])
        assert scope.cancelled_caught
        gated.gate.set()
    assert journal.read().records == [{"n": 1}, {"n": 3}]


async def test_a_caller_that_is_cancelled_during_the_write_leaves_all_of_it(tmp_path: Path, gated: GatedLayer) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    records = [{"n": n} for n in range(5)]
    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        callers.start_soon(commit.append, journal, records)
        await reach(gated.waiting)
        callers.cancel_scope.cancel()
        gated.gate.set()
    assert journal.read().records == records


async def test_leaving_waits_for_what_was_accepted_even_when_cancelled(tmp_path: Path, gated: GatedLayer) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    with anyio.CancelScope() as scope:
        async with GroupCommit() as commit, anyio.create_task_group() as callers:
            callers.start_soon(commit.append, journal, [{"n": 1}])
            await reach(gated.waiting)
            scope.cancel()
            gated.gate.set()
    assert scope.cancelled_caught
    assert journal.read().records == [{"n": 1}]
    with pytest.raises(JournalError, match="closed"):
        await commit.append(journal, [{"n": 2}])


async def test_leaving_when_cancelled_does_not_forget_those_who_wait_elsewhere(tmp_path: Path, gated: GatedLayer) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    async with anyio.create_task_group() as outside:
        with anyio.CancelScope() as scope:
            async with GroupCommit() as commit:
                outside.start_soon(commit.append, journal, [{"n": 1}])
                await reach(gated.waiting)
                outside.start_soon(commit.append, journal, [{"n": 2}])
                await anyio.wait_all_tasks_blocked()
                scope.cancel()
                gated.gate.set()
                await anyio.sleep_forever()
    assert [record["n"] for record in journal.read().records] == [1, 2]


async def test_an_error_reaches_every_caller_of_its_batch_and_the_next_batch_goes_on(
    tmp_path: Path, gated: GatedLayer
) -> None:
    journal = Journal(tmp_path / "j.jsonl", gated)
    outcome: dict[int, str] = {}

    async def caller(n: int) -> None:
        try:
            await commit.append(journal, [{"n": n}])
            outcome[n] = "stored"
        except JournalError as error:
            outcome[n] = type(error).__name__

    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        callers.start_soon(caller, 0)
        await reach(gated.waiting)
        for n in (1, 2, 3):
            callers.start_soon(caller, n)
        await anyio.wait_all_tasks_blocked()
        gated.plan["write"] = [errno.ENOSPC]
        gated.gate.set()
    async with GroupCommit() as commit:
        await caller(4)
    assert outcome == {0: "stored", 1: "JournalError", 2: "JournalError", 3: "JournalError", 4: "stored"}
    assert [record["n"] for record in journal.read().records] == [0, 4]


async def test_a_failed_fsync_makes_every_later_caller_fail(tmp_path: Path) -> None:
    layer = FaultyLayer(sync=[errno.EIO])
    journal = Journal(tmp_path / "j.jsonl", layer)
    async with GroupCommit() as commit:
        for _ in range(3):
            with pytest.raises(ReadOnlyError, match="restart"):
                await commit.append(journal, [{"n": 1}])
    assert journal.read().records == []


async def test_a_bad_record_fails_its_own_caller_only(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    async with GroupCommit() as commit:
        with pytest.raises(JournalError, match="record 1"):
            await commit.append(journal, [{"n": object()}])
        await commit.append(journal, [{"n": 1}])
    assert journal.read().records == [{"n": 1}]


async def test_an_error_in_the_body_comes_out_as_it_is(tmp_path: Path) -> None:
    async def body() -> None:
        async with GroupCommit() as commit:
            await commit.append(Journal(tmp_path / "j.jsonl"), [{"n": 1}])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await body()


async def test_one_callers_records_keep_their_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")

    async def caller(name: int) -> None:
        for n in range(40):
            await commit.append(journal, [{"caller": name, "n": n}])

    async with GroupCommit() as commit, anyio.create_task_group() as callers:
        for name in range(16):
            callers.start_soon(caller, name)
    for name in range(16):
        assert [record["n"] for record in journal.read().records if record["caller"] == name] == list(range(40))
    assert commit.batches < 16 * 40
    assert commit.appends == 16 * 40
