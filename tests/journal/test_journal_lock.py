"""Writers exclude each other, in one process and between many; nothing else lets go of the lock or waits for it for ever."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from borgd.errors import JournalError
from borgd.journal import Follower, Journal
from borgd.journal.lock import WAIT_S, locked
from tests.journal.support import FaultyLayer

PROCESSES, APPENDS = 8, 500

WRITER = """
import sys
from pathlib import Path
from borgd.journal import Follower, Journal
path, writer, appends = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
journal = Journal(path)
follower = Follower(journal)
sys.stdin.read()
for n in range(appends):
    if n % 10:
        journal.append([{"writer": writer, "n": n, "text": "é" * (n % 97)}])
    else:
        journal.transact(follower, lambda reading: ([{"writer": writer, "n": n}], None))
"""


def try_lock(path: Path) -> bool:
    """As another process would: through a descriptor of its own."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def test_opening_and_closing_everything_else_does_not_release_the_lock(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    journal.append([{"n": 1}])
    lock_path = tmp_path / "j.jsonl.lock"
    with locked(journal.name, journal.layer):
        for path in (journal.path, lock_path):
            os.close(os.open(path, os.O_RDWR))
        journal.read()
        Follower(journal).read()
        assert try_lock(lock_path) is False
    assert try_lock(lock_path) is True


def test_the_lock_is_not_inherited_by_a_program_that_is_started_meanwhile(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    with locked(journal.name, journal.layer):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        assert try_lock(tmp_path / "j.jsonl.lock") is True
    finally:
        child.communicate(b"\n")


def test_a_forked_child_does_not_keep_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    read_end, write_end = os.pipe()
    with locked(journal.name, journal.layer):
        pid = os.fork()
        if pid == 0:
            os.close(write_end)
            os.read(read_end, 1)
            os._exit(0)
    try:
        assert try_lock(tmp_path / "j.jsonl.lock") is True
    finally:
        os.close(write_end)
        os.close(read_end)
        os.waitpid(pid, 0)


def test_a_holder_that_never_lets_go_is_named_and_nothing_is_stored(tmp_path: Path) -> None:
    layer = FaultyLayer()
    journal = Journal(tmp_path / "j.jsonl", layer)
    journal.append([{"n": 1}])
    with (
        locked(journal.name, Journal(journal.path).layer),
        pytest.raises(JournalError, match=r"j\.jsonl\.lock .*end or resume"),
    ):
        journal.append([{"n": 2}])
    assert layer.time > WAIT_S
    journal.append([{"n": 3}])
    assert journal.read().records == [{"n": 1}, {"n": 3}]


def test_readers_wait_for_nobody(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")
    journal.append([{"n": 1}])
    with locked(journal.name, journal.layer):
        assert journal.read().records == [{"n": 1}]


def test_a_lock_file_that_is_removed_as_it_is_locked_is_not_believed(tmp_path: Path) -> None:
    lock_path = tmp_path / "j.jsonl.lock"

    class Removing(FaultyLayer):
        def try_lock(self, descriptor: int) -> bool:
            if self.time == 0:
                lock_path.unlink()
            return super().try_lock(descriptor)

    layer = Removing()
    with locked(os.fspath(tmp_path / "j.jsonl"), layer):
        assert try_lock(lock_path) is False
    assert layer.time > 0


def test_a_lock_file_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "j.jsonl.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(tmp_path / "j.jsonl").append([{"n": 1}])
    assert not (tmp_path / "elsewhere").exists()


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.jsonl")

    def work(writer: int) -> None:
        follower = Follower(journal)
        for _ in range(30):
            journal.transact(follower, lambda reading: ([{"total": reading_total(journal) + 1, "writer": writer}], None))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [record["total"] for record in journal.read().records] == list(range(1, 181))


def reading_total(journal: Journal) -> int:
    records = journal.read().records
    return records[-1]["total"] if records else 0


def test_many_processes_append_at_once_and_every_record_is_there_once_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number), str(APPENDS)], stdin=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    follower = Follower(Journal(path))
    seen = []
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.close()
    while any(writer.poll() is None for writer in writers):
        reading = follower.read()
        assert (reading.damage, reading.replaced) == ([], False)
        seen += reading.records
    assert [writer.returncode for writer in writers] == [0] * PROCESSES
    seen += follower.read().records
    reading = Journal(path).read()
    assert (reading.damage, reading.torn) == ([], False)
    assert seen == reading.records
    assert Counter(record["writer"] for record in reading.records) == dict.fromkeys(range(PROCESSES), APPENDS)
    for writer_number in range(PROCESSES):
        assert [record["n"] for record in reading.records if record["writer"] == writer_number] == list(range(APPENDS))
    assert not Journal(path).quarantine_path.exists()
