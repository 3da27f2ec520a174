"""One journal as its user sees it: what is appended is on the disk, one object a line, and comes back as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.errors import JournalError
from borgd.journal import Journal, Record, encode
from borgd.journal.layer import NAMED, FileLayer

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
RECORDS = st.dictionaries(st.text(), JSON_VALUES, max_size=5)


class Note(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    ms: int = 0
    weight: float = 1.0


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "notes.jsonl")


def test_nothing_is_created_until_the_first_append(journal: Journal) -> None:
    assert journal.read().records == []
    journal.append([])
    assert list(journal.path.parent.iterdir()) == []


def test_an_append_is_one_object_a_line_private_and_locked_beside(journal: Journal) -> None:
    journal.append([{"a": 1}, Note(id="x")])
    assert journal.path.read_bytes() == b'{"a":1}\n{"id":"x","ms":0,"weight":1.0}\n'
    for path in (journal.path, journal.path.with_name("notes.jsonl.lock")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert journal.path.with_name("notes.jsonl.lock").stat().st_size == 0


def test_modes_hold_under_an_open_umask(journal: Journal) -> None:
    before = os.umask(0)
    try:
        journal.append([{"a": 1}])
        journal.path.write_bytes(b'{"torn')
        journal.append([{"a": 1}])
    finally:
        os.umask(before)
    assert {
        stat.S_IMODE(path.stat().st_mode) for path in (journal.quarantine_path, *journal.path.parent.glob("*.lock"))
    } == {0o600}


@given(st.lists(RECORDS, max_size=6))
def test_every_record_comes_back_and_takes_one_line_for_any_program(
    tmp_path_factory: Any, records: list[dict[str, Any]]
) -> None:
    journal = Journal(tmp_path_factory.mktemp("any") / "j.jsonl")
    journal.append(records)
    reading = journal.read()
    assert reading.records == records
    assert (reading.damage, reading.torn) == ([], False)
    if records:
        assert len(journal.path.read_text("utf-8").splitlines()) == len(records)


@pytest.mark.parametrize(
    "separator", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\0"]
)
def test_no_line_separator_inside_a_string_splits_a_record(journal: Journal, separator: str) -> None:
    record = {f"k{separator}": f"before\\{separator}after"}
    journal.append([record, record])
    assert len(journal.path.read_text("utf-8").splitlines()) == 2
    assert journal.read().records == [record, record]


def test_unknown_keys_stay_on_the_disk(journal: Journal) -> None:
    journal.path.write_bytes(b'{"id":"a","later":{"x":[1]}}\n')
    assert journal.read(Note).records == [Note(id="a")]
    journal.append([Note(id="b")])
    assert journal.read().records[0] == {"id": "a", "later": {"x": [1]}}


def test_a_record_that_does_not_fit_its_kind_is_reported_with_its_field_and_the_rest_is_read(journal: Journal) -> None:
    journal.path.write_bytes(b'{"id":"a"}\n{"id":"b","ms":"soon"}\n{"id":"c"}\n')
    reading = journal.read(Note)
    assert [note.id for note in reading.records] == ["a", "c"]
    (damage,) = reading.damage
    assert (damage.line, damage.offset, damage.lost) == (2, 11, True)
    assert "$.ms" in damage.reason
    assert str(damage).startswith(f"{journal.path}:2: ")
    assert journal.read().damage == []


@pytest.mark.parametrize(
    "record",
    [
        {"a": "\ud800"},
        {"a": object()},
        {"a": 10**5000},
        Note(id="a", weight=float("nan")),
        Note(id=7),  # type: ignore[arg-type]
        [1, 2],
        "text",
    ],
)
def test_what_could_not_be_read_back_is_refused_and_nothing_of_its_batch_is_stored(journal: Journal, record: Any) -> None:
    journal.append([{"before": 1}])
    with pytest.raises(JournalError, match="record 2"):
        journal.append([{"good": 1}, record])
    assert journal.read().records == [{"before": 1}]


def test_a_bottomless_record_is_refused(journal: Journal) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(JournalError, match="record 1"):
        journal.append([{"deep": deep}])
    while deep:  # taken apart here: freeing it in one go would recurse
        deep = deep.pop()


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="nowhere"):
        Journal(tmp_path / "nowhere" / "j.jsonl").append([{"a": 1}])


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "j.jsonl")
    journal = Journal(tmp_path / "j.jsonl")
    with pytest.raises(JournalError, match=r"j\.jsonl"):
        journal.append([{"a": 1}])
    with pytest.raises(JournalError, match="expected a file"):
        journal.read()


def test_a_link_keeps_leading_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "j.jsonl").symlink_to(tmp_path / "dotfiles" / "j.jsonl")
    journal = Journal(tmp_path / "j.jsonl")
    journal.append([{"a": 1}, {"a": 2}])
    journal.rewrite(lambda record: None if record["a"] == 1 else record)
    assert journal.path.is_symlink()
    assert (tmp_path / "dotfiles" / "j.jsonl").read_bytes() == b'{"a":2}\n'


def test_encode_is_what_append_writes(journal: Journal) -> None:
    records: list[Record] = [{"a": "ü\u2028"}, Note(id="n")]
    journal.append_encoded(encode(records))
    first = journal.path.read_bytes()
    journal.append(records)
    assert journal.path.read_bytes() == first * 2


def test_a_command_that_only_reads_and_appends_does_not_load_the_event_loop() -> None:
    code = "import sys, borgd.journal as j; print('anyio' in sys.modules); j.GroupCommit; print('anyio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]


def test_a_process_that_writes_to_many_journals_remembers_the_last_ones(tmp_path: Path) -> None:
    layer = FileLayer()
    for number in range(3 * NAMED):
        layer.name_is_durable(str(number), (1, number))
        assert len(layer.named) <= NAMED
    assert str(3 * NAMED - 1) in layer.named
    journal = Journal(tmp_path / "j.jsonl", layer=layer)
    journal.append([{"a": 1}])
    layer.named.clear()
    journal.append([{"a": 2}])
    assert [record["a"] for record in journal.read().records] == [1, 2]
