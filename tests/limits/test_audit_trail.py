"""The trail on disk: one chain from several processes and threads, its head kept apart, cuts and edits found."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from borgd.limits.audit import AuditEntry, TrailHead
from borgd.paths import user_paths
from borgd.stores.audit.trail import AuditTrail


def entry(number: int = 0) -> AuditEntry:
    return AuditEntry(limit="interrupt", verdict="defer", reason=f"ask {number}", evaluator="test/1", facts={"bar": "13/20"})


@pytest.fixture
def trail(home: Path) -> AuditTrail:
    return AuditTrail(user_paths())


def test_an_empty_trail_has_no_problems(trail: AuditTrail) -> None:
    assert trail.verify() == (0, TrailHead(), [])
    assert trail.record([], 1) == TrailHead()
    assert not trail.journal.path.exists()


def test_lines_are_chained_over_objects_and_restarts(trail: AuditTrail) -> None:
    trail.record([entry(1), entry(2)], 1)
    again = AuditTrail(user_paths())
    head = again.record([entry(3)], 2)
    assert trail.record([entry(4)], 3).seq == 4
    assert head.seq == 3
    lines, last, problems = again.verify()
    assert (lines, last.seq, problems) == (4, 4, [])
    assert again.kept_head() == last
    assert trail.journal.path.stat().st_mode & 0o777 == 0o600
    assert trail.head_file.stat().st_mode & 0o777 == 0o600


RACER = """
import sys
from borgd.stores.audit.trail import AuditTrail
from borgd.limits.audit import AuditEntry
from borgd.paths import user_paths
trail = AuditTrail(user_paths())
for n in range(25):
    trail.record([AuditEntry(limit="x", verdict="y", reason=f"{sys.argv[1]} {n}", evaluator="t")] * 2, n)
"""


def test_processes_and_threads_make_one_chain(trail: AuditTrail) -> None:
    running = [subprocess.Popen([sys.executable, "-c", RACER, str(n)]) for n in range(3)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: trail.record([entry(n)], n), range(40)))
    assert [process.wait(60) for process in running] == [0, 0, 0]
    lines, head, problems = trail.verify()
    assert (lines, head.seq, problems) == (190, 190, [])
    assert trail.kept_head() == head


def test_a_writer_that_was_slow_does_not_take_the_kept_head_back(trail: AuditTrail, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its append and its keeping of the head, others may have appended, and kept theirs."""
    late: list[tuple[TrailHead, TrailHead]] = []
    with monkeypatch.context() as slow:
        slow.setattr(trail, "_keep", lambda before, head: late.append((before, head)))
        trail.record([entry(1)], 1)
    newest = AuditTrail(user_paths()).record([entry(2), entry(3)], 2)
    assert trail.kept_head() == newest
    trail._keep(*late[0])
    assert trail.kept_head() == newest


def test_each_of_a_thousand_edits_on_disk_is_caught(trail: AuditTrail) -> None:
    for number in range(30):
        trail.record([entry(number)], number)
    whole, draw = trail.journal.path.read_bytes(), random.Random(1)
    for _ in range(1_000):
        damaged = bytearray(whole)
        at = draw.randrange(len(damaged))
        if draw.random() < 0.5:
            damaged[at] ^= draw.randrange(1, 256)
        else:
            del damaged[at]
        trail.journal.path.write_bytes(damaged)
        assert trail.verify()[2], (at, bytes(damaged))
    trail.journal.path.write_bytes(whole)
    assert trail.verify()[2] == []


def test_a_cut_end_stays_found_though_verdicts_are_appended_after_it(trail: AuditTrail) -> None:
    for number in range(5):
        trail.record([entry(number)], number)
    lines = trail.journal.path.read_bytes().splitlines(keepends=True)
    trail.journal.path.write_bytes(b"".join(lines[:3]))
    after = AuditTrail(user_paths())
    assert [problem.kind for problem in after.verify()[2]] == ["cut"]
    for number in range(9):
        after.record([entry(number)], number)
    assert [problem.kind for problem in after.verify()[2]] == ["replaced"]
    after.head_file.unlink()
    assert after.verify()[2] == []
    assert after.record([entry()], 9).seq == 13
    assert after.verify()[2] == []


def test_a_head_that_a_person_wrote_down_is_taken(trail: AuditTrail) -> None:
    head = trail.record([entry(1), entry(2)], 1)
    trail.record([entry(3)], 2)
    assert trail.verify(head)[2] == []
    assert [problem.kind for problem in trail.verify(TrailHead(seq=2, hash="a" * 64))[2]] == ["replaced"]


def test_a_torn_last_line_is_repaired_by_the_next_verdict(trail: AuditTrail) -> None:
    for number in range(3):
        trail.record([entry(number)], number)
    data = trail.journal.path.read_bytes()
    trail.journal.path.write_bytes(data + b'{"seq":4,"ms":1,"pr')
    after = AuditTrail(user_paths())
    assert [problem.kind for problem in after.verify()[2]] == ["torn", "changed"]
    assert after.record([entry(4)], 4).seq == 4
    assert after.verify()[2] == []


def test_an_unreadable_kept_head_costs_no_verdict(trail: AuditTrail) -> None:
    trail.record([entry(1)], 1)
    trail.head_file.write_text("nonsense")
    assert trail.record([entry(2)], 2).seq == 2
    assert trail.kept_head() is not None
    trail.head_file.unlink()
    trail.head_file.mkdir()
    assert trail.record([entry(3)], 3).seq == 3
    assert trail.verify()[2] == []
