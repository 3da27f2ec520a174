"""What a journal's file may have become: cut, padded, edited, merged. The whole records are read, the rest is reported."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from borgd.journal import Follower, Journal, encode

ROWS: list[dict[str, Any]] = [
    {"n": 0, "t": "plain"},
    {"n": 1, "t": "ü \U0001f41d \u2028 \\"},
    {"n": 2, "deep": [{"n": 9}, {"n": 8}]},
    {"n": 3},
]
LINES = encode(ROWS)
NEW = {"n": "new"}


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "j.jsonl")


def parts(journal: Journal) -> tuple[list[Any], list[tuple[int, bool]], bool]:
    reading = journal.read()
    return reading.records, [(damage.line, damage.lost) for damage in reading.damage], reading.torn


@pytest.mark.parametrize("cut", range(len(LINES) + 1))
def test_a_journal_cut_at_any_byte_loses_at_most_the_torn_record_and_says_so(
    journal: Journal, cut: int, caplog: pytest.LogCaptureFixture
) -> None:
    kept = LINES[:cut]
    journal.path.write_bytes(kept)
    torn = kept[kept.rfind(b"\n") + 1 :]
    whole = kept.count(b"\n") + (LINES[cut : cut + 1] == b"\n" and bool(torn))
    is_torn = bool(torn) and LINES[cut : cut + 1] != b"\n"

    follower = Follower(journal)
    first = follower.read()
    assert first.records == ROWS[:whole]
    assert first.torn == is_torn
    assert first.offset == (kept.rfind(b"\n") + 1 if is_torn else cut)

    with caplog.at_level(logging.WARNING):
        journal.append([NEW])
    assert journal.read().records == [*ROWS[:whole], NEW]
    assert parts(journal)[1:] == ([], False)
    assert follower.read().records == [NEW]
    assert bool(journal.repairs) == bool(torn)
    assert len(caplog.records) == len(journal.repairs)
    quarantined = journal.quarantined()
    assert len(quarantined) == is_torn
    if is_torn:
        (row,) = quarantined
        try:
            assert row.text == torn.decode()
        except UnicodeDecodeError:
            assert row.base64
        assert row.offset == kept.rfind(b"\n") + 1


def test_a_reader_leaves_a_line_that_is_being_written_and_takes_it_once_when_it_is_whole(journal: Journal) -> None:
    follower = Follower(journal)
    seen: list[Any] = []
    with journal.path.open("ab", buffering=0) as file:
        for position in range(len(LINES)):
            file.write(LINES[position : position + 1])
            seen += follower.read().records
    assert seen == ROWS
    assert follower.read().torn is False


def test_damage_after_many_single_bytes_has_the_right_line_number(journal: Journal) -> None:
    follower = Follower(journal)
    with journal.path.open("ab", buffering=0) as file:
        for position in range(len(LINES)):
            file.write(LINES[position : position + 1])
            follower.read()
        file.write(b"rubbish\n")
    assert [damage.line for damage in follower.read().damage] == [len(ROWS) + 1]


@pytest.mark.parametrize(
    ("content", "numbers", "damage"),
    [
        (b'{"n":1}\nrubbish\n{"n":2}\n', [1, 2], [(2, True)]),
        (b'{"n":1}\n{"n":\xff}\n{"n":2}\n', [1, 2], [(2, True)]),
        (b'{"n":1}\n{"n":"\xff\xfe"}\n{"n":2}\n', [1, 2], [(2, True)]),
        (b'{"n":1}\n[1]\n7\nnull\n{"n":2}\n', [1, 2], [(2, True), (3, True), (4, True)]),
        (b'{"n":1}\n\n  \n{"n":2}\n', [1, 2], []),
        (b'{"n":1}{"n":2}\n{"n":3}\n', [1, 2, 3], []),
        (b'{"n":1} {"n":2}{"n"\n{"n":3}\n', [1, 2, 3], [(1, True)]),
        (b'{"m":{"n":1}\n{"n":2}\n', [2], [(1, True)]),
        (b'{"m":[{"n":7}{"n":2}\n{"n":3}\n', [3], [(1, True)]),
        (b'{"n":\n1}{"n":2}\n', [], [(1, True), (2, True)]),
        (b'{"m":\n{"n":1}}{"n":2}\n', [], [(1, True), (2, True)]),
        (b'{"m":[\n{"n":1},\n7]}\n{"n":2}\n', [2], [(1, True), (2, True), (3, True)]),
        (b'{"m":\0\0{"n":1}}\n{"n":2}\n', [2], [(1, False), (1, True)]),
        (b'{"m":{}\n,"k":2}{"n":1}\n{"n":2}\n', [2], [(1, True), (2, True)]),
        (b'{"n":1} note\n{"n":2}\n', [1, 2], [(1, True)]),
        (b'\0\0\0\0{"n":1}\n{"n":2}\n', [1, 2], [(1, False)]),
        (b'{"n":1}\n\0\0\0\0\0\0\n{"n":2}\n', [1, 2], [(2, False)]),
        (b'{"n":1}\n{"n":\0\0\0\0{"n":2}\n', [1, 2], [(2, False), (2, True)]),
        (b'{"n":1}\0\0{"n":2}\0\n', [1, 2], [(1, False)]),
        (b'{"n":1}\r\n{"n":2}\r\n', [1, 2], [(1, False)]),
        (b'\xef\xbb\xbf{"n":1}\n{"n":2}\n', [1, 2], [(1, False)]),
        (b'\xef\xbb\xbf{"n":1}', [1], [(1, False)]),
        (b'{"n":1}\r', [1], [(1, False)]),
        (b'{"n":1}\n<<<<<<< HEAD\n{"n":2}\n||||||| base\n=======\n{"n":3}\n>>>>>>> theirs\n', [1, 2, 3],
         [(2, False), (4, False), (5, False), (7, False)]),
        (b'{"n":1}\n<<<<<<< HEAD\r\n{"n":2}\r\n=======\r\n>>>>>>> x\r\n', [1, 2],
         [(2, False), (2, False), (4, False), (5, False)]),
        (b'{"n":' + b"[" * 100_000 + b'\n{"n":2}\n', [2], [(1, True)]),
        (b'{"n":1e999}\n{"n":2}\n', [2], [(1, True)]),
        ('{"n":1}\n'.encode("utf-16"), [], [(1, False), (1, True)]),
    ],
)  # fmt: skip
def test_damage_is_survived_and_reported(journal: Journal, content: bytes, numbers: list[int], damage: list[Any]) -> None:
    journal.path.write_bytes(content)
    reading = journal.read()
    assert [record["n"] for record in reading.records] == numbers
    assert [(each.line, each.lost) for each in reading.damage] == damage


def test_a_million_glued_objects_take_no_longer_than_as_many_lines(journal: Journal) -> None:
    journal.path.write_bytes(b"{}" * 200_000 + b'x\n{"n":1}\n')
    assert len(journal.read().records) == 200_001


@pytest.mark.parametrize("padding", [b"\0" * 4096, b"  ", b"\r", b"\0 \0"])
def test_padding_after_the_last_line_is_removed_by_the_next_append(journal: Journal, padding: bytes) -> None:
    journal.path.write_bytes(b'{"n":1}\n' + padding)
    assert [record["n"] for record in journal.read().records] == [1]
    journal.append([{"n": 2}])
    assert journal.path.read_bytes() == b'{"n":1}\n{"n":2}\n'
    assert not journal.quarantine_path.exists()


def test_a_torn_line_behind_a_whole_one_costs_only_itself(journal: Journal) -> None:
    journal.path.write_bytes(b'{"n":1} {"n":2}{"n":')
    journal.append([{"n": 3}])
    assert [record["n"] for record in journal.read().records] == [1, 2, 3]
    assert [row.text for row in journal.quarantined()] == ['{"n":']


def test_a_tail_longer_than_one_step_is_found_and_kept(journal: Journal) -> None:
    torn = b'{"t":"' + b"x" * 300_000
    journal.path.write_bytes(b'{"n":1}\n' + torn)
    journal.append([{"n": 2}])
    assert journal.path.read_bytes() == b'{"n":1}\n{"n":2}\n'
    assert journal.quarantined()[0].text.encode() == torn


def test_a_quarantine_that_is_torn_itself_takes_the_next_row(journal: Journal) -> None:
    journal.quarantine_path.write_bytes(b'{"ms":1,"rea')
    journal.path.write_bytes(b"torn")
    journal.append([{"n": 1}])
    assert [row.text for row in journal.quarantined()] == ["torn"]


@given(st.data())
def test_whatever_happens_to_a_stretch_all_lines_outside_it_are_read_and_no_loss_is_silent(
    tmp_path_factory: Any, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(LINES)))
    end = data.draw(st.integers(start, min(len(LINES), start + 60)))
    junk = data.draw(
        st.binary(max_size=40) | st.sampled_from([b"\0" * 9, b"\n", b"}\n{", b'{"n":77}', b"\r\n", b"\xef\xbb\xbf"])
    )
    journal = Journal(tmp_path_factory.mktemp("junk") / "j.jsonl")
    journal.path.write_bytes(LINES[:start] + junk + LINES[end:])

    untouched, partly_left, position = [], [], 0
    for row, line in zip(ROWS, LINES.split(b"\n"), strict=False):
        before, position = position, position + len(line) + 1
        if position <= start or before > end:
            untouched.append(row)
        elif before < start or end < position - 1:
            partly_left.append(row)
    reading = journal.read()
    assert [row for row in untouched if row not in reading.records] == []
    if any(row not in reading.records for row in partly_left):
        changed_into_another = any(row not in ROWS for row in reading.records)
        assert reading.torn or changed_into_another or any(damage.lost for damage in reading.damage)
    journal.rewrite(dict)
    after = journal.read()
    assert after.records[: len(reading.records)] == reading.records
    assert (after.damage, after.torn) == ([], False)


def test_reading_never_writes(journal: Journal) -> None:
    journal.path.write_bytes(b'{"n":1}\nrubbish\n{"n"')
    before = {path: path.read_bytes() for path in journal.path.parent.iterdir()}
    journal.read()
    Follower(journal).read()
    assert {path: path.read_bytes() for path in journal.path.parent.iterdir()} == before
