"""Disks that fail, call by call and at random: no acknowledged record is lost, none that was refused appears."""

from __future__ import annotations

import errno
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from borgd.errors import JournalError, ReadOnlyError
from borgd.journal import Follower, Journal
from tests.journal.support import FaultyLayer, PowerLossError, SimulatedDisk

OLD, NEW = {"n": "old"}, {"n": "new"}


@pytest.fixture
def layer() -> FaultyLayer:
    return FaultyLayer()


@pytest.fixture
def journal(tmp_path: Path, layer: FaultyLayer) -> Journal:
    journal = Journal(tmp_path / "j.jsonl", layer)
    journal.append([OLD])
    return journal


def as_another_process(journal: Journal) -> Journal:
    return Journal(journal.path)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EFBIG])
@pytest.mark.parametrize("before", [0, 1, 5])
def test_a_failed_write_leaves_nothing_and_the_next_one_works(
    journal: Journal, layer: FaultyLayer, number: int, before: int
) -> None:
    layer.plan["write"] = [0] * before + [number]
    layer.write_at_most = 3
    with pytest.raises(JournalError, match="nothing was stored") as caught:
        journal.append([NEW, NEW])
    assert not isinstance(caught.value, ReadOnlyError)
    assert journal.path.read_bytes() == b'{"n":"old"}\n'
    layer.write_at_most = 1 << 30
    journal.append([NEW])
    assert journal.read().records == [OLD, NEW]


@pytest.mark.parametrize("room", range(25))
def test_a_disk_that_fills_up_at_any_byte_leaves_nothing(journal: Journal, layer: FaultyLayer, room: int) -> None:
    layer.room = room
    follower = Follower(as_another_process(journal))
    if room < 24:
        with pytest.raises(JournalError, match="No space left on device"):
            journal.append([NEW, NEW])
        assert follower.read().records == [OLD]
        layer.room = None
        journal.append([NEW])
        assert as_another_process(journal).read().records == [OLD, NEW]
    else:
        journal.append([NEW, NEW])
        assert follower.read().records == [OLD, NEW, NEW]


@pytest.mark.parametrize("size", [1, 2, 7])
def test_short_writes_are_carried_on(journal: Journal, layer: FaultyLayer, size: int) -> None:
    layer.write_at_most = size
    journal.append([NEW, OLD])
    assert journal.path.read_bytes() == b'{"n":"old"}\n{"n":"new"}\n{"n":"old"}\n'


