"""A follower sees every record once, and is told to start over when what it read is no longer what is there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from borgd.errors import JournalError
from borgd.journal import Follower, Journal, TypedFollower, TypedReading, encode
from tests.journal.support import FaultyLayer


class Count(msgspec.Struct, frozen=True):
    n: int


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "j.jsonl")


def numbers(reading: TypedReading[dict[str, Any]]) -> list[int]:
    return [record["n"] for record in reading.records]


def test_a_follower_reads_what_is_new_and_only_that(journal: Journal) -> None:
    follower = Follower(journal)
    assert follower.read() == TypedReading()
    journal.append([{"n": 1}, {"n": 2}])
    assert numbers(follower.read()) == [1, 2]
    assert numbers(follower.read()) == []
    journal.append([{"n": 3}])
    reading = follower.read()
    assert numbers(reading) == [3]
    assert reading.offset == follower.offset == journal.path.stat().st_size
    assert reading.replaced is False


def test_a_typed_follower_reads_structs(journal: Journal) -> None:
    follower = TypedFollower(journal, Count)
    journal.append([{"n": 1, "more": True}])
    assert follower.read().records == [Count(1)]


def test_an_unchanged_file_is_not_opened(tmp_path: Path) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    journal.append([{"n": 1}])
    follower = Follower(journal)
    follower.read()
    layer.calls.clear()
    follower.read()
    assert layer.calls == []


def test_a_read_at_the_end_touches_no_more_than_the_end(tmp_path: Path) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    journal.append([{"n": n, "t": "x" * 1000} for n in range(5000)])
    follower = Follower(journal)
    follower.read()
    journal.append([{"n": -1}])
    layer.calls.clear()
    assert numbers(follower.read()) == [-1]
    assert layer.calls == ["open", "pread", "pread"]  # the mark, what is new


@pytest.mark.parametrize(
    "how", ["shrunk", "emptied", "renamed over", "edited", "edited to the same size", "grown from the middle"]
)
def test_a_file_that_is_no_longer_what_was_read_is_read_again(tmp_path: Path, how: str) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    rows = [{"n": n, "t": f"row {n}"} for n in range(20)]
    journal.append(rows)
    follower = Follower(journal)
    follower.read()
    states: dict[str, list[dict[str, Any]]] = {
        "shrunk": rows[:7],
        "emptied": [],
        "renamed over": rows,
        "edited": [{"n": 100, "t": "other"}, *rows[1:], {"n": 3}],
        "edited to the same size": [{"n": 9, "t": "ROW 0"}, *rows[1:]],
        "grown from the middle": [*rows[:5], {"n": 55, "t": "inserted"}, *rows[5:], {"n": 20}],
    }
    new = states[how]
    if how == "renamed over":
        other = journal.path.with_name("other")
        other.write_bytes(encode(new))
        other.replace(journal.path)
    else:
        journal.path.write_bytes(encode(new))
        os.utime(journal.path, ns=(1, journal.path.stat().st_mtime_ns + 1))  # as if it had not been in the same clock tick
    if how == "edited to the same size":
        assert follower.read().replaced is False  # it might be an append whose bytes are not there yet
        layer.time += 2
    reading = follower.read()
    assert reading.replaced is True
    assert reading.records == new
    assert follower.read().replaced is False


def test_a_file_that_went_away_is_replaced_by_nothing_and_may_come_back(journal: Journal) -> None:
    journal.append([{"n": 1}])
    follower = Follower(journal)
    follower.read()
    journal.path.unlink()
    assert follower.read() == TypedReading(replaced=True)
    assert follower.read() == TypedReading()
    journal.append([{"n": 2}])
    reading = follower.read()
    assert (numbers(reading), reading.replaced) == ([2], False)


def test_damage_is_reported_once_as_it_is_passed(journal: Journal) -> None:
    follower = Follower(journal)
    journal.append([{"n": 1}])
    follower.read()
    with journal.path.open("ab") as file:
        file.write(b'rubbish\n{"n":2}\n')
    reading = follower.read()
    assert numbers(reading) == [2]
    assert [(damage.line, damage.offset) for damage in reading.damage] == [(2, 8)]
    assert follower.read().damage == []


def test_a_writer_notices_an_edit_to_the_same_size_at_once(journal: Journal) -> None:
    journal.append([{"n": 1}])
    follower = Follower(journal)
    follower.read()
    journal.path.write_bytes(b'{"n":2}\n')
    os.utime(journal.path, ns=(1, journal.path.stat().st_mtime_ns + 1))
    assert journal.transact(follower, lambda reading: ([], (numbers(reading), reading.replaced))) == ([2], True)


def test_a_failing_disk_leaves_the_position(tmp_path: Path) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    journal.append([{"n": 1}])
    follower = Follower(journal)
    layer.plan["pread"] = [5]
    with pytest.raises(JournalError, match="Input/output error"):
        follower.read()
    assert numbers(follower.read()) == [1]


def test_transact_decides_on_all_that_is_there_and_is_past_its_own(journal: Journal) -> None:
    follower = Follower(journal)
    journal.append([{"n": 1}])
    Journal(journal.path).append([{"n": 2}])

    def decide(reading: TypedReading[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
        assert numbers(reading) == [1, 2]
        return [{"n": 3}, {"n": 4}], "done"

    assert journal.transact(follower, decide) == "done"
    assert follower.read() == TypedReading(offset=journal.path.stat().st_size)
    Journal(journal.path).append([{"n": 5}])
    with journal.path.open("ab") as file:
        file.write(b"rubbish\n")
    reading = follower.read()
    assert numbers(reading) == [5]
    assert [damage.line for damage in reading.damage] == [6]
    assert numbers(journal.read()) == [1, 2, 3, 4, 5]


def test_transact_repairs_a_torn_tail_before_it_reads(journal: Journal) -> None:
    journal.append([{"n": 1}])
    follower = Follower(journal)
    follower.read()
    with journal.path.open("ab") as file:
        file.write(b'{"n":2')
    assert journal.transact(follower, lambda reading: ([{"n": 3}], reading.torn)) is False
    assert journal.read().records == [{"n": 1}, {"n": 3}]
    assert follower.read().records == []


def test_a_last_line_without_its_end_counts_once_in_a_transaction(journal: Journal) -> None:
    journal.path.write_bytes(b'{"n":1}')
    follower = Follower(journal)
    assert journal.transact(follower, lambda reading: ([{"n": 2}], numbers(reading))) == [1]
    assert follower.read() == TypedReading(offset=16)
    assert numbers(journal.read()) == [1, 2]


def test_a_decision_that_fails_stores_nothing_and_frees_the_lock(journal: Journal) -> None:
    follower = Follower(journal)

    def decide(reading: TypedReading[dict[str, Any]]) -> tuple[list[dict[str, Any]], None]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        journal.transact(follower, decide)
    journal.append([{"n": 1}])
    assert numbers(journal.read()) == [1]


def test_a_follower_of_another_journal_is_refused(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="cannot be used"):
        journal.transact(Follower(Journal(tmp_path / "other")), lambda reading: ([], None))


class Followed(RuleBasedStateMachine):
    """Whatever writers and accidents do in turn, what a follower has gathered is what the file holds."""

    def __init__(self) -> None:
        super().__init__()
        self.directory = tempfile.TemporaryDirectory()
        self.journal = Journal(Path(self.directory.name) / "j.jsonl")
        self.follower = Follower(self.journal)
        self.seen: list[Any] = []
        self.n = 0

    def teardown(self) -> None:
        self.directory.cleanup()

    def rows(self, count: int) -> list[dict[str, Any]]:
        self.n += count
        return [{"n": n} for n in range(self.n - count, self.n)]

    def gather(self, reading: TypedReading[dict[str, Any]]) -> None:
        self.seen = reading.records if reading.replaced else self.seen + reading.records

    @rule(count=st.integers(1, 3))
    def append(self, count: int) -> None:
        self.journal.append(self.rows(count))

    @rule()
    def read(self) -> None:
        self.gather(self.follower.read())

    @rule(count=st.integers(0, 2))
    def transact(self, count: int) -> None:
        own = self.rows(count)

        def decide(reading: TypedReading[dict[str, Any]]) -> tuple[list[dict[str, Any]], None]:
            self.gather(reading)
            return own, None

        self.journal.transact(self.follower, decide)
        self.seen = self.seen + own

    @rule(size=st.integers(1, 12))
    def tear(self, size: int) -> None:
        if self.journal.path.exists():
            with self.journal.path.open("ab") as file:
                file.write(b'{"n":"torn..'[:size])

    @rule(keep=st.floats(0, 1))
    def cut(self, keep: float) -> None:
        if self.journal.path.exists():
            os.truncate(self.journal.path, int(self.journal.path.stat().st_size * keep))

    @rule(odd=st.booleans())
    def forget(self, odd: bool) -> None:
        self.journal.rewrite(lambda record: None if record.get("n", 0) % 2 == odd else record)

    @invariant()
    def the_follower_catches_up(self) -> None:
        copy = self.journal.read().records
        self.gather(self.follower.read_contents())
        assert self.seen == copy


Followed.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestFollowed = Followed.TestCase
