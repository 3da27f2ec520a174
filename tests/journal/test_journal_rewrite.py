"""Forgetting and repair: the one way in which lines leave a journal."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from borgd.journal import Follower, Journal, Rewritten


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "j.jsonl")


def test_what_is_dropped_is_gone_from_the_disk_and_the_rest_keeps_its_bytes(journal: Journal) -> None:
    journal.path.write_bytes(b'{ "n" : 1 }\n{"n":2,"t":"canary"}\n{"n": 3.0}\n')
    result = journal.rewrite(lambda record: None if "canary" in record.get("t", "") else record)
    assert result == Rewritten(kept=2, changed=0, dropped=1, quarantined=0)
    assert journal.path.read_bytes() == b'{ "n" : 1 }\n{"n": 3.0}\n'
    assert stat.S_IMODE(journal.path.stat().st_mode) == 0o600
    assert [path for path in journal.path.parent.iterdir() if b"canary" in path.read_bytes()] == []


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (b'{"n":0}{"n":1}\n{"n":2}\n', b'{"n":1}\n{"n":2}\n'),
        (b'{"m":\n{"n":1}}{"n":2}\n{"n":3}\n', b'{"n":3}\n'),
        (b'{"n":0} {"n":1}', b'{"n":1}\n'),
    ],
)
def test_each_record_keeps_its_own_bytes_whatever_line_it_stood_on(journal: Journal, content: bytes, kept: bytes) -> None:
    journal.path.write_bytes(content)
    journal.rewrite(lambda record: None if record["n"] == 0 else record)
    assert journal.path.read_bytes() == kept


def test_a_record_may_be_changed_in_place_or_by_a_new_one(journal: Journal) -> None:
    journal.append([{"n": 1, "t": "secret"}, {"n": 2, "t": "secret"}, {"n": 3}])

    def transform(record: dict[str, object]) -> dict[str, object]:
        if record["n"] == 1:
            record["t"] = "gone"
            return record
        return {**record, "t": "gone"} if record["n"] == 2 else dict(record)

    assert journal.rewrite(transform) == Rewritten(kept=1, changed=2, dropped=0, quarantined=0)
    assert journal.path.read_bytes() == b'{"n":1,"t":"gone"}\n{"n":2,"t":"gone"}\n{"n":3}\n'


def test_nothing_is_written_where_nothing_changes(journal: Journal) -> None:
    assert journal.rewrite(dict) == Rewritten(0, 0, 0, 0)
    journal.append([{"n": 1}])
    before = journal.path.stat()
    assert journal.rewrite(dict) == Rewritten(1, 0, 0, 0)
    assert (journal.path.stat().st_ino, journal.path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(path.name for path in journal.path.parent.iterdir()) == ["j.jsonl", "j.jsonl.lock"]


def test_repair_moves_damage_to_quarantine_and_keeps_every_record(journal: Journal) -> None:
    journal.path.write_bytes(
        b'\xef\xbb\xbf{"n":1}\r\n\0\0\0{"n":2}\n'
        b'<<<<<<< a\n{"n":3}{"n":4}\n=======\nrub\xffbish\n>>>>>>> b\n{"n":5} tail\n{"n":6'
    )
    assert journal.rewrite(dict) == Rewritten(kept=5, changed=0, dropped=0, quarantined=2)
    assert journal.path.read_bytes() == b'{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n{"n":5}\n'
    assert [row.text for row in journal.quarantined()] == ['{"n":6', "", "tail"]
    assert [row.base64 for row in journal.quarantined()] == ["", "cnVi/2Jpc2g=", ""]
    assert journal.read().damage == []
    assert journal.rewrite(dict) == Rewritten(5, 0, 0, 0)


def test_the_quarantine_can_be_forgotten_too(journal: Journal) -> None:
    journal.path.write_bytes(b'{"canary')
    journal.append([{"n": 1}])
    assert journal.purge_quarantine() is True
    assert journal.purge_quarantine() is False
    assert [path for path in journal.path.parent.iterdir() if b"canary" in path.read_bytes()] == []


def test_followers_read_anew_and_writers_go_on_in_the_new_file(journal: Journal) -> None:
    follower = Follower(journal)
    journal.append([{"n": n} for n in range(5)])
    follower.read()
    Journal(journal.path).rewrite(lambda record: record if record["n"] % 2 else None)
    journal.append([{"n": 7}])
    reading = follower.read()
    assert reading.replaced is True
    assert [record["n"] for record in reading.records] == [1, 3, 7]


def test_a_transform_that_fails_changes_nothing(journal: Journal) -> None:
    journal.append([{"n": 1}, {"t": 2}])
    before = journal.path.read_bytes()
    with pytest.raises(KeyError):
        journal.rewrite(lambda record: record if record["n"] else None)
    assert journal.path.read_bytes() == before
    assert sorted(path.name for path in journal.path.parent.iterdir()) == ["j.jsonl", "j.jsonl.lock"]


@pytest.mark.parametrize("left", ["a file", "a second name of the journal", "a link to it"])
def test_what_a_crash_left_of_a_rewrite_goes_with_the_next(journal: Journal, left: str) -> None:
    journal.append([{"n": 1}, {"n": 2}])
    temporary = journal.path.with_name("j.jsonl.rewrite")
    if left == "a file":
        temporary.write_bytes(b"x" * 1000)
    elif left == "a link to it":
        temporary.symlink_to(journal.path)
    else:
        temporary.hardlink_to(journal.path)
    assert journal.rewrite(lambda record: record) == Rewritten(2, 0, 0, 0)
    assert not temporary.exists()
    assert journal.path.read_bytes() == b'{"n":1}\n{"n":2}\n'