def test_after_a_failed_fsync_the_journal_is_read_only_in_this_process_and_says_so(
    journal: Journal, layer: FaultyLayer
) -> None:
    follower = Follower(journal)
    layer.plan["sync"] = [errno.EIO]
    for _ in range(2):
        with pytest.raises(ReadOnlyError, match=r"j\.jsonl is read-only since an fsync failed .*restart"):
            journal.append([NEW])
    again = Journal(journal.path, layer)
    assert again.read_only is not None
    for write in (
        lambda: again.append([NEW]),
        lambda: again.rewrite(dict),
        lambda: again.transact(follower, lambda _: ([NEW], None)),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    assert journal.read().records == follower.read().records == [OLD]
    other = as_another_process(journal)
    assert other.read_only is None
    other.append([NEW])
    assert journal.read().records == [OLD, NEW]


def test_a_write_that_cannot_be_cut_off_is_not_read_here(journal: Journal, layer: FaultyLayer) -> None:
    follower = Follower(journal)
    follower.read()
    layer.write_at_most = 20
    layer.plan["write"] = [0, errno.EIO]
    layer.plan["truncate"] = [errno.EIO]
    with pytest.raises(ReadOnlyError, match="could not be cut off"):
        journal.append([NEW, NEW])
    assert journal.path.stat().st_size == 12 + 20
    assert journal.read().records == [OLD]
    assert follower.read().records == []


def test_a_reader_that_saw_what_could_not_be_cut_off_is_told_to_start_over(
    journal: Journal, layer: FaultyLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    follower = Follower(journal)

    def stuck(descriptor: int, size: int) -> None:
        assert follower.read().records == [OLD, NEW]
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(layer, "truncate", stuck)
    layer.plan["sync"] = [errno.EIO]
    with pytest.raises(ReadOnlyError):
        journal.append([NEW])
    reading = follower.read()
    assert (reading.records, reading.replaced) == ([OLD], True)


def test_an_interrupt_in_the_middle_leaves_nothing(
    journal: Journal, layer: FaultyLayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(descriptor: int) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(layer, "sync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        journal.append([NEW])
    assert journal.read().records == [OLD]
    journal.append([NEW])
    assert journal.read().records == [OLD, NEW]


def test_a_new_file_is_in_its_directory_before_anything_is_acknowledged(tmp_path: Path, layer: FaultyLayer) -> None:
    journal = Journal(tmp_path / "new.jsonl", layer)
    layer.plan["sync_directory"] = [errno.EIO]
    with pytest.raises(JournalError, match="nothing was stored"):
        journal.append([NEW])
    assert journal.read().records == []
    layer.calls.clear()
    journal.append([NEW])
    assert layer.calls.index("sync_directory") < layer.calls.index("write") < layer.calls.index("sync")


@pytest.mark.parametrize("number", [errno.EINVAL, errno.EOPNOTSUPP])
def test_a_file_system_that_cannot_sync_directories_will_do(tmp_path: Path, layer: FaultyLayer, number: int) -> None:
    layer.plan["sync_directory"] = [number]
    journal = Journal(tmp_path / "new.jsonl", layer)
    journal.append([NEW])
    assert journal.read().records == [NEW]


@pytest.mark.parametrize("method", ["open", "write", "sync", "rename"])
def test_a_rewrite_that_fails_leaves_the_old_file(journal: Journal, layer: FaultyLayer, method: str) -> None:
    journal.append([NEW])
    before = journal.path.read_bytes()
    layer.plan[method] = [0, 0, errno.EIO] if method == "open" else [errno.EIO]
    with pytest.raises(JournalError, match="the old one is untouched"):
        journal.rewrite(lambda record: None if record == OLD else record)
    assert journal.path.read_bytes() == before
    assert [path.name for path in journal.path.parent.iterdir() if "rewrite" in path.name] == []
    journal.append([OLD])
    assert journal.read().records == [OLD, NEW, OLD]


def test_a_rename_that_may_not_last_makes_the_journal_read_only(journal: Journal, layer: FaultyLayer) -> None:
    layer.plan["sync_directory"] = [errno.EIO]
    with pytest.raises(ReadOnlyError):
        journal.rewrite(lambda record: None)
    with pytest.raises(ReadOnlyError):
        journal.append([NEW])


def test_a_torn_tail_stays_where_the_quarantine_cannot_take_it(journal: Journal, layer: FaultyLayer) -> None:
    with journal.path.open("ab") as file:
        file.write(b'{"n":"to')
    before = journal.path.read_bytes()
    layer.plan["write"] = [errno.ENOSPC]
    with pytest.raises(JournalError, match="nothing was stored"):
        journal.append([NEW])
    assert journal.path.read_bytes() == before
    journal.append([NEW])
    assert journal.read().records == [OLD, NEW]
    assert [row.text for row in journal.quarantined()] == ['{"n":"to']


class Ledger:
    """What was promised about each record, checked against what the disk says."""

    def __init__(self) -> None:
        self.acknowledged: set[int] = set()
        self.refused: set[int] = set()
        self.unknown: set[int] = set()
        self.next = 0

    def batch(self, count: int, width: int) -> list[dict[str, Any]]:
        self.next += count
        return [{"n": n, "t": "é" * width} for n in range(self.next - count, self.next)]

    def check(self, disk: SimulatedDisk) -> None:
        reading = Journal(PATH, disk.restart()).read()
        found = Counter(record["n"] for record in reading.records)
        assert [n for n, times in found.items() if times > 1] == []
        assert self.acknowledged - set(found) == set()
        assert self.refused & set(found) == set()
        assert set(found) <= self.acknowledged | self.unknown


PATH = Path("/simulated/j.jsonl")

ACTIONS = st.lists(
    st.tuples(st.just("append"), st.integers(1, 4), st.integers(0, 40))
    | st.sampled_from([("restart", 0, 0), ("forget", 0, 0)]),
    min_size=1,
    max_size=8,
)
FAULTS = st.dictionaries(st.integers(1, 40), st.sampled_from([errno.ENOSPC, errno.EIO, "short"]), max_size=6)


def live(disk: SimulatedDisk, actions: list[tuple[str, int, int]], ledger: Ledger) -> None:
    """Do ``actions`` on ``disk`` until they are done or the power goes."""
    for action, count, width in actions:
        if action == "restart":
            disk.read_only.clear()
            disk.named.clear()
        elif action == "forget":
            forget(disk, ledger)
        else:
            batch = ledger.batch(count, width)
            numbers = {row["n"] for row in batch}
            ledger.unknown |= numbers
            try:
                Journal(PATH, disk).append(batch)
                ledger.acknowledged |= numbers
            except ReadOnlyError:
                pass  # the disk refused to take the cut as well: after a power loss it may come back
            except JournalError:
                ledger.refused |= numbers
        ledger.check(disk)


def forget(disk: SimulatedDisk, ledger: Ledger) -> None:
    """Drop the acknowledged records with an even number."""
    even = {n for n in ledger.acknowledged if n % 2 == 0}
    ledger.acknowledged -= even
    ledger.unknown |= even
    try:
        Journal(PATH, disk).rewrite(lambda record: None if record["n"] in even else record)
    except JournalError:
        ledger.acknowledged |= even if not disk.read_only else set()


def run(seed: int, lives: list[Any]) -> None:
    ledger = Ledger()
    disk = SimulatedDisk(seed)
    for actions, faults, power_off_at in lives:
        disk.faults, disk.power_off_at = faults, power_off_at
        with suppress(PowerLossError):
            live(disk, actions, ledger)
        disk = disk.reboot()
        ledger.check(disk)
    Journal(PATH, disk).append(ledger.batch(1, 3))
    assert Journal(PATH, disk).read().torn is False


LIVES = st.lists(st.tuples(ACTIONS, FAULTS, st.none() | st.integers(1, 40)), min_size=1, max_size=4)


@given(st.integers(0, 1 << 30), LIVES)
@settings(max_examples=300, deadline=None)
def test_nothing_acknowledged_is_lost_and_nothing_refused_appears(seed: int, lives: list[Any]) -> None:
    run(seed, lives)


@pytest.mark.slow
@given(st.integers(0, 1 << 30), LIVES)
@settings(max_examples=4_000, deadline=None)
def test_nothing_acknowledged_is_lost_and_nothing_refused_appears_in_many_lives(seed: int, lives: list[Any]) -> None:
    run(seed, lives)


@pytest.mark.parametrize("seed", range(20))
def test_a_file_whose_maker_died_before_its_name_was_durable_is_made_durable_by_the_next_writer(seed: int) -> None:
    disk = SimulatedDisk(seed, power_off_at=None)
    Journal(PATH, disk).append([{"n": 1}])
    disk.durable_names = {}
    other = disk.restart()
    Journal(PATH, other).append([{"n": 2}])
    assert Journal(PATH, other.reboot()).read().records == [{"n": 1}, {"n": 2}]
